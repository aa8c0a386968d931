#include "toolkit/load_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ldap/result_code.h"

namespace kauri::toolkit {

namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.95, 0.99, 0.999};
constexpr const char* kQuantileNames[] = {"p50", "p90", "p95", "p99", "p99.9"};
constexpr double kOtherShareMax = 0.1;  // of the machine, for others than client and server

double micros(double nanos) {
  return nanos / 1000;
}

double per_operation(double seconds, const LoadResult& result) {
  return result.operations == 0 ? 0 : seconds * 1e6 / static_cast<double>(result.operations);
}

std::string code_name(std::size_t code) {
  return code == 127 ? "other code" : std::string(to_string(static_cast<ldap::ResultCode>(code)));
}

std::string_view order_name(Order order) {
  if (order == Order::kRandom) return "random";
  return order == Order::kSequential ? "sequential" : "once";
}

std::string latency_line(const LoadResult& result) {
  std::string out = "latency us    ";
  for (std::size_t i = 0; i < std::size(kQuantiles); ++i) {
    out += fmt::format("{} {:.1f}  ", kQuantileNames[i],
                       micros(static_cast<double>(result.latency.at_quantile(kQuantiles[i]))));
  }
  return out + fmt::format("max {:.1f}  mean {:.1f}\n",
                           micros(static_cast<double>(result.latency.maximum())),
                           micros(result.latency.mean()));
}

std::string errors_line(const LoadErrors& errors) {
  if (errors.total() == 0) return "errors        0\n";
  return fmt::format(
      "errors        {}: wrong code {}, wrong entries {}, broken answer {}, lost {}, no answer {}\n"
      "first error   {}\n",
      errors.total(), errors.wrong_code, errors.wrong_entries, errors.broken_answer, errors.lost,
      errors.no_answer, errors.first);
}

nlohmann::json latency_json(const LoadResult& result) {
  nlohmann::json out;
  for (std::size_t i = 0; i < std::size(kQuantiles); ++i) {
    out[kQuantileNames[i]] = micros(static_cast<double>(result.latency.at_quantile(kQuantiles[i])));
  }
  out["min"] = micros(static_cast<double>(result.latency.minimum()));
  out["max"] = micros(static_cast<double>(result.latency.maximum()));
  out["mean"] = micros(result.latency.mean());
  return out;
}

nlohmann::json errors_json(const LoadErrors& errors) {
  return {{"total", errors.total()},
          {"wrong_code", errors.wrong_code},
          {"wrong_entries", errors.wrong_entries},
          {"broken_answer", errors.broken_answer},
          {"lost", errors.lost},
          {"no_answer", errors.no_answer},
          {"first", errors.first}};
}

nlohmann::json options_json(const LoadOptions& options, const Workload& workload) {
  nlohmann::json out = {{"uri", options.endpoint.text},
                        {"bind_dn", options.bind_dn},
                        {"what", workload.description},
                        {"low", options.low},
                        {"high", options.high},
                        {"order", order_name(options.order)},
                        {"seed", options.seed},
                        {"connections", options.connections},
                        {"threads", options.threads},
                        {"depth", options.depth},
                        {"warmup_s", options.warmup_seconds}};
  if (options.count) {
    out["count"] = *options.count;
  } else {
    out["duration_s"] = options.duration_seconds;
  }
  if (options.expect_entries) out["expect_entries"] = *options.expect_entries;
  return out;
}

nlohmann::json server_json(const ServerUse& server, const LoadResult& result) {
  return {{"cpu_s", server.cpu_seconds},
          {"cpu_us_per_op", per_operation(server.cpu_seconds, result)},
          {"cores", result.seconds > 0 ? server.cpu_seconds / result.seconds : 0},
          {"rss_bytes", server.end.rss_bytes},
          {"rss_anon_bytes", server.end.rss_anon_bytes},
          {"rss_peak_bytes", server.end.rss_peak_bytes}};
}

}  // namespace

