// What waits for the writer, and what one commit takes, at the limits and one past them.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "backend/testing/world.h"
#include "base/limit_counters.h"
#include "base/limits.h"

namespace kauri::backend {
namespace {

class WriterLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    world.add_fixture();
    // The writer stays in this request's completion until let_go().
    auto first = world.modify_request(kA, {replaced("pager", {"first"})});
    first->authorizer = everything();
    first->completion = [this](WriteOutcome&&) {
      held_.set_value();
      gate_.get_future().wait();
    };
    ASSERT_EQ(world.database().submit(first), Database::Submitted::kYes);
    held_.get_future().wait();
    commits_ = world.database().writer_stats().commits;
  }
  void TearDown() override {
    if (!gone_) let_go();
  }

  static std::unique_ptr<query::Authorizer> everything() {
    return std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
  }
  Database::Submitted submit(std::size_t octets) {
    auto request = world.modify_request(kA, {replaced("pager", {std::to_string(++submitted_)})});
    request->authorizer = everything();
    request->size_bytes = octets;
    request->completion = [this](WriteOutcome&& outcome) {
      done_ += outcome.result.ok() ? 1 : 1'000'000;
    };
    return world.database().submit(request);
  }
  // Everything that waits is done afterwards. RETURNS: the commits that took.
  std::uint64_t let_go() {
    gone_ = true;
    gate_.set_value();
    world.database().stop();
    return world.database().writer_stats().commits - commits_;
  }

  World world;
  std::atomic<std::size_t> done_{0};
  std::size_t submitted_ = 0;

 private:
  std::promise<void> held_;
  std::promise<void> gate_;
  std::uint64_t commits_ = 0;
  bool gone_ = false;
};

TEST_F(WriterLimits, RequestsThatWait) {
  const std::uint64_t counted = limits::counted(limits::Counter::kWriteQueue);
  for (std::size_t i = 0; i < limits::kWriteQueueMax; ++i) {
    ASSERT_EQ(submit(1), Database::Submitted::kYes) << i;
  }
  EXPECT_EQ(limits::counted(limits::Counter::kWriteQueue), counted);
  EXPECT_EQ(submit(1), Database::Submitted::kQueueFull);
  EXPECT_EQ(limits::counted(limits::Counter::kWriteQueue), counted + 1);
  EXPECT_EQ(world.database().writer_stats().queue_length, limits::kWriteQueueMax);
  EXPECT_EQ(let_go(), limits::kWriteQueueMax / limits::kCommitOperationsMax);
  EXPECT_EQ(done_, limits::kWriteQueueMax);
  EXPECT_EQ(world.database().writer_stats().largest_batch, limits::kCommitOperationsMax);
}

TEST_F(WriterLimits, OctetsThatWait) {
  constexpr std::size_t kEach = limits::kWriteQueueBytesMax / 4;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(submit(kEach), Database::Submitted::kYes);
  // The limit is reached, not passed.
  EXPECT_EQ(submit(1), Database::Submitted::kYes);
  EXPECT_EQ(submit(1), Database::Submitted::kQueueFull);
  let_go();
  EXPECT_EQ(done_, 5U);
}

TEST_F(WriterLimits, OctetsOfOneCommit) {
  constexpr std::size_t kHalf = limits::kCommitBytesMax / 2;
  for (const std::size_t octets : {kHalf, kHalf, kHalf, kHalf + 1, 3 * kHalf, kHalf}) {
    EXPECT_EQ(submit(octets), Database::Submitted::kYes);
  }
  // Two that fit exactly; one, since the next would be past the limit; that one; one that is larger
  // than any commit takes with others; the last.
  EXPECT_EQ(let_go(), 5U);
  EXPECT_EQ(done_, 6U);
}

}  // namespace
}  // namespace kauri::backend
