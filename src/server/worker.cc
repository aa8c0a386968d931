#include "server/worker.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limit_counters.h"
#include "base/units.h"
#include "server/connection.h"
#include "server/event_log.h"

namespace kauri::server {
namespace {

using namespace kauri::literals;

constexpr std::size_t kReadBufferSize = 64_KiB;
constexpr std::size_t kAnswersCapacityMax = 1_MiB;

// For the calling thread. A woken worker need not push a running client off its core at once: the
// client goes on to send what else it has, and the worker then takes it all in one round. Where a
// core is free nothing changes (docs/decisions/0008-batch-scheduling.md). A hint: a kernel that
// refuses it serves all the same.
void prefer_batches() {
  const sched_param none{};
  (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
}

}  // namespace

void Worker::Shared::connection_ended() {
  if (connections.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(idle_mutex);
  idle.notify_all();
}

Result<std::unique_ptr<Worker>> Worker::make(Shared& shared) {
  KAURI_TRY(auto poller, Poller::make());
  KAURI_TRY(auto worker_context, shared.service.worker_context());
  return std::unique_ptr<Worker>(new Worker(shared, std::move(poller), std::move(worker_context)));
}

Worker::Worker(Shared& shared, std::unique_ptr<Poller> poller,
               std::unique_ptr<operation::WorkerContext> worker_context)
    : shared_(shared),
      poller_(std::move(poller)),
      wheel_(shared.clock.monotonic_nanos()),
      now_(shared.clock.monotonic_nanos()),
      read_buffer_(kReadBufferSize),
      worker_context_(std::move(worker_context)) {}

Worker::~Worker() {
  stop();
}

void Worker::start() {
  thread_ = std::thread([this] { run(); });
}

int Worker::timeout_ms() const {
  if (!turns_.empty() || !marked_.empty()) return 0;
  return wheel_.empty() ? -1 : wheel_.until_next_tick_ms(now_);
}

void Worker::run() {
  (void)::pthread_setname_np(::pthread_self(), "kauri-worker");
  prefer_batches();
  while (!ending_) run_round(timeout_ms());
  for (const auto& connection : snapshot()) connection->close("server stop");
  turns_.clear();
  marked_.clear();
  closed_.clear();
}

// What is ready, what other threads handed over, one turn of a long search. So a search that takes
// many turns delays a short request by one of them at most.
void Worker::run_round(int timeout_ms) {
  poller_->run_once(timeout_ms, [this] {
    now_ = shared_.clock.monotonic_nanos();
    wheel_.advance(now_);
  });
  if (jobs_waiting_.exchange(false, std::memory_order_acq_rel)) run_jobs();
  flush_marked();
  run_next_turn();
  closed_.clear();
}

void Worker::stop() {
  if (!thread_.joinable()) return;
  post([this] { ending_ = true; });
  {
    // From here on nothing can be handed over, so nothing that refers to a session is left behind.
    const std::lock_guard lock(jobs_mutex_);
    stopped_ = true;
  }
  thread_.join();
  run_jobs();
}

std::vector<std::shared_ptr<Connection>> Worker::snapshot() const {
  std::vector<std::shared_ptr<Connection>> out;
  out.reserve(connections_.size());
  for (const auto& [number, connection] : connections_) out.push_back(connection);
  return out;
}

void Worker::begin_drain() {
  post([this] {
    draining_ = true;
    for (const auto& connection : snapshot()) connection->begin_drain();
  });
}

// --- Jobs of other threads ---

void Worker::post(std::function<void()> job) {
  {
    const std::lock_guard lock(jobs_mutex_);
    if (stopped_) return;
    jobs_.push_back(std::move(job));
    // Only the first job of a batch wakes the loop.
    if (jobs_.size() > 1) return;
    jobs_waiting_.store(true, std::memory_order_release);
  }
  poller_->wake();
}

void Worker::run_jobs() {
  {
    const std::lock_guard lock(jobs_mutex_);
    running_jobs_.swap(jobs_);
  }
  for (auto& job : running_jobs_) job();
  running_jobs_.clear();
}

void Worker::mark_output(Connection& connection) {
  if (connection.output_marked) return;
  connection.output_marked = true;
  marked_.push_back(connection.shared_from_this());
}

void Worker::flush_marked() {
  // Collecting may let the session take further requests, which may mark it again.
  std::vector<std::shared_ptr<Connection>> marked;
  marked.swap(marked_);
  for (const auto& connection : marked) {
    connection->output_marked = false;
    connection->collect_output();
  }
}

// --- Turns of long searches ---

void Worker::queue_turn(Connection& connection) {
  if (connection.turn_queued) return;
  connection.turn_queued = true;
  turns_.push_back(connection.shared_from_this());
}

void Worker::run_next_turn() {
  if (turns_.empty()) return;
  const std::shared_ptr<Connection> connection = std::move(turns_.front());
  turns_.pop_front();
  connection->turn_queued = false;
  connection->run_turn();
}

// --- Memory ---

void Worker::hold_large(Connection& connection, std::size_t octets) {
  if (connection.large_octets == 0) large_.push_back(&connection);
  large_octets_ += octets;
  large_octets_ -= connection.large_octets;
  connection.large_octets = octets;
  if (octets == 0) std::erase(large_, &connection);
  const auto patience = [](const Connection* each) {
    const std::int64_t ends = each->patience_ends();
    return ends != 0 ? ends : std::numeric_limits<std::int64_t>::max();
  };
  while (large_octets_ > shared_.large_buffers_max && large_.size() > 1) {
    Connection* const slowest =
        *std::min_element(large_.begin(), large_.end(),
                          [&](const auto* a, const auto* b) { return patience(a) < patience(b); });
    log_repeated_event(Severity::kWarning,
                       "a slow client was disconnected: large messages to and from slow clients "
                       "take more memory than limits.large_buffers_max, " +
                           std::to_string(shared_.large_buffers_max) + " octets");
    limits::count(limits::Counter::kLargeBuffers);
    slowest->close("too slow for a message as large as this, and the memory for these is used up");
    // Until the round ends it stays in closed_, and a round may have to end many.
    slowest->drop_buffers();
  }
}

// --- Connections ---

void Worker::adopt(int descriptor, operation::Peer peer) {
  post([this, descriptor, peer = std::move(peer)] { add_connection(descriptor, peer); });
}

void Worker::add_connection(int descriptor, operation::Peer peer) {
  const auto connection = std::make_shared<Connection>(*this, std::move(peer));
  if (draining_ || ending_ || !connection->start(descriptor)) {
    ::close(descriptor);
    shared_.connection_ended();
    return;
  }
  connections_.emplace(connection->peer().connection, connection);
  log_connection("CONNECT", connection->peer(), connection->peer().address);
}

void Worker::forget(Connection& connection, std::string_view reason) {
  log_connection("DISCONNECT", connection.peer(), reason);
  const auto found = connections_.find(connection.peer().connection);
  if (found == connections_.end()) return;
  // The poller may still hold an event for it.
  closed_.push_back(std::move(found->second));
  connections_.erase(found);
  shared_.connection_ended();
}

void Worker::log_connection(std::string_view kind, const operation::Peer& peer,
                            std::string_view detail) {
  operation::AccessLog* const log = shared_.access_log;
  if (log == nullptr || !log->enabled()) return;
  operation::OperationRecord record;
  record.connection = peer.connection;
  record.kind = kind;
  record.detail = detail;
  record.arrived_wall_micros = shared_.clock.wall_micros();
  log->log(record);
}

void Worker::trim_answers() {
  if (answers_.capacity() > kAnswersCapacityMax) std::string().swap(answers_);
}

}  // namespace kauri::server
