#include "toolkit/load_worker.h"

#include <sys/epoll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "toolkit/result_text.h"

namespace kauri::toolkit {

namespace {

constexpr std::size_t kInputSize = std::size_t{128} << 10U;
constexpr std::int64_t kWaitNanos = 100'000'000;  // so that an end is seen when nothing arrives
constexpr std::int64_t kRetryNanos = 10'000'000;  // after a connection that could not be made
constexpr std::int64_t kPublishNanos = 100'000'000;
constexpr std::int64_t kStallCheckNanosMin = 10'000'000;
constexpr std::int64_t kStallCheckNanosMax = 1'000'000'000;
constexpr unsigned long kTimerSlackNanos = 1;
constexpr int kEvents = 256;
// A longer backlog is recorded in as many steps: the histogram's buckets are coarser than these.
constexpr std::uint64_t kBacklogSteps = 100'000;

// The share of `total` that worker `index` of `workers` gets.
std::uint64_t share(std::uint64_t total, std::uint64_t workers, std::uint64_t index) {
  return total / workers + (index < total % workers ? 1 : 0);
}

// One writer: a plain add is enough, and costs no locked instruction.
void bump(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

}  // namespace

LoadWorker::LoadWorker(const LoadOptions& options, const Mix& mix, Clock& clock, unsigned index)
    : options_(options),
      mix_(mix),
      clock_(clock),
      index_(index),
      source_(mix, options.seed, index, static_cast<unsigned>(options.threads)),
      // Serials of threads and of runs with other seeds lie far apart.
      serial_((options.seed << 48U) ^ (std::uint64_t{index} << 40U)),
      quota_(options.count ? share(*options.count, options.threads, index) : 0),
      errors_quota_(std::max<std::uint64_t>(1, options.errors_max / options.threads)),
      slot_bits_(static_cast<unsigned>(std::bit_width(options.depth - 1))) {
  input_.resize(kInputSize);
  outcome_.part.kinds.resize(mix.parts.size());
}

LoadWorker::~LoadWorker() = default;

Result<void> LoadWorker::connect() {
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return Error(ErrorCode::kIo, system_reason("cannot make an epoll instance"));
  const std::uint64_t count = share(options_.connections, options_.threads, index_);
  free_.reserve(count * options_.depth);
  const bool binders =
      mix_.parts.size() > 1 && mix_.has(WorkloadKind::kBind) && !options_.reconnect;
  for (std::uint64_t i = 0; i < count; ++i) {
    KAURI_CHECK(add_connection(nullptr));
    Connection* const connection = connections_.back().get();
    for (std::uint32_t slot = 0; slot < options_.depth; ++slot) {
      free_.push({connection, slot});
    }
    if (binders) KAURI_CHECK(add_connection(connection));
  }
  Connection& first = *connections_.front();
  if (!options_.reconnect) {
    alone_ = connections_.size() == 1 && !options_.rate;
    return alone_ ? set_blocking(first.fd.get(), kWaitNanos) : Result<void>();
  }
  KAURI_TRY(first.fd, open_connection());
  unbind(first);
  return {};
}

Result<void> LoadWorker::run(const Schedule& schedule) {
  schedule_ = schedule;
  now_ = clock_.monotonic_nanos();
  stall_check_nanos_ = now_;
  publish_nanos_ = now_ + kPublishNanos;
  outcome_.finished_nanos = schedule.measure_nanos;
  // The kernel may wake a thread 50 us late by default, which would be part of every latency.
  if (options_.rate) prctl(PR_SET_TIMERSLACK, kTimerSlackNanos);
  for (;;) {
    pass_boundaries();
    fill_places();
    if (outstanding_ == 0 && failed_.empty() && (stopped_ || free_.empty())) break;
    KAURI_CHECK(poll_once());
    if (now_ >= stall_check_nanos_) find_stalled();
  }
  now_ = clock_.monotonic_nanos();
  if (measuring_ && !ended_) end_window();
  if (now_ >= schedule_.end_nanos) outcome_.ended_early = false;
  outcome_.part.out_of_connections = !stopped_ && outcome_.ended_early;
  count_not_started();
  for (std::size_t i = 0; i < outcome_.part.kinds.size(); ++i) {
    outcome_.part.kinds[i].next_number = source_.next_number(i);
  }
  outcome_.part.left_renamed = source_.renamed();
  publish_interval();
  connections_.clear();
  return {};
}

// Gives work to the free places while there is some.
void LoadWorker::fill_places() {
  Connection* last = nullptr;
  Draw drawn;
  while (!free_.empty()) {
    const Place place = free_.front();
    const bool gone = !place.connection->fd && !options_.reconnect;
    if (!gone && !draw(drawn)) break;
    free_.pop();
    if (gone) continue;
    Connection* const used = start(place, drawn);
    if (last != nullptr && used != last) flush_or_drop(*last);
    last = used;
  }
  if (last != nullptr) flush_or_drop(*last);
  if (stopped_) free_.clear();
}

Result<void> LoadWorker::poll_once() {
  Connection& only = *connections_.front();
  if (alone_ && !only.wants_write) {
    if (receive(only, 0)) flush_or_drop(only);
    return {};
  }
  return wait_for_events();
}

Result<void> LoadWorker::wait_for_events() {
  std::array<epoll_event, kEvents> events;
  const std::int64_t wait = wait_nanos();
  const timespec time{static_cast<time_t>(wait / 1'000'000'000),
                      static_cast<long>(wait % 1'000'000'000)};
  const int count = epoll_pwait2(epoll_.get(), events.data(), kEvents, &time, nullptr);
  if (count < 0 && errno != EINTR) {
    return Error(ErrorCode::kIo, system_reason("epoll_pwait2 failed"));
  }
  if (count <= 0 || options_.rate) now_ = clock_.monotonic_nanos();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    serve(*static_cast<Connection*>(event.data.ptr), event.events);
  }
  for (const Place& place : failed_) free_.push(place);
  failed_.clear();
  return {};
}

std::int64_t LoadWorker::wait_nanos() const {
  std::int64_t wait = failed_.empty() ? kWaitNanos : kRetryNanos;
  if (options_.rate && !stopped_ && !free_.empty()) {
    wait = std::min(wait, std::min(due_nanos(paced_), schedule_.end_nanos) - now_);
  }
  return std::max<std::int64_t>(0, wait);
}

// The intended start of this worker's request number `index` in an open loop.
std::int64_t LoadWorker::due_nanos(std::uint64_t index) const {
  const double place = static_cast<double>(index * options_.threads + index_);
  return schedule_.start_nanos + static_cast<std::int64_t>(place * 1e9 / *options_.rate);
}

// What comes next, or false when it is not due yet or there is no more.
bool LoadWorker::draw(Draw& out) {
  if (!stopped_ && draw_new(out)) return true;
  if (!stopped_) return false;
  const auto back = source_.next_back();
  if (!back) return false;
  out = {*back, now_, false};
  return true;
}

// Whether the schedule or the count lets no request begin then.
bool LoadWorker::over(std::int64_t intended, bool measured) {
  if (std::max(intended, now_) >= schedule_.end_nanos) {
    outcome_.ended_early = false;
    return true;
  }
  return options_.count && measured && quota_ == 0;
}

bool LoadWorker::draw_new(Draw& out) {
  const std::int64_t intended = options_.rate ? due_nanos(paced_) : now_;
  const bool measured = options_.rate ? intended >= schedule_.measure_nanos : measuring_;
  if (over(intended, measured)) {
    stopped_ = true;
    return false;
  }
  if (intended > now_) return false;
  const auto operation = source_.next();
  if (!operation) {
    outcome_.part.used_up = to_string(mix_.parts[source_.used_up()].workload.kind);
    stopped_ = true;
    return false;
  }
  out = {*operation, intended, measured};
  if (options_.count && measured) --quota_;
  ++paced_;
  return true;
}

// RETURNS: the connection whose octets are to be sent.
LoadWorker::Connection* LoadWorker::start(const Place& place, const Draw& drawn) {
  const Workload& workload = mix_.parts[drawn.operation.part].workload;
  const bool bind = workload.kind == WorkloadKind::kBind;
  Connection& connection =
      bind && place.connection->binder != nullptr ? *place.connection->binder : *place.connection;
  Slot& slot = connection.slots[place.slot];
  const std::uint32_t generations =
      static_cast<std::uint32_t>(ldap::kMessageIdMax - kMessageIdFirst) >> slot_bits_;
  slot.id = kMessageIdFirst + static_cast<ldap::MessageId>(
                                  ((generation_++ % generations) << slot_bits_) | place.slot);
  slot.measured = drawn.measured;
  slot.operation = drawn.operation;
  slot.intended_nanos = drawn.intended_nanos;
  slot.made_nanos = now_;
  slot.entries = 0;
  ++connection.outstanding;
  ++outstanding_;
  std::string* out = &connection.out;
  if (options_.reconnect) {
    const bool bind_first = !options_.bind_dn.empty() && !bind;
    if (!reopen(connection, bind_first)) return &connection;
    if (bind_first) out = &connection.after_bind;
  }
  const RequestTemplate& requests =
      drawn.operation.back ? *workload.requests_back : workload.requests;
  requests.append(*out, slot.id, drawn.operation.number, serial_++);
  return &connection;
}

// An answer has made this slot free: its place gets the next operation, at once if there is one.
void LoadWorker::next_in(Connection& connection, std::uint32_t slot) {
  Connection& at = connection.home != nullptr ? *connection.home : connection;
  if (!at.fd && !options_.reconnect) return;
  Draw drawn;
  // A new connection waits until the events of this round, which may name the old one, are served.
  if (options_.reconnect || !draw(drawn)) {
    free_.push({&at, slot});
    return;
  }
  Connection* const used = start({&at, slot}, drawn);
  if (used != &connection) flush_or_drop(*used);
}

void LoadWorker::finish(Connection& connection, std::size_t index, const MessageHead& head) {
  Slot& slot = connection.slots[index];
  const int code = read_result_code(head.body);
  if (check(slot, code, head)) source_.succeeded(slot.operation);
  const auto latency =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ - slot.intended_nanos));
  // A closed loop counts what ends in the window. An open one counts what should have begun in it,
  // or the slow ones that end later would be left out.
  const bool measured = options_.count || options_.rate ? slot.measured : measuring_ && !ended_;
  if (measured) {
    OperationFigures& figures = outcome_.part.kinds[slot.operation.part];
    ++figures.operations;
    figures.entries += slot.entries;
    figures.latency.record(latency);
    ++figures.codes[static_cast<std::size_t>(std::clamp(code, 0, 127))];
    const auto expected =
        mix_.parts[slot.operation.part].workload.expected_entries(slot.operation.number);
    if (expected) {
      figures.expected_entries += *expected;
      figures.has_expectation = true;
    }
    outcome_.finished_nanos = now_;
    bump(progress_.measured, 1);
  }
  interval_.record(latency);
  bump(progress_.operations, 1);
  slot.id = 0;
  --connection.outstanding;
  --outstanding_;
}

// Whether the answer was right.
bool LoadWorker::check(const Slot& slot, int code, const MessageHead& head) {
  LoadErrors& errors = outcome_.part.errors;
  const Workload& workload = mix_.parts[slot.operation.part].workload;
  const auto operation = [&] {
    return std::string(to_string(workload.kind)) +
           (workload.by_line ? " of line " : " with number ") +
           std::to_string(slot.operation.number + (workload.by_line ? 1 : 0));
  };
  if (code != workload.right_code &&
      std::find(options_.accepted_codes.begin(), options_.accepted_codes.end(), code) ==
          options_.accepted_codes.end()) {
    error(errors.wrong_code, 1,
          operation() + " was answered with " + describe_result(code, head.body));
    return false;
  }
  const auto expected = workload.expected_entries(slot.operation.number);
  if (expected && slot.entries != *expected) {
    error(errors.wrong_entries, 1,
          operation() + " returned " + std::to_string(slot.entries) + " entries; " +
              std::to_string(*expected) + " were expected");
    return false;
  }
  return code == workload.right_code;
}

// The least index of an open loop's request that is due at that moment or later.
std::uint64_t LoadWorker::first_due_at(std::int64_t moment) const {
  const double place = static_cast<double>(moment - schedule_.start_nanos) * *options_.rate / 1e9;
  const double estimate = std::ceil((place - index_) / static_cast<double>(options_.threads));
  auto index = static_cast<std::uint64_t>(std::max(0.0, estimate));
  // Intended starts are whole nanoseconds: the estimate may be one off.
  while (due_nanos(index) < moment) ++index;
  while (index > 0 && due_nanos(index - 1) >= moment) --index;
  return index;
}

// What an open loop should have started in the window and could not, because no place was free.
void LoadWorker::count_not_started() {
  if (!options_.rate || outcome_.ended_early) return;
  const std::uint64_t first = std::max(paced_, first_due_at(schedule_.measure_nanos));
  const std::uint64_t end = first_due_at(schedule_.end_nanos);
  if (first >= end) return;
  outcome_.part.not_started = end - first;
  const std::uint64_t step = (end - first) / kBacklogSteps + 1;
  for (std::uint64_t i = first; i < end; i += step) {
    outcome_.part.all.latency.record(static_cast<std::uint64_t>(schedule_.end_nanos - due_nanos(i)),
                                     std::min(step, end - i));
  }
}

void LoadWorker::find_stalled() {
  const auto limit = static_cast<std::int64_t>(options_.timeout_seconds * 1e9);
  stall_check_nanos_ = now_ + std::clamp(limit / 4, kStallCheckNanosMin, kStallCheckNanosMax);
  for (auto& connection : connections_) {
    if (!connection->fd) continue;
    std::uint64_t late = 0;
    for (const Slot& slot : connection->slots) {
      if (slot.id != 0 && now_ - slot.made_nanos > limit) ++late;
    }
    if (late == 0) continue;
    error(outcome_.part.errors.no_answer, late,
          "no answer within " + std::to_string(options_.timeout_seconds) + " s");
    drop(*connection, outcome_.part.errors.lost, "closed after a request without an answer", late);
  }
}

// Notes CPU and wall time when the measured window begins and ends.
void LoadWorker::pass_boundaries() {
  if (options_.interrupted != nullptr && !outcome_.part.interrupted &&
      options_.interrupted->load(std::memory_order_relaxed)) {
    outcome_.part.interrupted = true;
    stopped_ = true;
  }
  if (!measuring_ && now_ >= schedule_.measure_nanos) {
    measuring_ = true;
    measure_cpu_ = thread_cpu_nanos();
    measure_wall_ = now_;
  }
  if (measuring_ && !ended_ && now_ >= schedule_.end_nanos) end_window();
  if (now_ >= publish_nanos_) publish_interval();
}

void LoadWorker::end_window() {
  ended_ = true;
  outcome_.measured_cpu_nanos = thread_cpu_nanos() - measure_cpu_;
  outcome_.measured_wall_nanos = now_ - measure_wall_;
}

void LoadWorker::publish_interval() {
  publish_nanos_ = now_ + kPublishNanos;
  const std::scoped_lock lock(published_mutex_);
  published_.merge(interval_);
  interval_.clear();
}

void LoadWorker::take_interval(Histogram& out) {
  const std::scoped_lock lock(published_mutex_);
  out.merge(published_);
  published_.clear();
}

void LoadWorker::error(std::uint64_t& counter, std::uint64_t count, const std::string& what) {
  counter += count;
  if (outcome_.part.errors.first.empty()) outcome_.part.errors.first = what;
  bump(progress_.errors, count);
  if (outcome_.part.errors.total() >= errors_quota_ && !stopped_) {
    outcome_.part.too_many_errors = true;
    stopped_ = true;
  }
}

}  // namespace kauri::toolkit
