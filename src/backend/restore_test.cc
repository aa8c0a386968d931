// Restoring: the old state or the new one; to a point in time; what does not fit is refused.
#include "backend/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "backend/change_log.h"
#include "backend/testing/backups.h"
#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

using testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// --- The place ---

TEST(Restore, ADatabaseIsReplacedOnlyWhenAsked) {
  World world;
  world.add_fixture();
  const std::string first = backup_of(world.database());
  ASSERT_EQ(world.erase(kB), 0);
  const std::string second = backup_of(world.database());
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(first), "");
  EXPECT_THAT(place.restore(second), HasSubstr("there is a database in " + place.path()));
  EXPECT_EQ(place.open().context_csn(), header_of(first).csn);
  place.close();
  place.options().replace = true;
  ASSERT_EQ(place.restore(second), "");
  EXPECT_EQ(tables_of(place.open()), tables_of(world.database()));
  place.close();
  EXPECT_THAT(place.files(), testing::Not(testing::Contains("restore.tmp")));
}

TEST(Restore, ADatabaseInUseIsLeftAlone) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup), "");
  place.options().replace = true;
  place.open(true);
  RestoreOptions options = place.options();
  const auto done = restore(options, {"b", source_of(backup)}, {}, fixture_schema(), world.clock(),
                            world.random());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kBusy);
}

// Also one that cannot be opened any more, which is when a backup is needed.
TEST(Restore, ADamagedDatabaseIsReplaced) {
  World world;
  world.add_fixture();
  RestoredPlace place(world.clock());
  std::filesystem::create_directories(place.path());
  std::ofstream(place.path() + "/data.mdb") << "not a database at all";
  place.options().replace = true;
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  EXPECT_EQ(place.verify_text(), "");
}

TEST(Restore, WhatAKilledRestoreLeftBehindDoesNotMatter) {
  World world;
  world.add_fixture();
  RestoredPlace place(world.clock());
  std::filesystem::create_directories(place.path() + "/restore.tmp");
  std::ofstream(place.path() + "/restore.tmp/data.mdb") << "half of something";
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  EXPECT_EQ(place.verify_text(), "");
}

TEST(Restore, DamageLeavesTheOldDatabase) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup), "");
  place.options().replace = true;
  const std::string before = read_file(place.path() + "/data.mdb");
  for (std::size_t at = 0; at < backup.size(); at += 997) {
    std::string bad = backup;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    EXPECT_THAT(place.restore(bad), HasSubstr("the backup: ")) << at;
    EXPECT_NE(place.restore(backup.substr(0, at)), "") << at;
    ASSERT_TRUE(read_file(place.path() + "/data.mdb") == before) << at;
  }
  EXPECT_EQ(place.verify_text(), "");
}

TEST(Restore, StorageThatFailsLeavesTheOldDatabase) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::string csn = world.database().context_csn();
  ASSERT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  const std::string changes = changes_of(world.database(), csn);
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup), "");
  place.options().replace = true;
  const std::string before = read_file(place.path() + "/data.mdb");
  const auto plan = std::make_shared<storage::FaultPlan>();
  place.options().database.wrap_env = [&](std::unique_ptr<storage::Env> env) {
    return storage::make_fault_env(std::move(env), plan);
  };
  for (const auto& [point, stride] :
       {std::pair{storage::FaultPoint::kWrite, 13}, std::pair{storage::FaultPoint::kCommit, 1}}) {
    for (std::uint64_t n = 1;; n += static_cast<std::uint64_t>(stride)) {
      plan->fail(point, n, ErrorCode::kNoSpace);
      const std::uint64_t failures = plan->failures();
      const std::string message = place.restore(backup, {changes});
      const bool failed = plan->failures() != failures;
      plan->clear();
      EXPECT_EQ(message.empty(), !failed) << n << ": " << message;
      if (!failed) break;
      ASSERT_TRUE(read_file(place.path() + "/data.mdb") == before) << n;
      ASSERT_LT(n, 10'000U);
    }
    EXPECT_EQ(place.report().changes, 1U);
    EXPECT_EQ(place.verify_text(), "");
    ASSERT_EQ(place.restore(backup), "");
  }
}

