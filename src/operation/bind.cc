// Bind (RFC 4511 section 4.2, RFC 4513 section 5.1): anonymous and simple. The session has made the
// connection anonymous before this runs.

#include <utility>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "operation/handlers.h"
#include "operation/locator.h"
#include "operation/names.h"
#include "operation/password_work.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;

// One text for a wrong name, a wrong password and a missing one.
OperationResult wrong_credentials() {
  return ldap::failure(ResultCode::kInvalidCredentials, "the name or the password is wrong");
}

// What a bind is checked against.
struct Credentials {
  std::vector<std::string> stored;
  query::Identity identity;  // when one of them matches
};

// An entry that is missing, hidden or without password leaves nothing stored.
Result<Credentials> credentials_of(Request& request, const Name& name) {
  Credentials found;
  ServiceImpl& service = request.service;
  found.identity.administrator =
      !service.admin_normal().empty() && name.normal == service.admin_normal();
  if (found.identity.administrator) {
    found.identity.dn = service.admin_dn();
    found.identity.normal_dn = name.normal;
    const std::string& hash = request.session.settings().admin_password_hash;
    if (!hash.empty()) {
      found.stored.push_back(hash);
      return found;
    }
  }
  const auto database = service.database_for(name.normal);
  if (!database.has_value()) return found;
  backend::ReadSession& read = request.worker.read(*database);
  KAURI_TRY(const ReadGuard guard, ReadGuard::begin(read));
  KAURI_TRY(const backend::Resolution resolution, read.resolve(name.normal_rdns));
  if (!resolution.id.has_value()) return found;
  KAURI_TRY(const entry::EntryView view, read.required_entry(*resolution.id));
  // The session is anonymous here: the rules say whether anonymous may try this password.
  found.stored = stored_passwords(read, request.session.authorizer(*database), *resolution.id, view,
                                  query::Right::kAuth);
  found.identity.normal_dn = name.normal;
  KAURI_CHECK(read.append_dn(view, found.identity.dn));
  return found;
}

void bind_anonymously(Request& request) {
  answer(request, {});
}

// The check goes on elsewhere; the session handles nothing until it has ended.
void verify_later(Request& request, Credentials credentials, std::string password) {
  const auto operation = request.session.begin_async(request);
  request.session.bind_began();
  auto job = [handle = request.session.handle_for_completion(), operation,
              service = &request.service, pass = request.service.pass(),
              credentials = std::move(credentials), password = std::move(password),
              submitted = request.service.clock().monotonic_nanos()]() mutable {
    operation->queued_nanos = service->clock().monotonic_nanos() - submitted;
    const std::optional<bool> checked = verify_slow(password, credentials.stored);
    wipe(password);
    const bool matches = checked.value_or(false);
    const OperationResult result = !checked  ? no_memory()
                                   : matches ? OperationResult{}
                                             : wrong_credentials();
    query::Identity identity = matches ? std::move(credentials.identity) : query::Identity();
    const bool alive = handle.run(
        [operation, result, identity = std::move(identity)](SessionImpl& session) mutable {
          session.bind_ended(std::move(identity));
          session.finish_async(*operation, result);
        });
    if (!alive) log_async(*service, *operation, result);
  };
  if (!run_slow(request.service, std::move(job))) {
    request.session.bind_ended({});
    request.session.finish_async(*operation, pool_is_full());
    request.session.take_output(request.out);
  }
}

void bind_simply(Request& request, const ldap::BindRequest& bind) {
  if (bind.name.empty() && bind.password.empty()) return bind_anonymously(request);
  Name name;
  if (auto bad = parse_name(request.service.schema(), bind.name, name)) {
    return answer(request, *bad);
  }
  if (bind.password.empty()) {
    return answer(request,
                  ldap::failure(ResultCode::kUnwillingToPerform,
                                "a bind with a name needs a password; without one it would be "
                                "unauthenticated (RFC 4513 section 5.1.2), which is switched off"));
  }
  if (!request.session.password_allowed()) {
    return answer(request,
                  ldap::failure(ResultCode::kConfidentialityRequired,
                                "a password does not travel over this unprotected connection; use "
                                "ldaps, ldapi or a connection from the machine itself"));
  }
  const bool too_long = bind.password.size() > limits::kPasswordSizeMax;
  if (too_long) limits::count(limits::Counter::kPasswordSize);
  if (bind.name.empty() || too_long) {
    return answer(request, wrong_credentials());
  }
  Result<Credentials> credentials = credentials_of(request, name);
  if (!credentials)
    return answer(request, internal_failure(request.service, request.record, credentials.error()));
  const std::optional<bool> matches = verify_fast(bind.password, credentials->stored);
  if (!matches) return answer(request, no_memory());
  if (*matches) {
    request.session.become(std::move(credentials->identity));
    return answer(request, {});
  }
  verify_later(request, std::move(*credentials), std::string(bind.password));
}

}  // namespace

void handle_bind(Request& request) {
  ldap::BindRequest& bind = request.worker.bind;
  if (!decoded(request, ldap::decode_bind(request.message.body, bind))) return;
  if (request.record != nullptr) request.record->dn = bind.name;
  if (bind.version != 3) {
    return answer(request, ldap::failure(ResultCode::kProtocolError,
                                         "LDAP version " + std::to_string(bind.version) +
                                             " is not served, only version 3"));
  }
  switch (bind.method) {
    case ldap::BindRequest::Method::kSimple:
      return bind_simply(request, bind);
    case ldap::BindRequest::Method::kSasl:
      if (request.record != nullptr) request.record->detail = bind.mechanism;
      return answer(request, ldap::failure(ResultCode::kAuthMethodNotSupported,
                                           "the SASL mechanism " + quoted(bind.mechanism) +
                                               " is not available; use a simple bind"));
    case ldap::BindRequest::Method::kUnknown:
      break;
  }
  answer(request, ldap::failure(ResultCode::kAuthMethodNotSupported,
                                "the authentication choice is neither simple nor SASL"));
}

}  // namespace kauri::operation
