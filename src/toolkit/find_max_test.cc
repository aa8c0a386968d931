#include "toolkit/find_max.h"

#include <gtest/gtest.h>

namespace kauri::toolkit {
namespace {

// A server of which each answer takes 1 ms up to `capacity` operations a second and 50 ms above.
LoadResult answers(double rate, double capacity) {
  LoadResult out;
  out.seconds = 1;
  out.all.operations = 1000;
  out.all.latency.record(rate <= capacity ? 1'000'000 : 50'000'000, 1000);
  return out;
}

FindMaxOptions five_ms() {
  FindMaxOptions out;
  out.objectives = *parse_objectives("p99=5ms");
  return out;
}

TEST(FindMax, ComesCloseToTheCapacityFromBothSides) {
  for (const double capacity : {3.0, 99.0, 100.0, 101.0, 12'345.0, 900'000.0}) {
    unsigned heard = 0;
    const auto found = find_max(
        five_ms(), [&](double rate) { return Result<LoadResult>(answers(rate, capacity)); },
        [&](const FindMaxStep&) { ++heard; });
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(found->best) << capacity;
    const FindMaxStep& best = found->steps[*found->best];
    EXPECT_TRUE(best.held);
    EXPECT_LE(best.rate, capacity);
    EXPECT_GT(best.rate * 1.051, capacity);
    EXPECT_EQ(heard, found->steps.size());
    EXPECT_LT(heard, 45U);
    for (const FindMaxStep& step : found->steps) {
      EXPECT_EQ(step.held, step.rate <= capacity);
      EXPECT_EQ(step.why.empty(), step.held);
    }
  }
}

TEST(FindMax, OneBadRunIsMadeOnceMore) {
  unsigned runs = 0;
  const auto found = find_max(five_ms(), [&](double rate) {
    const bool disturbed = ++runs % 5 == 3;
    return Result<LoadResult>(answers(rate, disturbed ? 0 : 1000));
  });
  ASSERT_TRUE(found);
  EXPECT_GT(found->steps[*found->best].rate * 1.051, 1000);
  EXPECT_LE(found->steps[*found->best].rate, 1000);
}

TEST(FindMax, AnInterruptionOfTheFirstRun) {
  const auto found = find_max(five_ms(), [](double rate) {
    LoadResult out = answers(rate, 1000);
    out.interrupted = true;
    return Result<LoadResult>(out);
  });
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->interrupted);
  EXPECT_FALSE(found->best);
}

TEST(FindMax, NothingHolds) {
  const auto found =
      find_max(five_ms(), [](double rate) { return Result<LoadResult>(answers(rate, 0)); });
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->best);
  EXPECT_LT(found->steps.size(), 30U);
}

TEST(FindMax, EndsAtTheHighestRateThereIs) {
  const auto found =
      find_max(five_ms(), [](double rate) { return Result<LoadResult>(answers(rate, 1e12)); });
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->reached_limit);
  EXPECT_EQ(found->steps[*found->best].rate, kRateMax);
}

TEST(FindMax, WrongAnswersOfTheFirstRunEndIt) {
  const auto wrong_above = [](double limit) {
    return [limit](double rate) {
      LoadResult out = answers(rate, 1e12);
      if (rate > limit) {
        out.errors.wrong_code = 7;
        out.errors.first = "busy (too much)";
      }
      return Result<LoadResult>(out);
    };
  };
  const auto found = find_max(five_ms(), wrong_above(1));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("7 wrong answers; the first: busy (too much)"),
            std::string::npos)
      << found.error().message();
  // Later ones are the server's limit.
  const auto later = find_max(five_ms(), wrong_above(1000));
  ASSERT_TRUE(later);
  EXPECT_LE(later->steps[*later->best].rate, 1000);
  EXPECT_GT(later->steps[*later->best].rate, 950);
}

TEST(FindMax, UsedUpNumbersAndInterruptionsEndIt) {
  const auto used_up = find_max(five_ms(), [](double rate) {
    LoadResult out = answers(rate, 1e12);
    out.used_up = "add";
    return Result<LoadResult>(out);
  });
  ASSERT_FALSE(used_up);
  EXPECT_NE(used_up.error().message().find("numbers of the operation add"), std::string::npos);
  unsigned runs = 0;
  const auto interrupted = find_max(five_ms(), [&runs](double rate) {
    LoadResult out = answers(rate, 1e12);
    out.interrupted = ++runs == 3;
    return Result<LoadResult>(out);
  });
  ASSERT_TRUE(interrupted);
  EXPECT_TRUE(interrupted->interrupted);
  EXPECT_EQ(interrupted->steps.size(), 2U);
  EXPECT_EQ(interrupted->best, 1U);
}

TEST(FindMax, WhatBreaksAnObjective) {
  const auto objectives = *parse_objectives("p50=2ms,max=60ms");
  EXPECT_EQ(broken_objective(objectives, answers(1, 10)), "");
  EXPECT_EQ(broken_objective(objectives, answers(11, 10)), "p50 was 50.000 ms");
  LoadResult slow = answers(1, 10);
  slow.all.latency.record(70'000'000);
  EXPECT_EQ(broken_objective(objectives, slow), "max was 70.000 ms");
  LoadResult late = answers(1, 10);
  late.not_started = 20;
  EXPECT_EQ(broken_objective(objectives, late), "");
  late.not_started = 1000;
  EXPECT_EQ(broken_objective(objectives, late), "50.0 % of the requests could not be started");
  EXPECT_EQ(broken_objective(objectives, LoadResult{}), "no operation finished");
}

TEST(FindMax, ObjectivesAreParsedAndNamed) {
  const auto some = parse_objectives("p99.9=1.5ms,max=2s,p50=80us");
  ASSERT_TRUE(some) << some.error().message();
  ASSERT_EQ(some->size(), 3U);
  EXPECT_DOUBLE_EQ((*some)[0].quantile, 0.999);
  EXPECT_DOUBLE_EQ((*some)[0].limit_nanos, 1.5e6);
  EXPECT_EQ(to_string((*some)[0]), "p99.9=1.5ms");
  EXPECT_EQ(to_string((*some)[1]), "max=2s");
  EXPECT_EQ(to_string((*some)[2]), "p50=80us");
  for (const char* text : {"", "p99", "p99=", "p99=5", "p98=5ms", "p99=-5ms", "p99=5 ms", "p99=5h",
                           "p99=0ms", "p99=5ms,", "p99=nanms", "p99=infs"}) {
    const auto wrong = parse_objectives(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_NE(wrong.error().message().find("such as p99=5ms"), std::string::npos);
  }
}

}  // namespace
}  // namespace kauri::toolkit
