// Password hashing and checking off the worker thread. Internal to operation/. Thread safety:
// thread-safe functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/read_session.h"
#include "ldap/result_code.h"

namespace kauri::operation {

class ServiceImpl;

// Overwrites a password before its memory goes.
void wipe(std::string& password);

// Appends the clear passwords among `values`, without the "{CLEAR}" that may mark them, to `out`.
// VALID UNTIL: `values` changes.
void collect_clear_passwords(std::vector<std::string>& values, std::vector<std::string*>& out);

// Runs slow work on the hash pool, or at once when the service has none. RETURNS: false when the
// pool's queue is full; `job` is not run then.
bool run_slow(ServiceImpl& service, std::function<void()> job);
ldap::OperationResult pool_is_full();

// Whether making a hash by the service's scheme belongs on the pool.
bool hashing_is_slow(ServiceImpl& service);

// The stored values of userPassword (its subtypes and options too) that `authorizer` may use for
// `right`.
std::vector<std::string> stored_passwords(backend::ReadSession& read, query::Authorizer& authorizer,
                                          EntryId id, const entry::EntryView& view,
                                          query::Right right);

// Whether `password` matches one of the stored values that are quick to verify. Nothing: as below.
std::optional<bool> verify_fast(std::string_view password, const std::vector<std::string>& stored);
// The rest of the check: the slow values, or when there are none the time that one would take, so
// that the duration of a failure tells nothing about the entry. Nothing: there was no memory for
// it, and no_memory() is the answer.
std::optional<bool> verify_slow(std::string_view password, const std::vector<std::string>& stored);
ldap::OperationResult no_memory();

}  // namespace kauri::operation
