#include "server/worker.h"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/units.h"
#include "server/connection.h"
#include "server/event_log.h"

namespace kauri::server {
namespace {

using namespace kauri::literals;

constexpr std::size_t kReadBufferSize = 64_KiB;
constexpr std::size_t kAnswersCapacityMax = 1_MiB;

}  // namespace

void Worker::Shared::connection_ended() {
  if (connections.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(idle_mutex);
  idle.notify_all();
}

Result<std::unique_ptr<Worker>> Worker::make(Shared& shared) {
  KAURI_TRY(auto worker_context, shared.service.worker_context());
  return std::unique_ptr<Worker>(new Worker(shared, std::move(worker_context)));
}

Worker::Worker(Shared& shared, std::unique_ptr<operation::WorkerContext> worker_context)
    : shared_(shared),
      context_(1),
      keep_running_(context_.get_executor()),
      timer_(context_),
      wheel_(shared.clock.monotonic_nanos()),
      read_buffer_(kReadBufferSize),
      worker_context_(std::move(worker_context)) {}

Worker::~Worker() {
  stop();
}

void Worker::start() {
  thread_ = std::thread([this] { context_.run(); });
}

void Worker::stop() {
  {
    const std::lock_guard lock(jobs_mutex_);
    if (stopped_) return;
    stopped_ = true;
  }
  if (!thread_.joinable()) return;
  boost::asio::post(context_, [this] {
    run_jobs();
    for (const auto& connection : snapshot()) connection->close("server stop");
    turns_.clear();
    marked_.clear();
    timer_.cancel();
    keep_running_.reset();
  });
  // run() returns when the handlers of all closed connections have run, so nothing that refers to a
  // session is left behind.
  thread_.join();
}

std::vector<std::shared_ptr<Connection>> Worker::snapshot() const {
  std::vector<std::shared_ptr<Connection>> out;
  out.reserve(connections_.size());
  for (const auto& [number, connection] : connections_) out.push_back(connection);
  return out;
}

void Worker::begin_drain() {
  boost::asio::post(context_, [this] {
    draining_ = true;
    for (const auto& connection : snapshot()) connection->begin_drain();
  });
}

// --- Jobs of other threads ---

void Worker::post(std::function<void()> job) {
  bool first = false;
  {
    const std::lock_guard lock(jobs_mutex_);
    if (stopped_) return;
    first = jobs_.empty();
    jobs_.push_back(std::move(job));
    // Only the first job of a batch wakes the loop. Posted under the lock, so that stop()'s own
    // handler comes behind it.
    if (first) boost::asio::post(context_, [this] { run_jobs(); });
  }
}

void Worker::run_jobs() {
  {
    const std::lock_guard lock(jobs_mutex_);
    running_jobs_.swap(jobs_);
  }
  for (auto& job : running_jobs_) job();
  running_jobs_.clear();
  flush_marked();
}

void Worker::mark_output(Connection& connection) {
  if (connection.output_marked) return;
  connection.output_marked = true;
  marked_.push_back(connection.shared_from_this());
  if (marked_scheduled_) return;
  marked_scheduled_ = true;
  boost::asio::post(context_, [this] {
    marked_scheduled_ = false;
    flush_marked();
  });
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

// --- Turns of long searches: one connection each time, and between two of them the loop looks at
// the sockets, so that a short request waits for one slice at most ---

void Worker::queue_turn(Connection& connection) {
  if (connection.turn_queued) return;
  connection.turn_queued = true;
  turns_.push_back(connection.shared_from_this());
  schedule_turn();
}

void Worker::schedule_turn() {
  if (turn_scheduled_ || turns_.empty()) return;
  turn_scheduled_ = true;
  boost::asio::post(context_, [this] {
    turn_scheduled_ = false;
    run_next_turn();
  });
}

void Worker::run_next_turn() {
  if (turns_.empty()) return;
  const std::shared_ptr<Connection> connection = std::move(turns_.front());
  turns_.pop_front();
  connection->turn_queued = false;
  connection->run_turn();
  schedule_turn();
}

// --- Connections ---

void Worker::adopt(int descriptor, operation::Peer peer) {
  boost::asio::post(context_, [this, descriptor, peer = std::move(peer)]() mutable {
    add_connection(descriptor, std::move(peer));
  });
}

void Worker::add_connection(int descriptor, operation::Peer peer) {
  bool stopped = draining_;
  {
    const std::lock_guard lock(jobs_mutex_);
    stopped = stopped || stopped_;
  }
  const auto connection = std::make_shared<Connection>(*this, std::move(peer));
  if (stopped || !connection->start(descriptor)) {
    ::close(descriptor);
    shared_.connection_ended();
    return;
  }
  connections_.emplace(connection->peer().connection, connection);
  log_connection("CONNECT", connection->peer(), connection->peer().address);
}

void Worker::forget(Connection& connection, std::string_view reason) {
  log_connection("DISCONNECT", connection.peer(), reason);
  if (connections_.erase(connection.peer().connection) > 0) shared_.connection_ended();
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

void Worker::ensure_timer() {
  if (timer_running_ || wheel_.empty()) return;
  timer_running_ = true;
  timer_.expires_after(std::chrono::nanoseconds(TimerWheel::kTickNanos));
  timer_.async_wait([this](const boost::system::error_code& error) {
    timer_running_ = false;
    if (error) return;
    wheel_.advance(now());
    ensure_timer();
  });
}

}  // namespace kauri::server
