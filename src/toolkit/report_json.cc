#include <nlohmann/json.hpp>

#include "toolkit/load_report.h"
#include "toolkit/report_parts.h"

namespace kauri::toolkit {

namespace {

nlohmann::json latency_json(const Histogram& latency) {
  nlohmann::json out;
  for (const auto& [name, quantile] : kReportQuantiles) {
    out[name] = micros(static_cast<double>(latency.at_quantile(quantile)));
  }
  out["min"] = micros(static_cast<double>(latency.minimum()));
  out["max"] = micros(static_cast<double>(latency.maximum()));
  out["mean"] = micros(latency.mean());
  return out;
}

nlohmann::json errors_json(const LoadErrors& errors) {
  return {{"total", errors.total()},
          {"wrong_code", errors.wrong_code},
          {"wrong_entries", errors.wrong_entries},
          {"broken_answer", errors.broken_answer},
          {"lost", errors.lost},
          {"no_answer", errors.no_answer},
          {"no_connection", errors.no_connection},
          {"first", errors.first}};
}

nlohmann::json codes_json(const OperationFigures& figures) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t code = 0; code < figures.codes.size(); ++code) {
    if (figures.codes[code] > 0) out[code_name(code)] = figures.codes[code];
  }
  return out;
}

nlohmann::json options_json(const LoadOptions& options, const Mix& mix) {
  nlohmann::json out = {{"uri", options.endpoint.text},
                        {"bind_dn", options.bind_dn},
                        {"what", mix.description()},
                        {"seed", options.seed},
                        {"connections", options.connections},
                        {"threads", options.threads},
                        {"depth", options.depth},
                        {"reconnect", options.reconnect},
                        {"timeout_s", options.timeout_seconds},
                        {"warmup_s", options.warmup_seconds}};
  if (mix.parts.size() == 1) {
    out["low"] = mix.parts[0].workload.low;
    out["high"] = mix.parts[0].workload.high;
    out["order"] = order_name(mix.parts[0].workload.order);
    if (mix.parts[0].workload.expected) out["expect_entries"] = *mix.parts[0].workload.expected;
  }
  if (options.rate) out["rate"] = *options.rate;
  if (options.count) {
    out["count"] = *options.count;
  } else {
    out["duration_s"] = options.duration_seconds;
  }
  return out;
}

nlohmann::json server_json(const ServerUse& server, const LoadResult& result) {
  return {{"cpu_s", server.cpu_seconds},
          {"cpu_us_per_op", per_operation(server.cpu_seconds, result)},
          {"cores", result.seconds > 0 ? server.cpu_seconds / result.seconds : 0},
          {"rss_begin_bytes", server.begin.rss_bytes},
          {"rss_bytes", server.end.rss_bytes},
          {"rss_anon_bytes", server.end.rss_anon_bytes},
          {"rss_peak_bytes", server.end.rss_peak_bytes}};
}

nlohmann::json kinds_json(const LoadRecord& record) {
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t i = 0; i < record.result.kinds.size(); ++i) {
    const OperationFigures& kind = record.result.kinds[i];
    const Mix::Part& part = record.mix.parts[i];
    nlohmann::json one = {
        {"operation", kind.name},          {"what", part.workload.description},
        {"weight", part.weight},           {"low", part.workload.low},
        {"high", part.workload.high},      {"order", order_name(part.workload.order)},
        {"operations", kind.operations},   {"latency_us", latency_json(kind.latency)},
        {"result_codes", codes_json(kind)}};
    if (part.workload.kind == WorkloadKind::kSearch) one["entries"] = kind.entries;
    if (kind.has_expectation) one["expected_entries"] = kind.expected_entries;
    out.push_back(std::move(one));
  }
  return out;
}

nlohmann::json intervals_json(const LoadResult& result) {
  nlohmann::json out = nlohmann::json::array();
  for (const Interval& interval : result.intervals) {
    out.push_back({{"t_s", interval.seconds},
                   {"warmup", interval.warmup},
                   {"operations", interval.operations},
                   {"ops_per_s", interval.rate()},
                   {"errors", interval.errors},
                   {"mean_us", micros(interval.mean_latency_nanos)},
                   {"p99_us", micros(interval.p99_latency_nanos)},
                   {"max_us", micros(interval.maximum_latency_nanos)}});
  }
  return out;
}

nlohmann::json record_json(const LoadRecord& record) {
  const LoadResult& result = record.result;
  OperationFigures codes;
  for (const OperationFigures& kind : result.kinds) codes.add(kind);
  nlohmann::json out = {
      {"workload",
       record.mix.parts.size() == 1 ? to_string(record.mix.parts[0].workload.kind) : "mixed"},
      {"client_version", record.version},
      {"command", record.command},
      {"time_unix_s", static_cast<double>(record.wall_micros) / 1e6},
      {"server_software", {{"vendor", record.server.vendor}, {"version", record.server.version}}},
      {"durability", or_unknown(record.durability)},
      {"dataset", or_unknown(record.dataset)},
      {"options", options_json(record.options, record.mix)},
      {"seconds", result.seconds},
      {"operations", result.all.operations},
      {"ops_per_s", result.rate()},
      {"not_started", result.not_started},
      {"entries", result.all.entries},
      {"references", result.references},
      {"octets_sent", result.octets_sent},
      {"octets_received", result.octets_received},
      {"latency_us", latency_json(result.all.latency)},
      {"result_codes", codes_json(codes)},
      {"errors", errors_json(result.errors)},
      {"connections_lost", result.connections_lost},
      {"kinds", kinds_json(record)},
      {"intervals", intervals_json(result)},
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
  if (result.all.has_expectation) out["expected_entries"] = result.all.expected_entries;
  if (result.server) out["server"] = server_json(*result.server, result);
  if (result.other_cpu_seconds) out["other_cpu_s"] = *result.other_cpu_seconds;
  for (const auto& [key, value] : record.notes) out["notes"][key] = value;
  return out;
}

// Octets that are no UTF-8, from a server's diagnostic, become replacement characters.
std::string dump(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string report_json(const LoadRecord& record) {
  return dump(record_json(record));
}

std::string find_max_json(const LoadRecord& record, const FindMaxResult& found) {
  nlohmann::json steps = nlohmann::json::array();
  for (const FindMaxStep& step : found.steps) {
    steps.push_back({{"rate", step.rate},
                     {"ops_per_s", step.result.rate()},
                     {"not_started", step.result.not_started},
                     {"latency_us", latency_json(step.result.all.latency)},
                     {"held", step.held},
                     {"why", step.why}});
  }
  nlohmann::json objectives = nlohmann::json::array();
  for (const Objective& objective : found.objectives) objectives.push_back(to_string(objective));
  nlohmann::json out = {{"objectives", objectives},
                        {"steps", steps},
                        {"interrupted", found.interrupted},
                        {"reached_limit", found.reached_limit},
                        {"best_rate", nullptr},
                        {"best", nullptr}};
  if (found.best) {
    out["best_rate"] = found.steps[*found.best].rate;
    out["best"] = record_json(record);
  }
  return dump(out);
}

}  // namespace kauri::toolkit
