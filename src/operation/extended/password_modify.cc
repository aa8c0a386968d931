// Password Modify (RFC 3062).

#include <functional>
#include <utility>

#include "base/limit_counters.h"
#include "ber/reader.h"
#include "ber/writer.h"
#include "operation/extended/extended.h"
#include "operation/locator.h"
#include "operation/password_work.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "operation/write_request.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;
using query::Right;

struct PasswordChange {
  std::optional<std::string_view> identity;
  std::optional<std::string_view> old_password;
  std::optional<std::string_view> new_password;
};

std::optional<std::string_view> optional_field(ber::Reader& fields, unsigned number) {
  std::string_view contents;
  if (!fields.optional(ber::context(number), contents)) return std::nullopt;
  return contents;
}

// PasswdModifyRequestValue; an absent value asks for a generated password for the requester.
bool read_change(ExtendedValue value, PasswordChange& out) {
  if (!value.has_value()) return true;
  ber::Reader reader(*value);
  ber::Reader fields = reader.nested(ber::kSequence);
  out.identity = optional_field(fields, 0);
  out.old_password = optional_field(fields, 1);
  out.new_password = optional_field(fields, 2);
  return fields.ok() && reader.ok() && fields.at_end();
}

// 16 characters of 32 that are hard to confuse: 80 bits.
std::string generate_password(Random& random) {
  constexpr std::string_view kAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  static_assert(kAlphabet.size() == 32);
  std::string password = random.bytes(16);
  for (char& c : password) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return password;
}

std::string generated_response(std::string_view password) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.octet_string(password, ber::context(0));
  writer.end();
  return value;
}

// Rights first, so that nobody can try passwords of entries that are not theirs to change.
// RETURNS: what to answer, or nothing and the stored passwords.
Result<std::optional<OperationResult>> check_target(Request& request, const WriteTarget& target,
                                                    std::string_view text,
                                                    std::vector<std::string>& stored) {
  backend::ReadSession& read = request.worker.read(target.database);
  query::Authorizer& authorizer = request.session.authorizer(target.database);
  KAURI_TRY(const ReadGuard guard, ReadGuard::begin(read));
  Locator locator(read, authorizer);
  KAURI_TRY(Located located, locator.find(target.name, text, {.manage_dsa_it = true}));
  if (!located.id.has_value()) {
    if (target.name.normal == request.service.admin_normal()) {
      located.failure = ldap::failure(ResultCode::kUnwillingToPerform,
                                      "the administrator has no entry; the configuration holds "
                                      "this password");
    }
    return std::optional<OperationResult>(std::move(located.failure));
  }
  KAURI_TRY(const std::optional<entry::EntryView> view, read.entry(*located.id));
  backend::StoredTarget stored_target(read, *located.id, *view);
  if (!authorizer.may_entry(stored_target, Right::kDisclose)) {
    KAURI_TRY(OperationResult hidden, locator.no_such_object(text, view->parent()));
    return std::optional<OperationResult>(std::move(hidden));
  }
  const schema::AttributeType& type = *request.service.schema().well_known().user_password;
  if (!authorizer.may(stored_target, type, Right::kWrite)) {
    return std::optional<OperationResult>(
        ldap::failure(ResultCode::kInsufficientAccessRights,
                      "there is no right to change the password of " + quoted(text)));
  }
  query::AllowAll everything{query::Identity()};
  stored = stored_passwords(read, everything, *located.id, *view, Right::kAuth);
  return std::optional<OperationResult>();
}

// The check of the old password, for the thread that hashes the new one.
std::function<std::optional<OperationResult>()> old_password_check(
    std::string_view old_password, std::vector<std::string> stored) {
  return [password = std::string(old_password),
          stored = std::move(stored)]() mutable -> std::optional<OperationResult> {
    std::optional<bool> matches = verify_fast(password, stored);
    if (matches == false) matches = verify_slow(password, stored);
    wipe(password);
    if (!matches) return no_memory();
    if (*matches) return std::nullopt;
    return ldap::failure(ResultCode::kInvalidCredentials, "the old password is wrong");
  };
}

std::optional<OperationResult> refuse_change(Request& request, const PasswordChange& change) {
  if (!request.session.password_allowed()) {
    return ldap::failure(ResultCode::kConfidentialityRequired,
                         "a password does not travel over this unprotected connection");
  }
  if (!request.session.authenticated()) {
    return ldap::failure(ResultCode::kUnwillingToPerform,
                         "only who has bound with a name can change a password");
  }
  if (change.new_password.has_value() && change.new_password->empty()) {
    return ldap::failure(ResultCode::kConstraintViolation, "the new password is empty");
  }
  if (change.new_password.has_value() && change.new_password->size() > limits::kPasswordSizeMax) {
    limits::count(limits::Counter::kPasswordSize);
    return ldap::failure(ResultCode::kConstraintViolation,
                         "the new password has " + std::to_string(change.new_password->size()) +
                             " octets; the limit is " + std::to_string(limits::kPasswordSizeMax));
  }
  return std::nullopt;
}

// "dn:..." (RFC 4513 section 5.2.1.8) or a DN as it is.
std::string target_text(Request& request, const PasswordChange& change) {
  if (!change.identity.has_value() || change.identity->empty()) {
    return request.session.identity().dn;
  }
  std::string_view text = *change.identity;
  if (text.starts_with("dn:")) text.remove_prefix(3);
  return std::string(text);
}

}  // namespace

void handle_password_modify(Request& request, ExtendedValue value) {
  PasswordChange change;
  if (!read_change(value, change)) {
    return answer(request, ldap::failure(ResultCode::kProtocolError,
                                         "the value of Password Modify is malformed (RFC 3062)"));
  }
  if (auto refused = refuse_change(request, change)) return answer(request, *refused);
  const std::string text = target_text(request, change);
  if (request.record != nullptr) request.record->dn = text;
  WriteTarget target;
  if (auto refused = find_write_target(request, text, target)) return answer(request, *refused);
  std::vector<std::string> stored;
  auto checked = check_target(request, target, text, stored);
  if (!checked)
    return answer(request, internal_failure(request.service, request.record, checked.error()));
  if (checked->has_value()) return answer(request, **checked);

  Submission submission;
  std::string new_password;
  if (change.new_password.has_value()) {
    new_password = *change.new_password;
  } else {
    new_password = generate_password(request.service.random());
    submission.extended_value = generated_response(new_password);
  }
  if (change.old_password.has_value()) {
    submission.check_first = old_password_check(*change.old_password, std::move(stored));
  }
  backend::ModifyOperationRequest operation;
  operation.target = to_target(std::move(target.name));
  operation.modifications.push_back({ldap::ModifyOperation::kReplace,
                                     {request.service.schema().well_known().user_password, {}},
                                     {std::move(new_password)}});
  submission.request = make_write(request);
  auto& queued =
      submission.request->operation.emplace<backend::ModifyOperationRequest>(std::move(operation));
  submission.clear_passwords.push_back(&queued.modifications[0].values[0]);
  submit_write(request, target.database, std::move(submission));
}

}  // namespace kauri::operation
