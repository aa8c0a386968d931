#include "kauri/bench.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kauri/bench_null.h"
#include "kauri/offline.h"
#include "kaurid/admin_password.h"
#include "kaurid/usage.h"
#include "ldif/source.h"
#include "text/visible.h"
#include "toolkit/load_report.h"
#include "toolkit/load_run.h"
#include "toolkit/workload.h"

namespace kauri::tool {

namespace {

using toolkit::LoadOptions;
using toolkit::Order;
using toolkit::WorkloadKind;
using toolkit::WorkloadOptions;

// The most that the types behind these options hold.
constexpr std::uint64_t kResultCodeMax = 16384;
constexpr std::uint64_t kPidMax = 4'194'304;

// What the command line says, before it is made into options of the toolkit.
struct Arguments {
  std::string uri = "ldap://127.0.0.1:1389";
  std::string bind_dn;
  std::string password;
  std::string password_file;
  std::string range;
  bool sequential = false;
  std::string scope = "sub";
  std::string entry_file;
  std::uint64_t count = 0;
  std::uint64_t expect_entries = 0;
  pid_t server_pid = 0;
  std::vector<std::string> notes;
  bool json = false;
  LoadOptions load;
  WorkloadOptions workload;
  // Whether these were given.
  const CLI::Option* count_option = nullptr;
  const CLI::Option* expect_option = nullptr;
  const CLI::Option* pid_option = nullptr;
};

Result<std::pair<std::uint64_t, std::uint64_t>> parse_range(const std::string& text) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  const char* end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, low);
  bool good = error == std::errc() && colon != end && *colon == ':';
  if (good) {
    const auto [last, failed] = std::from_chars(colon + 1, end, high);
    good = failed == std::errc() && last == end && low <= high && high <= toolkit::kNumberMax;
  }
  if (good) return std::pair(low, high);
  return invalid("--range '" + text + "' is not understood; LOW:HIGH is expected, such as " +
                 "0:99999, with LOW <= HIGH <= " + std::to_string(toolkit::kNumberMax));
}

Result<ldap::Scope> parse_scope(const std::string& text) {
  if (text == "base") return ldap::Scope::kBase;
  if (text == "one") return ldap::Scope::kOneLevel;
  if (text == "sub") return ldap::Scope::kSubtree;
  if (text == "children") return ldap::Scope::kSubordinate;
  return invalid("--scope '" + text + "' is not one of base, one, sub, children");
}

