// What the texts, JSON and CSV of result records share. Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ldap/result_code.h"
#include "toolkit/load_types.h"
#include "toolkit/number_source.h"
#include "toolkit/server_probe.h"

namespace kauri::toolkit {

inline constexpr std::pair<const char*, double> kReportQuantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};

inline double micros(double nanos) {
  return nanos / 1000;
}

// Microseconds.
inline double per_operation(double seconds, const LoadResult& result) {
  return result.all.operations == 0 ? 0
                                    : seconds * 1e6 / static_cast<double>(result.all.operations);
}

// Of an index into OperationFigures::codes.
inline std::string code_name(std::size_t code) {
  return code == 127 ? "other code" : std::string(to_string(static_cast<ldap::ResultCode>(code)));
}

inline std::string_view order_name(Order order) {
  if (order == Order::kRandom) return "random";
  return order == Order::kSequential ? "sequential" : "once";
}

inline std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

// "Kauri 0.1.0", as the server calls itself.
inline std::string software_name(const ServerSoftware& server) {
  if (server.version.empty()) return or_unknown(server.vendor);
  if (server.vendor.empty() || server.version.starts_with(server.vendor)) return server.version;
  return server.vendor + " " + server.version;
}

}  // namespace kauri::toolkit
