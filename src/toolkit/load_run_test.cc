#include "toolkit/load_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

#include "toolkit/testing/servers.h"

namespace kauri::toolkit {
namespace {

using testing::mix_for;
using testing::Responder;

// That this run is right in all answers; prints what was wrong.
void expect_right(const Result<LoadResult>& result, std::uint64_t operations) {
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
  EXPECT_EQ(result->all.operations, operations);
  EXPECT_EQ(result->all.latency.count(), operations);
}

TEST(LoadRun, CountIsExactForEveryWorkload) {
  const Responder responder;
  for (const WorkloadKind kind : kWorkloadKinds) {
    LoadOptions options = responder.load();
    options.count = 1001;
    options.connections = 5;
    options.threads = 2;
    options.depth = kind == WorkloadKind::kBind ? 1 : 3;
    const auto result = run_load(options, mix_for(kind));
    SCOPED_TRACE(to_string(kind));
    expect_right(result, 1001);
    ASSERT_EQ(result->kinds.size(), 1U);
    EXPECT_EQ(result->kinds[0].name, to_string(kind));
    EXPECT_EQ(result->all.codes[kind == WorkloadKind::kCompare ? 6 : 0], 1001U);
    EXPECT_EQ(result->all.entries, kind == WorkloadKind::kSearch ? 1001U : 0U);
    EXPECT_EQ(result->left_renamed, 0U);
    EXPECT_GT(result->seconds, 0);
    EXPECT_GT(result->client_cpu_seconds, 0);
  }
}

TEST(LoadRun, CountIsExactWithAConnectionForEachOperation) {
  const Responder responder;
  for (const WorkloadKind kind : kWorkloadKinds) {
    LoadOptions options = responder.load();
    options.count = 101;
    options.connections = 3;
    options.threads = 2;
    options.reconnect = true;
    options.bind_dn = kind == WorkloadKind::kBind ? "" : "cn=admin,dc=x";
    options.bind_password = "secret";
    SCOPED_TRACE(to_string(kind));
    expect_right(run_load(options, mix_for(kind)), 101);
  }
}

Mix everything() {
  Mix mix;
  for (const WorkloadKind kind : kWorkloadKinds) {
    const bool once = kind == WorkloadKind::kAdd || kind == WorkloadKind::kDelete;
    mix.parts.push_back({*make_workload({.kind = kind,
                                         .high = 99'999,
                                         .order = once ? Order::kOnce : Order::kSequential,
                                         .filter = "(uid={n})",
                                         .password = "secret"}),
                         once ? 1U : 3U});
  }
  return mix;
}

TEST(LoadRun, AMixOfEverything) {
  const Responder responder;
  for (const bool reconnect : {false, true}) {
    LoadOptions options = responder.load();
    options.count = reconnect ? 300 : 3000;
    options.connections = 4;
    options.threads = 2;
    options.reconnect = reconnect;
    const auto result = run_load(options, everything());
    expect_right(result, *options.count);
    ASSERT_EQ(result->kinds.size(), std::size(kWorkloadKinds));
    std::uint64_t sum = 0;
    for (const OperationFigures& kind : result->kinds) {
      EXPECT_GT(kind.operations, 0U) << kind.name;
      EXPECT_EQ(kind.latency.count(), kind.operations);
      sum += kind.operations;
    }
    EXPECT_EQ(sum, *options.count);
  }
}

TEST(LoadRun, DurationAndWarmupAndServerUse) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.duration_seconds = 0.2;
  options.warmup_seconds = 0.05;
  options.connections = 2;
  options.depth = 4;
  options.server_pid = getpid();
  const Mix mix = mix_of(*make_workload({.expect_entries = "1"}));
  const auto result = run_load(options, mix);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_DOUBLE_EQ(result->seconds, 0.2);
  EXPECT_GT(result->all.operations, 10U);
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
  EXPECT_TRUE(result->all.has_expectation);
  EXPECT_EQ(result->all.expected_entries, result->all.entries);
  ASSERT_TRUE(result->server);
  EXPECT_GT(result->server->begin.rss_bytes, 0U);
  EXPECT_GT(result->server->end.rss_bytes, 0U);
  EXPECT_GT(result->octets_received, result->all.operations * 500);
}

TEST(LoadRun, IntervalsTellOfTheWholeRun) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.duration_seconds = 0.45;
  options.interval_seconds = 0.1;
  std::vector<Interval> heard;
  options.on_interval = [&](const Interval& interval) { heard.push_back(interval); };
  const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_GE(heard.size(), 1U);
  EXPECT_EQ(result->intervals.size(), heard.size());
  for (std::size_t i = 1; i < heard.size(); ++i) {
    EXPECT_GT(heard[i].seconds, heard[i - 1].seconds);
    EXPECT_GE(heard[i].share, heard[i - 1].share);
  }
  EXPECT_LE(heard.back().share, 1);
  const auto operations =
      std::accumulate(heard.begin(), heard.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Interval& one) { return sum + one.operations; });
  EXPECT_GT(operations, 0U);
  // The last interval has the answer to the request that was on its way at the end.
  EXPECT_LE(operations, result->all.operations + 1);
}

