#include "storage/fault_env.h"

#include <gtest/gtest.h>

#include "storage/test_directory.h"

namespace kauri::storage {
namespace {

class FaultEnvTest : public testing::Test {
 protected:
  void SetUp() override {
    auto env = Env::open({.path = directory_.path()});
    ASSERT_TRUE(env.has_value()) << env.error().message();
    env_ = make_fault_env(std::move(*env), plan_);
  }
  // Three puts and an erase in one transaction.
  Result<void> change() {
    KAURI_TRY(auto txn, env_->begin_write());
    KAURI_CHECK(txn->put(Table::kMeta, "a", "1"));
    KAURI_CHECK(txn->append(Table::kEntries, "b", "2"));
    KAURI_CHECK(txn->put(Table::kEntries, "c", "3"));
    KAURI_TRY(const bool erased, txn->erase(Table::kMeta, "absent"));
    EXPECT_FALSE(erased);
    return txn->commit();
  }
  bool stored(Table table, std::string_view key) {
    auto txn = env_->begin_read();
    EXPECT_TRUE(txn.has_value());
    auto value = (*txn)->get(table, key);
    EXPECT_TRUE(value.has_value());
    return value->has_value();
  }

  TestDirectory directory_;
  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
  std::unique_ptr<Env> env_;
};

TEST_F(FaultEnvTest, EachWriteFailsInTurnAndNothingIsVisible) {
  std::uint64_t n = 1;
  for (;; ++n) {
    plan_->clear();
    plan_->fail(FaultPoint::kWrite, n, ErrorCode::kNoSpace);
    auto done = change();
    if (done.has_value()) break;
    EXPECT_EQ(done.error().code(), ErrorCode::kNoSpace);
    plan_->clear();
    EXPECT_FALSE(stored(Table::kMeta, "a"));
    EXPECT_FALSE(stored(Table::kEntries, "b"));
    ASSERT_LT(n, 10U);
  }
  EXPECT_EQ(n, 5U);  // four writes were there to fail
  EXPECT_EQ(plan_->failures(), 4U);
  plan_->clear();
  EXPECT_TRUE(stored(Table::kEntries, "c"));
}

TEST_F(FaultEnvTest, FailedCommitStoresNothingAndTheNextOneWorks) {
  plan_->fail(FaultPoint::kCommit, 1, ErrorCode::kIo);
  auto failed = change();
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code(), ErrorCode::kIo);
  EXPECT_FALSE(stored(Table::kMeta, "a"));
  EXPECT_TRUE(change().has_value());
  EXPECT_TRUE(stored(Table::kMeta, "a"));
}

TEST_F(FaultEnvTest, RepeatedFaultLastsUntilCleared) {
  plan_->fail(FaultPoint::kBegin, 2, ErrorCode::kIo, true);
  auto first = env_->begin_read();
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(env_->begin_read().has_value());
  EXPECT_FALSE(env_->begin_read().has_value());
  (*first)->reset();
  EXPECT_FALSE((*first)->renew().has_value());
  plan_->clear();
  EXPECT_TRUE((*first)->renew().has_value());
}

TEST_F(FaultEnvTest, ReadsAndCursorStepsFail) {
  ASSERT_TRUE(change().has_value());
  auto txn = env_->begin_read();
  ASSERT_TRUE(txn.has_value());
  auto cursor = (*txn)->cursor(Table::kMeta);
  ASSERT_TRUE(cursor.has_value());
  plan_->fail(FaultPoint::kRead, 1, ErrorCode::kCorruption);
  auto value = (*txn)->get(Table::kMeta, "a");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code(), ErrorCode::kCorruption);
  plan_->fail(FaultPoint::kRead, 2, ErrorCode::kIo);
  EXPECT_TRUE((*cursor)->first().has_value());
  EXPECT_FALSE((*cursor)->next().has_value());
}

}  // namespace
}  // namespace kauri::storage
