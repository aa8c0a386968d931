#include "index/posting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/random.h"
#include "index/posting_format.h"
#include "storage/fault_env.h"
#include "storage/test_directory.h"

namespace kauri::index {
namespace {

using storage::Table;
using Model = std::map<std::string, std::set<std::uint64_t>>;

class PostingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto env = storage::Env::open(
        {.path = directory_.path(), .durability = storage::Durability::kRelaxed});
    ASSERT_TRUE(env) << env.error().message();
    plan_ = std::make_shared<storage::FaultPlan>();
    env_ = storage::make_fault_env(std::move(*env), plan_);
  }
  std::unique_ptr<storage::WriteTxn> write() {
    auto txn = env_->begin_write();
    EXPECT_TRUE(txn);
    return std::move(*txn);
  }

  storage::TestDirectory directory_;
  std::shared_ptr<storage::FaultPlan> plan_;
  std::unique_ptr<storage::Env> env_;
};

std::vector<std::uint64_t> members(const IdSet& set) {
  std::vector<std::uint64_t> ids;
  for (auto id = set.at_or_after(EntryId(0)); id; id = set.at_or_after(EntryId(id->value() + 1)))
    ids.push_back(id->value());
  return ids;
}

// Every way to read a list gives the model's answer.
void expect_list(storage::Txn& txn, const std::string& key, const std::set<std::uint64_t>& model) {
  const auto count = posting_count(txn, key);
  ASSERT_TRUE(count) << count.error().message();
  ASSERT_EQ(*count, model.size());
  IdSet set;
  const auto read = read_posting(txn, key, set);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(members(set), std::vector<std::uint64_t>(model.begin(), model.end()));
  IdSet peeked;
  const auto peek = peek_posting(txn, key, peeked);
  ASSERT_TRUE(peek);
  ASSERT_EQ(peek->count, model.size());
  ASSERT_EQ(peeked.size(), peek->complete ? model.size() : 0);
  std::vector<std::uint64_t> listed;
  const auto ids_read = read_posting(txn, key, listed);
  ASSERT_TRUE(ids_read) << ids_read.error().message();
  ASSERT_EQ(listed, std::vector<std::uint64_t>(model.begin(), model.end()));
  // Members, their neighbours, and ids of blocks that the list does not have; many, and few.
  for (const std::uint64_t step : {1U, 40U}) {
    std::set<std::uint64_t> some{1, kBlockIds, 400 * kBlockIds};
    for (const std::uint64_t member : model) {
      if (member % step != 0 || member % 3 == 0) continue;
      some.insert({member, member + 1, member + 5 * kBlockIds});
    }
    std::vector<std::uint64_t> retained(some.begin(), some.end());
    const auto done = retain_posting(txn, key, retained);
    ASSERT_TRUE(done) << done.error().message();
    std::erase_if(some, [&](std::uint64_t id) { return !model.contains(id); });
    ASSERT_EQ(retained, std::vector<std::uint64_t>(some.begin(), some.end()));
  }
}

void expect_all(storage::Txn& txn, const Model& model) {
  for (const auto& [key, ids] : model) ASSERT_NO_FATAL_FAILURE(expect_list(txn, key, ids));
  // The scan sees each list that is not empty once, in order.
  auto scan = PostingScan::open(txn, std::string(1, '\0'), std::string(20, '\xff'));
  ASSERT_TRUE(scan);
  auto expected = model.begin();
  bool read_it = true;
  for (;;) {
    const auto more = scan->next();
    ASSERT_TRUE(more) << more.error().message();
    while (expected != model.end() && expected->second.empty()) ++expected;
    ASSERT_EQ(*more, expected != model.end());
    if (!*more) break;
    ASSERT_EQ(scan->key(), expected->first);
    ASSERT_EQ(scan->count(), expected->second.size());
    read_it = !read_it;
    if (read_it) {
      IdSet set;
      const auto read = scan->read(set);
      ASSERT_TRUE(read) << read.error().message();
      ASSERT_EQ(set.size(), expected->second.size());
    }
    ++expected;
  }
}

// The records are what a bulk build would make, save where hysteresis keeps the longer form.
std::size_t record_count(storage::Txn& txn) {
  auto stats = txn.table_stats(Table::kIndex);
  EXPECT_TRUE(stats);
  return static_cast<std::size_t>(stats->entries);
}

