// Modify DN (RFC 4511 section 4.9): rename, move, or both.

#include <utility>

#include "operation/handlers.h"
#include "operation/service_impl.h"
#include "operation/worker.h"
#include "operation/write_request.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;

std::optional<OperationResult> start_modify_dn(Request& request,
                                               const ldap::ModifyDnRequest& modify) {
  backend::ModifyDnOperation operation;
  operation.delete_old_rdn = modify.delete_old_rdn;
  if (auto bad = parse_new_rdn(request.service.schema(), modify.new_rdn, operation.new_rdn,
                               operation.new_normal_rdn)) {
    return bad;
  }
  WriteTarget target;
  if (auto bad = find_write_target(request, modify.dn, target)) return bad;
  operation.target = to_target(std::move(target.name));
  if (modify.new_superior.has_value()) {
    WriteTarget superior;
    if (auto bad = find_write_target(request, *modify.new_superior, superior)) {
      if (bad->code != ResultCode::kReferral) return bad;
      // RFC 3296 section 5.6.2.
      return ldap::failure(ResultCode::kAffectsMultipleDsas,
                           "the new superior " + quoted(*modify.new_superior) +
                               " is at or below a referral object: it is held by another server");
    }
    if (superior.database != target.database) {
      return ldap::failure(ResultCode::kAffectsMultipleDsas,
                           "the new superior " + quoted(*modify.new_superior) +
                               " is in another database than the entry; add it there and delete it "
                               "here instead");
    }
    operation.new_superior = to_target(std::move(superior.name));
  }
  Submission submission;
  submission.request = make_write(request);
  submission.request->operation = std::move(operation);
  submit_write(request, target.database, std::move(submission));
  return std::nullopt;
}

}  // namespace

void handle_modify_dn(Request& request) {
  ldap::ModifyDnRequest& modify = request.worker.modify_dn;
  if (!decoded(request, ldap::decode_modify_dn(request.message.body, modify))) return;
  if (request.record != nullptr) {
    request.record->dn = modify.dn;
    request.record->detail = modify.new_rdn;
    if (modify.new_superior.has_value()) {
      request.record->detail += " under ";
      request.record->detail += *modify.new_superior;
    }
  }
  if (auto refused = start_modify_dn(request, modify)) answer(request, *refused);
}

}  // namespace kauri::operation
