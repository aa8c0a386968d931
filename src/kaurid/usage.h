// How kaurid and kauri say what went wrong; of command lines in words that tell how it is done.
// Thread safety: functions without state.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace kauri::kaurid {

// Exit status of command lines that cannot be read.
inline constexpr int kUsageStatus = 2;

// One line: "kauri import: --memory: '0' is no ...; kauri import --help says more". REQUIRES:
// app.parse() threw `error`.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// Each line of an error's message with "PROGRAM: " in front and its end, fit for a terminal.
std::string error_lines(const std::string& program, std::string_view message);

// Digits, and not fewer or more than the limits. `what` is what is counted: "threads", "MiB", or
// nothing.
CLI::Validator whole_number(const std::string& what, std::uint64_t least = 0,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// A number with or without a fraction, 0 or more.
CLI::Validator seconds();
// Not empty, as a DN of a suffix cannot be.
CLI::Validator suffix_name();

}  // namespace kauri::kaurid
