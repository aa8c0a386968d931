#include "operation/extended/extended.h"

#include "ldap/oids.h"
#include "operation/handlers.h"
#include "operation/names.h"
#include "operation/service_impl.h"
#include "operation/worker.h"

namespace kauri::operation {
namespace {

struct ExtendedEntry {
  std::string_view oid;
  void (*handle)(Request&, ExtendedValue);
};
constexpr ExtendedEntry kExtended[] = {
    {ldap::oids::kWhoAmI, handle_who_am_i},
    {ldap::oids::kPasswordModify, handle_password_modify},
    {ldap::oids::kCancel, handle_cancel},
};

}  // namespace

void handle_extended(Request& request) {
  ldap::ExtendedRequest& extended = request.worker.extended;
  if (!decoded(request, ldap::decode_extended(request.message.body, extended))) return;
  if (request.record != nullptr) request.record->detail = extended.oid;
  for (const ExtendedEntry& entry : kExtended) {
    if (entry.oid == extended.oid) return entry.handle(request, extended.value);
  }
  const bool start_tls = extended.oid == ldap::oids::kStartTls;
  answer(request, ldap::failure(ldap::ResultCode::kProtocolError,
                                start_tls ? "StartTLS is not available on this server"
                                          : "the extended operation " + quoted(extended.oid) +
                                                " is not supported"));
}

void answer_extended(Request& request, const ldap::OperationResult& result,
                     std::string_view response_value) {
  ldap::append_extended_response(request.out, request.message.id, result, {{}, response_value});
  if (request.record != nullptr) {
    log_operation(request.service, *request.record, result, request.arrived_nanos,
                  request.started_nanos - request.arrived_nanos);
  }
}

std::vector<std::string> supported_extensions() {
  std::vector<std::string> out;
  for (const ExtendedEntry& entry : kExtended) out.emplace_back(entry.oid);
  return out;
}

}  // namespace kauri::operation
