// find_max: the highest load at which a server still keeps its objectives.
//
// Open loop: the rate doubles until an objective breaks, then the gap is halved until it is small.
// A step that breaks is made once more before it counts, for a neighbour on the machine can do it
// too. What a server answers wrongly, or cannot start in time, breaks the objective too. Thread
// safety: thread-compatible functions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolkit/load_types.h"

namespace kauri::toolkit {

// A latency that a share of all operations must not exceed.
struct Objective {
  std::string name;     // "p99"
  double quantile = 1;  // 1: the maximum
  double limit_nanos = 0;
};

// "p99=5ms", or several with commas between them: p50, p90, p95, p99, p99.9, max; us, ms, s.
// RETURNS: kInvalid with the part that is not understood.
Result<std::vector<Objective>> parse_objectives(std::string_view text);
std::string to_string(const Objective& objective);  // "p99=5ms"

struct FindMaxOptions {
  std::vector<Objective> objectives;
  double first_rate = 100;
  double precision = 0.05;  // the gap between what holds and what does not, as a share of the first
};

struct FindMaxStep {
  double rate = 0;  // that was asked for
  LoadResult result;
  bool held = false;
  std::string why;  // not held: what broke
};

struct FindMaxResult {
  std::vector<Objective> objectives;
  std::vector<FindMaxStep> steps;   // in the order of running
  std::optional<std::size_t> best;  // nothing: even the lowest rate broke an objective
  bool interrupted = false;
  bool reached_limit = false;  // kRateMax still held
};

// A share of requests that could not be started for want of a free place breaks every objective.
inline constexpr double kNotStartedShareMax = 0.02;

// Why `result` breaks one of the objectives; empty when it keeps all.
std::string broken_objective(const std::vector<Objective>& objectives, const LoadResult& result);

// `run` makes one run at a rate; `on_step` hears of each. RETURNS: the error of a run; kInvalid
// when the first run has wrong answers already, since then it is the test that is wrong; kLimit
// when the numbers of an operation were used up.
Result<FindMaxResult> find_max(const FindMaxOptions& options,
                               const std::function<Result<LoadResult>(double rate)>& run,
                               const std::function<void(const FindMaxStep&)>& on_step = {});

}  // namespace kauri::toolkit
