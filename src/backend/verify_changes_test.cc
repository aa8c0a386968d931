// The change log against the entries: each way in which one can tell another story.
#include <gtest/gtest.h>

#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

using storage::Table;

class VerifyChangesTest : public ::testing::Test {
 protected:
  VerifyChangesTest() { world_.add_fixture(); }

  std::uint64_t compared() {
    const auto report = verify(world_.database(), {});
    EXPECT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->fault_count, 0U) << report->faults.front();
    return report->changes;
  }
  // The records, from the first on.
  std::vector<ChangeRecord> records() {
    std::vector<ChangeRecord> out;
    const auto txn = *world_.database().env().begin_read();
    const ChangeLogPosition position = *read_change_position(*txn);
    for (std::uint64_t at = position.first; at < position.next; ++at)
      out.push_back(**read_change(*txn, at));
    return out;
  }
  // Puts another record into the place of the last one, with its CSNs.
  void replace_last(ChangeRecord record) {
    const std::vector<ChangeRecord> all = records();
    record.csn = all.back().csn;
    record.previous_csn = all.back().previous_csn;
    const auto txn = *world_.database().env().begin_write();
    EXPECT_TRUE(txn->put(Table::kChanges, change_key(all.size()), encode_change(record)));
    EXPECT_TRUE(txn->commit());
  }
  void expect_fault(const std::string& text) {
    const std::string faults = world_.verify_text();
    EXPECT_NE(faults.find(text), std::string::npos) << faults;
  }
  void log_on(bool on) {
    DatabaseOptions options;
    if (!on) options.change_log_records_max = 0;
    world_.reopen(options);
  }

  World world_;
};

TEST_F(VerifyChangesTest, EveryOperationAgrees) {
  EXPECT_EQ(compared(), records().size());
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 0);
  EXPECT_EQ(world_.rename(kPeople, "ou=q", true), 0);
  EXPECT_EQ(world_.modify("uid=z,ou=q,dc=example,dc=com", {added("pager", {"1"})}), 0);
  EXPECT_EQ(world_.erase("uid=b,ou=q,dc=example,dc=com"), 0);
  EXPECT_EQ(world_.add("uid=b,ou=q,dc=example,dc=com", person("b")), 0);
  EXPECT_EQ(compared(), records().size());
}

TEST_F(VerifyChangesTest, AnEntryThatWasDeletedExists) {
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  ChangeRecord record = records().back();
  record.kind = ChangeKind::kDelete;
  replace_last(record);
  expect_fault("which it deleted, exists");
}

TEST_F(VerifyChangesTest, AnEntryThatWasAddedIsMissing) {
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  ChangeRecord record = records().back();
  record.kind = ChangeKind::kAdd;
  record.id = EntryId(1'000'000);
  replace_last(record);
  expect_fault("entry 1000000, \"" + kA + "\", which it left in the directory, does not exist");
}

TEST_F(VerifyChangesTest, AChangeIsNotInTheEntry) {
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  const ChangeRecord old = records().back();
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"y"})}), 0);
  replace_last(old);
  expect_fault("and its last change left it " + old.csn);
}

TEST_F(VerifyChangesTest, AChangeIsNotInTheLog) {
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  EXPECT_EQ(world_.add("uid=n,ou=p,dc=example,dc=com", person("n")), 0);
  // As if the addition had been a change of another entry.
  replace_last(records()[records().size() - 2]);
  expect_fault("no record of the last change of entry");
}

TEST_F(VerifyChangesTest, ARenameIsNotInTheEntry) {
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 0);
  ChangeRecord record = records().back();
  record.new_dn = "uid=zz,ou=p,dc=example,dc=com";
  replace_last(record);
  expect_fault("has the RDN \"uid=z\", and its last change was of \"uid=zz,ou=p");
}

TEST_F(VerifyChangesTest, ALogThatWasOffSaysNothingOfThatTime) {
  log_on(false);
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"off"})}), 0);
  EXPECT_EQ(world_.erase(kB), 0);
  EXPECT_EQ(compared(), 0U);
  log_on(true);
  EXPECT_EQ(compared(), 0U);
  EXPECT_EQ(world_.modify(kPeople, {replaced("description", {"on"})}), 0);
  EXPECT_EQ(compared(), 1U);
}

}  // namespace
}  // namespace kauri::backend
