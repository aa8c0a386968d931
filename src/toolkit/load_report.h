// Result records of load tests: a table for people, JSON for programs.
// Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolkit/load_types.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// A client thread that is this busy limits the result, not the server.
inline constexpr double kBusyShareMax = 0.9;

struct LoadRecord {
  LoadOptions options;
  Workload workload;
  LoadResult result;
  Machine machine;
  std::string version;  // of the client
  std::int64_t wall_micros = 0;
  std::vector<std::pair<std::string, std::string>> notes;
};

// One line, as the test shows it each second.
std::string interval_line(const Interval& interval);

// What a reader has to know before believing the result; each a sentence.
std::vector<std::string> warnings_of(const LoadRecord& record);

// Several lines, each with an end.
std::string report_text(const LoadRecord& record);
// One JSON object on several lines. The names are stable: docs of bench/ list them.
std::string report_json(const LoadRecord& record);

}  // namespace kauri::toolkit
