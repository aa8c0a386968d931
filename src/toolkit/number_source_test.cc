#include "toolkit/number_source.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kauri::toolkit {
namespace {

std::vector<std::uint64_t> draw(const NumberSource::Options& options, int count) {
  NumberSource source(options);
  std::vector<std::uint64_t> out;
  for (int i = 0; i < count; ++i) {
    const auto number = source.next();
    if (!number) break;
    out.push_back(*number);
  }
  return out;
}

TEST(NumberSource, OnceTakesEachNumberOfTheRangeOnceOverAllThreads) {
  std::set<std::uint64_t> seen;
  for (unsigned index = 0; index < 3; ++index) {
    for (const std::uint64_t number :
         draw({.low = 10, .high = 20, .order = Order::kOnce, .index = index, .stride = 3}, 100)) {
      EXPECT_TRUE(seen.insert(number).second) << number;
    }
  }
  EXPECT_EQ(seen.size(), 11U);
  EXPECT_EQ(*seen.begin(), 10U);
  EXPECT_EQ(*seen.rbegin(), 20U);
}

TEST(NumberSource, SequentialBeginsAgain) {
  EXPECT_EQ(draw({.low = 5, .high = 7, .order = Order::kSequential}, 7),
            (std::vector<std::uint64_t>{5, 6, 7, 5, 6, 7, 5}));
  // Two threads over three numbers reach all of them in turns.
  EXPECT_EQ(draw({.low = 5, .high = 7, .order = Order::kSequential, .index = 1, .stride = 2}, 4),
            (std::vector<std::uint64_t>{6, 5, 7, 6}));
}

TEST(NumberSource, RandomIsRepeatableAndReachesBothEnds) {
  const NumberSource::Options options{.low = 3, .high = 6, .seed = 9};
  const auto numbers = draw(options, 200);
  EXPECT_EQ(numbers, draw(options, 200));
  const std::set<std::uint64_t> seen(numbers.begin(), numbers.end());
  EXPECT_EQ(seen, (std::set<std::uint64_t>{3, 4, 5, 6}));
  EXPECT_NE(numbers, draw({.low = 3, .high = 6, .seed = 10}, 200));
  EXPECT_NE(numbers, draw({.low = 3, .high = 6, .seed = 9, .index = 1, .stride = 2}, 200));
}

}  // namespace
}  // namespace kauri::toolkit