TEST_F(PostingTest, AgreesWithAStandardSet) {
  const std::vector<std::string> keys = {"a", "b", std::string("c\0\0", 3), "d\xff"};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    auto txn = write();
    Model model;
    const std::uint64_t range = seed % 3 == 0 ? 30 : seed % 3 == 1 ? 2000 : 40000;
    for (int step = 0; step < 4000; ++step) {
      const std::string& key = keys[random.next_u64() % keys.size()];
      const std::uint64_t id = 1 + random.next_u64() % range;
      // Growing for the first half, shrinking after that.
      const bool inserting = random.next_u64() % 100 < (step < 2000 ? 80U : 20U);
      const auto changed = inserting ? insert_posting(*txn, key, EntryId(id))
                                     : erase_posting(*txn, key, EntryId(id));
      ASSERT_TRUE(changed) << changed.error().message();
      const bool expected = inserting ? model[key].insert(id).second : model[key].erase(id) == 1;
      ASSERT_EQ(*changed, expected);
      const auto contains = posting_contains(*txn, key, EntryId(id));
      ASSERT_TRUE(contains);
      ASSERT_EQ(*contains, inserting);
      if (step % 500 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_all(*txn, model));
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_all(*txn, model));
    for (auto& [key, ids] : model) {
      for (const std::uint64_t id : ids) ASSERT_TRUE(erase_posting(*txn, key, EntryId(id)));
      ids.clear();
    }
    ASSERT_NO_FATAL_FAILURE(expect_all(*txn, model));
    ASSERT_EQ(record_count(*txn), 0U);
  }
}

TEST_F(PostingTest, FormsFollowTheSizeWithHysteresis) {
  auto txn = write();
  for (std::uint64_t id = 1; id <= kInlineMax; ++id)
    ASSERT_TRUE(insert_posting(*txn, "k", EntryId(id)));
  EXPECT_EQ(record_count(*txn), 1U);
  ASSERT_TRUE(insert_posting(*txn, "k", EntryId(kInlineMax + 1)));
  EXPECT_EQ(record_count(*txn), 2U);  // head and one block
  for (std::uint64_t id = kInlineMax + 1; id > kInlineBack + 1; --id)
    ASSERT_TRUE(erase_posting(*txn, "k", EntryId(id)));
  EXPECT_EQ(record_count(*txn), 2U);
  ASSERT_TRUE(erase_posting(*txn, "k", EntryId(1)));
  EXPECT_EQ(record_count(*txn), 1U);

  const std::string block_key = std::string("b") + std::string(8, '\0');
  for (std::uint64_t id = 1; id <= kArrayMax; ++id)
    ASSERT_TRUE(insert_posting(*txn, "b", EntryId(id)));
  const auto block_size = [&] { return (*txn->get(Table::kIndex, block_key))->size(); };
  EXPECT_EQ(block_size(), 1 + 2 * kArrayMax);
  ASSERT_TRUE(insert_posting(*txn, "b", EntryId(kArrayMax + 1)));
  EXPECT_EQ((**txn->get(Table::kIndex, block_key))[0], kBitmapTag);
  EXPECT_EQ(block_size(), 1 + kBitmapSize);
  for (std::uint64_t id = kArrayMax + 1; id > kArrayBack + 1; --id)
    ASSERT_TRUE(erase_posting(*txn, "b", EntryId(id)));
  EXPECT_EQ(block_size(), 1 + kBitmapSize);
  ASSERT_TRUE(erase_posting(*txn, "b", EntryId(1)));
  EXPECT_EQ(block_size(), 1 + 2 * kArrayBack);
}

TEST_F(PostingTest, BulkBuildGivesTheSameListInKeyOrder) {
  for (const std::size_t count : {1U, 7U, 8U, 9U, 511U, 512U, 513U, 9000U, 30000U}) {
    SCOPED_TRACE(count);
    auto txn = write();
    std::vector<EntryId> ids;
    std::set<std::uint64_t> model;
    for (std::size_t i = 0; i < count; ++i) {
      ids.emplace_back(i * 3 + 1);
      model.insert(i * 3 + 1);
    }
    // append() refuses a key that is not behind the last one.
    const auto sink = [](void* context, std::string_view key,
                         std::string_view value) -> Result<void> {
      return static_cast<storage::WriteTxn*>(context)->append(Table::kIndex, key, value);
    };
    const auto built = build_posting("key", ids.data(), ids.size(), sink, txn.get());
    ASSERT_TRUE(built) << built.error().message();
    expect_list(*txn, "key", model);
    ASSERT_TRUE(insert_posting(*txn, "key", EntryId(2)));
    model.insert(2);
    expect_list(*txn, "key", model);
  }
}

