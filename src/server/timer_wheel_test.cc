#include "server/timer_wheel.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace kauri::server {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Probe final : TimerEntry {
  std::int64_t on_timer(std::int64_t now_nanos) override {
    fired.push_back(now_nanos);
    return std::exchange(next, 0);
  }
  std::vector<std::int64_t> fired;
  std::int64_t next = 0;
};

// Moves time in steps of 100 ms. RETURNS: when the probe fired first, or 0.
std::int64_t first_fired(TimerWheel& wheel, const Probe& probe, std::int64_t from,
                         std::int64_t until) {
  for (std::int64_t now = from; now <= until; now += kSecond / 10) {
    wheel.advance(now);
    if (!probe.fired.empty()) return probe.fired.front();
  }
  return 0;
}

TEST(TimerWheel, FiresNotEarlyAndWithinATick) {
  for (const std::int64_t start : {std::int64_t{0}, 77 * kSecond + 123'456'789}) {
    TimerWheel wheel(start);
    Probe probe;
    const std::int64_t deadline = start + 10 * kSecond + 17;
    wheel.arm(probe, deadline);
    const std::int64_t fired = first_fired(wheel, probe, start, start + 20 * kSecond);
    EXPECT_GE(fired, deadline);
    EXPECT_LE(fired, deadline + 2 * TimerWheel::kTickNanos + kSecond / 10);
    EXPECT_TRUE(wheel.empty());
  }
}

TEST(TimerWheel, AnEarlierDeadlineMovesAndALaterOneIsLeftToTheEntry) {
  TimerWheel wheel(0);
  Probe probe;
  wheel.arm(probe, 20 * kSecond);
  wheel.arm(probe, 5 * kSecond);
  wheel.arm(probe, 30 * kSecond);
  const std::int64_t fired = first_fired(wheel, probe, 0, 40 * kSecond);
  EXPECT_GE(fired, 5 * kSecond);
  EXPECT_LE(fired, 6 * kSecond);
}

TEST(TimerWheel, AnEntryThatAsksAgainFiresAgain) {
  TimerWheel wheel(0);
  Probe probe;
  probe.next = 8 * kSecond;
  wheel.arm(probe, 4 * kSecond);
  for (std::int64_t now = 0; now <= 20 * kSecond; now += kSecond / 10) wheel.advance(now);
  ASSERT_EQ(probe.fired.size(), 2U);
  EXPECT_GE(probe.fired[1], 8 * kSecond);
}

TEST(TimerWheel, DeadlinesBeyondTheWheelAndLongSleepsLoseNothing) {
  TimerWheel wheel(0);
  Probe near;
  Probe far;
  wheel.arm(near, 2 * kSecond);
  wheel.arm(far, 10'000 * kSecond);
  wheel.advance(1'000 * kSecond);
  EXPECT_EQ(near.fired.size(), 1U);
  // The far entry's slot came up too; it says when it wants to be asked next.
  EXPECT_EQ(far.fired.size(), 1U);
}

TEST(TimerWheel, DestroyedAndDisarmedEntriesAreForgotten) {
  TimerWheel wheel(0);
  auto gone = std::make_unique<Probe>();
  Probe first;
  Probe second;
  wheel.arm(first, kSecond);
  wheel.arm(*gone, kSecond);
  wheel.arm(second, kSecond);
  gone.reset();
  wheel.disarm(first);
  wheel.advance(3 * kSecond);
  EXPECT_TRUE(first.fired.empty());
  EXPECT_EQ(second.fired.size(), 1U);
  EXPECT_TRUE(wheel.empty());
}

TEST(TimerWheel, EntriesMayOutliveTheWheel) {
  Probe probe;
  {
    TimerWheel wheel(0);
    wheel.arm(probe, kSecond);
  }
  TimerWheel other(0);
  other.arm(probe, kSecond);
  other.advance(2 * kSecond);
  EXPECT_EQ(probe.fired.size(), 1U);
}

}  // namespace
}  // namespace kauri::server