std::string interval_line(const Interval& interval) {
  return fmt::format(
      "{:7.1f} s  {:9.0f} ops/s  mean {:8.1f} us{}{}", interval.seconds,
      interval.span > 0 ? static_cast<double>(interval.operations) / interval.span : 0,
      micros(interval.mean_latency_nanos),
      interval.errors > 0 ? fmt::format("  {} errors", interval.errors) : "",
      interval.warmup ? "  (warm-up)" : "");
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
  if (result.range_used_up) {
    out.push_back(
        fmt::format("the numbers {} to {} were used up before the end; use a wider --range",
                    record.options.low, record.options.high));
  }
  return out;
}

std::string report_text(const LoadRecord& record) {
  const LoadOptions& options = record.options;
  const LoadResult& result = record.result;
  std::string out =
      fmt::format("{}, numbers {} to {} {}, {} connections, depth {}, {} threads\n",
                  record.workload.description, options.low, options.high, order_name(options.order),
                  options.connections, options.depth, options.threads);
  out += fmt::format("operations    {} in {:.3f} s: {:.1f} ops/s\n", result.operations,
                     result.seconds, result.rate());
  out += latency_line(result);
  if (record.workload.kind == WorkloadKind::kSearch) {
    out += fmt::format("entries       {}, references {}\n", result.entries, result.references);
  }
  out += "results       ";
  for (std::size_t code = 0; code < result.codes.size(); ++code) {
    if (result.codes[code] == 0) continue;
    out += fmt::format("{} {}  ", code_name(code), result.codes[code]);
  }
  out += "\n" + errors_line(result.errors);
  out += fmt::format("client CPU    {:.2f} us/op, busiest thread {:.0f} %\n",
                     per_operation(result.client_cpu_seconds, result), result.busiest_thread * 100);
  if (result.server) {
    out += fmt::format(
        "server CPU    {:.2f} us/op, {:.2f} cores; RSS {:.1f} MB ({:.1f} MB private, peak {:.1f} "
        "MB)\n",
        per_operation(result.server->cpu_seconds, result),
        result.seconds > 0 ? result.server->cpu_seconds / result.seconds : 0,
        static_cast<double>(result.server->end.rss_bytes) / 1e6,
        static_cast<double>(result.server->end.rss_anon_bytes) / 1e6,
        static_cast<double>(result.server->end.rss_peak_bytes) / 1e6);
  }
  for (const auto& [key, value] : record.notes) out += "note          " + key + "=" + value + "\n";
  for (const std::string& warning : warnings_of(record)) out += "warning       " + warning + "\n";
  return out;
}

std::string report_json(const LoadRecord& record) {
  const LoadResult& result = record.result;
  nlohmann::json out = {
      {"workload", to_string(record.workload.kind)},
      {"client_version", record.version},
      {"time_unix_s", static_cast<double>(record.wall_micros) / 1e6},
      {"options", options_json(record.options, record.workload)},
      {"seconds", result.seconds},
      {"operations", result.operations},
      {"ops_per_s", result.rate()},
      {"entries", result.entries},
      {"references", result.references},
      {"octets_sent", result.octets_sent},
      {"octets_received", result.octets_received},
      {"latency_us", latency_json(result)},
      {"errors", errors_json(result.errors)},
      {"client_cpu_us_per_op", per_operation(result.client_cpu_seconds, result)},
      {"client_busiest_thread", result.busiest_thread},
      {"machine",
       {{"kernel", record.machine.kernel},
        {"processor", record.machine.processor},
        {"processors", record.machine.processors},
        {"memory_bytes", record.machine.memory_bytes}}},
      {"notes", nlohmann::json::object()},
      {"warnings", warnings_of(record)},
  };
  auto& codes = out["result_codes"] = nlohmann::json::object();
  for (std::size_t code = 0; code < result.codes.size(); ++code) {
    if (result.codes[code] > 0) codes[code_name(code)] = result.codes[code];
  }
  if (result.server) out["server"] = server_json(*result.server, result);
  if (result.other_cpu_seconds) out["other_cpu_s"] = *result.other_cpu_seconds;
  for (const auto& [key, value] : record.notes) out["notes"][key] = value;
  // Octets that are no UTF-8, from a server's diagnostic, become replacement characters.
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kauri::toolkit