TEST(Restore, VerifyLooksAtTheNewDatabase) {
  World world;
  world.add_fixture();
  RestoredPlace place(world.clock());
  place.options().verify = true;
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  {
    auto txn = world.database().env().begin_write();
    // A list of an index, which nothing leads to.
    auto cursor = std::move((*txn)->cursor(storage::Table::kIndex).value());
    ASSERT_TRUE(cursor->first().value());
    while (cursor->value().size() != 8) ASSERT_TRUE(cursor->next().value());
    ASSERT_TRUE((*txn)->erase(storage::Table::kIndex, std::string(cursor->key())));
    ASSERT_TRUE((*txn)->commit());
  }
  const std::string damaged = backup_of(world.database());
  place.options().replace = true;
  EXPECT_THAT(place.restore(damaged), HasSubstr("was not put into place"));
  EXPECT_EQ(place.verify_text(), "");
}

// --- What fits what ---

TEST(Restore, TheSuffixHasToFit) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  RestoredPlace place(world.clock());
  place.options().database.suffix = "dc=other";
  EXPECT_THAT(place.restore(backup),
              testing::AllOf(HasSubstr("dc=other"), HasSubstr("dc=example,dc=com")));
  place.options().database.suffix = "DC=Example, DC=Com";
  EXPECT_EQ(place.restore(backup), "");
}

TEST(Restore, BackupAndChangesHaveTheirPlaces) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::string changes = changes_of(world.database(), world.database().context_csn());
  RestoredPlace place(world.clock());
  EXPECT_THAT(place.restore(changes), HasSubstr("holds changes, not a backup"));
  EXPECT_THAT(place.restore(backup, {backup}), HasSubstr("changes 1 is a backup"));
  BackupHeader header = header_of(changes);
  header.suffix = "dc=other";
  EXPECT_THAT(place.restore(backup, {changes_with(header, {})}), HasSubstr("dc=other"));
  header = header_of(changes);
  header.format = 77;
  EXPECT_THAT(place.restore(backup, {changes_with(header, {})}), HasSubstr("format version 77"));
  EXPECT_FALSE(std::filesystem::exists(place.path()));
  EXPECT_EQ(place.restore(backup, {changes}), "");
}

TEST(Restore, MomentsAreCsnsAndTimes) {
  const std::string csn = "20240101120000.000001Z#000002#003#000004";
  EXPECT_EQ(to_string(*parse_moment(csn)), csn);
  EXPECT_EQ(to_string(*parse_moment("20240101120000Z")),
            "20240101120000.000000Z#ffffff#fff#ffffff");
  EXPECT_EQ(to_string(*parse_moment("20240101120000.25Z")),
            "20240101120000.250000Z#ffffff#fff#ffffff");
  EXPECT_EQ(to_string(*parse_moment("2024-01-01T12:00:00Z")),
            "20240101120000.000000Z#ffffff#fff#ffffff");
  EXPECT_EQ(to_string(*parse_moment("2024-01-01T12:00:00.000001Z")),
            "20240101120000.000001Z#ffffff#fff#ffffff");
  for (const char* bad :
       {"", "yesterday", "2024-01-01T12:00:00", "20240101120000.1234567Z", "20241301120000Z",
        "2024-01-01T12:00:00+01:00", "20240101Z", "20240101120000.000001Z#000002#003#00000g"}) {
    const auto moment = parse_moment(bad);
    ASSERT_FALSE(moment) << bad;
    EXPECT_THAT(moment.error().message(), HasSubstr("is no moment")) << bad;
  }
}

// --- To a point in time ---

struct Point {
  std::string csn;
  std::string content;
  std::int64_t micros;
};

