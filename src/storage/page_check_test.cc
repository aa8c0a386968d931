// Sound files have no faults, whatever was written; damaged ones have theirs named; and what the
// check lets pass, LMDB reads without harm.
#include "storage/page_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/endian.h"
#include "base/random.h"
#include "storage/record_sum.h"
#include "storage/test_directory.h"
#include "storage/testing/image.h"

namespace kauri::storage {
namespace {

constexpr std::size_t kPage = Image::kPageSize;

std::string number_key(std::uint64_t n) {
  std::string key;
  append_big_endian(key, n);
  return key;
}

std::string text_of(const PageReport& report) {
  std::string text;
  for (const std::string& fault : report.faults) text += fault + "\n";
  return text;
}

class PageCheckTest : public testing::Test {
 protected:
  std::string file() const { return directory_.path() + "/data.mdb"; }

  Result<std::unique_ptr<Env>> try_open(EnvOptions options = {}) const {
    options.path = directory_.path();
    return Env::open(options);
  }
  std::unique_ptr<Env> open(EnvOptions options = {}) const {
    auto env = try_open(std::move(options));
    EXPECT_TRUE(env.has_value()) << env.error().message();
    return env ? std::move(*env) : nullptr;
  }

  // Tables of several levels, values with pages of their own, and pages that are free.
  void fill() const {
    const auto env = open({.durability = Durability::kRelaxed});
    for (int round = 0; round < 3; ++round) {
      auto txn = std::move(env->begin_write().value());
      for (std::uint64_t i = 0; i < 300; ++i) {
        ASSERT_TRUE(txn->put(Table::kEntries, number_key(i), std::string(300, 'e')).has_value());
        const std::string key = std::string(400, 'k') + number_key(i);
        ASSERT_TRUE(txn->put(Table::kIndex, key, "v").has_value());
      }
      for (std::uint64_t i = 0; i < 20; ++i)
        ASSERT_TRUE(txn->put(Table::kValues, number_key(i), std::string(9000, 'v')).has_value());
      ASSERT_TRUE(txn->put(Table::kMeta, "key", "value").has_value());
      ASSERT_TRUE(txn->commit().has_value());
    }
    auto txn = std::move(env->begin_write().value());
    for (std::uint64_t i = 5; i < 15; ++i)
      ASSERT_TRUE(txn->erase(Table::kValues, number_key(i)).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  Image filled() const {
    fill();
    return Image(read_file(file()));
  }

  PageReport check(PageCheckOptions options = {}) const {
    auto report = check_pages(file(), options);
    EXPECT_TRUE(report.has_value()) << report.error().message();
    return report ? std::move(*report) : PageReport();
  }

  TestDirectory directory_;
};

void change_randomly(Env& env, SeededRandom& random, bool growing) {
  auto txn = std::move(env.begin_write().value());
  const auto table = static_cast<Table>(random.next_u64() % kTableCount);
  if (random.next_u64() % 20 == 0) {
    ASSERT_TRUE(txn->clear(table).has_value());
  }
  const std::uint64_t steps = random.next_u64() % 3 == 0 ? 1 : random.next_u64() % 400;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::string key =
        random.bytes(1 + random.next_u64() % 2) + std::string(random.next_u64() % 2 * 150, 'k');
    if (random.next_u64() % 100 < (growing ? 30U : 75U)) {
      ASSERT_TRUE(txn->erase(table, key).has_value());
    } else {
      const std::uint64_t size_max = random.next_u64() % 20 == 0 ? 20'000 : 60;
      ASSERT_TRUE(txn->put(table, key, random.bytes(random.next_u64() % size_max)).has_value());
    }
  }
  if (random.next_u64() % 8 == 0) {
    txn->abort();
  } else {
    ASSERT_TRUE(txn->commit().has_value());
  }
}

// All tables, records small and large, clearing, aborts, and openings in between.
TEST_F(PageCheckTest, EveryCommitLeavesASoundFile) {
  SeededRandom random(20240602);
  for (int round = 0; round < 60; ++round) {
    {
      const auto env = open({.durability = Durability::kRelaxed});
      ASSERT_NE(env, nullptr) << "round " << round;
      const auto commits = random.next_u64() % 4;
      // A reader that stays keeps pages from being used again.
      const auto reader =
          random.next_u64() % 2 == 0 ? std::move(env->begin_read().value()) : nullptr;
      for (std::uint64_t i = 0; i <= commits; ++i) change_randomly(*env, random, round % 8 < 4);
    }
    const PageReport whole = check();
    ASSERT_EQ(text_of(whole), "") << "round " << round;
    ASSERT_TRUE(whole.whole);
    const PageReport branches = check({.extent = PageExtent::kBranches});
    ASSERT_EQ(text_of(branches), "") << "round " << round;
    ASSERT_FALSE(branches.whole);
    ASSERT_LE(branches.pages_read, whole.pages_read);
  }
}

TEST_F(PageCheckTest, SoundBeforeTheFirstCommitAndAsACopy) {
  { ASSERT_NE(open(), nullptr); }
  EXPECT_EQ(text_of(check()), "");
  fill();
  EXPECT_EQ(text_of(check()), "");
}

struct Damage {
  const char* name;
  std::function<void(Image&)> change;
  const char* expected;  // in the faults
};

// Places of the header pages (page_format.h).
constexpr std::size_t kFreeTree = page::kHeaderSize + 24;
constexpr std::size_t kNamesTree = kFreeTree + page::kTreeRecordSize;
constexpr std::size_t kLastPage = kNamesTree + page::kTreeRecordSize;
constexpr std::size_t kTxnId = kLastPage + 8;

std::vector<Damage> header_damage() {
  return {
      {"empty", [](Image& i) { i.octets().clear(); }, "the file has 0 octets"},
      {"one octet", [](Image& i) { i.octets().resize(1); }, "the file has 1 octets"},
      {"one page", [](Image& i) { i.octets().resize(kPage); },
       "page 1 (header): it lies behind the end of the file"},
      {"cut by a page",
       [](Image& i) { i.octets().resize(i.meta().last_page * kPage - 20 * kPage); },
       "it was cut short"},
      {"magic", [](Image& i) { i.store<std::uint32_t>(16, 1); },
       "page 0 (header): this is no file of LMDB 0.9"},
      {"version", [](Image& i) { i.store<std::uint32_t>(kPage + 20, 2); },
       "page 1 (header): this is no file of LMDB 0.9"},
      {"header zeroed", [](Image& i) { i.octets().replace(kPage, kPage, kPage, '\0'); },
       "page 1 (header)"},
      {"page size", [](Image& i) { i.store<std::uint32_t>(kFreeTree, 0); },
       "the page size 0 cannot be"},
      {"other page size", [](Image& i) { i.store<std::uint32_t>(kPage + kFreeTree, 8192); },
       "page 1 (header): the page size 8192 cannot be"},
      {"one header in both places", [](Image& i) { i.octets().replace(0, kPage, i.page(1)); },
       "page 0 (header): it is not the header page that belongs here"},
      {"commit from the future",
       [](Image& i) { i.store(i.newest() * kPage + kTxnId, i.meta().txn_id + 16); },
       "which do not follow one another"},
      {"the older header taken for the newer one",
       [](Image& i) { i.store((1 - i.newest()) * kPage + kTxnId, i.meta().txn_id + 1); },
       "the free list: it ends with commit"},
      {"last page far away",
       [](Image& i) { i.store(i.newest() * kPage + kLastPage, std::uint64_t{1} << 40U); },
       "cannot be the last one of a file"},
      {"last page too small",
       [](Image& i) { i.store(i.newest() * kPage + kLastPage, std::uint64_t{40}); },
       "there is no such page, the last one is 40"},
      {"free list of another kind",
       [](Image& i) { i.store<std::uint16_t>(i.newest() * kPage + kFreeTree + 4, 9); },
       "the free list: its kind cannot be 9"},
      {"root of the names",
       [](Image& i) { i.store(i.newest() * kPage + kNamesTree + 40, std::uint64_t{1} << 33U); },
       "(the names of tables): there is no such page"},
      {"name of a table", [](Image& i) { i.octets()[i.tree_place(Table::kEntries) - 1] = 'z'; },
       "table entries: it is not among the names of tables"},
  };
}

std::vector<Damage> tree_damage() {
  const auto entries = Table::kEntries;
  return {
      {"kind of a table", [=](Image& i) { i.store<std::uint16_t>(i.tree_place(entries) + 4, 4); },
       "table entries: its kind cannot be 4"},
      {"depth", [=](Image& i) { i.store<std::uint16_t>(i.tree_place(entries) + 6, 3); },
       "(table entries)"},
      {"depth beyond LMDB's",
       [=](Image& i) { i.store<std::uint16_t>(i.tree_place(entries) + 6, 33); },
       "a tree with 33 levels"},
      {"number of branch pages",
       [=](Image& i) { i.store<std::uint64_t>(i.tree_place(entries) + 8, 77); },
       "branch pages, and says 77"},
      {"number of leaf pages",
       [=](Image& i) { i.store<std::uint64_t>(i.tree_place(entries) + 16, 77); },
       "leaf pages, and says 77"},
      {"number of overflow pages",
       [=](Image& i) { i.store<std::uint64_t>(i.tree_place(Table::kValues) + 24, 77); },
       "overflow pages, and says 77"},
      {"number of records",
       [=](Image& i) { i.store<std::uint64_t>(i.tree_place(entries) + 32, 77); },
       "table entries: it has 300 records, and says 77"},
      {"no root", [=](Image& i) { i.store(i.tree_place(entries) + 40, page::kNoPage); },
       "since it has no root"},
      {"root of another table",
       [=](Image& i) { i.store(i.tree_place(entries) + 40, i.tree(Table::kIndex).root); },
       "it is used twice"},
      {"flags of a branch page",
       [=](Image& i) { i.store<std::uint16_t>(i.tree(entries).root * kPage + 10, 0x11); },
       "it should be a branch page, and its flags are 0x11"},
      {"flags of a leaf page",
       [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 10, 0x22); },
       "it should be a leaf page, and its flags are 0x22"},
      {"child behind the end",
       [=](Image& i) { i.store<std::uint32_t>(i.node_place(i.tree(entries).root, 1), 70'000'000); },
       "page 70000000 (table entries): there is no such page"},
      {"child is the root",
       [=](Image& i) {
         const std::uint64_t root = i.tree(entries).root;
         i.store(i.node_place(root, 1), static_cast<std::uint32_t>(root));
       },
       "it is used twice"},
      {"swapped leaves", [=](Image& i) { i.swap_pages(i.leaf(entries, 1), i.leaf(entries, 2), 0); },
       "it says that it is page"},
      {"swapped contents of leaves",
       [=](Image& i) { i.swap_pages(i.leaf(entries, 1), i.leaf(entries, 2), 8); },
       "its keys do not lie between those that lead to it"},
      {"leaf zeroed",
       [=](Image& i) { i.octets().replace(i.leaf(entries, 3) * kPage, kPage, kPage, '\0'); },
       "it says that it is page 0"},
      {"separator of a branch page",
       [=](Image& i) {
         i.octets()[i.node_place(i.tree(entries).root, 1) + page::kNodeHeaderSize] = '\x7f';
       },
       "node 2 has a key that is not behind the one before it"},
  };
}

std::vector<Damage> node_damage() {
  const auto entries = Table::kEntries;
  const auto values = Table::kValues;
  return {
      {"lower", [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 12, 4); },
       "its free space from 4 to"},
      {"upper", [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 14, 5000); },
       "to 5000 is none of a page of 4096 octets"},
      {"no nodes", [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 12, 16); },
       "it has 0 nodes"},
      {"one child",
       [=](Image& i) { i.store<std::uint16_t>(i.tree(entries).root * kPage + 12, 18); },
       "it has 1 nodes"},
      {"place of a node",
       [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 16, 4090); },
       "node 0 starts at 4090, where no node can be"},
      {"place of a node in the free space",
       [=](Image& i) { i.store<std::uint16_t>(i.leaf(entries) * kPage + 18, 64); },
       "node 1 starts at 64, where no node can be"},
      {"key size",
       [=](Image& i) { i.store<std::uint16_t>(i.node_place(i.leaf(entries), 0) + 6, 512); },
       "node 0 has a key of 512 octets"},
      {"no key", [=](Image& i) { i.store<std::uint16_t>(i.node_place(i.leaf(entries), 2) + 6, 0); },
       "node 2 has a key of 0 octets"},
      {"size of the data",
       [=](Image& i) { i.store<std::uint32_t>(i.node_place(i.leaf(entries), 0), 1U << 30U); },
       "and runs out of the page"},
      {"size of the data, inside the page",
       [=](Image& i) {
         const std::string octets = i.page(i.leaf(entries));
         const std::size_t last = page::nodes_of(octets) - 1;
         i.store<std::uint32_t>(i.node_place(i.leaf(entries), last), 302);
       },
       "octets, and"},
      {"kind of a node",
       [=](Image& i) { i.store<std::uint16_t>(i.node_place(i.leaf(entries), 0) + 4, 4); },
       "node 0 has the flags 0x4"},
      {"order of keys",
       [=](Image& i) {
         i.octets()[i.node_place(i.leaf(entries), 1) + page::kNodeHeaderSize] = '\1';
       },
       "node 2 has a key that is not behind the one before it"},
      {"overflow page, its number",
       [=](Image& i) { i.store<std::uint64_t>(i.overflow(values) * kPage, 9); },
       "it is not the overflow page that belongs here"},
      {"overflow page, its flags",
       [=](Image& i) { i.store<std::uint16_t>(i.overflow(values) * kPage + 10, 6); },
       "it is not the overflow page that belongs here"},
      {"overflow page, how many",
       [=](Image& i) { i.store<std::uint32_t>(i.overflow(values) * kPage + 12, 1U << 20U); },
       "9004 octets cannot lie in its 1048576 pages"},
      {"overflow page, too few",
       [=](Image& i) { i.store<std::uint32_t>(i.overflow(values) * kPage + 12, 2); },
       "9004 octets cannot lie in its 2 pages"},
      {"overflow page, where",
       [=](Image& i) {
         const std::size_t place = i.node_place(i.leaf(values), 0) + page::kNodeHeaderSize + 8;
         i.store(place, i.overflow(values) + 1);
       },
       "(table values)"},
  };
}

