#include "toolkit/load_run.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "toolkit/load_worker.h"

namespace kauri::toolkit {

namespace {

constexpr double kSecondsMax = 1e9;
constexpr double kIntervalMin = 0.1;
constexpr std::size_t kIntervalsMax = 100'000;  // kept for the result; later ones are only shown

Error range_error(const char* what, std::size_t value, std::size_t low, std::size_t high) {
  return invalid(std::string(what) + " " + std::to_string(value) + " is not in the range of " +
                 std::to_string(low) + " to " + std::to_string(high));
}

Result<void> check_seconds(const char* what, double seconds) {
  if (seconds >= 0 && seconds <= kSecondsMax) return {};
  return invalid(std::string(what) + " of " + std::to_string(seconds) +
                 " seconds is not in the range of 0 to 1000000000");
}

Result<void> check_sizes(const LoadOptions& options) {
  if (options.connections < 1 || options.connections > kConnectionsMax) {
    return range_error("the number of connections", options.connections, 1, kConnectionsMax);
  }
  if (options.threads < 1 || options.threads > kThreadsMax) {
    return range_error("the number of threads", options.threads, 1, kThreadsMax);
  }
  if (options.threads > options.connections) {
    return invalid(std::to_string(options.threads) + " threads for " +
                   std::to_string(options.connections) +
                   " connections: each thread needs a connection");
  }
  if (options.depth < 1 || options.depth > kDepthMax) {
    return range_error("the depth", options.depth, 1, kDepthMax);
  }
  if (options.errors_max < 1) {
    return invalid("a limit of 0 errors would end every run; the least is 1");
  }
  return {};
}

Result<void> check_times(const LoadOptions& options) {
  KAURI_CHECK(check_seconds("a warm-up", options.warmup_seconds));
  KAURI_CHECK(check_seconds("a time limit", options.timeout_seconds));
  KAURI_CHECK(check_seconds("an interval", options.interval_seconds));
  if (options.interval_seconds < kIntervalMin) {
    return invalid("an interval of " + std::to_string(options.interval_seconds) +
                   " seconds is shorter than 0.1");
  }
  // Written so that what is no number fails too.
  if (options.rate && !(*options.rate > 0 && *options.rate <= kRateMax)) {
    return invalid("a rate of " + std::to_string(*options.rate) +
                   " operations for each second is not above 0 and up to 10000000");
  }
  if (options.count) {
    if (*options.count == 0) return invalid("a count of 0 operations measures nothing");
    return {};
  }
  if (options.duration_seconds <= 0) {
    return invalid("a duration of " + std::to_string(options.duration_seconds) +
                   " seconds measures nothing");
  }
  return check_seconds("a duration", options.duration_seconds);
}

Result<void> check_mix(const LoadOptions& options, const Mix& mix) {
  if (mix.has(WorkloadKind::kBind) && options.depth != 1) {
    return invalid(
        "a connection has one bind at a time (RFC 4511 section 4.2.1): the depth must be 1, not " +
        std::to_string(options.depth));
  }
  if (options.reconnect && options.depth != 1) {
    return invalid("a connection for each operation has one request: the depth must be 1, not " +
                   std::to_string(options.depth));
  }
  for (const Mix::Part& part : mix.parts) {
    const Workload& workload = part.workload;
    if (!workload.requests_back) continue;
    // Each place may have an entry on its way to either name.
    const std::uint64_t least = 2 * options.connections * options.depth + options.threads;
    if (workload.high - workload.low + 1 >= least) continue;
    return invalid("renamings of " + std::to_string(workload.high - workload.low + 1) +
                   " entries back and forth, with " + std::to_string(options.connections) +
                   " connections of depth " + std::to_string(options.depth) + ", need at least " +
                   std::to_string(least) + " entries, so that none is in two of them");
  }
  return {};
}

// Where workers and the coordinator meet.
class Meeting {
 public:
  // A worker's connections are open, or `failure` says why not; waits for the start. False: do not
  // run.
  bool ready(const Result<void>& outcome, Schedule& schedule) {
    std::unique_lock lock(mutex_);
    note(outcome);
    ++ready_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return started_ || aborted_; });
    schedule = schedule_;
    return !aborted_;
  }
  void done(const Result<void>& outcome) {
    const std::scoped_lock lock(mutex_);
    note(outcome);
    ++done_;
    changed_.notify_all();
  }