Point point_of(World& world) {
  return {world.database().context_csn(), content_of(world.database()),
          world.clock().wall_micros()};
}

// Every kind of change, with what is odd about each.
std::vector<Point> make_history(World& world) {
  std::vector<std::string> many;
  for (int i = 0; i < 250; ++i) many.push_back("value " + std::to_string(i));
  std::vector<std::string> fewer(many.begin() + 60, many.begin() + 200);
  const std::string moved = "uid=z+cn=Z\\2C z,dc=example,dc=com";
  const std::vector<std::function<int()>> steps = {
      [&] { return world.modify(kA, {replaced("description", many)}); },
      [&] { return world.modify(kA, {deleted("description", {"value 3"})}); },
      [&] { return world.modify(kA, {replaced("description", fewer)}); },
      [&] { return world.modify(kA, {added("description", many)}, true); },
      [&] { return world.modify(kA, {deleted("description")}); },
      [&] {
        return world.modify(kA, {replaced("cn", {"ANOTHER", "a"})});
      },
      [&] {
        return world.modify(kA, {replaced("cn", {"a", "another"})});
      },
      [&] { return world.modify(kA, {incremented("kInt", "5")}); },
      [&] { return world.modify(kA, {added("jpegPhoto", {std::string("\0\xff\1", 3)})}); },
      [&] { return world.modify(kA, {added("cn;lang-de", {"Jürgen"})}); },
      [&] { return world.rename(kPeople, "OU=People  x", true); },
      [&] {
        return world.rename("uid=b,ou=people x,dc=example,dc=com", "uid=z+cn=Z\\, z", false,
                            kSuffix);
      },
      [&] { return world.add("cn=below," + moved, person("below")); },
      [&] { return world.rename("cn=below," + moved, "cn=Below", false); },
      [&] { return world.rename(moved, "uid=z+cn=Z\\, z", true, "ou=people x,dc=example,dc=com"); },
      [&] { return world.erase("cn=below,uid=z+cn=z\\2c z,ou=people x,dc=example,dc=com"); },
      [&] { return world.erase("uid=c,ou=people x,dc=example,dc=com"); },
      [&] { return world.add("uid=c,ou=people x,dc=example,dc=com", person("c")); },
      [&] {
        return world.modify("uid=c,ou=people x,dc=example,dc=com",
                            {replaced("userPassword", {"{SSHA}abc"})});
      },
  };
  std::vector<Point> points = {point_of(world)};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    world.clock().advance_micros(1'000'000);
    EXPECT_EQ(steps[i](), 0) << "step " << i << ": " << world.last().diagnostic;
    points.push_back(point_of(world));
  }
  return points;
}

TEST(PointInTime, EveryStateOfAHistoryComesBack) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::vector<Point> points = make_history(world);
  const std::string changes = changes_of(world.database(), points.front().csn);
  const Tables log = tables_of(world.database());
  for (std::size_t i = 0; i < points.size(); ++i) {
    RestoredPlace place(world.clock());
    place.options().until = points[i].csn;
    ASSERT_EQ(place.restore(backup, {changes}), "") << i;
    EXPECT_EQ(place.report().changes, i);
    EXPECT_EQ(place.report().csn, points[i].csn);
    EXPECT_EQ(content_of(place.open()), points[i].content) << i;
    EXPECT_EQ(place.verify_text(), "") << i;
    // The change log came back too, octet for octet.
    for (const auto& [key, value] : tables_of(place.open())) {
      if (key.first != storage::Table::kChanges) continue;
      EXPECT_TRUE(log.at(key) == value) << i;
    }
  }
}

