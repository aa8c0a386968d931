#include "operation/request.h"

#include "operation/service_impl.h"
#include "operation/session_impl.h"

namespace kauri::operation {

using ldap::OperationResult;
using ldap::ResultCode;

void log_operation(ServiceImpl& service, OperationRecord& record, const OperationResult& result,
                   std::int64_t arrived_nanos, std::int64_t waited_nanos) {
  record.result = static_cast<std::uint16_t>(result.code);
  record.diagnostic = result.diagnostic;
  record.etime_nanos = service.clock().monotonic_nanos() - arrived_nanos;
  record.wtime_nanos = waited_nanos;
  record.optime_nanos = record.etime_nanos - waited_nanos;
  service.access_log()->log(record);
}

void log_async(ServiceImpl& service, AsyncOperation& operation, const OperationResult& result) {
  if (!operation.logged) return;
  const std::int64_t waited =
      operation.started_nanos - operation.arrived_nanos + operation.queued_nanos;
  log_operation(service, operation.record, result, operation.arrived_nanos, waited);
}

void answer(Request& request, const OperationResult& result,
            const std::vector<ldap::Control>& controls) {
  ldap::append_result(request.out, request.message.id, request.response, result, controls);
  if (request.record != nullptr) {
    log_operation(request.service, *request.record, result, request.arrived_nanos,
                  request.started_nanos - request.arrived_nanos);
  }
}

void log_unanswered(Request& request) {
  if (request.record != nullptr) {
    log_operation(request.service, *request.record, {}, request.arrived_nanos,
                  request.started_nanos - request.arrived_nanos);
  }
}

OperationResult fault_result(const ldap::DecodeResult& result) {
  ResultCode code = ResultCode::kProtocolError;
  if (result.fault == ldap::DecodeFault::kAdminLimit) code = ResultCode::kAdminLimitExceeded;
  if (result.fault == ldap::DecodeFault::kUnwilling) code = ResultCode::kUnwillingToPerform;
  return ldap::failure(code, result.why);
}

bool decoded(Request& request, const ldap::DecodeResult& result) {
  if (result.ok()) return true;
  answer(request, fault_result(result));
  return false;
}

OperationResult internal_failure(const ServiceImpl& service, OperationRecord* record,
                                 const Error& error) {
  if (record != nullptr) record->detail = error.message();
  // A limit is met by what a client asks for and says so itself; the rest is trouble of the server.
  if (error.code() == ErrorCode::kLimit)
    return ldap::failure(ResultCode::kAdminLimitExceeded, error.message());
  service.report(error);
  switch (error.code()) {
    case ErrorCode::kBusy:
      return ldap::failure(ResultCode::kBusy, "the server's storage is busy; try again");
    case ErrorCode::kNoSpace:
      return ldap::failure(ResultCode::kUnavailable, "the server's disk is full");
    case ErrorCode::kCorruption:
      return ldap::failure(ResultCode::kOther,
                           "stored data failed its checks; the server's log has the details");
    default:
      return ldap::failure(ResultCode::kOther,
                           "the server failed on this operation; its log has the details");
  }
}

}  // namespace kauri::operation
