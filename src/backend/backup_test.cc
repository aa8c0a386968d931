// Backups and parts of the change log: what they hold, and when there is none.
#include "backend/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/meta_format.h"
#include "backend/testing/backups.h"
#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

using testing::HasSubstr;

TEST(Backup, HoldsTheWholeDatabase) {
  World world;
  world.add_fixture();
  std::vector<std::string> many;
  for (int i = 0; i < 300; ++i) many.push_back("value " + std::to_string(i));
  ASSERT_EQ(world.modify(kA, {replaced("description", many)}), 0);
  ASSERT_EQ(world.rename(kB, "uid=bb", true, kSuffix), 0);
  const std::string backup = backup_of(world.database());
  const BackupHeader header = header_of(backup);
  EXPECT_EQ(header.content, BackupContent::kDatabase);
  EXPECT_EQ(header.format, kFormatVersion);
  EXPECT_EQ(header.normal, kNormalVersion);
  EXPECT_EQ(header.made_micros, world.clock().wall_micros());
  EXPECT_EQ(header.program, "test");
  EXPECT_EQ(header.suffix, kSuffix);
  EXPECT_EQ(header.csn, world.database().context_csn());
  EXPECT_EQ(header.since, "");
  EXPECT_EQ(header.entries, 5U);
  const Tables tables = tables_of(world.database());
  EXPECT_EQ(header.records, tables.size());

  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup), "");
  EXPECT_EQ(tables_of(place.open()), tables);
  EXPECT_EQ(place.verify_text(), "");
  EXPECT_EQ(place.report().entries, 5U);
  EXPECT_EQ(place.report().csn, header.csn);
}

TEST(Backup, OfADatabaseThatIsOnlyRead) {
  World world;
  world.add_fixture();
  const Tables tables = tables_of(world.database());
  world.close();
  DatabaseOptions options;
  options.path = world.path();
  options.start_writer = false;
  options.read_only = true;
  const auto database = Database::open(options, fixture_schema(), world.clock(), world.random());
  ASSERT_TRUE(database) << database.error().message();
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup_of(**database)), "");
  EXPECT_EQ(tables_of(place.open()), tables);
}

TEST(Backup, OfADatabaseWithoutEntries) {
  World world;
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  EXPECT_EQ(tables_of(place.open()), tables_of(world.database()));
  EXPECT_EQ(place.verify_text(), "");
}

TEST(Backup, ARestoredDatabaseTakesChanges) {
  World world;
  world.add_fixture();
  RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup_of(world.database())), "");
  Database& database = place.open(true);
  auto request = world.modify_request(kA, {replaced("description", {"after"})});
  request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
  const std::string before = database.context_csn();
  const WriteOutcome outcome = database.execute(std::move(request));
  EXPECT_TRUE(outcome.result.ok()) << outcome.result.diagnostic;
  EXPECT_GT(outcome.csn, before);
  place.close();
  EXPECT_EQ(place.verify_text(), "");
}

