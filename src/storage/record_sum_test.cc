// A wrong bit in a record is found by everybody who asks for it, and by those who would be told
// that there is no such record.
#include "storage/record_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "storage/test_directory.h"
#include "storage/testing/image.h"

namespace kauri::storage {
namespace {

using Records = std::vector<std::pair<std::string, std::string>>;
// Two have one head, as the children of one entry or the values of one attribute do.
const Records kRecords = {{"aa", "1"}, {"bb1", "22"}, {"bb2", ""}, {"cc", "4444"}};
constexpr std::array kTables = {Table::kMeta,  Table::kEntries, Table::kDn,
                                Table::kIndex, Table::kValues,  Table::kChanges};

class RecordSumTest : public testing::Test {
 protected:
  std::string file() const { return directory_.path() + "/data.mdb"; }
  std::unique_ptr<Env> open() const {
    auto env = Env::open({.path = directory_.path(), .durability = Durability::kRelaxed});
    // Keys out of order are found by the check of pages, which comes first.
    if (env) return std::move(*env);
    EXPECT_EQ(env.error().code(), ErrorCode::kCorruption) << env.error().message();
    return nullptr;
  }
  Image filled(Table table) const {
    {
      const auto env = open();
      auto txn = std::move(env->begin_write().value());
      EXPECT_TRUE(txn->clear(table));
      for (const auto& [key, value] : kRecords) EXPECT_TRUE(txn->append(table, key, value));
      EXPECT_TRUE(txn->commit());
    }
    return Image(read_file(file()));
  }
  TestDirectory directory_;
};

void expect_named(const Error& error, Table table) {
  EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.message();
  const std::string name = "in table " + std::string(table_name(table)) + ", key ";
  EXPECT_NE(error.message().find(name), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("run verify"), std::string::npos) << error.message();
}

// What is found from `from` on, in either direction, is right and whole, or an error.
// RETURNS: whether there was one.
bool walk_is_right(Txn& txn, Table table, std::string_view from, std::size_t expected) {
  auto cursor = std::move(txn.cursor(table).value());
  Result<bool> found = cursor->seek(from);
  for (std::size_t at = expected; found && *found; ++at, found = cursor->next()) {
    EXPECT_LT(at, kRecords.size());
    if (at >= kRecords.size()) return false;
    EXPECT_EQ(cursor->key(), kRecords[at].first);
    EXPECT_EQ(cursor->value(), kRecords[at].second);
    expected = at + 1;
  }
  if (found) {
    EXPECT_EQ(expected, kRecords.size());
    return false;
  }
  expect_named(found.error(), table);
  return true;
}

// RETURNS: how many of the questions met an error.
int questions(Env& env, Table table) {
  int errors = 0;
  auto txn = std::move(env.begin_read().value());
  for (const auto& [key, value] : kRecords) {
    const auto found = txn->get(table, key);
    if (found) {
      EXPECT_EQ(found->value_or("nothing"), value) << key;
    } else {
      expect_named(found.error(), table);
      ++errors;
    }
  }
  errors += walk_is_right(*txn, table, {}, 0) ? 1 : 0;
  errors += walk_is_right(*txn, table, "b", 1) ? 1 : 0;
  errors += walk_is_right(*txn, table, "bb2", 2) ? 1 : 0;
  auto cursor = std::move(txn->cursor(table).value());
  for (const auto& [key, value] : kRecords) {
    const Result<bool> found = cursor->seek_exact(key);
    if (found) {
      EXPECT_TRUE(*found) << key;
    } else {
      expect_named(found.error(), table);
      ++errors;
    }
  }
  return errors;
}

TEST_F(RecordSumTest, EveryBitOfEveryRecord) {
  for (const Table table : kTables) {
    SCOPED_TRACE(table_name(table));
    const Image sound = filled(table);
    {
      const auto env = open();
      ASSERT_NE(env, nullptr);
      ASSERT_EQ(questions(*env, table), 0);
    }
    const std::uint64_t leaf = sound.leaf(table);
    int served = 0;
    for (std::size_t i = 0; i < kRecords.size(); ++i) {
      const std::size_t begin = sound.node_place(leaf, i) + page::kNodeHeaderSize;
      const std::size_t size =
          kRecords[i].first.size() + kRecords[i].second.size() + kRecordSumSize;
      for (std::size_t bit = 0; bit < size * 8; bit += table == Table::kDn ? 1 : 5) {
        SCOPED_TRACE("record " + std::to_string(i) + ", bit " + std::to_string(bit));
        Image damaged = sound;
        char& octet = damaged.octets()[begin + bit / 8];
        octet = static_cast<char>(octet ^ (1 << (bit % 8)));
        write_file(file(), damaged.octets());
        const auto env = open();
        if (env == nullptr) continue;
        ++served;
        EXPECT_GE(questions(*env, table), 3);
      }
    }
    EXPECT_GT(served, 30);
  }
}

// Beside the place of what is not there.
TEST_F(RecordSumTest, WhatIsAbsentIsAbsent) {
  for (const Table table : kTables) {
    filled(table);
    const auto env = open();
    auto read = std::move(env->begin_read().value());
    auto write = std::move(env->begin_write().value());
    for (Txn* txn : {static_cast<Txn*>(read.get()), static_cast<Txn*>(write.get())}) {
      for (const char* key : {"a", "ab", "bb", "bb11", "cb", "cd", "zz"}) {
        const auto found = txn->get(table, key);
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_FALSE(found->has_value());
      }
      auto cursor = std::move(txn->cursor(table).value());
      ASSERT_TRUE(cursor->seek("a").value());
      EXPECT_EQ(cursor->key(), "aa");
      ASSERT_TRUE(cursor->seek("bb11").value());
      EXPECT_EQ(cursor->key(), "bb2");
      ASSERT_TRUE(cursor->previous().value());
      EXPECT_EQ(cursor->key(), "bb1");
      EXPECT_EQ(cursor->value(), "22");
      EXPECT_FALSE(cursor->seek("zz").value());
      EXPECT_FALSE(cursor->next().value());
    }
    EXPECT_FALSE(write->erase(table, "bb11").value());
    ASSERT_TRUE(write->clear(table));
    EXPECT_FALSE(write->get(table, "a")->has_value());
  }
}

// What is to be erased and is not found may be there under another key.
TEST_F(RecordSumTest, ErasingBesideDamage) {
  Image image = filled(Table::kDn);
  const std::size_t key = image.record_place(Table::kDn, "bb2");
  image.octets()[key + 2] = '4';
  write_file(file(), image.octets());
  const auto env = open();
  ASSERT_NE(env, nullptr);
  auto txn = std::move(env->begin_write().value());
  const Result<bool> erased = txn->erase(Table::kDn, "bb2");
  ASSERT_FALSE(erased);
  expect_named(erased.error(), Table::kDn);
  EXPECT_TRUE(txn->erase(Table::kDn, "bb1").value());
}

// LMDB takes a table for an empty one when it does not find the table's name, and the names of the
// tables have no checksums.
TEST_F(RecordSumTest, ATableWhoseNameIsLost) {
  for (const Table table : kTables) {
    SCOPED_TRACE(table_name(table));
    const Image sound = filled(table);
    const auto env = open();
    ASSERT_NE(env, nullptr);
    const std::size_t last = sound.tree_place(table) - 1;
    const auto put = [&](char octet) {
      std::fstream out(file(), std::ios::binary | std::ios::in | std::ios::out);
      out.seekp(static_cast<std::streamoff>(last));
      out.put(octet);
    };
    put(static_cast<char>(sound.octets()[last] ^ 1));
    const auto expect_lost = [&](const auto& result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
      const std::string name = "table " + std::string(table_name(table)) + ": it is not found";
      EXPECT_NE(result.error().message().find(name), std::string::npos) << result.error().message();
    };
    {
      const auto txn = std::move(env->begin_read().value());
      expect_lost(txn->get(table, "aa"));
      expect_lost(txn->table_stats(table));
      const auto cursor = std::move(txn->cursor(table).value());
      expect_lost(cursor->first());
      expect_lost(cursor->last());
      expect_lost(cursor->seek("aa"));
      expect_lost(cursor->seek_exact("bb1"));
    }
    expect_lost(env->begin_write().value()->get(table, "aa"));
    put(sound.octets()[last]);
    EXPECT_EQ(env->begin_read().value()->get(table, "aa")->value(), "1");
  }
}

// Entries and changes prove their values themselves; that they are the values of their keys is
// proved here.
TEST_F(RecordSumTest, AnEntryUnderAnothersKey) {
  Image image = filled(Table::kEntries);
  const std::size_t key = image.record_place(Table::kEntries, "bb1");
  {
    const auto env = open();
    const auto txn = std::move(env->begin_read().value());
    // The second of four is the one that LMDB looks at first.
    std::fstream out(file(), std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(key + 2));
    out.put('2');
    out.close();
    for (const char* sought : {"bb1", "bb2"}) {
      const auto found = txn->get(Table::kEntries, sought);
      ASSERT_FALSE(found) << **found;
      expect_named(found.error(), Table::kEntries);
    }
  }
}

// A record that was put into another place whole is no record of that place.
TEST_F(RecordSumTest, TableAndKeyBelongToIt) {
  std::array<char, 8> space{};
  const std::string_view stored(space.data(), space.size());
  write_record(Table::kDn, "key", "four", space.data());
  EXPECT_EQ(check_record(Table::kDn, "key", stored).value(), "four");
  EXPECT_FALSE(check_record(Table::kIndex, "key", stored));
  EXPECT_FALSE(check_record(Table::kDn, "kez", stored));
  EXPECT_FALSE(check_record(Table::kDn, "ke", std::string("y") + std::string(stored)));
  EXPECT_FALSE(check_record(Table::kDn, "key", stored.substr(0, 7)));
  EXPECT_FALSE(check_record(Table::kDn, "key", stored.substr(0, 3)));
  expect_named(check_record(Table::kDn, "key", {}).error(), Table::kDn);
}

// The octets of docs/formats/file.md.
TEST_F(RecordSumTest, ExampleOfTheFormat) {
  std::array<char, 12> space{};
  write_record(Table::kDn, std::string_view("\0\0\0\0\0\0\0\1x", 9),
               std::string_view("\2\0\0\0\0\0\0\0", 8), space.data());
  EXPECT_EQ(std::string_view(space.data() + 8, 4), std::string_view("\x1e\xc7\x4e\xb1", 4));
}

// The format's own record is read by every version of the program.
TEST_F(RecordSumTest, ThePlainRecord) {
  {
    const auto env = open();
    auto txn = std::move(env->begin_write().value());
    ASSERT_TRUE(txn->put(Table::kMeta, kPlainKey, "\x11\x22\x33\x44"));
    EXPECT_EQ(txn->get(Table::kMeta, kPlainKey)->value(), "\x11\x22\x33\x44");
    ASSERT_TRUE(txn->commit());
  }
  const Image image(read_file(file()));
  const std::string page = image.page(image.leaf(Table::kMeta));
  EXPECT_NE(page.find("format\x11\x22\x33\x44"), std::string::npos);
}

// A walk that only counts damage comes to the end of the table.
TEST_F(RecordSumTest, ACursorGoesOnBehindDamage) {
  Image image = filled(Table::kIndex);
  const std::uint64_t leaf = image.leaf(Table::kIndex);
  for (const std::size_t i : {0U, 2U, 3U})
    image.octets()[image.node_place(leaf, i) + page::kNodeHeaderSize + kRecords[i].first.size()] ^=
        4;
  write_file(file(), image.octets());
  const auto env = open();
  ASSERT_NE(env, nullptr);
  auto txn = std::move(env->begin_read().value());
  auto cursor = std::move(txn->cursor(Table::kIndex).value());
  std::string seen;
  Result<bool> found = cursor->first();
  for (; !found || *found; found = cursor->next()) {
    ASSERT_TRUE(cursor->at_record());
    seen += std::string(cursor->key()) + (found ? "+" : "-");
  }
  EXPECT_EQ(seen, "aa-bb1+bb2-cc-");
  EXPECT_FALSE(cursor->at_record());
}

// Two leaf pages change places under a reader: every record is whole, and without a look at the
// order a damage of this kind can lead a walk in circles.
TEST_F(RecordSumTest, AWalkEndsWhereKeysGoBack) {
  constexpr std::size_t kCount = 600;
  auto env = open();
  {
    auto txn = std::move(env->begin_write().value());
    for (std::size_t i = 0; i < kCount; ++i)
      ASSERT_TRUE(txn->append(Table::kEntries, std::to_string(10'000 + i), std::string(200, 'v')));
    ASSERT_TRUE(txn->commit());
  }
  const Image image(read_file(file()));
  ASSERT_GT(image.tree(Table::kEntries).leaf_pages, 6U);
  const std::uint64_t pages[] = {image.leaf(Table::kEntries, 2), image.leaf(Table::kEntries, 4)};
  std::fstream out(file(), std::ios::binary | std::ios::in | std::ios::out);
  for (const std::size_t i : {0U, 1U}) {
    // Behind the page's own number.
    out.seekp(static_cast<std::streamoff>(pages[i] * Image::kPageSize + 8));
    out << image.page(pages[1 - i]).substr(8);
  }
  out.close();
  const auto txn = std::move(env->begin_read().value());
  for (const bool forwards : {true, false}) {
    auto cursor = std::move(txn->cursor(Table::kEntries).value());
    Result<bool> found = forwards ? cursor->first() : cursor->last();
    std::size_t steps = 0;
    for (; found && *found; found = forwards ? cursor->next() : cursor->previous())
      ASSERT_LT(++steps, 2 * kCount);
    ASSERT_FALSE(found) << "after " << steps << " records";
    expect_named(found.error(), Table::kEntries);
    EXPECT_LT(steps, kCount);
  }
}

}  // namespace
}  // namespace kauri::storage
