#include "index/dn_index.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/limits.h"
#include "storage/storage.h"
#include "storage/test_directory.h"

namespace kauri::index {
namespace {

class DnIndexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto env = storage::Env::open(
        {.path = directory_.path(), .durability = storage::Durability::kRelaxed});
    ASSERT_TRUE(env) << env.error().message();
    env_ = std::move(*env);
    auto txn = env_->begin_write();
    ASSERT_TRUE(txn);
    txn_ = std::move(*txn);
  }
  void put(std::uint64_t parent, std::string_view rdn, std::uint64_t id) {
    const auto done = put_child(*txn_, EntryId(parent), rdn, EntryId(id));
    ASSERT_TRUE(done) << done.error().message();
  }
  std::uint64_t find(std::uint64_t parent, std::string_view rdn) {
    const auto found = find_child(*txn_, EntryId(parent), rdn);
    EXPECT_TRUE(found) << found.error().message();
    return *found ? (*found)->value() : 0;
  }
  std::vector<std::uint64_t> children(std::uint64_t parent) {
    std::vector<std::uint64_t> ids;
    auto cursor = ChildCursor::open(*txn_, EntryId(parent));
    EXPECT_TRUE(cursor);
    for (;;) {
      const auto id = cursor->next();
      EXPECT_TRUE(id) << id.error().message();
      if (!*id) return ids;
      ids.push_back((*id)->value());
    }
  }

  storage::TestDirectory directory_;
  std::unique_ptr<storage::Env> env_;
  std::unique_ptr<storage::WriteTxn> txn_;
};

TEST_F(DnIndexTest, FindsChildrenOfEachParent) {
  put(0, "dc=com\1dc=example\1", 1);
  put(1, "ou=p", 2);
  put(1, "ou=q", 3);
  put(2, "ou=p", 4);
  EXPECT_EQ(find(0, "dc=com\1dc=example\1"), 1U);
  EXPECT_EQ(find(1, "ou=p"), 2U);
  EXPECT_EQ(find(2, "ou=p"), 4U);
  EXPECT_EQ(find(3, "ou=p"), 0U);
  EXPECT_EQ(find(1, "ou="), 0U);
  EXPECT_EQ(find(1, ""), 0U);
  ASSERT_TRUE(erase_child(*txn_, EntryId(1), "ou=p"));
  EXPECT_EQ(find(1, "ou=p"), 0U);
  EXPECT_EQ(find(2, "ou=p"), 4U);
}

TEST_F(DnIndexTest, CountsLiveBesideTheChildrenWithoutMixing) {
  put(5, "a", 6);
  ASSERT_TRUE(put_counts(*txn_, EntryId(5), {1, 3}));
  const auto counts = subordinate_counts(*txn_, EntryId(5));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->children, 1U);
  EXPECT_EQ(counts->descendants, 3U);
  EXPECT_EQ(children(5), std::vector<std::uint64_t>{6});
  ASSERT_TRUE(put_counts(*txn_, EntryId(5), {}));
  EXPECT_FALSE(*txn_->get(storage::Table::kDn, counts_key(EntryId(5))));
  EXPECT_EQ(children(5), std::vector<std::uint64_t>{6});
  const auto none = subordinate_counts(*txn_, EntryId(77));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->descendants, 0U);
}

// Names of every length around the limit, that differ in their last octet only.
TEST_F(DnIndexTest, LongNamesStayApart) {
  std::uint64_t id = 1;
  std::map<std::string, std::uint64_t> model;
  for (std::size_t size = limits::kKeyValueMax - 3; size <= limits::kKeyValueMax + 3; ++size) {
    for (const char last : {'a', 'b', '\xff'}) {
      std::string rdn(size, 'x');
      rdn.back() = last;
      model[rdn] = ++id;
      put(1, rdn, id);
      ASSERT_LE(child_key(EntryId(1), rdn).size(), limits::kKeySizeMax);
    }
  }
  for (const auto& [rdn, expected] : model) EXPECT_EQ(find(1, rdn), expected) << rdn.size();
  EXPECT_EQ(children(1).size(), model.size());
}

TEST_F(DnIndexTest, ACursorGoesOnWhereAnotherStopped) {
  ASSERT_TRUE(put_counts(*txn_, EntryId(1), {50, 50}));
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 10; i < 60; ++i) {
    put(1, "cn=" + std::to_string(i), i);
    expected.push_back(i);
  }
  put(2, "cn=0", 99);
  std::vector<std::uint64_t> seen;
  std::string last;
  for (;;) {
    auto cursor = ChildCursor::open(*txn_, EntryId(1), last);
    ASSERT_TRUE(cursor);
    std::optional<EntryId> id;
    for (int i = 0; i < 7; ++i) {
      auto next = cursor->next();
      ASSERT_TRUE(next);
      id = *next;
      if (!id) break;
      seen.push_back(id->value());
    }
    if (!id) break;
    last = cursor->last_key();
    // The child it stopped at may go meanwhile.
    ASSERT_TRUE(erase_child(*txn_, EntryId(1), "cn=" + std::to_string(id->value())));
  }
  EXPECT_EQ(seen, expected);
  auto end = ChildCursor::open(*txn_, EntryId(1), last);
  ASSERT_TRUE(end);
}

TEST_F(DnIndexTest, BrokenRecordsAreReported) {
  const auto put_raw = [&](const std::string& key, std::string_view value) {
    ASSERT_TRUE(txn_->put(storage::Table::kDn, key, value));
  };
  put_raw(child_key(EntryId(1), "a"), "short");
  put_raw(child_key(EntryId(2), "a"), std::string(8, '\0'));
  put_raw(counts_key(EntryId(3)), "short");
  for (const std::uint64_t parent : {1U, 2U}) {
    const auto found = find_child(*txn_, EntryId(parent), "a");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kCorruption);
    auto cursor = ChildCursor::open(*txn_, EntryId(parent));
    ASSERT_TRUE(cursor);
    EXPECT_FALSE(cursor->next());
  }
  const auto counts = subordinate_counts(*txn_, EntryId(3));
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code(), ErrorCode::kCorruption);
}

TEST_F(DnIndexTest, AChildWithoutANameIsRefused) {
  EXPECT_FALSE(put_child(*txn_, EntryId(1), "", EntryId(2)));
  EXPECT_FALSE(erase_child(*txn_, EntryId(1), ""));
}

}  // namespace
}  // namespace kauri::index
