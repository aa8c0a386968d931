// The options of `kauri bench`, and what they mean for a load test.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "toolkit/find_max.h"
#include "toolkit/load_types.h"
#include "toolkit/workload.h"

namespace kauri::tool {

// What the command line says, before it is made into options of the toolkit.
struct BenchArguments {
  // The workload of the subcommand; nothing for `mixed`.
  std::optional<toolkit::WorkloadKind> kind;
  std::string uri = "ldap://127.0.0.1:1389";
  std::string bind_dn;
  std::string password;
  std::string password_file;
  std::string range;
  std::string values_file;
  bool sequential = false;
  std::string scope = "sub";
  std::string change = "replace";
  std::string entry_file;
  std::uint64_t count = 0;
  double rate = 0;
  pid_t server_pid = 0;
  std::vector<std::string> notes;
  std::string durability;
  std::string dataset;
  bool json = false;
  bool csv = false;
  bool find_max = false;
  std::string slo;
  toolkit::LoadOptions load;
  toolkit::WorkloadOptions workload;  // what several kinds use they take from here
  // mixed only
  std::string mix;
  std::string user_password;
  std::string add_target;
  std::string add_range = "0:999999999";
  std::string compare_attribute;
  std::string compare_value;
  // Whether these were given.
  const CLI::Option* count_option = nullptr;
  const CLI::Option* rate_option = nullptr;
  const CLI::Option* pid_option = nullptr;
  const CLI::Option* interval_option = nullptr;
};

// Adds the options of this subcommand. `arguments` must outlive `command`; its kind is set already.
void add_bench_options(CLI::App& command, BenchArguments& arguments);

// A load test as the arguments describe it.
struct BenchPlan {
  toolkit::LoadOptions load;
  toolkit::Mix mix;
  std::optional<toolkit::FindMaxOptions> find_max;
  std::vector<std::pair<std::string, std::string>> notes;
};

// Reads the files that are named, and looks the host up. RETURNS: kInvalid for what cannot be
// understood or does not fit together, with the option, also when it stands in a file; other errors
// of files, kNotFound for a host.
Result<BenchPlan> plan_bench(BenchArguments arguments);

// Says on standard error that `command` ("bench search") could not be planned. RETURNS: the exit
// status, that of wrong command lines when it was one and not the machine's doing.
int plan_failed(const std::string& command, const Error& error);

// The command line of this process with what stands for passwords hidden; empty when it cannot be
// read.
std::string own_command_line();
// The same for these words.
std::string shown_command_line(const std::vector<std::string>& words);

}  // namespace kauri::tool
