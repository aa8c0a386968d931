#include "kauri/bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "kauri/bench_null.h"
#include "kauri/bench_options.h"
#include "kauri/bench_progress.h"
#include "kauri/offline.h"
#include "text/visible.h"
#include "toolkit/find_max.h"
#include "toolkit/load_report.h"
#include "toolkit/load_run.h"
#include "toolkit/server_probe.h"

namespace kauri::tool {

namespace {

using toolkit::WorkloadKind;

constexpr int kWrongStatus = 1;
constexpr int kInterruptedStatus = 130;  // as shells report SIGINT
constexpr double kProbeSecondsMax = 5;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

void on_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

// The first SIGINT ends the run with what it has, the second one the process.
void watch_interrupts() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

// As many descriptors as the system lets this user have: each connection takes one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

toolkit::LoadRecord make_record(const BenchArguments& arguments, const BenchPlan& plan) {
  toolkit::LoadRecord record;
  record.options = plan.load;
  record.mix = plan.mix;
  record.notes = plan.notes;
  record.machine = toolkit::describe_machine();
  record.version = KAURI_VERSION;
  record.command = own_command_line();
  record.durability = arguments.durability;
  record.dataset = arguments.dataset;
  record.wall_micros = Clock::system().wall_micros();
  // A server that keeps its root DSE to itself is measured all the same.
  const double seconds = std::clamp(plan.load.timeout_seconds, 1.0, kProbeSecondsMax);
  if (auto server = toolkit::probe_server(plan.load.endpoint, static_cast<unsigned>(seconds))) {
    record.server = *std::move(server);
  }
  return record;
}

void print(const std::string& report) {
  std::fputs(text::visible_lines(report).c_str(), stdout);
}

int status_of(const toolkit::LoadResult& result) {
  const auto& errors = result.errors;
  if (errors.total() > 0) {
    std::fprintf(stderr, "kauri bench: %llu operations went wrong; the first: %s\n",
                 static_cast<unsigned long long>(errors.total()),
                 text::visible(errors.first).c_str());
    return kWrongStatus;
  }
  return result.interrupted ? kInterruptedStatus : 0;
}

Result<int> run_once(const BenchArguments& arguments, const BenchPlan& plan) {
  toolkit::LoadRecord record = make_record(arguments, plan);
  KAURI_TRY(record.result, toolkit::run_load(plan.load, plan.mix));
  print(arguments.json  ? toolkit::report_json(record)
        : arguments.csv ? toolkit::report_csv(record)
                        : toolkit::report_text(record));
  return status_of(record.result);
}

// One step of the search. What takes each number once goes on where the last step has ended.
Result<toolkit::LoadResult> run_step(BenchPlan& plan, double rate) {
  plan.load.rate = rate;
  auto result = toolkit::run_load(plan.load, plan.mix);
  if (!result) return result;
  ++plan.load.seed;
  for (std::size_t i = 0; i < plan.mix.parts.size(); ++i) {
    toolkit::Workload& workload = plan.mix.parts[i].workload;
    if (workload.order != toolkit::Order::kOnce) continue;
    workload.low = std::min(result->kinds[i].next_number, workload.high);
  }
  return result;
}

Result<int> run_find_max(const BenchArguments& arguments, BenchPlan& plan,
                         BenchProgress& progress) {
  toolkit::LoadRecord record = make_record(arguments, plan);
  KAURI_TRY(const auto found,
            toolkit::find_max(
                *plan.find_max, [&plan](double rate) { return run_step(plan, rate); },
                [&progress](const toolkit::FindMaxStep& step) {
                  progress.line(toolkit::step_line(step));
                }));
  progress.finish();
  if (found.best) {
    record.result = found.steps[*found.best].result;
    record.options.rate = found.steps[*found.best].rate;
  }
  record.result.interrupted = found.interrupted;
  print(arguments.json  ? toolkit::find_max_json(record, found)
        : arguments.csv ? toolkit::find_max_csv(record, found)
                        : toolkit::find_max_text(record, found));
  if (found.interrupted) return kInterruptedStatus;
  if (found.best) return 0;
  std::fprintf(stderr, "kauri bench: even the lowest rate broke the objective\n");
  return kWrongStatus;
}

Result<int> run(const BenchArguments& arguments, BenchPlan plan) {
  raise_descriptor_limit();
  watch_interrupts();
  plan.load.interrupted = &interrupted;
  BenchProgress progress(arguments.interval_option->count() > 0);
  if (progress.shows()) {
    plan.load.on_interval = [&progress](const toolkit::Interval& interval) {
      progress.interval(interval);
    };
  }
  auto status = plan.find_max ? run_find_max(arguments, plan, progress) : run_once(arguments, plan);
  progress.finish();
  return status;
}

void add_workload_command(CLI::App& bench, int& exit_status, std::optional<WorkloadKind> kind,
                          const char* description) {
  const std::string name(kind ? toolkit::to_string(*kind) : "mixed");
  CLI::App* const command = bench.add_subcommand(name, description);
  const auto arguments = std::make_shared<BenchArguments>();
  arguments->kind = kind;
  add_bench_options(*command, *arguments);
  command->callback([name, arguments, &exit_status] {
    auto plan = plan_bench(*arguments);
    if (!plan) {
      exit_status = plan_failed("bench " + name, plan.error());
      return;
    }
    const auto status = run(*arguments, *std::move(plan));
    exit_status = status ? *status : fail("bench " + name, status.error());
  });
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_status) {
  CLI::App* const bench = app.add_subcommand(
      "bench",
      "Load tests over LDAP. Each connection keeps --depth requests outstanding, or requests start "
      "at a --rate; wrong answers are counted and make the exit status 1");
  bench->require_subcommand(1);
  add_workload_command(*bench, exit_status, WorkloadKind::kSearch, "Searches by a filter");
  add_workload_command(*bench, exit_status, WorkloadKind::kBind, "Simple binds");
  add_workload_command(*bench, exit_status, WorkloadKind::kModify, "Replaces an attribute");
  add_workload_command(*bench, exit_status, WorkloadKind::kAdd, "Adds entries, each number once");
  add_workload_command(*bench, exit_status, WorkloadKind::kCompare,
                       "Compares; compareTrue is the right answer");
  add_workload_command(*bench, exit_status, WorkloadKind::kDelete,
                       "Deletes entries, each number once");
  add_workload_command(*bench, exit_status, WorkloadKind::kModrdn,
                       "Renames entries there and back again");
  add_workload_command(*bench, exit_status, std::nullopt, "Several operations by weights");
  add_bench_null_command(*bench, exit_status);
}

}  // namespace kauri::tool