Result<std::pair<std::string, std::string>> parse_note(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return invalid("--note '" + text + "' is not KEY=VALUE");
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::string> read_whole(const std::string& path) {
  constexpr std::size_t kEntryFileMax = std::size_t{16} << 20U;
  KAURI_TRY(const auto source, ldif::open_file(path));
  std::string out;
  std::string block(65536, '\0');
  for (;;) {
    KAURI_TRY(const std::size_t size, source->read(block.data(), block.size()));
    if (size == 0) return out;
    out.append(block, 0, size);
    if (out.size() > kEntryFileMax) {
      return limit_exceeded(path + " is larger than " + std::to_string(kEntryFileMax) +
                            " octets, too much for the template of one entry");
    }
  }
}

// Adds and deletes take each number once; the others draw at random unless told otherwise.
Order order_of(const Arguments& arguments) {
  const WorkloadKind kind = arguments.workload.kind;
  if (kind == WorkloadKind::kAdd || kind == WorkloadKind::kDelete) return Order::kOnce;
  return arguments.sequential ? Order::kSequential : Order::kRandom;
}

Result<void> complete(Arguments& arguments) {
  LoadOptions& load = arguments.load;
  WorkloadOptions& workload = arguments.workload;
  KAURI_TRY(load.endpoint, toolkit::resolve_uri(arguments.uri));
  if (!arguments.range.empty()) {
    KAURI_TRY(const auto range, parse_range(arguments.range));
    workload.low = load.low = range.first;
    workload.high = load.high = range.second;
  }
  if (!arguments.password_file.empty()) {
    KAURI_TRY(arguments.password, kaurid::read_password_file(arguments.password_file));
  }
  if (workload.kind == WorkloadKind::kBind) {
    workload.password = arguments.password;
  } else {
    load.bind_dn = arguments.bind_dn;
    load.bind_password = arguments.password;
    if (load.bind_dn.empty() && !load.bind_password.empty()) {
      return invalid("there is a password but no --bind-dn to bind as");
    }
  }
  KAURI_TRY(workload.scope, parse_scope(arguments.scope));
  if (!arguments.entry_file.empty()) {
    KAURI_TRY(workload.entry, read_whole(arguments.entry_file));
  }
  load.order = order_of(arguments);
  if (arguments.count_option->count() > 0) load.count = arguments.count;
  if (arguments.expect_option != nullptr && arguments.expect_option->count() > 0) {
    load.expect_entries = arguments.expect_entries;
  }
  if (arguments.pid_option->count() > 0) load.server_pid = arguments.server_pid;
  return {};
}

Result<int> run(Arguments& arguments) {
  KAURI_CHECK(complete(arguments));
  toolkit::LoadRecord record;
  for (const std::string& note : arguments.notes) {
    KAURI_TRY(auto pair, parse_note(note));
    record.notes.push_back(std::move(pair));
  }
  KAURI_TRY(record.workload, toolkit::make_workload(arguments.workload));
  if (arguments.range.empty() && record.workload.requests.uses_number()) {
    return invalid("'" + record.workload.description +
                   "' has a number in it: --range LOW:HIGH must say which ones exist");
  }
  if (isatty(STDERR_FILENO) != 0) {
    arguments.load.on_interval = [](const toolkit::Interval& interval) {
      std::fprintf(stderr, "%s\n", toolkit::interval_line(interval).c_str());
    };
  }
  record.options = arguments.load;
  record.machine = toolkit::describe_machine();
  record.version = KAURI_VERSION;
  record.wall_micros = Clock::system().wall_micros();
  KAURI_TRY(record.result, toolkit::run_load(arguments.load, record.workload));
  const std::string report =
      arguments.json ? toolkit::report_json(record) : toolkit::report_text(record);
  std::fputs(text::visible_lines(report).c_str(), stdout);
  const auto& errors = record.result.errors;
  if (errors.total() == 0) return 0;
  std::fprintf(stderr, "kauri bench: %llu operations went wrong; the first: %s\n",
               static_cast<unsigned long long>(errors.total()),
               text::visible(errors.first).c_str());
  return 1;
}

void add_load_options(CLI::App& command, Arguments& arguments) {
  LoadOptions& load = arguments.load;
  command.add_option("--uri", arguments.uri, "ldap://HOST:PORT or ldapi://%2FPATH")
      ->capture_default_str();
  command.add_option("--base", arguments.workload.base, "Name below which everything happens")
      ->capture_default_str();
  command.add_option("--range", arguments.range, "LOW:HIGH, the numbers that {n} stands for");
  command.add_option("--seed", load.seed, "Start of the random numbers")
      ->capture_default_str()
      ->check(kaurid::whole_number(""));
  command.add_option("--connections", load.connections)
      ->capture_default_str()
      ->check(kaurid::whole_number("connections", 1));
  command.add_option("--threads", load.threads, "Threads of this client")
      ->capture_default_str()
      ->check(kaurid::whole_number("threads", 1));
  command.add_option("--depth", load.depth, "Requests outstanding on each connection")
      ->capture_default_str()
      ->check(kaurid::whole_number("requests", 1));
  auto* const duration =
      command.add_option("--duration", load.duration_seconds, "Seconds that are measured")
          ->capture_default_str()
          ->check(kaurid::seconds());
  arguments.count_option =
      command.add_option("--count", arguments.count, "Operations that are measured")
          ->check(kaurid::whole_number("operations", 1))
          ->excludes(duration);
  command.add_option("--warmup", load.warmup_seconds, "Seconds before the measurement")
      ->capture_default_str()
      ->check(kaurid::seconds());
  command.add_option("--timeout", load.timeout_seconds, "Seconds that one answer may take")
      ->capture_default_str()
      ->check(kaurid::seconds());
  command
      .add_option("--accept", load.accepted_codes,
                  "Result code that is right too, as a number; may be repeated")
      ->check(kaurid::whole_number("", 0, kResultCodeMax));
  arguments.pid_option = command
                             .add_option("--server-pid", arguments.server_pid,
                                         "Process whose CPU time and memory are measured")
                             ->check(kaurid::whole_number("", 1, kPidMax));
  command.add_option("--note", arguments.notes, "KEY=VALUE that goes into the result; repeatable");
  command.add_flag("--json", arguments.json, "Print the result as JSON");
}

void add_password_options(CLI::App& command, Arguments& arguments, const char* meaning) {
  auto* const password = command.add_option("--password", arguments.password, meaning);
  command.add_option("--password-file", arguments.password_file, "File whose first line is it")
      ->excludes(password);
}

void add_target(CLI::App& command, Arguments& arguments) {
  command.add_option("--target", arguments.workload.target,
                     "Name of the entries; {n} is the number, {n:08} the same with zeros [" +
                         toolkit::default_target(arguments.workload.kind, "BASE") + "]");
}

void add_kind_options(CLI::App& command, Arguments& arguments) {
  WorkloadOptions& workload = arguments.workload;
  switch (workload.kind) {
    case WorkloadKind::kSearch:
      workload.filter = "(uid=user.{n})";
      command.add_option("--filter", workload.filter)->capture_default_str();
      command.add_option("--scope", arguments.scope, "base, one, sub or children")
          ->capture_default_str();
      command.add_option("--attributes", workload.attributes, "Attributes to ask for [all]")
          ->delimiter(',');
      arguments.expect_option = command
                                    .add_option("--expect-entries", arguments.expect_entries,
                                                "Entries that every answer must have")
                                    ->check(kaurid::whole_number("entries"));
      break;
    case WorkloadKind::kAdd:
      command.add_option("--entry", arguments.entry_file,
                         "LDIF of one entry with {n} in it [a built-in inetOrgPerson]");
      add_target(command, arguments);
      break;
    case WorkloadKind::kModify:
      command.add_option("--attribute", workload.attribute, "Replaced each time [description]");
      command.add_option("--value", workload.value, "May have {n} and {s}, which never repeats");
      add_target(command, arguments);
      break;
    case WorkloadKind::kCompare:
      command.add_option("--attribute", workload.attribute, "[that of the entry's RDN]");
      command.add_option("--value", workload.value, "[the RDN's]");
      add_target(command, arguments);
      break;
    case WorkloadKind::kBind:
    case WorkloadKind::kDelete:
      add_target(command, arguments);
      break;
  }
}

void add_workload_command(CLI::App& bench, int& exit_status, WorkloadKind kind,
                          const char* description) {
  CLI::App* const command =
      bench.add_subcommand(std::string(toolkit::to_string(kind)), description);
  const auto arguments = std::make_shared<Arguments>();
  arguments->workload.kind = kind;
  add_load_options(*command, *arguments);
  add_kind_options(*command, *arguments);
  if (kind == WorkloadKind::kBind) {
    add_password_options(*command, *arguments, "Password of the entries; may have {n}");
  } else {
    command->add_option("--bind-dn", arguments->bind_dn, "Bind as [anonymous]");
    add_password_options(*command, *arguments, "Password to bind with");
  }
  if (kind != WorkloadKind::kAdd && kind != WorkloadKind::kDelete) {
    command->add_flag("--sequential", arguments->sequential,
                      "Take the numbers in order instead of at random");
  }
  command->callback([arguments, &exit_status] {
    const auto status = run(*arguments);
    exit_status = status ? *status : fail("bench", status.error());
  });
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_status) {
  CLI::App* const bench = app.add_subcommand(
      "bench",
      "Load tests over LDAP. Each connection keeps --depth requests outstanding; wrong answers "
      "are counted and make the exit status 1");
  bench->require_subcommand(1);
  add_workload_command(*bench, exit_status, WorkloadKind::kSearch, "Searches by a filter");
  add_workload_command(*bench, exit_status, WorkloadKind::kBind, "Simple binds");
  add_workload_command(*bench, exit_status, WorkloadKind::kModify, "Replaces an attribute");
  add_workload_command(*bench, exit_status, WorkloadKind::kAdd, "Adds entries, each number once");
  add_workload_command(*bench, exit_status, WorkloadKind::kCompare,
                       "Compares; compareTrue is the right answer");
  add_workload_command(*bench, exit_status, WorkloadKind::kDelete,
                       "Deletes entries, each number once");
  add_bench_null_command(*bench, exit_status);
}

}  // namespace kauri::tool
