// What does not fit is told with its table, though every checksum is right.
#include "backend/backup_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "backend/backup.h"
#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/testing/backups.h"
#include "backend/testing/world.h"
#include "base/endian.h"
#include "index/dn_index.h"
#include "storage/testing/image.h"

namespace kauri::backend {
namespace {

using storage::Table;
using testing::HasSubstr;

constexpr int kPersons = 40;  // more than one record of a list holds
constexpr int kMembers = 250;

// The value of a name; big-endian as in the table meta.
std::string number_of(std::uint64_t number, bool big = false) {
  std::string out;
  if (big)
    append_big_endian(out, number);
  else
    append_little_endian(out, number);
  return out;
}

std::string first_fault(const Tables& tables) {
  BackupCheck check;
  for (const auto& [key, value] : tables)
    if (const auto done = check.add({key.first, key.second, value}); !done)
      return done.error().message();
  const auto done = check.finish();
  return done ? "" : done.error().message();
}

class BackupCheckTest : public testing::Test {
 protected:
  BackupCheckTest() {
    DatabaseOptions options;
    options.indexes = {{"sn", index::IndexKinds{.presence = true, .equality = true}}};
    world_.reopen(options);
    world_.add_fixture();
    for (int i = 0; i < kPersons; ++i) {
      const std::string uid = "person" + std::to_string(i);
      EXPECT_EQ(world_.add("uid=" + uid + "," + kPeople, person(uid)), 0);
    }
    last_ = world_.outcome().id;
    std::vector<std::string> members;
    for (int i = 0; i < kMembers; ++i) members.push_back("uid=m" + std::to_string(i));
    EXPECT_EQ(world_.add("cn=all," + kPeople,
                         {{"objectClass", {"groupOfNames"}}, {"cn", {"all"}}, {"member", members}}),
              0);
    group_ = world_.outcome().id;
    tables_ = tables_of(world_.database());
  }

  std::pair<Table, std::string> entry(std::uint64_t id) const {
    return {Table::kEntries, entry_key(EntryId(id))};
  }
  std::string with(const std::function<void(Tables&)>& change) const {
    Tables tables = tables_;
    change(tables);
    return first_fault(tables);
  }
  // The record of the table that is the first one for which `wanted` is true.
  std::pair<Table, std::string> first_of(Table table,
                                         const std::function<bool(const std::string&)>& wanted) {
    for (const auto& [key, value] : tables_)
      if (key.first == table && wanted(value)) return key;
    ADD_FAILURE() << "no such record";
    return {};
  }

