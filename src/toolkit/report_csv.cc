#include <fmt/format.h>

#include "toolkit/load_report.h"
#include "toolkit/report_parts.h"

namespace kauri::toolkit {

namespace {

constexpr std::string_view kNames =
    "time_unix_s,client_version,server,uri,durability,dataset,seed,connections,threads,depth,"
    "reconnect,rate_asked,operation,seconds,operations,ops_per_s,p50_us,p90_us,p95_us,p99_us,"
    "p99.9_us,max_us,mean_us,entries,expected_entries,not_started,errors,client_cpu_us_per_op,"
    "server_cpu_us_per_op,server_rss_bytes,held,kernel,processor,processors,memory_bytes,what,"
    "notes,warnings,command\n";

class Line {
 public:
  void text(std::string_view value) {
    separate();
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += value;
      return;
    }
    out_ += '"';
    for (const char octet : value) {
      if (octet == '"') out_ += '"';
      out_ += octet;
    }
    out_ += '"';
  }
  template <class T>
  void number(T value) {
    separate();
    out_ += fmt::format("{}", value);
  }
  void micros_of(double nanos) {
    separate();
    out_ += fmt::format("{:.1f}", micros(nanos));
  }
  void decimal(double value) {
    separate();
    out_ += fmt::format("{:.3f}", value);
  }
  void nothing() { separate(); }
  std::string take() { return std::move(out_) + "\n"; }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string out_;
  bool first_ = true;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
  return out;
}

void add_head(Line& line, const LoadRecord& record) {
  const LoadOptions& options = record.options;
  line.decimal(static_cast<double>(record.wall_micros) / 1e6);
  line.text(record.version);
  line.text(software_name(record.server));
  line.text(options.endpoint.text);
  line.text(or_unknown(record.durability));
  line.text(or_unknown(record.dataset));
  line.number(options.seed);
  line.number(options.connections);
  line.number(options.threads);
  line.number(options.depth);
  line.number(options.reconnect ? 1 : 0);
  if (options.rate) {
    line.decimal(*options.rate);
  } else {
    line.nothing();
  }
}

void add_figures(Line& line, const OperationFigures& figures, double seconds) {
  line.decimal(seconds);
  line.number(figures.operations);
  line.decimal(seconds > 0 ? static_cast<double>(figures.operations) / seconds : 0);
  for (const auto& [name, quantile] : kReportQuantiles) {
    line.micros_of(static_cast<double>(figures.latency.at_quantile(quantile)));
  }
  line.micros_of(static_cast<double>(figures.latency.maximum()));
  line.micros_of(figures.latency.mean());
  line.number(figures.entries);
  if (figures.has_expectation) {
    line.number(figures.expected_entries);
  } else {
    line.nothing();
  }
}

// One line; `whole`: of all kinds together. `held` is for the steps of a search.
std::string make_line(const LoadRecord& record, const std::string& operation,
                      const OperationFigures& figures, bool whole, std::string_view held) {
  const LoadResult& result = record.result;
  Line line;
  add_head(line, record);
  line.text(operation);
  add_figures(line, figures, result.seconds);
  if (whole) {
    line.number(result.not_started);
    line.number(result.errors.total());
    line.decimal(per_operation(result.client_cpu_seconds, result));
  } else {
    for (int i = 0; i < 3; ++i) line.nothing();
  }
  if (whole && result.server) {
    line.decimal(per_operation(result.server->cpu_seconds, result));
    line.number(result.server->end.rss_bytes);
  } else {
    for (int i = 0; i < 2; ++i) line.nothing();
  }
  line.text(held);
  line.text(record.machine.kernel);
  line.text(record.machine.processor);
  line.number(record.machine.processors);
  line.number(record.machine.memory_bytes);
  line.text(record.mix.description());
  std::vector<std::string> notes;
  notes.reserve(record.notes.size());
  for (const auto& [key, value] : record.notes) notes.push_back(key + "=" + value);
  line.text(joined(notes));
  line.text(joined(warnings_of(record)));
  line.text(record.command);
  return line.take();
}

std::string whole_line(const LoadRecord& record, std::string_view held) {
  const bool mixed = record.mix.parts.size() > 1;
  return make_line(record, mixed ? "all" : record.result.kinds.at(0).name, record.result.all, true,
                   held);
}

}  // namespace

std::string report_csv(const LoadRecord& record) {
  std::string out = std::string(kNames) + whole_line(record, "");
  if (record.mix.parts.size() == 1) return out;
  for (const OperationFigures& kind : record.result.kinds) {
    out += make_line(record, kind.name, kind, false, "");
  }
  return out;
}

std::string find_max_csv(const LoadRecord& record, const FindMaxResult& found) {
  std::string out(kNames);
  LoadRecord each = record;
  for (const FindMaxStep& step : found.steps) {
    each.options.rate = step.rate;
    each.result = step.result;
    out += whole_line(each, step.held ? "1" : "0");
  }
  return out;
}

}  // namespace kauri::toolkit
