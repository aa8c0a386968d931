// What a load test is told and what it found. Thread safety: plain values.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "toolkit/endpoint.h"
#include "toolkit/histogram.h"
#include "toolkit/process_usage.h"

namespace kauri::toolkit {

inline constexpr std::size_t kConnectionsMax = 100'000;
inline constexpr std::size_t kThreadsMax = 256;
inline constexpr std::size_t kDepthMax = 4096;

inline constexpr double kRateMax = 10'000'000;

// Each --interval while a test runs.
struct Interval {
  double seconds = 0;  // since the start, warm-up included
  double span = 0;     // seconds that this interval took
  bool warmup = false;
  double share = 0;              // of the whole run that is over: 0 to 1
  std::uint64_t operations = 0;  // in this interval
  std::uint64_t errors = 0;
  double mean_latency_nanos = 0;
  double p99_latency_nanos = 0;
  double maximum_latency_nanos = 0;

  double rate() const { return span > 0 ? static_cast<double>(operations) / span : 0; }
};

struct LoadOptions {
  Endpoint endpoint = {};
  std::string bind_dn = {};  // empty: connections stay anonymous
  std::string bind_password = {};
  std::uint64_t seed = 1;
  std::size_t connections = 1;
  std::size_t threads = 1;
  std::size_t depth = 1;   // requests outstanding on each connection
  bool reconnect = false;  // each operation connects, binds, and unbinds
  // Open loop: operations for each second, whose starts lie equally far apart and do not wait for
  // answers.
  std::optional<double> rate = {};
  double warmup_seconds = 0;
  double duration_seconds = 5;              // unless there is a count
  std::optional<std::uint64_t> count = {};  // operations after the warm-up
  std::vector<int> accepted_codes = {};     // right too, besides the workload's own
  double timeout_seconds = 30;              // for one answer, from when its request was made
  std::uint64_t errors_max = 1000;          // as many end the run
  std::optional<pid_t> server_pid = {};
  double interval_seconds = 1;
  std::function<void(const Interval&)> on_interval = {};
  // Set by a signal handler: the run ends with what it has.
  const std::atomic<bool>* interrupted = nullptr;
};

// What was not right, by what was wrong with it. Counted from the first request to the last answer,
// warm-up included.
struct LoadErrors {
  std::uint64_t wrong_code = 0;
  std::uint64_t wrong_entries = 0;  // another number of entries than expected
  std::uint64_t broken_answer = 0;  // not LDAP, or for no request of ours
  std::uint64_t lost = 0;           // requests on connections that ended
  std::uint64_t no_answer = 0;      // not within the time limit
  std::uint64_t no_connection = 0;  // operations that could not connect or bind
  std::string first;                // what the first one was

  std::uint64_t total() const {
    return wrong_code + wrong_entries + broken_answer + lost + no_answer + no_connection;
  }
  void add(const LoadErrors& other);
};

struct ServerUse {
  double cpu_seconds = 0;  // within the measured window
  ProcessUsage begin;      // at its begin
  ProcessUsage end;
};

// What operations of one kind did in the measured window.
struct OperationFigures {
  std::string name;
  std::uint64_t operations = 0;  // finished, right or wrong
  std::uint64_t entries = 0;
  std::uint64_t expected_entries = 0;  // of the operations that had an expectation
  bool has_expectation = false;
  Histogram latency;  // nanoseconds from a request's intended start to its last message
  std::array<std::uint64_t, 128> codes{};  // by result code; the last one is for all above 126
  std::uint64_t next_number = 0;           // Order::kOnce: where another run goes on

  void add(const OperationFigures& other);
};

struct LoadResult {
  double seconds = 0;  // of the measured window
  // Of all kinds. Its latency has in it how long requests that were due but could not be made
  // waited until the end, which is the least that they would have taken.
  OperationFigures all;
  std::vector<OperationFigures> kinds;  // by part of the mix
  std::uint64_t references = 0;
  std::uint64_t octets_sent = 0;
  std::uint64_t octets_received = 0;
  // Open loop: were due in the window, but all connections were waiting for answers until its end.
  std::uint64_t not_started = 0;
  std::uint64_t left_renamed = 0;  // entries whose renaming back was not possible
  LoadErrors errors;
  std::uint64_t connections_lost = 0;  // before the end, and not made again
  bool out_of_connections = false;     // all were lost, which ended the run
  std::string used_up;  // the kind whose numbers (Order::kOnce) were used up, which ended the run
  bool interrupted = false;      // by LoadOptions::interrupted
  bool too_many_errors = false;  // LoadOptions::errors_max ended the run
  double client_cpu_seconds = 0;
  double busiest_thread = 0;  // CPU seconds of the busiest client thread for each second
  std::optional<ServerUse> server;
  // CPU seconds of everything else on the machine; only when the server's are known.
  std::optional<double> other_cpu_seconds;
  std::vector<Interval> intervals;

  double rate() const { return seconds > 0 ? static_cast<double>(all.operations) / seconds : 0; }
};

}  // namespace kauri::toolkit
