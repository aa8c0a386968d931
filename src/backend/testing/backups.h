// Backups of test worlds in memory, and what two databases have in common. For tests. Thread
// safety: thread-compatible.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backup.h"
#include "backend/restore.h"
#include "backend/testing/world.h"
#include "storage/test_directory.h"

namespace kauri::backend {

// A source over octets that gives them in pieces of at most `piece` octets.
OctetSource source_of(std::string octets, std::size_t piece = 100'000);
// A backup, or the changes since a CSN; a failure is one of the test.
std::string backup_of(Database& database);
std::string changes_of(Database& database, const std::string& since);
// The message that write_changes() refuses with; "" when it does not.
std::string changes_refusal(Database& database, const std::string& since);
// What a stream holds. REQUIRES: it is whole.
BackupHeader header_of(const std::string& octets);
std::vector<std::string> values_of(const std::string& octets);
// A stream of changes with these records.
std::string changes_with(BackupHeader header, const std::vector<std::string>& records);

// Every record of every table: a change of one octet shows.
using Tables = std::map<std::pair<storage::Table, std::string>, std::string>;
Tables tables_of(Database& database);
// The entries as LDIF with everything in order, so that the order in which values lie does not
// show; and the CSN.
std::string content_of(Database& database);

// A place to restore to, with a database in it after restore().
class RestoredPlace {
 public:
  explicit RestoredPlace(Clock& clock, std::uint64_t seed = 7) : clock_(clock), random_(seed) {
    options_.database.path = directory_.path() + "/db";
  }
  RestoreOptions& options() { return options_; }
  const std::string& path() const { return options_.database.path; }
  // "" or the message of what went wrong.
  std::string restore(const std::string& backup, const std::vector<std::string>& changes = {});
  const RestoreReport& report() const { return report_; }
  // Opens what is there, without a writer unless asked.
  Database& open(bool start_writer = false);
  void close() { database_.reset(); }
  // The faults that verify() finds.
  std::string verify_text();
  // Names in the directory of the database.
  std::vector<std::string> files() const;

 private:
  storage::TestDirectory directory_;
  Clock& clock_;
  SeededRandom random_;
  RestoreOptions options_;
  RestoreReport report_;
  std::unique_ptr<Database> database_;
};

}  // namespace kauri::backend