std::vector<Damage> free_list_damage() {
  const auto place = [](const Image& image) {  // of the first record's count
    const std::uint64_t root = image.meta().free_list.root;
    return image.node_place(root, 0) + page::kNodeHeaderSize + 8;
  };
  return {
      {"free pages, how many", [=](Image& i) { i.store<std::uint64_t>(place(i), 1U << 30U); },
       "cannot hold 1073741824 numbers"},
      {"free page that is none", [=](Image& i) { i.store<std::uint64_t>(place(i) + 8, 1); },
       "the free list, commit"},
      {"free page that is used",
       [=](Image& i) { i.store(place(i) + 8, i.tree(Table::kEntries).root); }, "listed as free"},
      {"page of the free list",
       [=](Image& i) { i.octets()[i.meta().free_list.root * kPage + 10] = 1; }, "(the free list)"},
  };
}

TEST_F(PageCheckTest, DamageIsNamed) {
  const Image sound = filled();
  ASSERT_GE(sound.tree(Table::kEntries).depth, 2U);
  ASSERT_GE(sound.tree(Table::kIndex).depth, 3U);
  ASSERT_EQ(text_of(check()), "");
  for (const auto& damages : {header_damage(), tree_damage(), node_damage(), free_list_damage()}) {
    for (const Damage& damage : damages) {
      SCOPED_TRACE(damage.name);
      Image image = sound;
      damage.change(image);
      write_file(file(), image.octets());
      const PageReport report = check();
      EXPECT_NE(text_of(report).find(damage.expected), std::string::npos) << text_of(report);
      EXPECT_EQ(report.fault_count, report.faults.size());
      const auto env = try_open();
      ASSERT_FALSE(env.has_value());
      EXPECT_EQ(env.error().code(), ErrorCode::kCorruption);
      EXPECT_NE(env.error().message().find(file() + " is damaged: "), std::string::npos)
          << env.error().message();
      EXPECT_NE(env.error().message().find("restore a backup"), std::string::npos);
      EXPECT_EQ(read_file(file()), image.octets()) << "the damaged file was changed";
    }
  }
}

