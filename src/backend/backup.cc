#include "backend/backup.h"

#include <array>

#include "backend/backup_check.h"
#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/meta.h"

namespace kauri::backend {
namespace {

using storage::Table;

constexpr std::array<Table, storage::kTableCount> kTables = {
    Table::kMeta, Table::kEntries, Table::kDn, Table::kIndex, Table::kValues, Table::kChanges};
constexpr std::uint64_t kProgressEvery = 4096;  // records

class Reporter {
 public:
  Reporter(const BackupOptions& options, std::uint64_t all) : options_(options), all_(all) {}
  void advance() {
    if (++done_ % kProgressEvery == 0 && options_.progress) options_.progress(done_, all_);
  }

 private:
  const BackupOptions& options_;
  std::uint64_t all_;
  std::uint64_t done_ = 0;
};

struct Snapshot {
  std::unique_ptr<storage::ReadTxn> txn;
  std::int64_t made_micros = 0;
};

// The writer is held for the moment in which the snapshot is taken: no change of a transaction that
// is under way then has an earlier CSN than `made_micros` and is not in the snapshot.
Result<Snapshot> take_snapshot(Core& core) {
  Snapshot snapshot;
  std::unique_ptr<storage::WriteTxn> hold;
  if (!core.read_only) {
    KAURI_TRY(hold, core.env->begin_write());
  }
  snapshot.made_micros = core.clock->wall_micros();
  KAURI_TRY(snapshot.txn, core.env->begin_read());
  return snapshot;
}

Result<BackupHeader> header_of(const Snapshot& snapshot, const BackupOptions& options) {
  storage::Txn& txn = *snapshot.txn;
  KAURI_TRY(const std::optional<Meta> meta, read_meta(txn));
  if (!meta) return corruption("table meta: it is empty");
  BackupHeader header;
  header.format = kFormatVersion;
  header.normal = kNormalVersion;
  header.made_micros = snapshot.made_micros;
  header.program = options.program;
  header.suffix = meta->suffix;
  header.csn = meta->last_csn;
  KAURI_TRY(const storage::TableStats entries, txn.table_stats(Table::kEntries));
  header.entries = entries.entries;
  return header;
}

// Nobody should learn at the restore that something was damaged before the backup.
Result<void> fits(const Result<void>& checked) {
  if (checked) return {};
  return Error(checked.error().code(),
               checked.error().message() +
                   "; the database is damaged and no backup is made of it: run verify, which "
                   "tells all that is wrong, then restore an earlier backup");
}

Result<void> add_table(storage::Txn& txn, Table table, BackupCheck& check, BackupWriter& writer,
                       Reporter& reporter) {
  KAURI_TRY(const storage::TableStats due, txn.table_stats(table));
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(table));
  KAURI_TRY(bool found, cursor->first());
  std::uint64_t records = 0;
  for (; found; ++records) {
    const BackupRecord record = {table, cursor->key(), cursor->value()};
    KAURI_CHECK(fits(check.add(record)));
    KAURI_CHECK(writer.add(record));
    reporter.advance();
    KAURI_TRY(found, cursor->next());
  }
  // A page in the place of another one can end a walk.
  if (records == due.entries) return {};
  return fits(corruption("table " + std::string(storage::table_name(table)) + ": " +
                         std::to_string(records) + " records are found, and it counts " +
                         std::to_string(due.entries)));
}

// --- Changes ---

Result<ChangeRecord> change_at(storage::Txn& txn, std::uint64_t sequence) {
  KAURI_TRY(std::optional<ChangeRecord> record, read_change(txn, sequence));
  if (!record)
    return corruption("table changes: sequence " + std::to_string(sequence) + " is missing");
  return std::move(*record);
}

// The first record with a later CSN; `position.next` when there is none.
Result<std::uint64_t> first_after(storage::Txn& txn, const ChangeLogPosition& position,
                                  const std::string& csn) {
  std::uint64_t low = position.first;
  std::uint64_t high = position.next;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    KAURI_TRY(const ChangeRecord record, change_at(txn, middle));
    if (record.csn > csn) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::string quoted(const std::string& csn) {
  return csn.empty() ? "of the database without changes" : csn;
}

Error unreachable(const std::string& since, const std::string& why) {
  return {ErrorCode::kNotFound,
          "the changes since CSN " + quoted(since) + " cannot be given: " + why};
}

// Why `found` does not follow the state `since`.
Error no_link(const std::string& since, const ChangeRecord& found, bool oldest) {
  if (!found.previous_csn)
    return unreachable(since, "the record of CSN " + found.csn +
                                  " was made by an older program and does not name the state "
                                  "before it; make a new backup");
  if (oldest && *found.previous_csn > since)
    return unreachable(since, "the change log begins after CSN " + quoted(*found.previous_csn) +
                                  ", what came before has been dropped "
                                  "(limits.change_log_records_max); make a new backup");
  return unreachable(since,
                     "this database never had that state; it is a CSN of another database, of "
                     "before an import or restore, or mistyped");
}

// Where the records begin that lead from `since` to the present.
Result<std::uint64_t> start_of(storage::Txn& txn, const ChangeLogPosition& position,
                               const std::string& since, const std::string& last_csn) {
  if (since > last_csn)
    return unreachable(since, "the database's last change has CSN " + quoted(last_csn));
  KAURI_TRY(const std::uint64_t start, first_after(txn, position, since));
  if (start == position.next) {
    if (since == last_csn) return start;
    return unreachable(since, "the change log has no records of what came later, up to CSN " +
                                  quoted(last_csn) + "; make a new backup");
  }
  KAURI_TRY(const ChangeRecord record, change_at(txn, start));
  if (record.previous_csn != since) return no_link(since, record, start == position.first);
  return start;
}

Result<void> add_changes(storage::Txn& txn, const ChangeLogPosition& position, std::uint64_t start,
                         const BackupHeader& header, BackupWriter& writer, Reporter& reporter) {
  std::string state = header.since;
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kChanges));
  KAURI_TRY(bool found, cursor->seek(change_key(start)));
  for (std::uint64_t at = start; at < position.next; ++at) {
    const std::string where = "table changes, sequence " + std::to_string(at);
    if (!found || cursor->key() != change_key(at)) return corruption(where + ": it is missing");
    const auto decoded = decode_change(cursor->value());
    if (!decoded) return decoded.error().with_context(where);
    const ChangeRecord& record = *decoded;
    if (record.previous_csn != state)
      return unreachable(header.since, "changes between CSN " + quoted(state) + " and CSN " +
                                           record.csn +
                                           " were not recorded; was the change log switched off? "
                                           "Make a new backup");
    state = csn_after(record);
    KAURI_CHECK(writer.add({Table::kChanges, {}, cursor->value()}));
    reporter.advance();
    KAURI_TRY(found, cursor->next());
  }
  if (state == header.csn) return {};
  return unreachable(header.since, "the last changes, from CSN " + quoted(state) + " to CSN " +
                                       header.csn + ", were not recorded; make a new backup");
}

