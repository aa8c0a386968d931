// What processes use, as /proc tells it (proc(5)). Thread safety: immutable functions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::toolkit {

struct ProcessUsage {
  double user_seconds = 0;  // of all threads, ended ones too; the kernel counts in hundredths
  double system_seconds = 0;
  std::uint64_t rss_bytes = 0;       // resident now
  std::uint64_t rss_anon_bytes = 0;  // the part that is no page of a file: what it really costs
  std::uint64_t rss_peak_bytes = 0;

  double cpu_seconds() const { return user_seconds + system_seconds; }
};

// RETURNS: kNotFound when there is no process `pid`; kIo when /proc cannot be read or understood.
Result<ProcessUsage> read_process_usage(pid_t pid);

// The two halves of it, for texts that a test brings. `ticks_per_second` is sysconf(_SC_CLK_TCK).
// RETURNS: kInvalid, with what is missing.
Result<void> parse_process_stat(std::string_view text, double ticks_per_second, ProcessUsage& out);
Result<void> parse_process_status(std::string_view text, ProcessUsage& out);

// CPU seconds that the whole machine spent working since it started (not idle, not waiting).
Result<double> read_machine_busy_seconds();
Result<double> parse_machine_stat(std::string_view text, double ticks_per_second);

// CPU nanoseconds that the calling thread, or this process, has used.
std::int64_t thread_cpu_nanos();
std::int64_t own_cpu_nanos();

// One line of what the machine is, for result records.
struct Machine {
  std::string kernel;  // "Linux 6.1.0 x86_64"
  std::string processor;
  unsigned processors = 0;
  std::uint64_t memory_bytes = 0;
};
Machine describe_machine();

}  // namespace kauri::toolkit
