// A wrong bit inside of a record that keeps its form: whoever reads it gets an error that names
// table and key, and never what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/backup.h"
#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/meta_format.h"
#include "backend/offline.h"
#include "backend/testing/backups.h"
#include "backend/testing/world.h"
#include "base/endian.h"
#include "index/dn_index.h"
#include "index/index_keys.h"
#include "index/posting.h"
#include "storage/testing/image.h"

namespace kauri::backend {
namespace {

using storage::Image;
using storage::Table;
using testing::HasSubstr;

const std::string kGroup = "cn=all,ou=p,dc=example,dc=com";
const std::string kMember = "uid=person17,ou=p,dc=example,dc=com";

class DamagedRecord : public testing::Test {
 protected:
  DamagedRecord() {
    world_.add_fixture();
    std::vector<std::string> members;
    for (int i = 0; i < 250; ++i)
      members.push_back("uid=person" + std::to_string(i) + "," + kPeople);
    EXPECT_EQ(world_.add(kGroup,
                         {{"objectClass", {"groupOfNames"}}, {"cn", {"all"}}, {"member", members}}),
              0);
    group_ = world_.outcome().id;
    EXPECT_EQ(world_.add("uid=listed," + kPeople, person("listed")), 0);
    auto session = std::move(world_.database().read_session().value());
    EXPECT_TRUE(session->begin());
    people_ = session->entry(group_).value()->parent();
    exported_ = export_text();
  }

  // Flips bits of one octet of a record: of its key, or behind that of its value. Opens the file
  // again.
  void damage(Table table, const std::string& key, std::size_t at, char bits) {
    spoil(table, key, at, bits);
    world_.reopen();
  }
  void spoil(Table table, const std::string& key, std::size_t at, char bits) {
    world_.close();
    const std::string file = world_.path() + "/data.mdb";
    Image image(storage::read_file(file));
    char& octet = image.octets()[image.record_place(table, key) + at];
    octet = static_cast<char>(octet ^ bits);
    storage::write_file(file, image.octets());
  }
  AttributeNumber number_of(const char* attribute) {
    return *world_.database().dictionary().find({fixture_schema()->attribute_type(attribute), {}});
  }
  std::string member_identity() {
    return value_identity(*fixture_schema(), *fixture_schema()->attribute_type("member"), kMember);
  }
  std::string export_text() {
    std::string text;
    const auto count = export_ldif(world_.database(), {}, [&](std::string_view part) {
      text += part;
      return Result<void>();
    });
    return count ? text : count.error().message();
  }
  std::string backup_refusal() {
    const auto made =
        write_backup(world_.database(), {}, [](std::string_view) { return Result<void>(); });
    return made ? "" : made.error().message();
  }
  // The message that the database is not opened with; "" when it is.
  std::string open_refusal() {
    DatabaseOptions options;
    options.path = world_.path();
    const auto opened = Database::open(options, fixture_schema(), world_.clock(), world_.random());
    return opened ? "" : opened.error().message();
  }
  // Nothing but the record that is damaged, and what cannot be compared for its sake.
  void expect_verified(const std::string& table) {
    const auto report = verify(world_.database(), {}, {});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->fault_count, 1U) << world_.verify_text();
    EXPECT_THAT(world_.verify_text(), HasSubstr("record in table " + table + ", key "));
    EXPECT_THAT(world_.verify_text(), HasSubstr("not compared, because of damage: table " + table));
  }
  void expect_failed(int code, const std::string& table) {
    EXPECT_EQ(code, 80);
    ASSERT_TRUE(world_.outcome().failure);
    EXPECT_THAT(world_.outcome().failure->message(), HasSubstr("in table " + table + ", key "));
  }
  template <class T>
  void expect_corruption(const Result<T>& result, const std::string& table) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kCorruption) << result.error().message();
    EXPECT_THAT(result.error().message(), HasSubstr("in table " + table + ", key "));
  }

  World world_;
  EntryId group_;
  EntryId people_;
  std::string exported_;
};