  // The coordinator's side.
  Result<void> wait_ready(std::size_t workers) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_ == workers; });
    if (failure_) return *failure_;
    return {};
  }
  void start(const Schedule& schedule) {
    const std::scoped_lock lock(mutex_);
    schedule_ = schedule;
    started_ = true;
    changed_.notify_all();
  }
  void abort() {
    const std::scoped_lock lock(mutex_);
    aborted_ = true;
    changed_.notify_all();
  }
  // True when all workers are done within this time.
  bool wait_done(std::size_t workers, std::int64_t nanos) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::nanoseconds(nanos),
                             [&] { return done_ == workers; });
  }
  std::optional<Error> failure() {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

 private:
  void note(const Result<void>& outcome) {
    if (!outcome && !failure_) failure_ = outcome.error();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ready_ = 0;  // all guarded by mutex_
  std::size_t done_ = 0;
  bool started_ = false;
  bool aborted_ = false;
  Schedule schedule_;
  std::optional<Error> failure_;
};

// What the coordinator reads at an end of the measured window.
struct Reading {
  std::optional<ProcessUsage> server;
  double machine_seconds = 0;
  double client_seconds = 0;
};

class Coordinator {
 public:
  Coordinator(const LoadOptions& options, const Mix& mix, Clock& clock)
      : options_(options), mix_(mix), clock_(clock) {}

  Result<LoadResult> run() {
    KAURI_TRY(begin_, read());  // names a missing server before the load starts
    auto outcome = start_threads();
    if (outcome) outcome = meeting_.wait_ready(threads_.size());
    if (!outcome) {
      meeting_.abort();
    } else {
      outcome = conduct();
    }
    for (std::thread& thread : threads_) thread.join();
    if (!outcome) return std::move(outcome).error();
    if (const auto failure = meeting_.failure()) return *failure;
    return merge();
  }

 private:
  Result<void> start_threads() {
    for (unsigned i = 0; i < options_.threads; ++i) {
      workers_.push_back(std::make_unique<LoadWorker>(options_, mix_, clock_, i));
    }
    for (auto& worker : workers_) {
      // The standard library reports a thread that cannot be made by an exception.
      try {
        threads_.emplace_back([this, &worker] { work(*worker); });
      } catch (const std::system_error& error) {
        return Error(ErrorCode::kIo, std::string("cannot start a thread: ") + error.what());
      }
    }
    return {};
  }

  void work(LoadWorker& worker) {
    Schedule schedule;
    if (!meeting_.ready(worker.connect(), schedule)) return;
    meeting_.done(worker.run(schedule));
  }

  Result<Reading> read() const {
    Reading out;
    if (!options_.server_pid) return out;
    KAURI_TRY(out.server, read_process_usage(*options_.server_pid));
    KAURI_TRY(out.machine_seconds, read_machine_busy_seconds());
    out.client_seconds = static_cast<double>(own_cpu_nanos()) / 1e9;
    return out;
  }

  Result<void> conduct() {
    start_nanos_ = clock_.monotonic_nanos();
    last_nanos_ = start_nanos_;
    schedule_.start_nanos = start_nanos_;
    schedule_.measure_nanos =
        start_nanos_ + static_cast<std::int64_t>(options_.warmup_seconds * 1e9);
    schedule_.end_nanos =
        options_.count
            ? std::numeric_limits<std::int64_t>::max()
            : schedule_.measure_nanos + static_cast<std::int64_t>(options_.duration_seconds * 1e9);
    meeting_.start(schedule_);
    bool done = watch_until(schedule_.measure_nanos);
    // The threads are on their way, so a reading that fails must not leave before they are done.
    const auto begin = read();
    cut_interval(schedule_.measure_nanos);
    measuring_ = true;
    done = done || watch_until(schedule_.end_nanos);
    const auto end = read();
    cut_interval(schedule_.end_nanos);
    if (!done) watch_until(std::numeric_limits<std::int64_t>::max());
    if (!begin) return begin.error();
    if (!end) return end.error().with_context("the server is gone");
    begin_ = *begin;
    end_ = *end;
    return {};
  }

  // Reports intervals until that moment or until all workers are done, which it returns.
  bool watch_until(std::int64_t moment) {
    for (;;) {
      const std::int64_t now = clock_.monotonic_nanos();
      if (now >= moment) return false;
      const std::int64_t next = std::max(last_nanos_ + interval_nanos(), now);
      if (meeting_.wait_done(threads_.size(), std::min(next, moment) - now)) return true;
      if (clock_.monotonic_nanos() >= last_nanos_ + interval_nanos()) report_interval();
    }
  }

  // What is left of an interval where the warm-up or the window ends, at that moment or early:
  // none belongs to two of them.
  void cut_interval(std::int64_t moment) {
    if (last_nanos_ < std::min(moment, clock_.monotonic_nanos())) report_interval();
  }

  std::int64_t interval_nanos() const {
    return static_cast<std::int64_t>(options_.interval_seconds * 1e9);
  }

  // How much of the run is over, by the clock or by the count.
  double share(std::int64_t now, std::uint64_t measured) const {
    if (options_.count) return static_cast<double>(measured) / static_cast<double>(*options_.count);
    const double all = options_.warmup_seconds + options_.duration_seconds;
    return std::min(1.0, static_cast<double>(now - start_nanos_) / 1e9 / all);
  }

  void report_interval() {
    const std::int64_t now = clock_.monotonic_nanos();
    Interval interval;
    interval.seconds = static_cast<double>(now - start_nanos_) / 1e9;
    interval.span = static_cast<double>(now - last_nanos_) / 1e9;
    interval.warmup = !measuring_;
    std::uint64_t operations = 0;
    std::uint64_t errors = 0;
    std::uint64_t measured = 0;
    Histogram latency;
    for (const auto& worker : workers_) {
      operations += worker->progress().operations.load(std::memory_order_relaxed);
      errors += worker->progress().errors.load(std::memory_order_relaxed);
      measured += worker->progress().measured.load(std::memory_order_relaxed);
      worker->take_interval(latency);
    }
    interval.share = share(now, measured);
    interval.operations = operations - std::exchange(seen_operations_, operations);
    interval.errors = errors - std::exchange(seen_errors_, errors);
    interval.mean_latency_nanos = latency.mean();
    interval.p99_latency_nanos = static_cast<double>(latency.at_quantile(0.99));
    interval.maximum_latency_nanos = static_cast<double>(latency.maximum());
    last_nanos_ = now;
    if (intervals_.size() < kIntervalsMax) intervals_.push_back(interval);
    if (options_.on_interval) options_.on_interval(interval);
  }

  LoadResult merge() {
    LoadResult out;
    std::int64_t finished = schedule_.measure_nanos;
    std::int64_t cpu = 0;
    bool ended_early = true;
    out.kinds.resize(mix_.parts.size());
    for (std::size_t i = 0; i < mix_.parts.size(); ++i) {
      out.kinds[i].name = to_string(mix_.parts[i].workload.kind);
    }
    for (auto& worker : workers_) {
      LoadWorker::Outcome outcome = worker->take();
      add_part(out, outcome.part);
      finished = std::max(finished, outcome.finished_nanos);
      ended_early = ended_early && outcome.ended_early;
      cpu += outcome.measured_cpu_nanos;
      if (outcome.measured_wall_nanos > 0) {
        out.busiest_thread =
            std::max(out.busiest_thread, static_cast<double>(outcome.measured_cpu_nanos) /
                                             static_cast<double>(outcome.measured_wall_nanos));
      }
    }
    for (const OperationFigures& kind : out.kinds) out.all.add(kind);
    // An open loop's last answers may come after the window's end: they took that long.
    const std::int64_t end = ended_early     ? finished
                             : options_.rate ? std::max(finished, schedule_.end_nanos)
                                             : schedule_.end_nanos;
    out.seconds = static_cast<double>(end - schedule_.measure_nanos) / 1e9;
    out.out_of_connections &= ended_early;  // other threads may have gone on to the end
    out.client_cpu_seconds = static_cast<double>(cpu) / 1e9;
    out.intervals = std::move(intervals_);
    if (begin_.server && end_.server) {
      const double server = end_.server->cpu_seconds() - begin_.server->cpu_seconds();
      const double client = end_.client_seconds - begin_.client_seconds;
      out.server = ServerUse{server, *begin_.server, *end_.server};
      out.other_cpu_seconds =
          std::max(0.0, end_.machine_seconds - begin_.machine_seconds - server - client);
    }
    return out;
  }

  static void add_part(LoadResult& out, const LoadResult& part) {
    out.all.latency.merge(part.all.latency);
    for (std::size_t i = 0; i < out.kinds.size(); ++i) out.kinds[i].add(part.kinds[i]);
    out.references += part.references;
    out.octets_sent += part.octets_sent;
    out.octets_received += part.octets_received;
    out.not_started += part.not_started;
    out.left_renamed += part.left_renamed;
    out.errors.add(part.errors);
    if (out.used_up.empty()) out.used_up = part.used_up;
    out.connections_lost += part.connections_lost;
    out.out_of_connections |= part.out_of_connections;
    out.interrupted |= part.interrupted;
    out.too_many_errors |= part.too_many_errors;
  }

  const LoadOptions& options_;
  const Mix& mix_;
  Clock& clock_;
  Meeting meeting_;
  std::vector<std::unique_ptr<LoadWorker>> workers_;
  std::vector<std::thread> threads_;
  Schedule schedule_;
  Reading begin_;
  Reading end_;
  std::int64_t start_nanos_ = 0;
  std::int64_t last_nanos_ = 0;
  bool measuring_ = false;  // the warm-up is over
  std::uint64_t seen_operations_ = 0;
  std::uint64_t seen_errors_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace

Result<void> check_load(const LoadOptions& options, const Mix& mix) {
  KAURI_CHECK(check_sizes(options));
  KAURI_CHECK(check_mix(options, mix));
  return check_times(options);
}

Result<LoadResult> run_load(const LoadOptions& options, const Mix& mix, Clock& clock) {
  KAURI_CHECK(check_load(options, mix));
  return Coordinator(options, mix, clock).run();
}

}  // namespace kauri::toolkit