// An interval that was all warm-up says so, even when it ends with the warm-up; none has both.
TEST(LoadRun, IntervalsAreOfTheWarmUpOrOfTheWindow) {
  const Responder responder;
  for (const double warmup : {0.3, 0.25}) {
    LoadOptions options = responder.load();
    options.warmup_seconds = warmup;
    options.duration_seconds = 0.25;
    options.interval_seconds = 0.1;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    double warm_seconds = 0;
    double all_seconds = 0;
    for (const Interval& interval : result->intervals) {
      EXPECT_FALSE(interval.warmup && all_seconds > warm_seconds) << "warm-up after the window";
      if (interval.warmup) warm_seconds += interval.span;
      all_seconds += interval.span;
    }
    // A busy machine makes an interval longer than was asked for, never shorter.
    EXPECT_GE(warm_seconds, warmup - 0.001);
    EXPECT_LT(warm_seconds, all_seconds);
    EXPECT_GE(all_seconds, warmup + 0.25 - 0.001) << "the end is told of too";
  }
}

TEST(LoadRun, WrongNumberOfEntriesIsAnError) {
  const Responder responder({.entries = 2});
  LoadOptions options = responder.load();
  options.count = 50;
  const auto result = run_load(options, mix_of(*make_workload({.expect_entries = "1"})));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_entries, 50U);
  EXPECT_EQ(result->all.entries, 100U);
  EXPECT_EQ(result->all.expected_entries, 50U);
  EXPECT_NE(result->errors.first.find("returned 2 entries; 1 were expected"), std::string::npos);
}

TEST(LoadRun, EachLineOfAFileHasItsOwnExpectation) {
  const Responder responder({.entries = 2});
  LoadOptions options = responder.load();
  options.count = 30;
  const auto lines = *parse_value_lines("(cn=a)\t2\n(cn=b)\t3\n(cn=c)\t2\n", "file");
  const auto result = run_load(options, mix_of(*make_workload({.order = Order::kSequential,
                                                               .values = lines,
                                                               .filter = "{v1}",
                                                               .expect_entries = "{v2}"})));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_entries, 10U);
  EXPECT_EQ(result->all.expected_entries, 70U);
  EXPECT_EQ(result->errors.first, "search of line 2 returned 2 entries; 3 were expected");
}

TEST(LoadRun, WrongCodesAreErrorsUnlessAccepted) {
  const Responder responder({.result_code = 32});
  LoadOptions options = responder.load();
  options.count = 10;
  auto result = run_load(options, mix_for(WorkloadKind::kDelete));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_code, 10U);
  EXPECT_EQ(result->all.codes[32], 10U);
  EXPECT_NE(result->errors.first.find("noSuchObject"), std::string::npos) << result->errors.first;
  options.accepted_codes = {32};
  result = run_load(options, mix_for(WorkloadKind::kDelete));
  expect_right(result, 10);
}

TEST(LoadRun, TooManyErrorsEndTheRun) {
  const Responder responder({.result_code = 32});
  LoadOptions options = responder.load();
  options.duration_seconds = 600;
  options.errors_max = 20;
  const auto result = run_load(options, mix_for(WorkloadKind::kModify));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->too_many_errors);
  EXPECT_EQ(result->errors.wrong_code, 20U);
  EXPECT_LT(result->seconds, 300);
}

TEST(LoadRun, AnInterruptionEndsTheRunWithWhatItHas) {
  const Responder responder;
  std::atomic<bool> interrupted{false};
  LoadOptions options = responder.load();
  options.duration_seconds = 600;
  options.interval_seconds = 0.1;
  options.interrupted = &interrupted;
  options.on_interval = [&](const Interval& interval) {
    if (interval.operations > 0) interrupted = true;
  };
  const auto result = run_load(options, mix_for(WorkloadKind::kModrdn, Order::kSequential));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->interrupted);
  EXPECT_GT(result->all.operations, 0U);
  EXPECT_LT(result->seconds, 300);
  EXPECT_EQ(result->left_renamed, 0U);
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
}

TEST(LoadRun, OnceEndsWithTheRange) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.duration_seconds = 60;
  options.connections = 3;
  options.threads = 2;
  const Mix mix =
      mix_of(*make_workload({.kind = WorkloadKind::kAdd, .high = 99, .order = Order::kOnce}));
  const auto result = run_load(options, mix);
  expect_right(result, 100);
  EXPECT_EQ(result->used_up, "add");
  EXPECT_GE(result->kinds[0].next_number, 100U);
  EXPECT_LT(result->seconds, 30);
}