TEST(Backup, DamageIsFoundBeforeTheBackupIsNeeded) {
  World world;
  world.add_fixture();
  {
    auto txn = world.database().env().begin_write();
    std::string record(*(*(*txn)->get(storage::Table::kEntries, entry_key(EntryId(3)))));
    record.back() = static_cast<char>(record.back() ^ 1);
    ASSERT_TRUE((*txn)->put(storage::Table::kEntries, entry_key(EntryId(3)), record));
    ASSERT_TRUE((*txn)->commit());
  }
  const auto done =
      write_backup(world.database(), {}, [](std::string_view) { return Result<void>(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(done.error().message(), HasSubstr("table entries, id 3"));
}

TEST(Backup, StorageThatFailsGivesNoBackup) {
  World world;
  world.add_fixture();
  std::uint64_t n = 1;
  for (;; n += 7) {
    world.faults()->fail(storage::FaultPoint::kRead, n, ErrorCode::kIo);
    const std::uint64_t failures = world.faults()->failures();
    std::string out;
    const auto done = write_backup(world.database(), {}, [&out](std::string_view octets) {
      out.append(octets);
      return Result<void>();
    });
    const bool failed = world.faults()->failures() != failures;
    world.faults()->clear();
    EXPECT_EQ(done.has_value(), !failed);
    if (!failed) break;
    RestoredPlace place(world.clock());
    EXPECT_NE(place.restore(out), "") << n;
  }
  EXPECT_GT(n, 50U);
}

TEST(Backup, OneThatCannotBeWrittenEnds) {
  World world;
  world.add_fixture();
  std::size_t left = 100;
  const auto done =
      write_backup(world.database(), {}, [&left](std::string_view octets) -> Result<void> {
        if (octets.size() > left) return Error(ErrorCode::kNoSpace, "the tape is full");
        left -= octets.size();
        return {};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "the tape is full");
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
}

// A writer counts in two entries, one after the other; backups taken meanwhile hold states that
// were there: the first is the second, or one further.
TEST(Backup, IsOneStateWhileAWriterWrites) {
  World world;
  world.add_fixture();
  ASSERT_EQ(world.modify(kA, {replaced("kInt", {"0"})}), 0);
  ASSERT_EQ(world.modify(kB, {replaced("kInt", {"0"})}), 0);
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  const auto change = [&](const std::string& dn, int value) {
    auto request = world.modify_request(dn, {replaced("kInt", {std::to_string(value)})});
    request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
    ASSERT_TRUE(world.database().execute(std::move(request)).result.ok());
  };
  std::thread writer([&] {
    for (int value = 1; !stop; ++value) {
      change(kA, value);
      change(kB, value);
      rounds = value;
      rounds.notify_all();
    }
  });
  std::set<std::string> states;
  for (int i = 0; i < 8; ++i) {
    for (int seen = rounds; seen < 3 * i + 1; seen = rounds) rounds.wait(seen);
    RestoredPlace place(world.clock());
    EXPECT_EQ(place.restore(backup_of(world.database())), "");
    EXPECT_EQ(place.verify_text(), "");
    const std::string content = content_of(place.open());
    const auto value_in = [&content](const char* uid) {
      const std::size_t entry = content.find(std::string("dn: uid=") + uid);
      const std::size_t at = content.find("kInt: ", entry);
      return std::stoi(content.substr(at + 6));
    };
    EXPECT_TRUE(value_in("a") == value_in("b") || value_in("a") == value_in("b") + 1) << content;
    states.insert(place.report().csn);
  }
  stop = true;
  writer.join();
  EXPECT_GT(states.size(), 1U);
}

// --- Changes ---

TEST(ChangesSince, HoldTheRecordsAfterAState) {
  World world;
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  EXPECT_EQ(header_of(changes_of(world.database(), csn)).records, 0U);
  ASSERT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  ASSERT_EQ(world.erase(kB), 0);
  const std::string changes = changes_of(world.database(), csn);
  const BackupHeader header = header_of(changes);
  EXPECT_EQ(header.content, BackupContent::kChanges);
  EXPECT_EQ(header.since, csn);
  EXPECT_EQ(header.csn, world.database().context_csn());
  EXPECT_EQ(header.records, 2U);
  const std::vector<std::string> records = values_of(changes);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(decode_change(records[0])->dn, kA);
  EXPECT_EQ(decode_change(records[1])->dn, kB);
  EXPECT_EQ(header_of(changes_of(world.database(), "")).records, 7U);
}

TEST(ChangesSince, StatesThatTheDatabaseNeverHadAreRefused) {
  World world;
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  EXPECT_THAT(changes_refusal(world.database(), "30240101120000.000000Z#000000#000#000000"),
              HasSubstr("last change has CSN " + csn));
  EXPECT_THAT(changes_refusal(world.database(), "19990101120000.000000Z#000000#000#000000"),
              HasSubstr("never had that state"));
  EXPECT_THAT(changes_refusal(world.database(), "nonsense"), HasSubstr("last change has CSN"));
}

TEST(ChangesSince, WhatWasDroppedIsNamed) {
  DatabaseOptions options;
  options.change_log_records_max = 3;
  World world(options);
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(world.modify(kA, {replaced("description", {std::to_string(i)})}), 0);
  EXPECT_EQ(header_of(changes_of(world.database(), csn)).records, 3U);
  ASSERT_EQ(world.modify(kA, {replaced("description", {"one more"})}), 0);
  const std::string refusal = changes_refusal(world.database(), csn);
  EXPECT_THAT(refusal, HasSubstr("the changes since CSN " + csn));
  EXPECT_THAT(refusal, HasSubstr("has been dropped"));
}

TEST(ChangesSince, ALogThatWasSwitchedOffHasAGap) {
  DatabaseOptions options;
  World world(options);
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  ASSERT_EQ(world.modify(kA, {replaced("description", {"logged"})}), 0);
  options.change_log_records_max = 0;
  world.reopen(options);
  ASSERT_EQ(world.modify(kA, {replaced("description", {"not logged"})}), 0);
  options.change_log_records_max = 100;
  world.reopen(options);
  const std::string later = world.database().context_csn();
  ASSERT_EQ(world.modify(kA, {replaced("description", {"logged again"})}), 0);
  EXPECT_THAT(changes_refusal(world.database(), csn), HasSubstr("were not recorded"));
  EXPECT_EQ(header_of(changes_of(world.database(), later)).records, 1U);
}

TEST(ChangesSince, TheLastChangesCanBeMissingToo) {
  DatabaseOptions options;
  World world(options);
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  options.change_log_records_max = 0;
  world.reopen(options);
  ASSERT_EQ(world.modify(kA, {replaced("description", {"not logged"})}), 0);
  EXPECT_THAT(changes_refusal(world.database(), csn), HasSubstr("no records of what came later"));
}

TEST(ChangesSince, RecordsOfAnOlderProgramAreRefused) {
  World world;
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  ASSERT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  {
    auto txn = world.database().env().begin_write();
    const auto position = read_change_position(**txn);
    const std::uint64_t last = position->next - 1;
    auto record = *read_change(**txn, last);
    record->previous_csn.reset();
    ASSERT_TRUE((*txn)->put(storage::Table::kChanges, change_key(last), encode_change(*record)));
    ASSERT_TRUE((*txn)->commit());
  }
  EXPECT_THAT(changes_refusal(world.database(), csn), HasSubstr("older program"));
}

TEST(ChangesSince, ARecordThatIsGoneIsNoticed) {
  World world;
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(world.modify(kA, {replaced("description", {std::to_string(i)})}), 0);
  auto txn = world.database().env().begin_write();
  const auto position = read_change_position(**txn);
  ASSERT_TRUE((*txn)->erase(storage::Table::kChanges, change_key(position->next - 2)));
  ASSERT_TRUE((*txn)->commit());
  EXPECT_THAT(changes_refusal(world.database(), csn), HasSubstr("is missing"));
}

}  // namespace
}  // namespace kauri::backend
