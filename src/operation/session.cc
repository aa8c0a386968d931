#include <algorithm>
#include <atomic>
#include <utility>

#include "base/limit_counters.h"
#include "base/planted_fault.h"
#include "base/units.h"
#include "operation/handlers.h"
#include "operation/session_impl.h"

namespace kauri::operation {
namespace {

using namespace kauri::literals;
using ldap::Operation;
using ldap::ResultCode;

// Every request of RFC 4511 section 4.
struct HandlerEntry {
  ber::Tag tag;
  std::string_view kind;  // for the access log
  void (*handle)(Request&);
};
constexpr ber::Tag constructed(Operation operation) {
  return ber::application_constructed(static_cast<unsigned>(operation));
}
constexpr HandlerEntry kHandlers[] = {
    {constructed(Operation::kSearchRequest), "SEARCH", handle_search},
    {constructed(Operation::kBindRequest), "BIND", handle_bind},
    {ldap::kUnbindRequestTag, "UNBIND", handle_unbind},
    {constructed(Operation::kModifyRequest), "MODIFY", handle_modify},
    {constructed(Operation::kAddRequest), "ADD", handle_add},
    {ldap::kDelRequestTag, "DELETE", handle_delete},
    {constructed(Operation::kModifyDnRequest), "MODIFYDN", handle_modify_dn},
    {constructed(Operation::kCompareRequest), "COMPARE", handle_compare},
    {ldap::kAbandonRequestTag, "ABANDON", handle_abandon},
    {constructed(Operation::kExtendedRequest), "EXTENDED", handle_extended},
};
// All searches of one turn together.
constexpr std::int64_t kTurnNanos = std::int64_t{limits::kSearchSliceMicros} * 1000;
// After a larger message the worker's buffers for requests are let go.
constexpr std::size_t kMessageKeptMax = 256_KiB;
constexpr ber::Tag kBindTag = constructed(Operation::kBindRequest);

// What bench/gate.py has to find: about a fifth of what a search costs.
[[maybe_unused]] void spin() {
  std::atomic<int> left = 6000;
  while (left.load(std::memory_order_relaxed) > 0)
    left.store(left.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

const HandlerEntry* handler_of(ber::Tag tag) {
  for (const HandlerEntry& entry : kHandlers) {
    if (entry.tag == tag) return &entry;
  }
  return nullptr;
}

}  // namespace

SessionImpl::SessionImpl(ServiceImpl& service, Worker& worker, Executor& executor, Peer peer)
    : service_(service), worker_(worker), executor_(executor), peer_(std::move(peer)) {
  generation_ = service_.generation();
  settings_ = service_.settings();
  authorizers_.resize(service_.database_count());
}

SessionImpl::~SessionImpl() {
  worker_.completions()->wait_for_push();
}

void SessionImpl::refresh_settings() {
  const std::uint64_t generation = service_.generation();
  if (generation == generation_) return;
  generation_ = generation;
  settings_ = service_.settings();
  for (auto& authorizer : authorizers_) authorizer.reset();
}

query::Authorizer& SessionImpl::authorizer(std::size_t database) {
  auto& authorizer = authorizers_[database];
  if (authorizer == nullptr) authorizer = settings_->access->authorizer(identity_);
  return *authorizer;
}

void SessionImpl::become(query::Identity identity) {
  identity_ = std::move(identity);
  ++bind_count_;
  for (auto& authorizer : authorizers_) authorizer.reset();
}

void SessionImpl::bind_ended(query::Identity identity) {
  bind_in_progress_ = false;
  become(std::move(identity));
}

bool SessionImpl::password_allowed() const {
  return peer_.encrypted || peer_.loopback || service_.allow_cleartext_bind();
}

bool SessionImpl::is_full() const {
  const std::size_t most = settings_->limits.operations_in_flight_max;
  if (authenticated()) {
    return in_flight() >= most ||
           (memory_in_flight_ >= limits::kOperationsMemoryMax && in_flight() > 1);
  }
  return in_flight() >= std::min(most, limits::kOperationsInFlightAnonymousMax) ||
         (memory_in_flight_ >= limits::kOperationsMemoryAnonymousMax && in_flight() > 1);
}

void SessionImpl::count_if_full() const {
  if (!is_full()) return;
  const std::size_t own_max = authenticated() ? settings_->limits.operations_in_flight_max
                                              : limits::kOperationsInFlightAnonymousMax;
  limits::count(in_flight() >= own_max ? limits::Counter::kOperationsInFlight
                                       : limits::Counter::kOperationsMemory);
}

bool SessionImpl::reading_paused() const {
  return bind_in_progress_ || !deferred_.empty() || is_full();
}

std::size_t SessionImpl::message_size_max() const {
  const ServiceLimits& limits = settings_->limits;
  return authenticated() ? limits.message_size_max : limits.message_size_anonymous_max;
}

bool SessionImpl::is_in_flight(ldap::MessageId id) const {
  return async_.contains(id) ||
         std::any_of(searches_.begin(), searches_.end(),
                     [id](const auto& search) { return search->message_id() == id; });
}

void SessionImpl::handle(std::string_view message, std::int64_t arrived_nanos, std::string& out) {
  if (closing_) return;
  if (KAURI_PLANTED_FAULT("slower")) spin();
  refresh_settings();
  if (!deferred_.empty() || !dispatch(message, arrived_nanos, out)) {
    deferred_.push_back({std::string(message), arrived_nanos});
  }
}

bool SessionImpl::dispatch(std::string_view message, std::int64_t arrived_nanos, std::string& out) {
  if (bind_in_progress_) return false;
  const ldap::DecodeResult envelope = ldap::decode_message(message, worker_.message);
  if (envelope.fault == ldap::DecodeFault::kDisconnect) {
    protocol_error(envelope.why, out);
    return true;
  }
  const HandlerEntry* handler = handler_of(worker_.message.tag);
  if (handler == nullptr) {
    protocol_error("the message is no request of LDAP version 3", out);
    return true;
  }
  // A bind waits for everything in flight (RFC 4511 section 4.2.1), others only for a place; the
  // two that end operations never wait.
  if (handler->tag == kBindTag && in_flight() > 0) return false;
  const bool ends_operations =
      handler->tag == ldap::kAbandonRequestTag || handler->tag == ldap::kUnbindRequestTag;
  if (!ends_operations && is_full()) return false;

  Request request{*this,
                  service_,
                  worker_,
                  worker_.message,
                  ldap::response_to(handler->tag).value_or(Operation::kExtendedResponse),
                  out,
                  arrived_nanos,
                  0,
                  nullptr,
                  {}};
  ++operation_count_;
  if (service_.logging()) begin_record(request, handler->kind);
  serve(request, envelope);
  if (message.size() > kMessageKeptMax) worker_.forget_request();
  return true;
}

void SessionImpl::serve(Request& request, const ldap::DecodeResult& envelope) {
  const ldap::Message& message = request.message;
  const HandlerEntry& handler = *handler_of(message.tag);
  const bool answered = ldap::response_to(message.tag).has_value();
  // Whatever becomes of a bind, what was before it is over (RFC 4511 section 4.2.1).
  if (handler.tag == kBindTag) become({});
  if (!envelope.ok()) {
    if (answered) return answer(request, fault_result(envelope));
    return log_unanswered(request);
  }
  if (answered && in_flight() > 0 && is_in_flight(message.id)) {
    return answer(request, ldap::failure(ResultCode::kProtocolError,
                                         "message ID " + std::to_string(message.id) +
                                             " belongs to an operation that is still in progress"));
  }
  if (!message.controls.empty() && handler.tag != ldap::kUnbindRequestTag) {
    if (auto refused = read_controls(message, request.controls)) {
      if (answered) return answer(request, *refused);
      return log_unanswered(request);
    }
  }
  handler.handle(request);
}

void SessionImpl::begin_record(Request& request, std::string_view kind) {
  OperationRecord& record = worker_.record;
  record.connection = peer_.connection;
  record.operation = operation_count_;
  record.message_id = request.message.id;
  record.kind = kind;
  record.dn.clear();
  record.identity = identity_.dn;
  record.result = 0;
  record.diagnostic.clear();
  record.entries = 0;
  record.scope.clear();
  record.filter.clear();
  record.attributes.clear();
  record.index_terms.clear();
  record.plan.clear();
  record.notes.clear();
  record.detail.clear();
  request.started_nanos = service_.clock().monotonic_nanos();
  record.arrived_wall_micros =
      service_.clock().wall_micros() - (request.started_nanos - request.arrived_nanos) / 1000;
  request.record = &record;
}

void SessionImpl::process_deferred(std::string& out) {
  while (!deferred_.empty() && !closing_) {
    // Taken out while it runs, since a handler may end the session and drop the rest.
    Deferred next = std::move(deferred_.front());
    deferred_.pop_front();
    if (!dispatch(next.message, next.arrived_nanos, out)) {
      deferred_.push_front(std::move(next));
      return;
    }
  }
}

void SessionImpl::run_turn(std::string& out, std::size_t out_limit) {
  refresh_settings();
  // Many waiting searches share the turn: who was not reached now is first the next time.
  const std::int64_t started = service_.clock().monotonic_nanos();
  for (std::size_t turns = searches_.size(); turns > 0 && out.size() < out_limit; --turns) {
    std::unique_ptr<SearchTask> task = std::move(searches_.front());
    searches_.pop_front();
    if (task->run({service_, *this, worker_, out, out_limit})) {
      drop_search(std::move(task));
    } else {
      searches_.push_back(std::move(task));
    }
    if (service_.clock().monotonic_nanos() - started >= kTurnNanos) break;
  }
  process_deferred(out);
}

void SessionImpl::take_output(std::string& out) {
  if (out.empty()) {
    out.swap(pending_output_);
  } else {
    out.append(pending_output_);
  }
  pending_output_.clear();
}

void SessionImpl::completions_drained() {
  if (!closing_) {
    refresh_settings();
    process_deferred(pending_output_);
  }
  if (output_ready_) output_ready_();
}

SessionHandle SessionImpl::handle_for_completion() {
  return {weak_from_this(), &executor_, worker_.completions()};
}

std::shared_ptr<AsyncOperation> SessionImpl::begin_async(Request& request) {
  auto operation = std::make_shared<AsyncOperation>();
  operation->id = request.message.id;
  operation->response = request.response;
  operation->arrived_nanos = request.arrived_nanos;
  operation->started_nanos = request.started_nanos;
  if (request.record != nullptr) {
    operation->logged = true;
    operation->record = *request.record;
  }
  operation->memory = request.message.body.size();
  memory_in_flight_ += operation->memory;
  async_.emplace(operation->id, operation);
  count_if_full();
  return operation;
}

void SessionImpl::finish_async(AsyncOperation& operation, const ldap::OperationResult& result) {
  log_async(service_, operation, result);
  if (!operation.abandoned && !closing_) {
    if (operation.has_extended_value && result.ok()) {
      ldap::append_extended_response(pending_output_, operation.id, result,
                                     {{}, operation.extended_value});
    } else {
      ldap::append_result(pending_output_, operation.id, operation.response, result);
    }
  }
  memory_in_flight_ -= operation.memory;
  async_.erase(operation.id);
}

void SessionImpl::keep_search(std::unique_ptr<SearchTask> task) {
  task->counted_memory = task->memory();
  memory_in_flight_ += task->counted_memory;
  searches_.push_back(std::move(task));
  count_if_full();
}

void SessionImpl::drop_search(std::unique_ptr<SearchTask> task) {
  memory_in_flight_ -= task->counted_memory;
  worker_.give_back(std::move(task));
}

void SessionImpl::abandon(ldap::MessageId id) {
  for (auto search = searches_.begin(); search != searches_.end(); ++search) {
    if ((*search)->message_id() != id) continue;
    (*search)->log_abandoned(service_);
    drop_search(std::move(*search));
    searches_.erase(search);
    return;
  }
  // What is queued runs to its end, but nobody waits for its answer.
  if (const auto found = async_.find(id); found != async_.end()) found->second->abandoned = true;
}

SessionImpl::Cancelled SessionImpl::cancel(ldap::MessageId id, std::string& out) {
  for (auto search = searches_.begin(); search != searches_.end(); ++search) {
    if ((*search)->message_id() != id) continue;
    const ldap::OperationResult canceled =
        ldap::failure(ResultCode::kCanceled, "the search was cancelled by its client");
    ldap::append_result(out, id, Operation::kSearchResultDone, canceled);
    (*search)->log_end(service_, canceled);
    drop_search(std::move(*search));
    searches_.erase(search);
    return Cancelled::kYes;
  }
  return async_.contains(id) ? Cancelled::kCannotCancel : Cancelled::kNoSuchOperation;
}

void SessionImpl::drop_everything() {
  closing_ = true;
  while (!searches_.empty()) abandon(searches_.front()->message_id());
  deferred_.clear();
}

void SessionImpl::unbind() {
  drop_everything();
}

void SessionImpl::protocol_error(std::string_view why, std::string& out) {
  if (closing_) return;
  drop_everything();
  ldap::append_notice_of_disconnection(out, ResultCode::kProtocolError, why);
}

void SessionImpl::closed() {
  drop_everything();
  output_ready_ = nullptr;
  pending_output_.clear();
}

}  // namespace kauri::operation