TEST(LoadRun, EntriesLargerThanTheBufferArrive) {
  const Responder responder({.entries = 3, .entry_size = 300'000});
  LoadOptions options = responder.load();
  options.count = 20;
  options.depth = 4;
  const auto result = run_load(options, mix_of(*make_workload({.expect_entries = "3"})));
  expect_right(result, 20);
  EXPECT_EQ(result->all.entries, 60U);
}

TEST(LoadRun, MoreRequestsThanASocketTakesAtOnceGoOut) {
  const Responder responder;
  const Mix mix = mix_of(*make_workload({.filter = "(cn=" + std::string(8000, 'x') + ")"}));
  for (const std::size_t connections : {1U, 2U}) {
    LoadOptions options = responder.load();
    options.connections = connections;
    options.depth = kDepthMax;
    options.count = 2 * kDepthMax;
    const auto result = run_load(options, mix);
    expect_right(result, 2 * kDepthMax);
    EXPECT_GT(result->octets_sent, 2 * kDepthMax * 8000);
  }
}

TEST(LoadRun, AnOpenLoopStartsWhatWasAskedFor) {
  const Responder responder;
  for (const std::size_t threads : {1U, 3U}) {
    LoadOptions options = responder.load();
    options.connections = 4;
    options.threads = threads;
    options.rate = 500;
    options.warmup_seconds = 0.1;
    options.duration_seconds = 0.4;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
    // What a busy machine leaves over is counted, so the sum is exact.
    EXPECT_EQ(result->all.operations + result->not_started, 200U);
    EXPECT_EQ(result->all.latency.count(), 200U);
    EXPECT_GE(result->seconds, 0.4);
  }
}

TEST(LoadRun, AnOpenLoopCountsToo) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.rate = 2000;
  options.count = 100;
  options.connections = 2;
  const auto result = run_load(options, mix_for(WorkloadKind::kModrdn, Order::kSequential));
  expect_right(result, 100);
  EXPECT_EQ(result->not_started, 0U);
  // The last one was due 99 periods after the first.
  EXPECT_GT(result->seconds, 0.045);
  options.reconnect = true;
  expect_right(run_load(options, mix_for(WorkloadKind::kSearch)), 100);
}

TEST(LoadRun, RefusedBindStopsEverything) {
  const Responder responder({.result_code = 49});
  LoadOptions options = responder.load();
  options.bind_dn = "cn=admin,dc=x";
  options.connections = 3;
  options.threads = 3;
  for (const bool reconnect : {false, true}) {
    options.reconnect = reconnect;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("'cn=admin,dc=x' was answered with invalidCredentials"),
              std::string::npos)
        << result.error().message();
  }
}

TEST(LoadRun, OptionsAreChecked) {
  const auto message = [](LoadOptions options, const Mix& mix) {
    const auto checked = check_load(options, mix);
    const auto result = run_load(options, mix);
    if (result) return std::string("no error");
    // Only what the machine says is found out later than before the start.
    if (!options.server_pid) {
      EXPECT_FALSE(checked);
      EXPECT_EQ(result.error().code(), ErrorCode::kInvalid);
    }
    return result.error().message();
  };
  const Mix search = mix_for(WorkloadKind::kSearch);
  const Mix modrdn = mix_for(WorkloadKind::kModrdn, Order::kSequential);
  const Mix bind = mix_for(WorkloadKind::kBind);
  LoadOptions reconnecting{.depth = 2};
  reconnecting.reconnect = true;
  LoadOptions no_rate{.rate = 0.0};
  LoadOptions no_number{.rate = std::numeric_limits<double>::quiet_NaN()};
  LoadOptions gone{};
  gone.server_pid = 2'000'000'000;
  const std::tuple<LoadOptions, const Mix*, const char*> table[] = {
      {{.depth = 2}, &bind, "one bind at a time"},
      {{.depth = kDepthMax + 1}, &search, "range of 1 to 4096"},
      {{.threads = 2}, &search, "each thread needs a connection"},
      {{.duration_seconds = 0}, &search, "measures nothing"},
      {{.errors_max = 0}, &search, "0 errors"},
      {{.interval_seconds = 0.01}, &search, "shorter than 0.1"},
      {{.connections = 500}, &modrdn, "need at least 1001 entries"},
      {reconnecting, &search, "one request: the depth must be 1, not 2"},
      {no_rate, &search, "a rate of 0.000000"},
      {no_number, &search, "a rate of nan"},
      {gone, &search, "no process 2000000000"},
  };
  for (const auto& [options, mix, expected] : table) {
    EXPECT_NE(message(options, *mix).find(expected), std::string::npos) << message(options, *mix);
  }
}

TEST(NullResponder, OptionsAreChecked) {
  const auto any = *resolve_host_port("127.0.0.1:0");
  EXPECT_FALSE(NullResponder::listen(any, {.entry_size = 10}));
  EXPECT_FALSE(NullResponder::listen(any, {.entries = 100'000}));
  EXPECT_FALSE(NullResponder::listen(any, {.result_code = 300}));
}

}  // namespace
}  // namespace kauri::toolkit
