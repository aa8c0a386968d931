// Offline work on a database directory: bulk import, export, verification (DESIGN section 10's
// `kauri import|export| verify|reindex`). No server may have it open. Thread safety:
// thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/database.h"
#include "base/result.h"

namespace kauri::backend {

struct Reject {
  std::string file;
  std::uint64_t line = 0;
  std::string dn;
  std::string reason;
};
struct ImportProgress {
  std::uint64_t entries = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_total = 0;
  const char* phase = "";  // "parse", "sort", "build ...", "sync"
};
struct ImportOptions {
  DatabaseOptions database;        // suffix may be empty: the first entry's DN
  std::vector<std::string> files;  // LDIF; "-" = standard input
  std::uint64_t rejects_max = 0;   // stop after this many; 0 = no limit
  unsigned threads = 0;            // 0 = one for each core
  std::uint64_t memory_bytes_max =
      std::uint64_t{1} << 30U;  // for sort runs; more spill to files beside the database
  bool keep_operational =
      true;  // entryUUID, timestamps and so on from the LDIF (slapcat, dsctl) are kept
  std::function<void(const ImportProgress&)> progress;  // called a few times a second
  std::function<void(const Reject&)> reject;
};
// A value of userPassword in the form in which it is stored: what is clear in it is hashed. An
// error rejects the entry; without a function values are stored as they are.
using HashPassword = std::function<Result<std::string>(std::string_view value)>;
struct ImportReport {
  std::uint64_t entries = 0;
  std::uint64_t rejected = 0;
  double seconds = 0;
};
// Into an empty or new database: every table is built sorted and in bulk, in a temporary
// environment that takes its place at the end; into one that has entries: entries are added one by
// one, in one transaction where they are few, else to a copy that takes its place. So an import is
// there as a whole or, however it ends before, not at all. Entries may come before their
// parents; those whose parents never come are rejected at the end. THREADS: `hash_password` is
// called by several at once; `progress` and `reject` by the caller's.
Result<ImportReport> import_ldif(const ImportOptions& options,
                                 std::shared_ptr<const schema::Schema> schema, Clock& clock,
                                 Random& random, const HashPassword& hash_password);

struct ExportOptions {
  bool operational = true;
  std::string base;  // DN; empty = all
};
// The tables that export_ldif() reads, for DatabaseOptions::page_tables: a database whose names or
// indexes are damaged can be exported.
storage::TableSet tables_of_export(const ExportOptions& options);
// Entries parents first, as RFC 2849 through `write`.
Result<std::uint64_t> export_ldif(Database& database, const ExportOptions& options,
                                  const std::function<Result<void>(std::string_view)>& write);

struct VerifyReport {
  std::uint64_t entries = 0;
  std::uint64_t index_keys = 0;
  // Records of the change log that the entries were compared with: those of its end behind which
  // none is missing. 0 when the last change has no record: the log was off, or an import moved on.
  std::uint64_t changes = 0;
  std::vector<std::string> faults;  // at most 1000, each a sentence that names table and key
  std::uint64_t fault_count = 0;
};
// Reads every entry, rebuilds dn table, counts, indexes and large values from them and compares;
// checks CSNs and ids. `pages` is what was found when the database was opened: its faults are among
// those of the report, and tables that are broken are not read.
Result<VerifyReport> verify(Database& database,
                            const std::function<void(const ImportProgress&)>& progress,
                            const storage::PageReport& pages = {});

// Rebuilds the index table from the entries for the given attributes (all when empty).
Result<void> reindex(Database& database, const std::vector<std::string>& attributes,
                     const std::function<void(const ImportProgress&)>& progress);

}  // namespace kauri::backend