TEST_F(DamagedRecord, ALetterOfALargeValueChangesItsCase) {
  const AttributeNumber number = number_of("member");
  const std::string key = value_key(group_, number, member_identity());
  damage(Table::kValues, key, key.size() + 4, 0x20);
  expect_verified("values");
  EXPECT_THAT(export_text(), HasSubstr("in table values, key "));
  EXPECT_THAT(backup_refusal(), HasSubstr("in table values, key "));
  auto session = std::move(world_.database().read_session().value());
  ASSERT_TRUE(session->begin());
  const entry::AttributeSlot slot = *session->entry(group_).value()->find(number);
  const auto all = [](void*, std::string_view) { return true; };
  expect_corruption(session->external().for_each(group_, slot, all, nullptr), "values");
  expect_corruption(session->external().contains(group_, number, member_identity()), "values");
  expect_corruption(reindex(world_.database(), {"member"}, {}), "values");
  expect_failed(world_.modify(kGroup, {replaced("member", {kA})}), "values");
  expect_failed(world_.erase(kGroup), "values");
}

// Nobody would find the value, and it could be added once more.
TEST_F(DamagedRecord, ABitOfTheKeyOfALargeValue) {
  const AttributeNumber number = number_of("member");
  const std::string key = value_key(group_, number, member_identity());
  damage(Table::kValues, key, key.size() - 1, 1);
  expect_verified("values");
  {
    auto txn = std::move(world_.database().env().begin_read().value());
    expect_corruption(has_large_value(*txn, group_, number, member_identity()), "values");
  }
  expect_failed(world_.modify(kGroup, {added("member", {kMember})}), "values");
  expect_failed(world_.modify(kGroup, {deleted("member", {kMember})}), "values");
}

TEST_F(DamagedRecord, ANameThatLeadsToAnotherEntry) {
  const std::string key = index::child_key(people_, world_.name(kGroup).normal_rdns.front());
  damage(Table::kDn, key, key.size(), 1);
  expect_verified("dn");
  EXPECT_EQ(export_text(), exported_);
  EXPECT_THAT(backup_refusal(), HasSubstr("in table dn, key "));
  expect_failed(world_.modify(kGroup, {replaced("description", {"x"})}), "dn");
  expect_failed(world_.erase(kGroup), "dn");
  expect_failed(world_.add(kGroup, person("x")), "dn");
  auto txn = std::move(world_.database().env().begin_read().value());
  index::ChildCursor children = std::move(index::ChildCursor::open(*txn, people_).value());
  Result<std::optional<EntryId>> child = children.next();
  while (child && *child) child = children.next();
  expect_corruption(child, "dn");
}

// An entry that nobody finds could be added a second time.
TEST_F(DamagedRecord, ABitOfAName) {
  const std::string key = index::child_key(people_, world_.name(kGroup).normal_rdns.front());
  damage(Table::kDn, key, key.size() - 1, 1);
  expect_verified("dn");
  expect_failed(world_.modify(kGroup, {replaced("description", {"x"})}), "dn");
  expect_failed(world_.add(kGroup, person("x")), "dn");
}

TEST_F(DamagedRecord, CountsOfSubordinates) {
  const std::string key = index::counts_key(people_);
  damage(Table::kDn, key, key.size(), 4);
  expect_verified("dn");
  auto txn = std::move(world_.database().env().begin_read().value());
  expect_corruption(index::subordinate_counts(*txn, people_), "dn");
  txn.reset();
  expect_failed(world_.erase(kA), "dn");
}

