#include "operation/password_work.h"

#include <cstring>
#include <utility>

#include "base/limit_counters.h"
#include "operation/service_impl.h"
#include "security/password.h"

namespace kauri::operation {

void wipe(std::string& password) {
  explicit_bzero(password.data(), password.size());
  password.clear();
}

void collect_clear_passwords(std::vector<std::string>& values, std::vector<std::string*>& out) {
  for (std::string& value : values) {
    const std::optional<std::string_view> clear = security::clear_password(value);
    if (!clear) continue;
    if (clear->size() != value.size()) {
      std::string unmarked(*clear);
      value.swap(unmarked);
      wipe(unmarked);
    }
    out.push_back(&value);
  }
}

bool run_slow(ServiceImpl& service, std::function<void()> job) {
  if (service.hash_pool() != nullptr) return service.hash_pool()->submit(std::move(job));
  job();
  return true;
}

ldap::OperationResult pool_is_full() {
  limits::count(limits::Counter::kHashQueue);
  return ldap::failure(ldap::ResultCode::kBusy,
                       "too many passwords wait to be checked or hashed (limit " +
                           std::to_string(limits::kHashQueueMax) + "); try again");
}

bool hashing_is_slow(ServiceImpl& service) {
  return service.password_scheme() == security::PasswordScheme::kArgon2id;
}

std::vector<std::string> stored_passwords(backend::ReadSession& read, query::Authorizer& authorizer,
                                          EntryId id, const entry::EntryView& view,
                                          query::Right right) {
  std::vector<std::string> values;
  const entry::Dictionary& dictionary = read.database().dictionary();
  backend::StoredTarget target(read, id, view);
  for (const AttributeNumber number :
       dictionary.numbers_of(*dictionary.schema().well_known().user_password)) {
    const auto slot = view.find(number);
    if (!slot.has_value() || slot->external) continue;
    const schema::AttributeType& type = *dictionary.description(number).type;
    if (!authorizer.may(target, number, type, right)) continue;
    for (const std::string_view value : slot->values) values.emplace_back(value);
  }
  return values;
}

std::optional<bool> verify_fast(std::string_view password, const std::vector<std::string>& stored) {
  bool computed = true;
  for (const std::string& value : stored) {
    if (security::is_slow(value)) continue;
    bool missing = false;
    if (security::verify_password(password, value, &missing)) return true;
    computed = computed && !missing;
  }
  if (!computed) return std::nullopt;
  return false;
}

std::optional<bool> verify_slow(std::string_view password, const std::vector<std::string>& stored) {
  bool any = false;
  bool computed = true;
  for (const std::string& value : stored) {
    if (!security::is_slow(value)) continue;
    any = true;
    bool missing = false;
    if (security::verify_password(password, value, &missing)) return true;
    computed = computed && !missing;
  }
  if (!any) computed = security::verify_dummy(password);
  if (!computed) return std::nullopt;
  return false;
}

ldap::OperationResult no_memory() {
  return ldap::failure(ldap::ResultCode::kBusy,
                       "the password could not be checked: there is no memory for that now; try "
                       "again");
}

}  // namespace kauri::operation
