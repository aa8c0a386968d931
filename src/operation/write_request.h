// What the four updating operations share: names, values against the schema, passwords that arrive
// in clear, the way to the writer and back. Internal to operation/. Thread safety: confined to the
// worker thread, but for what it hands on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "operation/names.h"
#include "operation/request.h"

namespace kauri::operation {

// Where an update goes.
struct WriteTarget {
  Name name;
  std::size_t database = 0;
};
// RETURNS: what to answer when the name is no DN, names a virtual entry, lies outside every suffix
// or below a referral object that ManageDsaIT does not open.
std::optional<ldap::OperationResult> find_write_target(Request& request, std::string_view text,
                                                       WriteTarget& out);

// RETURNS: undefinedAttributeType with the reason when the schema has no such description.
std::optional<ldap::OperationResult> read_description(const schema::Schema& schema,
                                                      std::string_view text,
                                                      schema::AttributeDescription& out);
// The same for one that the request wants to change: constraintViolation for what only the server
// sets (NO-USER-MODIFICATION).
std::optional<ldap::OperationResult> read_changeable(const schema::Schema& schema,
                                                     std::string_view text,
                                                     schema::AttributeDescription& out);
// Copies the values of one request. RETURNS: invalidAttributeSyntax naming the value when one
// breaks its syntax; adminLimitExceeded when all that were copied so far are too dear to prepare
// (limits::kPreparedOctetsMax).
class ValueCopier {
 public:
  // A value to be deleted may be one that could not be stored today, but was once.
  enum class Purpose : std::uint8_t { kStored, kDeleted };
  std::optional<ldap::OperationResult> copy(const schema::AttributeDescription& description,
                                            const std::vector<std::string_view>& values,
                                            std::vector<std::string>& out,
                                            Purpose purpose = Purpose::kStored);

 private:
  std::size_t weight_ = 0;
};
// Whether the values of the description are passwords.
bool is_password(const schema::Schema& schema, const schema::AttributeDescription& description);

struct Submission {
  std::unique_ptr<backend::WriteRequest> request;
  // Passwords in clear inside the request; each is replaced by its hash before it is queued.
  std::vector<std::string*> clear_passwords;
  // Password work that decides whether to write at all, done before the hashing and on the same
  // thread. Returns what to answer instead.
  std::function<std::optional<ldap::OperationResult>()> check_first;
  // responseValue of an extended operation, sent on success.
  std::optional<std::string> extended_value;
};
// Refuses passwords past the limit, hashes the others, queues the write and answers when it is
// done.
void submit_write(Request& request, std::size_t database, Submission submission);

// Makes the write request with the identity's authorizer.
std::unique_ptr<backend::WriteRequest> make_write(Request& request);

}  // namespace kauri::operation