// A list of an index, or its key: a search would lack entries, with success.
TEST_F(DamagedRecord, ListsOfAnIndex) {
  std::string normal;
  ASSERT_TRUE(fixture_schema()->attribute_type("sn")->equality->normalize(*fixture_schema(),
                                                                          "listed", normal));
  const std::string key = index::equality_key(number_of("sn"), normal);
  for (const std::size_t at : {key.size(), key.size() - 3}) {
    SCOPED_TRACE(at);
    damage(Table::kIndex, key, at, 1);
    expect_verified("index");
    EXPECT_EQ(export_text(), exported_);
    EXPECT_THAT(backup_refusal(), HasSubstr("in table index, key "));
    {
      auto txn = std::move(world_.database().env().begin_read().value());
      expect_corruption(index::posting_count(*txn, key), "index");
    }
    expect_failed(world_.modify("uid=listed," + kPeople, {replaced("sn", {"x"})}), "index");
    expect_failed(world_.add("uid=other," + kPeople, person("listed")), "index");
    // Only all of it is built without being read.
    expect_corruption(reindex(world_.database(), {"sn"}, {}), "index");
    const auto built = reindex(world_.database(), {}, {});
    ASSERT_TRUE(built) << built.error().message();
    EXPECT_EQ(world_.verify_text(), "");
  }
}

TEST_F(DamagedRecord, TheTableThatSaysWhatTheDatabaseIs) {
  std::string attribute(kMetaAttribute);
  append_big_endian(attribute, number_of("cn").value());
  std::string index(kMetaIndex);
  append_big_endian(index, number_of("cn").value());
  world_.close();
  const std::string file = world_.path() + "/data.mdb";
  const std::string sound = storage::read_file(file);
  for (const std::string& key : {std::string(kMetaSuffix), std::string(kMetaNextId),
                                 std::string(kMetaLastCsn), attribute, index}) {
    for (const std::size_t at : {key.size() - 1, key.size(), key.size() + 1}) {
      SCOPED_TRACE(key + " " + std::to_string(at));
      spoil(Table::kMeta, key, at, 2);
      EXPECT_THAT(open_refusal(), HasSubstr("meta"));
      storage::write_file(file, sound);
      EXPECT_EQ(open_refusal(), "");
    }
  }
  std::string format(kMetaFormat);
  spoil(Table::kMeta, format, format.size() + 3, 4);
  EXPECT_THAT(open_refusal(), HasSubstr("format version 7 and this program knows version 3; a "
                                        "newer program made it"));
}

// --- Older formats ---

TEST_F(DamagedRecord, ADatabaseOfTheFormatBeforeIsRefusedWithAWayOut) {
  std::string format(kMetaFormat);
  spoil(Table::kMeta, format, format.size() + 3, 1);
  EXPECT_THAT(open_refusal(), HasSubstr("format version 2 and this program knows version 3; export "
                                        "it with the program that made it"));
}

// As a program of an earlier format wrote it: the records are the same but for one.
std::string of_format(const std::string& backup, std::uint32_t number, std::uint32_t in_table) {
  BackupReader reader = std::move(BackupReader::open(source_of(backup)).value());
  BackupHeader header = reader.header();
  header.format = number;
  std::string out;
  BackupWriter writer([&](std::string_view part) {
    out += part;
    return Result<void>();
  });
  EXPECT_TRUE(writer.begin(header));
  std::string format;
  append_big_endian(format, in_table);
  for (auto record = reader.next(); record && *record; record = reader.next()) {
    BackupRecord one = **record;
    if (one.table == Table::kMeta && one.key == kMetaFormat) one.value = format;
    EXPECT_TRUE(writer.add(one));
  }
  EXPECT_TRUE(writer.finish());
  return out;
}

TEST_F(DamagedRecord, BackupsOfTheFormatsBeforeAreRestored) {
  const std::string backup = backup_of(world_.database());
  for (const std::uint32_t number : {1U, 2U}) {
    RestoredPlace place(world_.clock());
    ASSERT_EQ(place.restore(of_format(backup, number, number)), "");
    EXPECT_EQ(place.verify_text(), "");
    EXPECT_EQ(tables_of(place.open()), tables_of(world_.database()));
  }
  RestoredPlace place(world_.clock());
  EXPECT_THAT(place.restore(of_format(backup, 1, 2)),
              HasSubstr("its header says format version 1, and its table meta another one"));
}

}  // namespace
}  // namespace kauri::backend