// Only found where all pages are looked at, and not at the start of a server.
TEST_F(PageCheckTest, AnOlderPageInThePlaceOfANewerOne) {
  fill();
  const Image older(read_file(file()));
  {
    const auto env = open();
    auto txn = std::move(env->begin_write().value());
    ASSERT_TRUE(txn->put(Table::kEntries, number_key(7), std::string(300, 'f')).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  const Image newer(read_file(file()));
  // The root of the table as it was before: it leads to the leaf of old, which is free now.
  Image image = newer;
  const std::uint64_t root = newer.tree(Table::kEntries).root;
  std::string page = older.page(older.tree(Table::kEntries).root);
  std::memcpy(page.data(), &root, sizeof root);
  image.octets().replace(root * kPage, kPage, page);
  write_file(file(), image.octets());
  EXPECT_NE(text_of(check()).find("it is used, and listed as free"), std::string::npos)
      << text_of(check());
  // A free list of old: pages that were freed since belong to nothing.
  image = newer;
  const std::string free_list = older.page(older.meta().free_list.root);
  const std::uint64_t place = newer.meta().free_list.root;
  image.octets().replace(place * kPage + 8, kPage - 8, free_list.substr(8));
  write_file(file(), image.octets());
  EXPECT_NE(text_of(check()), "");
}

TEST_F(PageCheckTest, APageThatBelongsToNothing) {
  Image image = filled();
  const std::uint64_t root = image.meta().free_list.root;
  // The last number of the first record, which is left out.
  const std::size_t count = image.node_place(root, 0) + page::kNodeHeaderSize + 8;
  image.octets()[count] = static_cast<char>(image.octets()[count] - 1);
  write_file(file(), image.octets());
  EXPECT_NE(text_of(check()).find("nothing leads to it"), std::string::npos) << text_of(check());
  EXPECT_EQ(text_of(check({.orphans = false})), "");
  EXPECT_NE(open(), nullptr);
}

// Nothing where a record's checksum is wrong.
std::optional<std::map<std::string, std::string>> contents_of(Env& env, Table table) {
  std::map<std::string, std::string> contents;
  auto txn = std::move(env.begin_read().value());
  auto cursor = std::move(txn->cursor(table).value());
  auto more = cursor->first();
  for (; more && *more; more = cursor->next()) contents.emplace(cursor->key(), cursor->value());
  if (more) return contents;
  EXPECT_EQ(more.error().code(), ErrorCode::kCorruption) << more.error().message();
  return std::nullopt;
}

std::size_t octets_that_differ(const std::map<std::string, std::string>& a,
                               const std::map<std::string, std::string>& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1000;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end(); ++i, ++j) {
    const std::string first = i->first + i->second;
    const std::string second = j->first + j->second;
    if (first.size() != second.size()) return 1000;
    for (std::size_t k = 0; k < first.size(); ++k) count += first[k] == second[k] ? 0 : 1;
  }
  return count;
}

// One wrong bit anywhere: refused, or found when the record is read, or, where records have
// checksums that only others know, at most one octet of one key or value differs. Nearly all bits
// are chosen from the headers, pointers and node headers, the octets that LMDB trusts.
TEST_F(PageCheckTest, WhatPassesIsReadWithoutHarm) {
  const Image sound = filled();
  std::vector<std::map<std::string, std::string>> expected;
  {
    const auto env = open();
    for (std::size_t i = 0; i < kTableCount; ++i)
      expected.push_back(contents_of(*env, static_cast<Table>(i)).value());
  }
  std::vector<std::uint64_t> trees;  // pages of trees, also of the older commit
  for (std::uint64_t number = 2; number < sound.octets().size() / kPage; ++number)
    if (page::number_of(sound.page(number)) == number &&
        page::flags_of(sound.page(number)) <= page::kLeaf)
      trees.push_back(number);
  SeededRandom random(20240603);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    Image image = sound;
    std::uint64_t number = random.next_u64() % (sound.octets().size() / kPage);
    std::size_t place = random.next_u64() % kPage;
    if (round % 6 == 1) {
      number = random.next_u64() % page::kMetaPages;
      place = random.next_u64() % page::kMetaSize;
    } else if (round % 6 != 0) {
      number = trees[random.next_u64() % trees.size()];
      const std::string octets = sound.page(number);
      const std::size_t node = random.next_u64() % page::nodes_of(octets);
      place = round % 2 == 0 ? random.next_u64() % page::lower_of(octets)
                             : page::node_offset(octets, node) + random.next_u64() % 16;
    }
    auto& octet = image.octets()[number * kPage + place];
    octet = static_cast<char>(octet ^ (1 << random.next_u64() % 8));
    write_file(file(), image.octets());
    SCOPED_TRACE("round " + std::to_string(round) + ", page " + std::to_string(number) +
                 ", octet " + std::to_string(place));
    const auto env = try_open();
    if (!env) {
      ASSERT_EQ(env.error().code(), ErrorCode::kCorruption) << env.error().message();
      ++refused;
      continue;
    }
    for (std::size_t i = 0; i < kTableCount; ++i) {
      const auto contents = contents_of(**env, static_cast<Table>(i));
      if (!contents) continue;  // said to be damaged
      // What a value has behind a checksum of its own is for others to prove.
      const bool covered = sum_covers_value(static_cast<Table>(i));
      ASSERT_LE(octets_that_differ(expected[i], *contents), covered ? 0U : 1U);
    }
  }
  EXPECT_GT(refused, 80);
  EXPECT_LT(refused, 270);
}