TEST(PointInTime, TimesCountTheirOwnChanges) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::vector<Point> points = make_history(world);
  const std::string changes = changes_of(world.database(), points.front().csn);
  const auto restored = [&](std::int64_t micros) {
    RestoredPlace place(world.clock());
    Csn moment;
    moment.micros = micros;
    place.options().until = to_string(moment).substr(0, 22);
    const std::string fault = place.restore(backup, {changes});
    return fault.empty() ? content_of(place.open()) : fault;
  };
  EXPECT_EQ(restored(points[4].micros), points[4].content);
  EXPECT_EQ(restored(points[4].micros + 999'999), points[4].content);
  EXPECT_EQ(restored(points[5].micros), points[5].content);
  EXPECT_THAT(restored(points[0].micros - 1), HasSubstr("take an older backup"));
  // After the last change nothing is known of the time since the changes were read.
  EXPECT_THAT(restored(points.back().micros + 1), HasSubstr("not of the time up to"));
  world.clock().advance_micros(1'000'000);
  const std::string later = changes_of(world.database(), points.front().csn);
  RestoredPlace place(world.clock());
  place.options().until = generalized_time(points.back().micros + 500'000);
  EXPECT_EQ(place.restore(backup, {later}), "");
  EXPECT_EQ(content_of(place.open()), points.back().content);
}

TEST(PointInTime, PartsOfTheLogAreJoined) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::vector<Point> points = make_history(world);
  const std::string whole = changes_of(world.database(), points.front().csn);
  const std::vector<std::string> records = values_of(whole);
  const auto part = [&](std::size_t from, std::size_t to) {
    BackupHeader header = header_of(whole);
    header.since = points[from].csn;
    header.csn = points[to].csn;
    header.made_micros = points[to].micros;
    return changes_with(header, {records.begin() + static_cast<std::ptrdiff_t>(from),
                                 records.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  const std::size_t end = records.size();
  RestoredPlace place(world.clock());
  place.options().replace = true;
  // In any order, and with parts of them twice.
  ASSERT_EQ(place.restore(backup, {part(9, end), part(4, 9), part(0, 4)}), "");
  EXPECT_EQ(content_of(place.open()), points.back().content);
  ASSERT_EQ(place.restore(backup, {part(0, 9), part(2, 6), part(5, end)}), "");
  EXPECT_EQ(content_of(place.open()), points.back().content);
  // With a hole in the middle.
  EXPECT_THAT(place.restore(backup, {part(0, 4), part(5, end)}), HasSubstr("are missing"));
  EXPECT_THAT(place.restore(backup, {part(3, end)}), HasSubstr("are missing"));
  place.options().until = points[2].csn;
  ASSERT_EQ(place.restore(backup, {part(0, 4), part(5, end)}), "");
  EXPECT_EQ(content_of(place.open()), points[2].content);
  place.options().until = points[8].csn;
  EXPECT_THAT(place.restore(backup, {part(0, 4), part(9, end)}), HasSubstr("not of the time"));
  place.options().until = generalized_time(points[4].micros + 500'000);
  EXPECT_THAT(place.restore(backup, {part(0, 4), part(6, end)}), HasSubstr("not of the time"));
  place.options().until = points[2].csn;
  EXPECT_THAT(place.restore(backup), HasSubstr("needs the changes"));
}

TEST(PointInTime, OneLostRecordIsNoticed) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::vector<Point> points = make_history(world);
  const std::string whole = changes_of(world.database(), points.front().csn);
  const std::vector<std::string> records = values_of(whole);
  RestoredPlace place(world.clock());
  for (std::size_t lost = 0; lost < records.size(); ++lost) {
    std::vector<std::string> rest = records;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(lost));
    const std::string message = place.restore(backup, {changes_with(header_of(whole), rest)});
    EXPECT_THAT(message, HasSubstr("changes")) << lost;
    EXPECT_THAT(message, HasSubstr("missing")) << lost;
  }
}

// The same backup, two histories: changes of the one do not lead on from states of the other.
TEST(PointInTime, HistoriesAreToldApart) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::string since = world.database().context_csn();
  World other;
  other.clock().set_wall_micros(world.clock().wall_micros());
  other.add_fixture();
  ASSERT_EQ(other.modify(kA, {replaced("description", {"other"})}), 0);
  ASSERT_EQ(world.modify(kA, {replaced("description", {"this"})}), 0);
  // CSNs of both are the same here, so that the values have to tell.
  ASSERT_EQ(other.database().context_csn(), world.database().context_csn());
  const std::string state = world.database().context_csn();
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  ASSERT_EQ(other.modify(kA, {replaced("description", {"second"})}), 0);
  place.options().replace = true;
  EXPECT_THAT(place.restore(backup_of(world.database()), {changes_of(other.database(), state)}),
              HasSubstr("has other values than it had then"));
  EXPECT_NE(since, state);
}

TEST(PointInTime, ImportedEntriesBringTheirCsns) {
  World world;
  world.add_fixture();
  const std::string backup = backup_of(world.database());
  const std::string since = world.database().context_csn();
  const storage::TestDirectory directory;
  const std::string file = directory.path() + "/in.ldif";
  std::ofstream(file) << "dn: uid=imported,ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\n"
                         "cn: I\nsn: I\nuid: imported\n"
                         "entryCSN: 20400101120000.000000Z#000000#000#000000\n"
                         "createTimestamp: 20100101120000Z\n"
                         "entryUUID: 12345678-1234-1234-1234-123456789012\n";
  world.close();
  ImportOptions import;
  import.database.path = world.path();
  import.files = {file};
  const auto report = import_ldif(import, fixture_schema(), world.clock(), world.random(), nullptr);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->entries, 1U);
  world.reopen();
  const std::string imported = world.database().context_csn();
  EXPECT_EQ(imported.substr(0, 4), "2040");
  ASSERT_EQ(world.modify(kA, {replaced("description", {"after the import"})}), 0);
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup, {changes_of(world.database(), since)}), "");
  EXPECT_EQ(content_of(place.open()), content_of(world.database()));
  EXPECT_EQ(place.verify_text(), "");
  EXPECT_EQ(header_of(changes_of(world.database(), imported)).records, 1U);
}

