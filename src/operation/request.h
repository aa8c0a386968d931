// Request: one operation at hand, as its handler sees it, and the ways to answer it. Internal to
// operation/. Thread safety: confined to the worker thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ldap/message.h"
#include "operation/controls.h"
#include "operation/service.h"

namespace kauri::operation {

class ServiceImpl;
class SessionImpl;
class Worker;

struct Request {
  SessionImpl& session;
  ServiceImpl& service;
  Worker& worker;
  const ldap::Message& message;
  ldap::Operation response;  // tag of the answer; unused where there is none
  std::string& out;
  std::int64_t arrived_nanos = 0;
  std::int64_t started_nanos = 0;     // 0 unless it is logged
  OperationRecord* record = nullptr;  // nullptr unless it is logged
  RequestControls controls;
};

// An operation that ends after its handler has returned: a write, or password work.
struct AsyncOperation {
  ldap::MessageId id = 0;
  ldap::Operation response = ldap::Operation::kExtendedResponse;
  std::size_t memory = 0;      // octets of the request
  bool abandoned = false;      // confined to the worker thread
  std::string extended_value;  // responseValue, when has_extended_value
  bool has_extended_value = false;
  bool logged = false;
  OperationRecord record;  // when logged
  std::int64_t arrived_nanos = 0;
  std::int64_t started_nanos = 0;
  std::int64_t queued_nanos = 0;  // of it, waiting for the hash pool and the writer
};

// Appends the answer and logs the operation.
void answer(Request& request, const ldap::OperationResult& result,
            const std::vector<ldap::Control>& controls = {});
// For operations without an answer.
void log_unanswered(Request& request);
// RETURNS: true when the body was decoded; else the fault has been answered.
bool decoded(Request& request, const ldap::DecodeResult& result);
ldap::OperationResult fault_result(const ldap::DecodeResult& result);

// Completes a record with the outcome and the times, and hands it to the log.
void log_operation(ServiceImpl& service, OperationRecord& record,
                   const ldap::OperationResult& result, std::int64_t arrived_nanos,
                   std::int64_t waited_nanos);
void log_async(ServiceImpl& service, AsyncOperation& operation,
               const ldap::OperationResult& result);

// An error of ours as an outcome: what the client may know of it. Its own words go into the record
// (if not null), and to whom the service reports failures.
ldap::OperationResult internal_failure(const ServiceImpl& service, OperationRecord* record,
                                       const Error& error);

}  // namespace kauri::operation
