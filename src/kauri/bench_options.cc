#include "kauri/bench_options.h"

#include "kaurid/usage.h"

namespace kauri::tool {

namespace {

using toolkit::WorkloadKind;

// The most that the types behind these options hold.
constexpr std::uint64_t kResultCodeMax = 16384;
constexpr std::uint64_t kPidMax = 4'194'304;

bool has_kind(const BenchArguments& arguments, WorkloadKind kind) {
  return !arguments.kind || *arguments.kind == kind;
}

void add_load_options(CLI::App& command, BenchArguments& arguments) {
  toolkit::LoadOptions& load = arguments.load;
  command.add_option("--uri", arguments.uri, "ldap://HOST:PORT or ldapi://%2FPATH")
      ->capture_default_str();
  command.add_option("--base", arguments.workload.base, "Name below which everything happens")
      ->capture_default_str();
  auto* const range =
      command.add_option("--range", arguments.range, "LOW:HIGH, the numbers that {n} stands for");
  auto* const values =
      command.add_option("--values", arguments.values_file,
                         "File with a line for each operation: {v}, and {v1} to {v9} its columns");
  if (arguments.kind) values->excludes(range);
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
  command.add_flag("--reconnect", load.reconnect,
                   "Connect, bind and unbind for each operation, as part of its time");
}

void add_time_options(CLI::App& command, BenchArguments& arguments) {
  toolkit::LoadOptions& load = arguments.load;
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
  arguments.rate_option =
      command
          .add_option("--rate", arguments.rate,
                      "Operations to start each second, whether or not answers come [as many as "
                      "answers allow]")
          ->check(CLI::PositiveNumber);
  auto* const slo = command.add_option(
      "--slo", arguments.slo, "With --find-max: latencies to keep, such as p99=5ms,max=100ms");
  auto* const find_max =
      command
          .add_flag("--find-max", arguments.find_max,
                    "Raise the rate until --slo breaks, and say which was the best; --duration and "
                    "--warmup are those of each step, --rate is the first one [100]")
          ->excludes(const_cast<CLI::Option*>(arguments.count_option));
  find_max->needs(slo);
  slo->needs(find_max);
}

void add_check_options(CLI::App& command, BenchArguments& arguments) {
  command
      .add_option("--accept", arguments.load.accepted_codes,
                  "Result code that is right too, as a number; may be repeated")
      ->check(kaurid::whole_number("", 0, kResultCodeMax));
  command.add_option("--max-errors", arguments.load.errors_max, "As many errors end the run")
      ->capture_default_str()
      ->check(kaurid::whole_number("errors", 1));
  arguments.pid_option = command
                             .add_option("--server-pid", arguments.server_pid,
                                         "Process whose CPU time and memory are measured")
                             ->check(kaurid::whole_number("", 1, kPidMax));
}

void add_output_options(CLI::App& command, BenchArguments& arguments) {
  arguments.interval_option =
      command
          .add_option("--interval", arguments.load.interval_seconds,
                      "Seconds between the lines on standard error, which come on a terminal, or "
                      "anywhere when this is given")
          ->capture_default_str()
          ->check(kaurid::seconds());
  command.add_option("--durability", arguments.durability,
                     "Durability of the server's commits, for the result");
  command.add_option("--dataset", arguments.dataset, "What the server holds, for the result");
  command.add_option("--note", arguments.notes, "KEY=VALUE that goes into the result; repeatable");
  auto* const json = command.add_flag("--json", arguments.json, "Print the result as JSON");
  command.add_flag("--csv", arguments.csv, "Print the result as CSV")->excludes(json);
}

void add_password_options(CLI::App& command, BenchArguments& arguments, const char* meaning) {
  auto* const password = command.add_option("--password", arguments.password, meaning);
  command.add_option("--password-file", arguments.password_file, "File whose first line is it")
      ->excludes(password);
}

void add_identity_options(CLI::App& command, BenchArguments& arguments) {
  if (arguments.kind == WorkloadKind::kBind) {
    add_password_options(command, arguments, "Password of the entries; may have {n}");
    return;
  }
  command.add_option("--bind-dn", arguments.bind_dn, "Bind as [anonymous]");
  add_password_options(command, arguments, "Password to bind with");
  if (!arguments.kind) {
    command.add_option("--user-password", arguments.user_password,
                       "Password of the entries that bind; may have {n}");
  }
}

void add_search_options(CLI::App& command, BenchArguments& arguments) {
  toolkit::WorkloadOptions& workload = arguments.workload;
  workload.filter = "(uid=user.{n})";
  command.add_option("--filter", workload.filter, "Filter of the searches")->capture_default_str();
  command.add_option("--scope", arguments.scope, "base, one, sub or children")
      ->capture_default_str();
  command.add_option("--attributes", workload.attributes, "Attributes to ask for [all]")
      ->delimiter(',');
  command.add_option("--expect-entries", workload.expect_entries,
                     "Entries that every answer must have; a number, or a column such as {v2}");
}

void add_target_options(CLI::App& command, BenchArguments& arguments) {
  const WorkloadKind kind = arguments.kind.value_or(WorkloadKind::kModify);
  command.add_option("--target", arguments.workload.target,
                     "Name of the entries; {n} is the number, {n:08} the same with zeros [" +
                         toolkit::default_target(kind, "BASE") + "]");
}

void add_change_options(CLI::App& command, BenchArguments& arguments) {
  toolkit::WorkloadOptions& workload = arguments.workload;
  if (has_kind(arguments, WorkloadKind::kModify)) {
    command.add_option("--attribute", workload.attribute, "Changed each time [description]");
    command.add_option("--value", workload.value, "May have {n} and {s}, which never repeats");
  }
  if (arguments.kind == WorkloadKind::kModify) {
    command
        .add_option("--change", arguments.change,
                    "replace all values by the one, add it to them, or delete it; add and delete "
                    "take each number once")
        ->capture_default_str();
  }
  if (has_kind(arguments, WorkloadKind::kAdd)) {
    command.add_option("--entry", arguments.entry_file,
                       "LDIF of one entry with {n} in it [a built-in inetOrgPerson]");
  }
  if (has_kind(arguments, WorkloadKind::kModrdn)) {
    command.add_option("--new-rdn", workload.new_rdn,
                       "RDN to give [the old one with .renamed behind its value]");
    command.add_option("--new-superior", workload.new_superior, "Entry to move below [no move]");
  }
  if (arguments.kind == WorkloadKind::kModrdn) {
    command.add_flag("--keep-name", workload.keep_name,
                     "Rename each entry once, instead of there and back again");
  }
  if (arguments.kind == WorkloadKind::kCompare) {
    command.add_option("--attribute", workload.attribute, "[that of the entry's RDN]");
    command.add_option("--value", workload.value, "[the RDN's]");
  }
}

void add_mixed_options(CLI::App& command, BenchArguments& arguments) {
  command
      .add_option("--mix", arguments.mix,
                  "OPERATION=WEIGHT,..., such as search=70,modify=30; with search, bind, modify, "
                  "add, compare, delete, modrdn")
      ->required();
  command.add_option("--add-target", arguments.add_target,
                     "Name of entries that are added, and deleted when adds are in the mix [" +
                         toolkit::default_target(WorkloadKind::kAdd, "BASE") + "]");
  command.add_option("--add-range", arguments.add_range, "LOW:HIGH, the numbers of added entries")
      ->capture_default_str();
  command.add_option("--compare-attribute", arguments.compare_attribute,
                     "[that of the entry's RDN]");
  command.add_option("--compare-value", arguments.compare_value, "[the RDN's]");
}

}  // namespace

void add_bench_options(CLI::App& command, BenchArguments& arguments) {
  if (!arguments.kind) add_mixed_options(command, arguments);
  add_load_options(command, arguments);
  add_time_options(command, arguments);
  if (has_kind(arguments, WorkloadKind::kSearch)) add_search_options(command, arguments);
  if (arguments.kind != WorkloadKind::kSearch) add_target_options(command, arguments);
  add_change_options(command, arguments);
  add_identity_options(command, arguments);
  const bool once = arguments.kind == WorkloadKind::kAdd ||
                    arguments.kind == WorkloadKind::kDelete ||
                    arguments.kind == WorkloadKind::kModrdn;
  if (!once) {
    command.add_flag("--sequential", arguments.sequential,
                     "Take the numbers, or lines, in order instead of at random");
  }
  add_check_options(command, arguments);
  add_output_options(command, arguments);
}

}  // namespace kauri::tool