// --- Records that do not fit ---

class Misfit : public testing::Test {
 protected:
  Misfit() {
    world_.add_fixture();
    backup_ = backup_of(world_.database());
    since_ = world_.database().context_csn();
  }
  // What a restore says of the record of one change, once it is changed.
  std::string message(const std::function<int()>& change,
                      const std::function<void(ChangeRecord&)>& spoil) {
    EXPECT_EQ(change(), 0) << world_.last().diagnostic;
    const std::string changes = changes_of(world_.database(), since_);
    const std::vector<std::string> records = values_of(changes);
    EXPECT_EQ(records.size(), 1U);
    ChangeRecord record = *decode_change(records.at(0));
    spoil(record);
    RestoredPlace place(world_.clock());
    return place.restore(backup_, {changes_with(header_of(changes), {encode_change(record)})});
  }
  int modify() { return world_.modify(kA, {replaced("description", {"x"})}); }
  int add() { return world_.add("uid=n,ou=p,dc=example,dc=com", person("n")); }
  int rename() { return world_.rename(kA, "uid=r", true, kSuffix); }

  World world_;
  std::string backup_;
  std::string since_;
};

#define EXPECT_MISFIT(change, spoil, why) \
  EXPECT_THAT(message([this] { return change(); }, [&](ChangeRecord& r) { spoil; }), HasSubstr(why))

