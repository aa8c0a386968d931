// Result records of load tests: a table for people, JSON and CSV for programs.
// Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolkit/find_max.h"
#include "toolkit/load_types.h"
#include "toolkit/server_probe.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// A client thread that is this busy limits the result, not the server.
inline constexpr double kBusyShareMax = 0.9;

struct LoadRecord {
  LoadOptions options;
  Mix mix;
  LoadResult result;
  Machine machine;
  std::string version;     // of the client
  std::string command;     // line; without passwords
  ServerSoftware server;   // empty when the server does not say
  std::string durability;  // class of the server's commits, as the caller knows it
  std::string dataset;     // as the caller names it
  std::int64_t wall_micros = 0;
  std::vector<std::pair<std::string, std::string>> notes;
};

// One line, as the test shows it each interval.
std::string interval_line(const Interval& interval);
// One line, as a search for the highest load shows it for each step.
std::string step_line(const FindMaxStep& step);
// "[#####.....]  50 %", with a bar of `width` columns.
std::string progress_bar(double share, std::size_t width);

// What a reader has to know before believing the result; each a sentence.
std::vector<std::string> warnings_of(const LoadRecord& record);

// Several lines, each with an end.
std::string report_text(const LoadRecord& record);
// One JSON object on several lines. The names are stable: docs/reference/bench.md lists them.
std::string report_json(const LoadRecord& record);
// A line of names and one of values, in a mix one more for each kind of operation (RFC 4180, but
// lines end with a newline alone). Columns are only ever added at the end.
std::string report_csv(const LoadRecord& record);

// The same for the search of the highest load; `record` has what its best step found. CSV has a
// line for each step.
std::string find_max_text(const LoadRecord& record, const FindMaxResult& found);
std::string find_max_json(const LoadRecord& record, const FindMaxResult& found);
std::string find_max_csv(const LoadRecord& record, const FindMaxResult& found);

}  // namespace kauri::toolkit
