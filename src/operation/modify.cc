// Modify (RFC 4511 section 4.6; increment: RFC 4525).

#include <utility>

#include "operation/handlers.h"
#include "operation/password_work.h"
#include "operation/service_impl.h"
#include "operation/worker.h"
#include "operation/write_request.h"

namespace kauri::operation {
namespace {

using ldap::ModifyOperation;
using ldap::OperationResult;
using ldap::ResultCode;

std::optional<OperationResult> read_modification(const schema::Schema& schema,
                                                 const ldap::ModificationView& sent,
                                                 ValueCopier& copier, backend::Modification& out) {
  out.operation = sent.operation;
  if (auto bad = read_changeable(schema, sent.attribute.description, out.description)) return bad;
  const std::size_t count = sent.attribute.values.size();
  if (sent.operation == ModifyOperation::kAdd && count == 0) {
    return ldap::failure(
        ResultCode::kProtocolError,
        "the addition to " + quoted(sent.attribute.description) + " gives no value");
  }
  if (sent.operation == ModifyOperation::kIncrement && count != 1) {
    return ldap::failure(ResultCode::kProtocolError,
                         "the increment of " + quoted(sent.attribute.description) + " gives " +
                             std::to_string(count) + " values where it needs one");
  }
  return copier.copy(out.description, sent.attribute.values, out.values,
                     sent.operation == ModifyOperation::kDelete ? ValueCopier::Purpose::kDeleted
                                                                : ValueCopier::Purpose::kStored);
}

std::optional<OperationResult> start_modify(Request& request, const ldap::ModifyRequest& modify) {
  const schema::Schema& schema = request.service.schema();
  backend::ModifyOperationRequest operation;
  operation.permissive = request.controls.permissive_modify;
  // The values come before the target: a definition added to the subschema entry that is broken is
  // told so (invalidAttributeSyntax).
  ValueCopier copier;
  for (const ldap::ModificationView& sent : modify.modifications) {
    backend::Modification& modification = operation.modifications.emplace_back();
    if (auto bad = read_modification(schema, sent, copier, modification)) return bad;
  }
  WriteTarget target;
  if (auto bad = find_write_target(request, modify.dn, target)) return bad;
  operation.target = to_target(std::move(target.name));

  Submission submission;
  submission.request = make_write(request);
  auto& stored =
      submission.request->operation.emplace<backend::ModifyOperationRequest>(std::move(operation));
  for (backend::Modification& modification : stored.modifications) {
    // A value to be deleted names a stored one as it is.
    if (modification.operation == ModifyOperation::kDelete ||
        !is_password(schema, modification.description)) {
      continue;
    }
    collect_clear_passwords(modification.values, submission.clear_passwords);
  }
  submit_write(request, target.database, std::move(submission));
  return std::nullopt;
}

}  // namespace

void handle_modify(Request& request) {
  ldap::ModifyRequest& modify = request.worker.modify;
  if (!decoded(request, ldap::decode_modify(request.message.body, modify))) return;
  if (request.record != nullptr) {
    request.record->dn = modify.dn;
    for (const ldap::ModificationView& sent : modify.modifications) {
      if (!request.record->attributes.empty()) request.record->attributes += ' ';
      request.record->attributes += sent.attribute.description;
    }
  }
  if (auto refused = start_modify(request, modify)) answer(request, *refused);
}

}  // namespace kauri::operation