TEST_F(Misfit, NothingSpoiledFits) {
  EXPECT_EQ(message([this] { return modify(); }, [](auto&) {}), "");
}
TEST_F(Misfit, NoLink) {
  EXPECT_MISFIT(modify, r.previous_csn.reset(), "older program");
}
TEST_F(Misfit, Csn) {
  EXPECT_MISFIT(modify, r.csn = "3000", "its CSN does not follow");
}
TEST_F(Misfit, Id) {
  EXPECT_MISFIT(modify, r.id = EntryId(2), "the entry has id 3, not 2");
}
TEST_F(Misfit, Uuid) {
  EXPECT_MISFIT(modify, r.entry_uuid[3] ^= 1, "another entryUUID");
}
TEST_F(Misfit, Spelling) {
  EXPECT_MISFIT(modify, r.dn[0] = 'U', "DN is spelled");
}
TEST_F(Misfit, NoSuchEntry) {
  EXPECT_MISFIT(modify, r.dn = "uid=q," + kSuffix, "no such entry");
}
TEST_F(Misfit, Outside) {
  EXPECT_MISFIT(modify, r.dn = "dc=org", "no such entry");
}
TEST_F(Misfit, BadDn) {
  EXPECT_MISFIT(modify, r.dn = "nonsense", "nonsense");
}
TEST_F(Misfit, EmptyDn) {
  EXPECT_MISFIT(modify, r.dn = "", "its DN is empty");
}
TEST_F(Misfit, Removed) {
  EXPECT_MISFIT(modify, r.attributes[0].removed = {"y"}, "other values");
}
TEST_F(Misfit, SpelledOtherwise) {
  EXPECT_MISFIT(modify, r.attributes[0].removed = {"babs is a big fan"}, "other values");
}
TEST_F(Misfit, Attribute) {
  EXPECT_MISFIT(modify, r.attributes[0].description = "no-such", "does not define");
}
TEST_F(Misfit, Twice) {
  EXPECT_MISFIT(modify, r.attributes.push_back(r.attributes[0]), "twice");
}
TEST_F(Misfit, AddAgain) {
  EXPECT_MISFIT(add, r.dn = kB, "exists already");
}
TEST_F(Misfit, AddOutside) {
  EXPECT_MISFIT(add, r.dn = "uid=n,dc=org", "outside of the suffix");
}
TEST_F(Misfit, AddOrphan) {
  EXPECT_MISFIT(add, r.dn = "uid=n,ou=q," + kSuffix, "its parent does not");
}
TEST_F(Misfit, AddId) {
  EXPECT_MISFIT(add, r.id = EntryId(77), "had id 77");
}
TEST_F(Misfit, AddSpelling) {
  EXPECT_MISFIT(add, r.dn = "uid=n,OU=p," + kSuffix, "is spelled");
}
TEST_F(Misfit, AddNoValues) {
  EXPECT_MISFIT(add, r.attributes[0].added.clear(), "has no values");
}
TEST_F(Misfit, AddTwice) {
  EXPECT_MISFIT(add, r.attributes[1].added = (std::vector<std::string>{"n", "N"}),
                "equals value number 1");
}
TEST_F(Misfit, DeleteParent) {
  EXPECT_MISFIT(modify, (r.kind = ChangeKind::kDelete, r.dn = kPeople, r.id = EntryId(2)),
                "has entries below it");
}
TEST_F(Misfit, RenameTaken) {
  EXPECT_MISFIT(rename, r.new_dn = kB, "with the new name exists already");
}
TEST_F(Misfit, RenameOrphan) {
  EXPECT_MISFIT(rename, r.new_dn = "uid=r,ou=q," + kSuffix, "new parent does not");
}
TEST_F(Misfit, RenameBelowItself) {
  EXPECT_MISFIT(rename, r.new_dn = "uid=r," + kA, "or below it");
}
TEST_F(Misfit, RenameSpelling) {
  EXPECT_MISFIT(rename, r.new_dn = "uid=r,DC=example,dc=com", "is spelled");
}
TEST_F(Misfit, RenameSuffix) {
  EXPECT_MISFIT(rename, (r.dn = kSuffix, r.id = EntryId(1)), "the suffix entry cannot be renamed");
}

TEST_F(Misfit, DamagedRecord) {
  ASSERT_EQ(modify(), 0);
  const std::string changes = changes_of(world_.database(), since_);
  RestoredPlace place(world_.clock());
  EXPECT_THAT(place.restore(backup_, {changes_with(header_of(changes), {"rubbish"})}),
              HasSubstr("changes 1: change record"));
}

}  // namespace
}  // namespace kauri::backend
