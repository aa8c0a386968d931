#include "index/posting_changes.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "index/posting.h"
#include "storage/fault_env.h"
#include "storage/test_directory.h"

namespace kauri::index {
namespace {

using storage::Table;
using Model = std::map<std::string, std::set<std::uint64_t>>;

class PostingChangesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto env = storage::Env::open(
        {.path = directory_.path(), .durability = storage::Durability::kRelaxed});
    ASSERT_TRUE(env) << env.error().message();
    plan_ = std::make_shared<storage::FaultPlan>();
    env_ = storage::make_fault_env(std::move(*env), plan_);
  }

  void expect(storage::Txn& txn, const Model& model) {
    for (const auto& [key, ids] : model) {
      const auto count = posting_count(txn, key);
      ASSERT_TRUE(count) << count.error().message();
      ASSERT_EQ(*count, ids.size());
      IdSet read;
      ASSERT_TRUE(read_posting(txn, key, read));
      IdSet expected;
      for (const std::uint64_t id : ids) expected.add(EntryId(id));
      ASSERT_TRUE(read == expected);
    }
  }

  storage::TestDirectory directory_;
  std::shared_ptr<storage::FaultPlan> plan_;
  std::unique_ptr<storage::Env> env_;
};

// Batches of any size, with ids that come and go in one of them, give what one change after the
// other would have given.
TEST_F(PostingChangesTest, AgreesWithAStandardSet) {
  const std::vector<std::string> keys = {"a", "b", std::string("c\0\0", 3), "d\xff"};
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    auto txn = env_->begin_write();
    ASSERT_TRUE(txn);
    Model model;
    PostingChanges changes;
    const std::uint64_t range = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 2000 : 40000;
    for (int batch = 0; batch < 200; ++batch) {
      const std::uint64_t size = random.next_u64() % (batch % 10 == 0 ? 800 : 12);
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::string& key = keys[random.next_u64() % keys.size()];
        const std::uint64_t id = 1 + random.next_u64() % range;
        if (random.next_u64() % 100 < (batch < 100 ? 75U : 25U)) {
          changes.insert(key, EntryId(id));
          model[key].insert(id);
        } else {
          changes.erase(key, EntryId(id));
          model[key].erase(id);
        }
      }
      ASSERT_TRUE(changes.flush(**txn));
      ASSERT_TRUE(changes.empty());
      ASSERT_NO_FATAL_FAILURE(expect(**txn, model));
    }
    for (auto& [key, ids] : model) {
      for (const std::uint64_t id : ids) changes.erase(key, EntryId(id));
      ids.clear();
    }
    ASSERT_TRUE(changes.flush(**txn));
    const auto left = (*txn)->table_stats(Table::kIndex);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->entries, 0U);
  }
}

// One list costs the same whatever the number of entries that come into it together.
TEST_F(PostingChangesTest, AListIsReadAndWrittenOnce) {
  auto txn = env_->begin_write();
  ASSERT_TRUE(txn);
  PostingChanges changes;
  for (std::uint64_t id = 1; id <= 100; ++id) changes.insert("k", EntryId(id));
  ASSERT_TRUE(changes.flush(**txn));
  const std::uint64_t reads = plan_->calls(storage::FaultPoint::kRead);
  const std::uint64_t writes = plan_->calls(storage::FaultPoint::kWrite);
  for (std::uint64_t id = 101; id <= 200; ++id) changes.insert("k", EntryId(id));
  ASSERT_TRUE(changes.flush(**txn));
  EXPECT_EQ(plan_->calls(storage::FaultPoint::kRead), reads + 2);  // head and block
  EXPECT_EQ(plan_->calls(storage::FaultPoint::kWrite), writes + 2);
}

TEST_F(PostingChangesTest, AnErrorOfTheStoreIsReturned) {
  for (std::uint64_t n = 1; n <= 2; ++n) {
    auto txn = env_->begin_write();
    ASSERT_TRUE(txn);
    PostingChanges changes;
    for (std::uint64_t id = 1; id <= 20; ++id) changes.insert("k", EntryId(id));
    plan_->fail(storage::FaultPoint::kWrite, n, ErrorCode::kNoSpace);
    const auto flushed = changes.flush(**txn);
    plan_->clear();
    ASSERT_FALSE(flushed);
    EXPECT_EQ(flushed.error().code(), ErrorCode::kNoSpace);
    (*txn)->abort();
  }
}

TEST_F(PostingChangesTest, ABrokenListIsReportedWithItsKey) {
  auto txn = env_->begin_write();
  ASSERT_TRUE(txn);
  ASSERT_TRUE((*txn)->put(Table::kIndex, "k", "12345"));
  PostingChanges changes;
  changes.erase("k", EntryId(7));
  const auto flushed = changes.flush(**txn);
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(flushed.error().message().find("key 6b"), std::string::npos);
}

}  // namespace
}  // namespace kauri::index
