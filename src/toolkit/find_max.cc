#include "toolkit/find_max.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace kauri::toolkit {

namespace {

constexpr double kRateMin = 0.5;
constexpr std::pair<const char*, double> kQuantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}};
constexpr std::pair<const char*, double> kUnits[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

Result<Objective> parse_objective(std::string_view text) {
  const auto broken = [text] {
    return invalid("the objective '" + std::string(text) +
                   "' is not understood; NAME=TIME is expected, such as p99=5ms, with p50, p90, "
                   "p95, p99, p99.9 or max and us, ms or s");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return broken();
  Objective out;
  out.name = text.substr(0, equals);
  bool known = false;
  for (const auto& [name, quantile] : kQuantiles) {
    if (out.name != name) continue;
    out.quantile = quantile;
    known = true;
  }
  const std::string_view time = text.substr(equals + 1);
  double number = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), number);
  if (!known || error != std::errc() || !std::isfinite(number) || number <= 0) return broken();
  const std::string_view unit(end, static_cast<std::size_t>(time.data() + time.size() - end));
  for (const auto& [name, nanos] : kUnits) {
    if (unit == name) out.limit_nanos = number * nanos;
  }
  if (out.limit_nanos <= 0) return broken();
  return out;
}

class Finder {
 public:
  Finder(const FindMaxOptions& options, const std::function<Result<LoadResult>(double rate)>& run,
         const std::function<void(const FindMaxStep&)>& on_step)
      : options_(options), run_(run), on_step_(on_step) {
    found_.objectives = options.objectives;
  }

  Result<FindMaxResult> find() {
    KAURI_CHECK(step(std::min(options_.first_rate, kRateMax)));
    if (found_.steps.empty()) return std::move(found_);  // interrupted
    const FindMaxStep& first = found_.steps.front();
    if (first.result.errors.total() > 0) {
      return invalid(
          fmt::format("the first run, at {:.1f} ops/s, has {} wrong answers; the first: {}",
                      first.rate, first.result.errors.total(), first.result.errors.first));
    }
    KAURI_CHECK(bracket());
    while (!over() && low_ > 0 && high_ > low_ * (1 + options_.precision)) {
      KAURI_CHECK(step(low_ + (high_ - low_) / 2));
    }
    found_.reached_limit = low_ >= kRateMax;
    return std::move(found_);
  }

 private:
  // Until low_ holds and high_ does not.
  Result<void> bracket() {
    while (!over() && high_ == 0) KAURI_CHECK(step(std::min(low_ * 2, kRateMax)));
    while (!over() && low_ == 0 && high_ > kRateMin) KAURI_CHECK(step(high_ / 2));
    return {};
  }

  bool over() const { return found_.interrupted || low_ >= kRateMax; }

  // A rate breaks an objective when it does so twice: once may be the machine's doing.
  Result<void> step(double rate) {
    bool held = false;
    for (int attempt = 0; attempt < 2 && !held && !found_.interrupted; ++attempt) {
      KAURI_TRY(held, attempt_at(rate));
      if (found_.steps.size() == 1 && found_.steps[0].result.errors.total() > 0) break;
    }
    if (found_.interrupted) return {};
    (held ? low_ : high_) = rate;
    return {};
  }

  // Whether the objectives held in one run.
  Result<bool> attempt_at(double rate) {
    KAURI_TRY(LoadResult result, run_(rate));
    if (!result.used_up.empty()) {
      return limit_exceeded("the numbers of the operation " + result.used_up +
                            " were used up; use a wider range");
    }
    if (result.interrupted) {
      found_.interrupted = true;
      return false;
    }
    FindMaxStep out;
    out.rate = rate;
    out.why = broken_objective(options_.objectives, result);
    out.held = out.why.empty();
    out.result = std::move(result);
    if (out.held) found_.best = found_.steps.size();
    found_.steps.push_back(std::move(out));
    if (on_step_) on_step_(found_.steps.back());
    return found_.steps.back().held;
  }

  const FindMaxOptions& options_;
  const std::function<Result<LoadResult>(double rate)>& run_;
  const std::function<void(const FindMaxStep&)>& on_step_;
  FindMaxResult found_;
  double low_ = 0;   // the highest rate that held
  double high_ = 0;  // the lowest that did not
};

}  // namespace

Result<std::vector<Objective>> parse_objectives(std::string_view text) {
  std::vector<Objective> out;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    KAURI_TRY(auto objective, parse_objective(text.substr(0, comma)));
    out.push_back(std::move(objective));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return out;
}

std::string to_string(const Objective& objective) {
  for (const auto& [name, nanos] : {kUnits[2], kUnits[1]}) {
    if (objective.limit_nanos >= nanos) {
      return fmt::format("{}={}{}", objective.name, objective.limit_nanos / nanos, name);
    }
  }
  return fmt::format("{}={}us", objective.name, objective.limit_nanos / 1e3);
}

std::string broken_objective(const std::vector<Objective>& objectives, const LoadResult& result) {
  if (result.errors.total() > 0) {
    return fmt::format("{} operations went wrong; the first: {}", result.errors.total(),
                       result.errors.first);
  }
  const auto all = static_cast<double>(result.all.operations + result.not_started);
  if (result.all.operations == 0) return "no operation finished";
  if (static_cast<double>(result.not_started) > kNotStartedShareMax * all) {
    return fmt::format("{:.1f} % of the requests could not be started",
                       100 * static_cast<double>(result.not_started) / all);
  }
  for (const Objective& objective : objectives) {
    const auto value = static_cast<double>(result.all.latency.at_quantile(objective.quantile));
    if (value > objective.limit_nanos) {
      return fmt::format("{} was {:.3f} ms", objective.name, value / 1e6);
    }
  }
  return {};
}

Result<FindMaxResult> find_max(const FindMaxOptions& options,
                               const std::function<Result<LoadResult>(double rate)>& run,
                               const std::function<void(const FindMaxStep&)>& on_step) {
  if (!(options.first_rate > 0) || !(options.precision > 0)) {
    return invalid(
        "the first rate and the precision of a search for the highest load must be "
        "above 0");
  }
  return Finder(options, run, on_step).find();
}

}  // namespace kauri::toolkit
