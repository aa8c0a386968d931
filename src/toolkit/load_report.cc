#include "toolkit/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "toolkit/report_parts.h"

namespace kauri::toolkit {

namespace {

constexpr double kNotStartedWarnShare = 0.01;  // at the end of any window a few wait
constexpr double kOtherShareMax = 0.1;         // of the machine, for others than client and server

std::string latency_text(const Histogram& latency) {
  std::string out;
  for (const auto& [name, quantile] : kReportQuantiles) {
    out += fmt::format("{} {:.1f}  ", name,
                       micros(static_cast<double>(latency.at_quantile(quantile))));
  }
  return out + fmt::format("max {:.1f}  mean {:.1f}",
                           micros(static_cast<double>(latency.maximum())), micros(latency.mean()));
}

std::string codes_text(const std::string& who, const OperationFigures& figures) {
  std::string out;
  for (std::size_t code = 0; code < figures.codes.size(); ++code) {
    if (figures.codes[code] == 0) continue;
    out += fmt::format("{:<13} {:<9} {:<28} {}\n", out.empty() ? "results" : "", who,
                       code_name(code), figures.codes[code]);
  }
  return out;
}

std::string entries_text(const OperationFigures& figures, std::uint64_t references) {
  std::string out = fmt::format("entries       seen {}", figures.entries);
  out += figures.has_expectation ? fmt::format(", expected {}", figures.expected_entries)
                                 : std::string(", expected any number");
  return out + fmt::format(", references {}\n", references);
}

std::string errors_text(const LoadErrors& errors) {
  if (errors.total() == 0) return "errors        0\n";
  return fmt::format(
      "errors        {}: wrong code {}, wrong entries {}, broken answer {}, lost {}, no answer {}, "
      "no connection {}\nfirst error   {}\n",
      errors.total(), errors.wrong_code, errors.wrong_entries, errors.broken_answer, errors.lost,
      errors.no_answer, errors.no_connection, errors.first);
}

std::string server_text(const LoadRecord& record) {
  const LoadResult& result = record.result;
  if (!result.server) return {};
  const auto mega = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const ServerUse& use = *result.server;
  return fmt::format(
      "server CPU    {:.2f} us/op, {:.2f} cores; RSS {:.1f} MB ({:.1f} MB private, peak {:.1f} "
      "MB), "
      "{:+.1f} MB in the window\n",
      per_operation(use.cpu_seconds, result),
      result.seconds > 0 ? use.cpu_seconds / result.seconds : 0, mega(use.end.rss_bytes),
      mega(use.end.rss_anon_bytes), mega(use.end.rss_peak_bytes),
      mega(use.end.rss_bytes) - mega(use.begin.rss_bytes));
}

std::string head_text(const LoadRecord& record) {
  const LoadOptions& options = record.options;
  std::string out = record.mix.description() + "\n";
  out += fmt::format("server        {} at {}; durability {}, data set {}\n",
                     software_name(record.server), options.endpoint.text,
                     or_unknown(record.durability), or_unknown(record.dataset));
  out += fmt::format("client        {} connections{}, depth {}, {} threads, seed {}\n",
                     options.connections, options.reconnect ? " anew for each operation" : "",
                     options.depth, options.threads, options.seed);
  if (record.mix.parts.size() == 1) {
    const Workload& workload = record.mix.parts[0].workload;
    out += fmt::format("{}       {} to {}, {}\n", workload.by_line ? "lines  " : "numbers",
                       workload.low + (workload.by_line ? 1 : 0),
                       workload.high + (workload.by_line ? 1 : 0), order_name(workload.order));
  }
  return out;
}

// Behind what a run was: what it should have been.
std::string asked_text(const LoadOptions& options) {
  return options.count ? fmt::format("{} operations", *options.count)
                       : fmt::format("{} s", options.duration_seconds);
}

}  // namespace

std::string interval_line(const Interval& interval) {
  return fmt::format(
      "{:7.1f} s  {:9.0f} ops/s  mean {:8.1f} us  p99 {:8.1f} us  max {:8.1f} us{}{}",
      interval.seconds, interval.rate(), micros(interval.mean_latency_nanos),
      micros(interval.p99_latency_nanos), micros(interval.maximum_latency_nanos),
      interval.errors > 0 ? fmt::format("  {} errors", interval.errors) : "",
      interval.warmup ? "  (warm-up)" : "");
}

std::string step_line(const FindMaxStep& step) {
  return fmt::format("step  {:.1f} ops/s: {}", step.rate,
                     step.held ? "held" : "broke the objective: " + step.why);
}

std::string progress_bar(double share, std::size_t width) {
  const double part = std::clamp(share, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(std::floor(part * static_cast<double>(width)));
  return fmt::format("[{}{}] {:3.0f} %", std::string(full, '#'), std::string(width - full, '.'),
                     std::floor(part * 100));
}

std::vector<std::string> warnings_of(const LoadRecord& record) {
  std::vector<std::string> out;
  const LoadResult& result = record.result;
  if (result.busiest_thread >= kBusyShareMax) {
    out.push_back(
        fmt::format("the client was the bottleneck: a thread of it was busy for {:.0f} % of the "
                    "time; use more --threads or a deeper pipeline",
                    result.busiest_thread * 100));
  }
  const double capacity = result.seconds * record.machine.processors;
  if (result.other_cpu_seconds && capacity > 0 &&
      *result.other_cpu_seconds > kOtherShareMax * capacity) {
    out.push_back(fmt::format(
        "other processes used {:.0f} % of the machine meanwhile; repeat this on a quiet one",
        *result.other_cpu_seconds * 100 / capacity));
  }
  const auto due = static_cast<double>(result.not_started + result.all.operations);
  if (static_cast<double>(result.not_started) > kNotStartedWarnShare * due) {
    out.push_back(fmt::format(
        "{} of {} requests that were due could not be started, because all connections waited for "
        "answers: the load is more than the server does; the latencies have their waiting in them",
        result.not_started, result.not_started + result.all.operations));
  }
  if (!result.used_up.empty()) {
    out.push_back("the numbers of the operation " + result.used_up +
                  " were used up before the end; use a wider --range");
  }
  if (record.mix.has(WorkloadKind::kSearch) && result.all.operations > 0 &&
      result.all.entries == 0 && !result.all.has_expectation) {
    out.push_back(
        "no search found an entry; --expect-entries makes a wrong number of them an error");
  }
  if (result.left_renamed > 0) {
    out.push_back(fmt::format("{} entries still have their new name", result.left_renamed));
  }
  if (result.out_of_connections) {
    out.push_back(
        fmt::format("the run ended early, after {} operations in {:.3f} s instead of {}: no "
                    "connection was left",
                    result.all.operations, result.seconds, asked_text(record.options)));
  } else if (result.connections_lost > 0) {
    out.push_back(
        fmt::format("{} of {} connections were lost and not made again: the load was less than "
                    "what was asked for",
                    result.connections_lost, record.options.connections));
  }
  if (result.too_many_errors) {
    out.push_back(fmt::format("the run ended early, after {} errors", result.errors.total()));
  }
  if (result.interrupted) out.emplace_back("the run was interrupted");
  return out;
}

std::string report_text(const LoadRecord& record) {
  const LoadResult& result = record.result;
  const bool mixed = record.mix.parts.size() > 1;
  std::string out = head_text(record);
  out += fmt::format("operations    {} in {:.3f} s: {:.1f} ops/s\n", result.all.operations,
                     result.seconds, result.rate());
  if (record.options.rate) {
    out += fmt::format("asked for     {:.1f} ops/s; {} requests not started\n",
                       *record.options.rate, result.not_started);
  }
  out += "latency us    " + latency_text(result.all.latency) + "\n";
  if (mixed) {
    for (const OperationFigures& kind : result.kinds) {
      out += fmt::format(
          "  {:<11} {}: {:.1f} ops/s  {}\n", kind.name, kind.operations,
          result.seconds > 0 ? static_cast<double>(kind.operations) / result.seconds : 0,
          latency_text(kind.latency));
    }
  }
  if (record.mix.has(WorkloadKind::kSearch)) out += entries_text(result.all, result.references);
  std::string codes;
  for (const OperationFigures& kind : result.kinds) codes += codes_text(kind.name, kind);
  out += codes + errors_text(result.errors);
  out += fmt::format("client CPU    {:.2f} us/op, busiest thread {:.0f} %\n",
                     per_operation(result.client_cpu_seconds, result), result.busiest_thread * 100);
  out += server_text(record);
  for (const auto& [key, value] : record.notes) out += "note          " + key + "=" + value + "\n";
  for (const std::string& warning : warnings_of(record)) out += "warning       " + warning + "\n";
  return out;
}

std::string find_max_text(const LoadRecord& record, const FindMaxResult& found) {
  std::string out = record.mix.description() + "\n";
  std::string objectives;
  for (const Objective& objective : found.objectives) {
    objectives += (objectives.empty() ? "" : ", ") + to_string(objective);
  }
  out += "objective     " + objectives + "\n";
  out += fmt::format("{:>12} {:>12} {:>12} {:>12} {:>12}\n", "asked ops/s", "seen ops/s", "p50 us",
                     "p99 us", "max us");
  for (const FindMaxStep& step : found.steps) {
    const Histogram& latency = step.result.all.latency;
    out +=
        fmt::format("{:>12.1f} {:>12.1f} {:>12.1f} {:>12.1f} {:>12.1f}  {}\n", step.rate,
                    step.result.rate(), micros(static_cast<double>(latency.at_quantile(0.5))),
                    micros(static_cast<double>(latency.at_quantile(0.99))),
                    micros(static_cast<double>(latency.maximum())), step.held ? "held" : step.why);
  }
  if (!found.best) {
    return out + "best          none: " +
           (found.interrupted ? "interrupted" : "even the lowest rate broke the objective") + "\n";
  }
  out += fmt::format("best          {:.1f} ops/s\n", found.steps[*found.best].rate);
  if (found.reached_limit) out += "              the highest rate that can be asked for\n";
  return out + "\nThe best step:\n" + report_text(record);
}

}  // namespace kauri::toolkit