  World world_;
  EntryId last_;
  EntryId group_;
  Tables tables_;
};

TEST_F(BackupCheckTest, ASoundDatabase) {
  EXPECT_EQ(first_fault(tables_), "");
}

// A wrong bit in the number of an entry, as the records of formats 1 and 2 could have it.
TEST_F(BackupCheckTest, EveryBitOfTheNumberOfEveryEntry) {
  int found = 0;
  for (const auto& [key, value] : tables_) {
    if (key.first != Table::kEntries) continue;
    for (std::size_t bit = 0; bit < 64; ++bit) {
      std::string other = key.second;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
      if (tables_.contains({Table::kEntries, other})) continue;
      Tables tables = tables_;
      tables.erase(key);
      tables[{Table::kEntries, other}] = value;
      EXPECT_NE(first_fault(tables), "") << storage::table_name(key.first) << " bit " << bit;
      ++found;
    }
  }
  EXPECT_GT(found, 40 * 50);
}

// But for what nothing leads to: ends of the change log, and a value's only list in an index.
TEST_F(BackupCheckTest, NoRecordIsLostInSilence) {
  std::size_t lost = 0;
  for (const Table table : {Table::kEntries, Table::kDn, Table::kValues, Table::kChanges}) {
    SCOPED_TRACE(storage::table_name(table));
    Tables::const_iterator last = tables_.end();
    for (auto at = tables_.begin(); at != tables_.end(); ++at)
      if (at->first.first == table) last = at;
    bool first = true;
    for (auto at = tables_.begin(); at != tables_.end(); ++at) {
      if (at->first.first != table) continue;
      const bool end = first || at == last;
      first = false;
      if (table == Table::kChanges && end) continue;
      Tables tables = tables_;
      tables.erase(at->first);
      EXPECT_THAT(first_fault(tables), HasSubstr("table "));
      ++lost;
    }
  }
  EXPECT_GT(lost, static_cast<std::size_t>(3 * kPersons + kMembers));
}

TEST_F(BackupCheckTest, WhatLeadsNowhere) {
  const std::string nowhere = number_of(1000);
  const auto name = first_of(Table::kDn, [](const std::string& v) { return v.size() == 8; });
  EXPECT_THAT(with([&](Tables& t) { t[name] = nowhere; }),
              HasSubstr("it leads to the entry 1000, which does not exist"));
  EXPECT_THAT(with([&](Tables& t) {
                t[{Table::kDn, index::child_key(EntryId(1000), "x")}] = number_of(2);
              }),
              HasSubstr("the entry 1000 does not exist"));
  const auto list = first_of(Table::kIndex, [](const std::string& v) { return v.size() == 8; });
  EXPECT_THAT(with([&](Tables& t) { t[list] = nowhere; }),
              HasSubstr("it lists the entry 1000, which does not exist"));
  const EntryId behind(group_.value() + 1);
  EXPECT_THAT(with([&](Tables& t) {
                t[{Table::kValues, value_key(behind, AttributeNumber(1), "x")}] = "x";
              }),
              HasSubstr("no entry has an attribute for this value"));
}

TEST_F(BackupCheckTest, NamesThatChangedPlaces) {
  // Two entries have the names of one another's parents.
  const std::string top = "ou=other," + kSuffix;
  ASSERT_EQ(world_.add(top, {{"objectClass", {"organizationalUnit"}}, {"ou", {"other"}}}), 0);
  const EntryId parent = world_.outcome().id;
  ASSERT_EQ(world_.add("uid=x," + top, person("x")), 0);
  const std::string below = number_of(world_.outcome().id.value());
  tables_ = tables_of(world_.database());
  ASSERT_EQ(first_fault(tables_), "");
  const auto one = first_of(Table::kDn, [&](const std::string& v) { return v == below; });
  ASSERT_EQ(one.second.substr(0, 8), entry_key(parent));
  const auto other =
      first_of(Table::kDn, [&](const std::string& v) { return v == number_of(last_.value()); });
  EXPECT_THAT(with([&](Tables& t) { std::swap(t[one], t[other]); }),
              HasSubstr("a name leads to an entry that has another parent"));
}

TEST_F(BackupCheckTest, ListsThatDoNotAddUp) {
  const auto head = first_of(Table::kIndex, [](const std::string& v) { return v.size() == 9; });
  const auto block = std::next(tables_.find(head))->first;
  ASSERT_EQ(block.second.size(), head.second.size() + 8);
  EXPECT_THAT(with([&](Tables& t) { t.erase(block); }), HasSubstr("and its head says"));
  EXPECT_THAT(with([&](Tables& t) { t.erase(head); }),
              HasSubstr("it is neither a list nor the head of one"));
  EXPECT_THAT(with([&](Tables& t) { t[head][1] ^= 1; }), HasSubstr("and its head says"));
  EXPECT_THAT(with([&](Tables& t) { t[block] = std::string("\1\1\0\xff\x1f", 5); }),
              HasSubstr("it lists an entry that does not exist"));
  EXPECT_THAT(with([&](Tables& t) { t[block] = "\3"; }), HasSubstr("a block is malformed"));
}

TEST_F(BackupCheckTest, MalformedKeys) {
  for (const Table table :
       {Table::kEntries, Table::kDn, Table::kIndex, Table::kValues, Table::kChanges})
    EXPECT_THAT(with([&](Tables& t) {
                  t[{table, std::string("\0\1", 2)}] = "x";
                }),
                HasSubstr("table " + std::string(storage::table_name(table)) + ", key 0001"));
}

TEST_F(BackupCheckTest, OrderOfTheRecords) {
  BackupCheck check;
  ASSERT_TRUE(check.add({Table::kMeta, "b", "x"}));
  EXPECT_THAT(check.add({Table::kMeta, "b", "x"}).error().message(), HasSubstr("not in order"));
  EXPECT_THAT(check.add({Table::kMeta, "a", "x"}).error().message(), HasSubstr("not in order"));
  BackupCheck back;
  ASSERT_TRUE(back.add({Table::kMeta, "next-id", number_of(1, true)}));
  ASSERT_TRUE(back.add({Table::kChanges, change_key(1), tables_.rbegin()->second}));
  EXPECT_THAT(back.add({Table::kMeta, "z", "x"}).error().message(), HasSubstr("a later table"));
}

// --- Those who ask ---

// As one wrong bit would have it, with a right checksum.
void misplace(World& world, EntryId from) {
  auto txn = std::move(world.database().env().begin_write().value());
  const std::string record(*txn->get(Table::kEntries, entry_key(from)).value());
  ASSERT_TRUE(txn->erase(Table::kEntries, entry_key(from)).value());
  ASSERT_TRUE(txn->put(Table::kEntries, entry_key(EntryId(from.value() ^ 64U)), record));
  ASSERT_TRUE(txn->commit());
}

TEST_F(BackupCheckTest, NoBackupIsMadeOfAMisplacedEntry) {
  misplace(world_, last_);
  std::string out;
  const auto made = write_backup(world_.database(), {}, [&out](std::string_view part) {
    out += part;
    return Result<void>();
  });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(made.error().message(), HasSubstr("table "));
  EXPECT_THAT(made.error().message(), HasSubstr("run verify"));
  // What was written of it tells why it ends.
  RestoredPlace place(world_.clock());
  EXPECT_THAT(place.restore(out), HasSubstr("run verify"));
  EXPECT_THAT(place.files(), testing::Not(testing::Contains("data.mdb")));
}

// As a page that stands in the place of another one can end a walk: what is left may fit.
TEST_F(BackupCheckTest, AWalkThatEndsEarly) {
  const std::string file = world_.path() + "/data.mdb";
  const storage::Image image(storage::read_file(file));
  constexpr std::size_t kCount = 32;  // where a tree counts its records
  const auto counted = image.tree(Table::kIndex).entries;
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(image.tree_place(Table::kIndex) + kCount));
  out << number_of(counted + 1);
  out.close();
  const auto made =
      write_backup(world_.database(), {}, [](std::string_view) { return Result<void>(); });
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(),
              HasSubstr("table index: " + std::to_string(counted) + " records are found"));
  EXPECT_THAT(made.error().message(), HasSubstr("run verify"));
}

// Made by a program that did not look.
TEST_F(BackupCheckTest, ABackupOfAMisplacedEntryIsNotRestored) {
  BackupHeader header = header_of(backup_of(world_.database()));
  misplace(world_, last_);
  const Tables tables = tables_of(world_.database());
  std::string out;
  BackupWriter writer([&out](std::string_view part) {
    out += part;
    return Result<void>();
  });
  ASSERT_TRUE(writer.begin(header));
  for (const auto& [key, value] : tables) ASSERT_TRUE(writer.add({key.first, key.second, value}));
  ASSERT_TRUE(writer.finish());
  RestoredPlace place(world_.clock());
  EXPECT_THAT(place.restore(out), HasSubstr("the backup is of a database that was damaged"));
  EXPECT_THAT(place.files(), testing::Not(testing::Contains("data.mdb")));
}

}  // namespace
}  // namespace kauri::backend