// A write that fails gives its error, and the transaction that follows finds the list as it was.
TEST_F(PostingTest, EveryFailingWriteLeavesTheListAsItWas) {
  Model model;
  {
    auto txn = write();
    for (std::uint64_t id = 1; id <= kInlineMax; ++id) {
      ASSERT_TRUE(insert_posting(*txn, "full", EntryId(id)));
      model["full"].insert(id);
    }
    for (std::uint64_t id = 1; id <= kInlineMax + 1; ++id)
      ASSERT_TRUE(insert_posting(*txn, "blocks", EntryId(id * kBlockIds)));
    for (std::uint64_t id = kInlineMax + 1; id > kInlineBack + 1; --id)
      ASSERT_TRUE(erase_posting(*txn, "blocks", EntryId(id * kBlockIds)));
    for (std::uint64_t id = 1; id <= kInlineBack + 1; ++id) model["blocks"].insert(id * kBlockIds);
    ASSERT_TRUE(txn->commit());
  }
  bool reached_end = false;
  for (std::uint64_t n = 1; !reached_end && n < 100; ++n) {
    SCOPED_TRACE(n);
    auto txn = write();
    const std::uint64_t failures = plan_->failures();
    plan_->fail(storage::FaultPoint::kWrite, n, ErrorCode::kNoSpace);
    const auto grown = insert_posting(*txn, "full", EntryId(100));
    const auto shrunk = erase_posting(*txn, "blocks", EntryId(kBlockIds));
    reached_end = plan_->failures() == failures;
    plan_->clear();
    if (reached_end) {
      EXPECT_TRUE(grown && shrunk);
    } else {
      EXPECT_TRUE(!grown || !shrunk);
      EXPECT_EQ((!grown ? grown : shrunk).error().code(), ErrorCode::kNoSpace);
    }
    txn->abort();
    auto read = env_->begin_read();
    ASSERT_TRUE(read);
    ASSERT_NO_FATAL_FAILURE(expect_all(**read, model));
  }
  EXPECT_TRUE(reached_end);
}

struct BrokenCase {
  const char* name;
  std::string head;
  std::string block;
};

TEST_F(PostingTest, BrokenRecordsAreReportedWithTheirKey) {
  const std::string head = encode_head(2);
  const std::string zeros(kBitmapSize, '\0');
  const std::vector<BrokenCase> cases = {
      {"empty record", "", ""},
      {"a length that fits nothing", "12345", ""},
      {"too many ids", std::string((kInlineMax + 1) * 8, '\1'), ""},
      {"id 0", std::string(8, '\0'), ""},
      {"ids that do not rise", std::string(16, '\1'), ""},
      {"unknown head tag", "\2" + std::string(8, '\1'), ""},
      {"head of an empty list", "\1" + std::string(8, '\0'), ""},
      {"head without blocks", head, ""},
      {"unknown block tag", head, "\3\1"},
      {"array of half an offset", head, std::string("\1\1", 2)},
      {"array without members", head, "\1"},
      {"array out of order", head, std::string("\1\2\0\1\0", 5)},
      {"offset out of range", head, std::string("\1\1\0\0\x20", 5)},
      {"bitmap too short", head, "\2" + zeros.substr(1)},
      {"bitmap without members", head, "\2" + zeros},
      {"cardinality that the blocks do not have", head, std::string("\1\1\0", 3)},
  };
  for (const BrokenCase& broken : cases) {
    SCOPED_TRACE(broken.name);
    auto txn = write();
    ASSERT_TRUE(txn->put(Table::kIndex, "k", broken.head));
    if (!broken.block.empty()) {
      ASSERT_TRUE(txn->put(Table::kIndex, "k" + std::string(8, '\0'), broken.block));
    }
    IdSet set;
    const auto read = read_posting(*txn, "k", set);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(read.error().message().find("table index, key 6b"), std::string::npos)
        << read.error().message();
    std::vector<std::uint64_t> listed;
    EXPECT_FALSE(read_posting(*txn, "k", listed));
    std::vector<std::uint64_t> some{1};
    const auto retained = retain_posting(*txn, "k", some);
    ASSERT_FALSE(retained);
    EXPECT_EQ(retained.error().code(), ErrorCode::kCorruption);
    auto scan = PostingScan::open(*txn, "a", "z");
    ASSERT_TRUE(scan);
    auto next = scan->next();
    IdSet scanned;
    EXPECT_FALSE(next && scan->read(scanned));
    txn->abort();
  }
}

TEST_F(PostingTest, AUniqueValueCostsOneLookUp) {
  auto txn = write();
  ASSERT_TRUE(insert_posting(*txn, "k", EntryId(7)));
  const std::uint64_t reads = plan_->calls(storage::FaultPoint::kRead);
  IdSet set;
  ASSERT_TRUE(read_posting(*txn, "k", set));
  EXPECT_EQ(plan_->calls(storage::FaultPoint::kRead), reads + 1);
  EXPECT_TRUE(set == IdSet::single(EntryId(7)));
}

}  // namespace
}  // namespace kauri::index