Result<BackupHeader> write_database(Core& core, const BackupOptions& options,
                                    BackupWriter& writer) {
  KAURI_TRY(const Snapshot snapshot, take_snapshot(core));
  storage::Txn& txn = *snapshot.txn;
  KAURI_TRY(BackupHeader header, header_of(snapshot, options));
  for (const Table table : kTables) {
    KAURI_TRY(const storage::TableStats stats, txn.table_stats(table));
    header.records += stats.entries;
  }
  Reporter reporter(options, header.records);
  KAURI_CHECK(writer.begin(header));
  BackupCheck check;
  for (const Table table : kTables) KAURI_CHECK(add_table(txn, table, check, writer, reporter));
  KAURI_CHECK(fits(check.finish()));
  KAURI_CHECK(writer.finish());
  return header;
}

Result<BackupHeader> write_log(Core& core, const std::string& since, const BackupOptions& options,
                               BackupWriter& writer) {
  KAURI_TRY(const Snapshot snapshot, take_snapshot(core));
  storage::Txn& txn = *snapshot.txn;
  KAURI_TRY(BackupHeader header, header_of(snapshot, options));
  header.content = BackupContent::kChanges;
  header.since = since;
  KAURI_TRY(const ChangeLogPosition position, read_change_position(txn));
  KAURI_TRY(const std::uint64_t start, start_of(txn, position, since, header.csn));
  header.records = position.next - start;
  Reporter reporter(options, header.records);
  KAURI_CHECK(writer.begin(header));
  KAURI_CHECK(add_changes(txn, position, start, header, writer, reporter));
  KAURI_CHECK(writer.finish());
  return header;
}

}  // namespace

Result<BackupHeader> write_backup(Database& database, const BackupOptions& options,
                                  const OctetSink& sink) {
  BackupWriter writer(sink);
  Result<BackupHeader> done = write_database(database.core(), options, writer);
  if (!done) writer.give_up(done.error().message());
  return done;
}

Result<BackupHeader> write_changes(Database& database, const std::string& since,
                                   const BackupOptions& options, const OctetSink& sink) {
  BackupWriter writer(sink);
  Result<BackupHeader> done = write_log(database.core(), since, options, writer);
  if (!done) writer.give_up(done.error().message());
  return done;
}

}  // namespace kauri::backend