TEST_F(PageCheckTest, BranchesAloneReadFewPages) {
  Image image = filled();
  const std::uint64_t pages = check().pages_read;
  image.store<std::uint16_t>(image.leaf(Table::kEntries) * kPage + 12, 4);
  write_file(file(), image.octets());
  const PageReport report = check({.extent = PageExtent::kBranches});
  EXPECT_EQ(text_of(report), "");
  EXPECT_LT(report.pages_read, pages / 3);
  EXPECT_EQ(text_of(check({.extent = PageExtent::kFit})), text_of(check()));
  EXPECT_NE(text_of(check()), "");
}

// A leaf page that became a branch page and leads to itself, in a file whose leaves were not
// checked.
TEST_F(PageCheckTest, ACircleEndsAsCorruption) {
  Image image = filled();
  const std::uint64_t leaf = image.leaf(Table::kEntries);
  image.store(leaf * kPage + 10, page::kBranch);
  image.store(image.node_place(leaf, 0), static_cast<std::uint32_t>(leaf));
  image.store<std::uint16_t>(image.node_place(leaf, 0) + 4, 0);
  write_file(file(), image.octets());
  const auto env = open({.page_extent = PageExtent::kBranches});
  ASSERT_NE(env, nullptr);
  auto txn = std::move(env->begin_read().value());
  const auto value = txn->get(Table::kEntries, number_key(0));
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code(), ErrorCode::kCorruption) << value.error().message();
}

