// What a load test is told and what it found. Thread safety: plain values.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "toolkit/endpoint.h"
#include "toolkit/histogram.h"
#include "toolkit/number_source.h"
#include "toolkit/process_usage.h"

namespace kauri::toolkit {

inline constexpr std::size_t kConnectionsMax = 100'000;
inline constexpr std::size_t kThreadsMax = 256;
inline constexpr std::size_t kDepthMax = 4096;

// Once a second while a test runs.
struct Interval {
  double seconds = 0;  // since the start, warm-up included
  double span = 0;     // seconds that this interval took
  bool warmup = false;
  std::uint64_t operations = 0;  // in this interval
  std::uint64_t errors = 0;
  double mean_latency_nanos = 0;
};

struct LoadOptions {
  Endpoint endpoint;
  std::string bind_dn = {};  // empty: connections stay anonymous
  std::string bind_password = {};
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  Order order = Order::kRandom;
  std::uint64_t seed = 1;
  std::size_t connections = 1;
  std::size_t threads = 1;
  std::size_t depth = 1;  // requests outstanding on each connection
  double warmup_seconds = 0;
  double duration_seconds = 5;              // unless there is a count
  std::optional<std::uint64_t> count = {};  // operations after the warm-up
  std::optional<std::uint64_t> expect_entries = {};
  std::vector<int> accepted_codes = {};  // right too, besides the workload's own
  double timeout_seconds = 30;           // for one answer
  std::optional<pid_t> server_pid = {};
  std::function<void(const Interval&)> on_interval = {};
};

// Answers that were not right, by what was wrong with them. Counted from the first request to the
// last answer, warm-up included.
struct LoadErrors {
  std::uint64_t wrong_code = 0;
  std::uint64_t wrong_entries = 0;  // another number of entries than expected
  std::uint64_t broken_answer = 0;  // not LDAP, or for no request of ours
  std::uint64_t lost = 0;           // requests on connections that ended
  std::uint64_t no_answer = 0;      // not within the time limit
  std::string first;                // what the first one was

  std::uint64_t total() const {
    return wrong_code + wrong_entries + broken_answer + lost + no_answer;
  }
};

struct ServerUse {
  double cpu_seconds = 0;  // within the measured window
  ProcessUsage end;
};

struct LoadResult {
  double seconds = 0;            // of the measured window
  std::uint64_t operations = 0;  // finished within the window, right or wrong
  std::uint64_t entries = 0;
  std::uint64_t references = 0;
  std::uint64_t octets_sent = 0;
  std::uint64_t octets_received = 0;
  Histogram latency;  // nanoseconds from a request's intended start to its last message
  std::array<std::uint64_t, 128> codes{};  // by result code; the last one is for all above 126
  LoadErrors errors;
  bool range_used_up = false;  // Order::kOnce ended the run
  double client_cpu_seconds = 0;
  double busiest_thread = 0;  // CPU seconds of the busiest client thread for each second
  std::optional<ServerUse> server;
  // CPU seconds of everything else on the machine; only when the server's are known.
  std::optional<double> other_cpu_seconds;

  double rate() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
};

}  // namespace kauri::toolkit
