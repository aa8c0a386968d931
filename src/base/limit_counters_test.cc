// What the counters of limits say, also when several threads count.
#include "base/limit_counters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

namespace kauri {
namespace {

TEST(LimitCounters, CountAndTell) {
  using limits::Counter;
  EXPECT_EQ(limits::counted_text(), "");
  limits::count(Counter::kControls);
  limits::count(Counter::kMessageSize);
  limits::count(Counter::kControls);
  EXPECT_EQ(limits::counted(Counter::kControls), 2U);
  EXPECT_EQ(limits::counted(Counter::kChanges), 0U);
  EXPECT_EQ(limits::counted_text(), "message_size 1, controls 2");
}

TEST(LimitCounters, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(limits::Counter::kEnd); ++i) {
    const std::string_view name = limits::name_of(static_cast<limits::Counter>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(LimitCounters, ThreadsCountTogether) {
  const std::uint64_t before = limits::counted(limits::Counter::kAliasChain);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 1000; ++n) limits::count(limits::Counter::kAliasChain);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(limits::counted(limits::Counter::kAliasChain) - before, 4000U);
}

}  // namespace
}  // namespace kauri