TEST_F(PageCheckTest, TablesThatNobodyReadsDoNotMatter) {
  Image image = filled();
  image.store<std::uint16_t>(image.tree(Table::kIndex).root * kPage + 10, 0x11);
  write_file(file(), image.octets());
  EXPECT_TRUE(check().broken.test(static_cast<std::size_t>(Table::kIndex)));
  EXPECT_FALSE(try_open());
  const auto env = open({.page_tables = table_set(Table::kMeta, Table::kEntries, Table::kValues)});
  ASSERT_NE(env, nullptr);
  EXPECT_EQ(contents_of(*env, Table::kEntries)->size(), 300U);
}

TEST_F(PageCheckTest, AReportOpensWhatCanBeRead) {
  Image image = filled();
  image.store<std::uint16_t>(image.leaf(Table::kIndex) * kPage + 10, 0x11);
  image.store<std::uint16_t>(image.leaf(Table::kValues) * kPage + 10, 0x11);
  write_file(file(), image.octets());
  PageReport report;
  {
    const auto env = open({.page_report = &report});
    ASSERT_NE(env, nullptr);
    EXPECT_EQ(report.fault_count, 2U) << text_of(report);
    EXPECT_EQ(report.broken, table_set(Table::kIndex, Table::kValues));
    EXPECT_EQ(contents_of(*env, Table::kEntries)->size(), 300U);
  }
  image.store<std::uint32_t>(16, 1);
  write_file(file(), image.octets());
  EXPECT_FALSE(try_open({.page_report = &report}));
  EXPECT_TRUE(report.unusable);
  EXPECT_EQ(report.fault_count, 1U) << text_of(report);
}

// The lock file holds nothing that lasts: readers of processes that are gone.
TEST_F(PageCheckTest, LockFilesDoNotMatter) {
  fill();
  for (const char* name : {"/lock.mdb", "/kauri.lock"}) {
    write_file(directory_.path() + name, std::string(5000, '\xa5'));
    const auto env = open();
    ASSERT_NE(env, nullptr) << name;
    EXPECT_EQ(contents_of(*env, Table::kEntries)->size(), 300U);
    auto txn = std::move(env->begin_write().value());
    ASSERT_TRUE(txn->put(Table::kMeta, "k", name).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  std::filesystem::remove(directory_.path() + "/lock.mdb");
  EXPECT_NE(open(), nullptr);
}

TEST_F(PageCheckTest, AMissingFileIsAnError) {
  const auto report = check_pages(file(), {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kauri::storage
