#include "operation/write_request.h"

#include <utility>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "entry/schema_check.h"
#include "operation/locator.h"
#include "operation/password_work.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "text/weight.h"

namespace kauri::operation {

using ldap::OperationResult;
using ldap::ResultCode;

namespace {

// Changes below a referral object belong to another server (RFC 3296 section 5.2).
Result<std::optional<OperationResult>> referral_for(Request& request, const WriteTarget& target,
                                                    std::string_view text) {
  backend::ReadSession& read = request.worker.read(target.database);
  KAURI_TRY(const ReadGuard guard, ReadGuard::begin(read));
  Locator locator(read, request.session.authorizer(target.database));
  if (!locator.has_referrals()) return std::optional<OperationResult>();
  KAURI_TRY(Located located, locator.find(target.name, text, {}));
  if (located.failure.code != ResultCode::kReferral) return std::optional<OperationResult>();
  return std::optional<OperationResult>(std::move(located.failure));
}

bool may_have_referrals(Request& request, std::size_t database) {
  const entry::Dictionary& dictionary = request.service.database(database).dictionary();
  return !dictionary.numbers_of(*dictionary.schema().well_known().ref).empty();
}

// A write on its way to the writer. Shared with the thread that hashes.
struct PendingWrite {
  ServiceImpl* service = nullptr;
  Gate::Pass pass;
  std::size_t database = 0;
  SessionHandle session;
  std::shared_ptr<AsyncOperation> operation;
  std::unique_ptr<backend::WriteRequest> request;
  std::vector<std::string*> clear_passwords;
  std::function<std::optional<OperationResult>()> check_first;
};

void complete(const SessionHandle& session, ServiceImpl& service,
              const std::shared_ptr<AsyncOperation>& operation, OperationResult result) {
  auto shared = std::make_shared<OperationResult>(std::move(result));
  const bool alive = session.run(
      [operation, shared](SessionImpl& owner) { owner.finish_async(*operation, *shared); });
  if (!alive) log_async(service, *operation, *shared);
}

std::optional<OperationResult> hash_clear_passwords(PendingWrite& write) {
  for (std::string* password : write.clear_passwords) {
    auto hash = security::hash_password(*password, write.service->password_scheme(),
                                        write.service->random());
    wipe(*password);
    if (!hash) return ldap::failure(ResultCode::kConstraintViolation, hash.error().message());
    *password = std::move(*hash);
  }
  return std::nullopt;
}

// THREADS: any. RETURNS: what to answer when the writer does not take it.
std::optional<OperationResult> queue(PendingWrite& write) {
  write.request->submitted_nanos = write.service->clock().monotonic_nanos();
  write.request->completion = [session = write.session, service = write.service, pass = write.pass,
                               operation = write.operation](backend::WriteOutcome&& outcome) {
    operation->queued_nanos += outcome.queued_nanos;
    if (outcome.failure.has_value()) {
      service->report(*outcome.failure);
      if (operation->logged) operation->record.detail = outcome.failure->message();
    }
    complete(session, *service, operation, std::move(outcome.result));
  };
  switch (write.service->database(write.database).submit(write.request)) {
    case backend::Database::Submitted::kYes:
      return std::nullopt;
    case backend::Database::Submitted::kQueueFull:
      return ldap::failure(
          ResultCode::kBusy,
          "too many writes wait (limit " + std::to_string(limits::kWriteQueueMax) + "); try again");
    case backend::Database::Submitted::kStopped:
      break;
  }
  return ldap::failure(ResultCode::kUnavailable, "the server is stopping and takes no more writes");
}

void hash_and_queue(PendingWrite& write) {
  std::optional<OperationResult> refused;
  if (write.check_first) refused = write.check_first();
  if (!refused.has_value()) refused = hash_clear_passwords(write);
  if (!refused.has_value()) refused = queue(write);
  if (refused.has_value()) {
    complete(write.session, *write.service, write.operation, std::move(*refused));
  }
}

}  // namespace

std::optional<OperationResult> find_write_target(Request& request, std::string_view text,
                                                 WriteTarget& out) {
  if (auto bad = parse_name(request.service.schema(), text, out.name)) return bad;
  if (request.service.virtual_entries().find(out.name.normal) != nullptr) {
    return ldap::failure(ResultCode::kUnwillingToPerform,
                         "the entry " + quoted(text) +
                             " is made by the server and cannot be changed over LDAP; its content "
                             "comes from the server's configuration");
  }
  const auto database = request.service.database_for(out.name.normal);
  if (!database.has_value()) return outside_suffixes(text, request.service.suffix_list());
  out.database = *database;
  if (!request.controls.manage_dsa_it && may_have_referrals(request, out.database)) {
    auto referral = referral_for(request, out, text);
    if (!referral) return internal_failure(request.service, request.record, referral.error());
    if (referral->has_value()) return std::move(**referral);
  }
  return std::nullopt;
}

std::optional<OperationResult> read_description(const schema::Schema& schema, std::string_view text,
                                                schema::AttributeDescription& out) {
  auto description = schema.attribute_description(text);
  if (!description.has_value()) {
    return ldap::failure(ResultCode::kUndefinedAttributeType,
                         schema::explain_bad_description(schema, text));
  }
  out = std::move(*description);
  return std::nullopt;
}

std::optional<OperationResult> read_changeable(const schema::Schema& schema, std::string_view text,
                                               schema::AttributeDescription& out) {
  if (auto bad = read_description(schema, text, out)) return bad;
  if (out.type->no_user_modification) {
    return ldap::failure(
        ResultCode::kConstraintViolation,
        "the attribute " + quoted(text) + " is set by the server only (NO-USER-MODIFICATION)");
  }
  return std::nullopt;
}

std::optional<OperationResult> ValueCopier::copy(const schema::AttributeDescription& description,
                                                 const std::vector<std::string_view>& values,
                                                 std::vector<std::string>& out, Purpose purpose) {
  const auto check = purpose == Purpose::kStored ? &entry::check_value : &entry::check_syntax;
  const schema::MatchingRule* const rule = description.type->equality;
  const bool prepared = rule != nullptr && rule->normal_form() != "octetString";
  out.reserve(values.size());
  for (const std::string_view value : values) {
    if (prepared) weight_ += text::preparation_weight(value);
    if (weight_ > limits::kPreparedOctetsMax) {
      limits::count(limits::Counter::kPreparedOctets);
      return ldap::failure(ResultCode::kAdminLimitExceeded,
                           "the text in the request has more octets than the limit of " +
                               std::to_string(limits::kPreparedOctetsMax) +
                               " (what is beyond ASCII counts ten times or more)");
    }
    if (auto violation = check(description, value)) {
      return ldap::failure(violation->code, std::move(violation->diagnostic));
    }
    out.emplace_back(value);
  }
  return std::nullopt;
}

bool is_password(const schema::Schema& schema, const schema::AttributeDescription& description) {
  return description.type->is_subtype_of(*schema.well_known().user_password);
}

std::unique_ptr<backend::WriteRequest> make_write(Request& request) {
  auto write = std::make_unique<backend::WriteRequest>();
  write->authorizer = request.session.settings().access->authorizer(request.session.identity());
  write->size_bytes = request.message.body.size();
  return write;
}

void submit_write(Request& request, std::size_t database, Submission submission) {
  for (const std::string* password : submission.clear_passwords) {
    if (password->size() <= limits::kPasswordSizeMax) continue;
    limits::count(limits::Counter::kPasswordSize);
    return answer(request, ldap::failure(ResultCode::kConstraintViolation,
                                         "a password of " + std::to_string(password->size()) +
                                             " octets is over the limit of " +
                                             std::to_string(limits::kPasswordSizeMax)));
  }
  PendingWrite write{&request.service,
                     request.service.pass(),
                     database,
                     request.session.handle_for_completion(),
                     request.session.begin_async(request),
                     std::move(submission.request),
                     std::move(submission.clear_passwords),
                     std::move(submission.check_first)};
  if (submission.extended_value.has_value()) {
    write.operation->extended_value = std::move(*submission.extended_value);
    write.operation->has_extended_value = true;
  }
  const bool slow =
      write.check_first || (!write.clear_passwords.empty() && hashing_is_slow(request.service));
  if (!slow) return hash_and_queue(write);
  auto shared = std::make_shared<PendingWrite>(std::move(write));
  const std::int64_t submitted = request.service.clock().monotonic_nanos();
  const bool taken = run_slow(request.service, [shared, submitted] {
    shared->operation->queued_nanos = shared->service->clock().monotonic_nanos() - submitted;
    hash_and_queue(*shared);
  });
  if (!taken) {
    complete(shared->session, request.service, shared->operation, pool_is_full());
  }
}

}  // namespace kauri::operation
