#include "security/hash_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace kauri::security {
namespace {

TEST(HashPool, RunsEveryJobOnItsOwnThreads) {
  std::atomic<int> ran = 0;
  std::promise<void> all;
  HashPool pool(3);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(pool.submit([&, caller = std::this_thread::get_id()] {
      EXPECT_NE(std::this_thread::get_id(), caller);
      if (++ran == 200) all.set_value();
    }));
  }
  all.get_future().wait();
  EXPECT_EQ(ran, 200);
}

TEST(HashPool, RefusesWhatExceedsTheQueueAndRecovers) {
  std::promise<void> started;
  std::promise<void> release;
  std::promise<void> drained;
  HashPool pool(1, 2);
  ASSERT_TRUE(pool.submit([&, released = release.get_future().share()] {
    started.set_value();
    released.wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_TRUE(pool.submit([&] { drained.set_value(); }));
  EXPECT_EQ(pool.queue_length(), 2U);
  EXPECT_FALSE(pool.submit([] { FAIL() << "a refused job ran"; }));
  release.set_value();
  drained.get_future().wait();
  EXPECT_EQ(pool.queue_length(), 0U);
  EXPECT_TRUE(pool.submit([] {}));
}

TEST(HashPool, EndsWithoutRunningWhatWaits) {
  std::promise<void> started;
  std::promise<void> release;
  std::atomic<bool> first_done = false;
  std::atomic<bool> second_ran = false;
  {
    HashPool pool(1, 8);
    ASSERT_TRUE(pool.submit([&, released = release.get_future().share()] {
      started.set_value();
      released.wait();
      first_done = true;
    }));
    started.get_future().wait();
    // The first job goes on only when the second is dropped: so it is dropped before the pool waits
    // for what runs, and what it held is freed.
    std::shared_ptr<void> held(nullptr, [&](void*) { release.set_value(); });
    ASSERT_TRUE(pool.submit([&, held = std::move(held)] { second_ran = true; }));
  }
  EXPECT_TRUE(first_done);
  EXPECT_FALSE(second_ran);
}

TEST(HashPool, NoThreadsMeansOne) {
  std::promise<void> ran;
  HashPool pool(0);
  ASSERT_TRUE(pool.submit([&] { ran.set_value(); }));
  ran.get_future().wait();
}

}  // namespace
}  // namespace kauri::security
