#include "backend/restore.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "backend/backup_check.h"
#include "backend/backup_file.h"
#include "backend/core.h"
#include "backend/meta_format.h"
#include "backend/restore_replay.h"
#include "base/endian.h"
#include "schema/dn_normal.h"
#include "storage/directory_lock.h"
#include "storage/durable_name.h"
#include "storage/page_cache.h"

namespace kauri::backend {
namespace {

using storage::Table;

// Octets of records in one transaction; keeps LMDB's dirty pages far below its limit.
constexpr std::size_t kTxnOctets = std::size_t{64} << 20U;
constexpr std::uint64_t kProgressEvery = 4096;
constexpr std::string_view kDirectoryName = "/restore.tmp";
constexpr Csn kEndOfTime = {INT64_MAX, 0xffffff, 0xfff, 0xffffff};

// An open source. What goes wrong in it is told with its name.
struct Opened {
  std::string name;
  BackupReader reader;

  const BackupHeader& header() const { return reader.header(); }
  Error named(const Error& error) const { return error.with_context(name); }
};

Result<Opened> open_source(RestoreSource source, BackupContent wanted) {
  Result<BackupReader> reader = BackupReader::open(std::move(source.octets));
  if (!reader) return reader.error().with_context(source.name);
  const BackupHeader& header = reader->header();
  if (header.content != wanted)
    return invalid(source.name + (wanted == BackupContent::kDatabase
                                      ? " holds changes, not a backup that they follow"
                                      : " is a backup, not the changes that follow one"));
  if (header.format < kFormatVersionRestored || header.format > kFormatVersion ||
      header.normal != kNormalVersion)
    return invalid(source.name + " is of a database with format version " +
                   std::to_string(header.format) + " and normal form version " +
                   std::to_string(header.normal) + "; this program knows versions " +
                   std::to_string(kFormatVersion) + " and " + std::to_string(kNormalVersion) +
                   "; restore it with the program that made it (" + header.program +
                   "), export there and import here");
  return Opened{std::move(source.name), std::move(*reader)};
}

class Restorer {
 public:
  Restorer(const RestoreOptions& options, std::shared_ptr<const schema::Schema> schema,
           Clock& clock, Random& random)
      : options_(options),
        schema_(std::move(schema)),
        clock_(clock),
        random_(random),
        path_(options.database.path),
        started_(clock.monotonic_nanos()) {}

  Result<RestoreReport> run(RestoreSource backup, std::vector<RestoreSource> changes) {
    KAURI_TRY(Opened opened, open_source(std::move(backup), BackupContent::kDatabase));
    report_.backup = opened.header();
    for (RestoreSource& one : changes) {
      KAURI_TRY(Opened more, open_source(std::move(one), BackupContent::kChanges));
      changes_.push_back(std::move(more));
    }
    KAURI_CHECK(check_sources());
    KAURI_TRY(const storage::DirectoryLock lock, take_place());
    const TemporaryDirectory directory(path_ + std::string(kDirectoryName));
    KAURI_CHECK(load(opened, directory.path()));
    KAURI_CHECK(replay_all(directory.path()));
    return put_in_place(directory.path());
  }

 private:
  Result<void> check_sources();
  Result<void> check_covered();
  Result<void> check_suffix(const std::string& suffix, const std::string& of);
  Result<storage::DirectoryLock> take_place();
  Result<void> load(Opened& backup, const std::string& directory);
  static Result<void> check_fits(const Opened& backup, const Result<void>& checked);
  static Result<void> check_format(const Opened& backup, std::string_view value);
  Result<void> load_records(Opened& backup, storage::Env& env);
  Result<void> replay_all(const std::string& directory);
  Result<void> replay_source(Opened& source, Replay& replay);
  Result<void> check_database(Database& database);
  Result<RestoreReport> put_in_place(const std::string& directory);
  void progress(const char* phase, std::uint64_t done, std::uint64_t all) {
    if (done % kProgressEvery == 0 && options_.progress) options_.progress(phase, done, all);
  }

  const RestoreOptions& options_;
  std::shared_ptr<const schema::Schema> schema_;
  Clock& clock_;
  Random& random_;
  const std::string& path_;
  std::int64_t started_;
  std::vector<Opened> changes_;
  Csn until_ = kEndOfTime;
  RestoreReport report_;
};

Result<void> Restorer::check_suffix(const std::string& suffix, const std::string& of) {
  KAURI_TRY(const std::string is, schema::normalize_dn(*schema_, suffix));
  KAURI_TRY(const std::string wanted, schema::normalize_dn(*schema_, report_.backup.suffix));
  if (is == wanted) return {};
  return invalid("the backup has the suffix \"" + report_.backup.suffix + "\", " + of +
                 " the suffix \"" + suffix + "\"");
}

// Everything that can be said before anything is read or made.
Result<void> Restorer::check_sources() {
  if (!options_.database.suffix.empty())
    KAURI_CHECK(check_suffix(options_.database.suffix, "the database to restore"));
  for (const Opened& one : changes_) KAURI_CHECK(check_suffix(one.header().suffix, one.name));
  std::sort(changes_.begin(), changes_.end(),
            [](const Opened& a, const Opened& b) { return a.header().since < b.header().since; });
  if (options_.until.empty()) return {};
  if (changes_.empty())
    return invalid("a moment to restore to (" + options_.until +
                   ") needs the changes after the backup");
  KAURI_TRY(until_, parse_moment(options_.until));
  const auto first = parse_csn(report_.backup.csn);
  if (first && until_ < *first)
    return invalid("the backup has the state of CSN " + report_.backup.csn +
                   ", which is later than " + options_.until + "; take an older backup");
  return check_covered();
}

// Of a moment after the last change it must be known that nothing happened in between.
Result<void> Restorer::check_covered() {
  std::string reached = report_.backup.csn;
  std::int64_t known_micros = report_.backup.made_micros;
  for (const Opened& one : changes_) {
    if (one.header().since > reached) break;  // what is between is missing
    reached = std::max(reached, one.header().csn);
    known_micros = std::max(known_micros, one.header().made_micros);
  }
  const auto last = parse_csn(reached);
  if ((last && until_ <= *last) || until_.micros < known_micros) return {};
  return invalid("backup and changes tell of the time up to CSN \"" + reached + "\", read at " +
                 generalized_time(known_micros) + ", and not of the time up to " + options_.until);
}

Result<storage::DirectoryLock> Restorer::take_place() {
  KAURI_CHECK(storage::make_directories(path_));
  KAURI_TRY(storage::DirectoryLock lock, storage::DirectoryLock::take(path_));
  struct stat info {};
  if (!options_.replace && ::stat((path_ + "/data.mdb").c_str(), &info) == 0)
    return Error(ErrorCode::kExists,
                 "there is a database in " + path_ + "; it is replaced only with --force");
  return lock;
}

Result<void> Restorer::load(Opened& backup, const std::string& directory) {
  storage::EnvOptions env_options;
  env_options.path = directory;
  // Synced once, before it takes its place.
  env_options.durability = storage::Durability::kRelaxed;
  KAURI_TRY(std::unique_ptr<storage::Env> env, storage::Env::open(env_options));
  if (options_.database.wrap_env) env = options_.database.wrap_env(std::move(env));
  KAURI_CHECK(load_records(backup, *env));
  return env->sync();
}

Result<void> Restorer::check_format(const Opened& backup, std::string_view value) {
  std::string due;
  append_big_endian(due, backup.header().format);
  if (value == due) return {};
  return backup.named(corruption("its header says format version " +
                                 std::to_string(backup.header().format) +
                                 ", and its table meta another one"));
}

// Its checksums are right: it was made of a database that was damaged, by a program that did not
// see it.
Result<void> Restorer::check_fits(const Opened& backup, const Result<void>& checked) {
  if (checked) return {};
  return backup.named(corruption(checked.error().message() +
                                 "; the backup is of a database that was damaged: restore an "
                                 "earlier one"));
}

Result<void> Restorer::load_records(Opened& backup, storage::Env& env) {
  BackupCheck check;
  std::string format;
  append_big_endian(format, kFormatVersion);
  std::unique_ptr<storage::WriteTxn> txn;
  std::size_t octets = 0;
  for (;;) {
    const auto record = backup.reader.next();
    if (!record) return backup.named(record.error());
    const bool end = !*record;
    if (txn != nullptr && (end || octets >= kTxnOctets)) {
      KAURI_CHECK(txn->commit());
      txn.reset();
      octets = 0;
    }
    if (end) return check_fits(backup, check.finish());
    if (txn == nullptr) {
      KAURI_TRY(txn, env.begin_write());
    }
    BackupRecord one = **record;
    KAURI_CHECK(check_fits(backup, check.add(one)));
    if (one.table == Table::kMeta && one.key == kMetaFormat) {
      KAURI_CHECK(check_format(backup, one.value));
      one.value = format;  // what is written here has the checksums of this version
    }
    const Result<void> appended = txn->append(one.table, one.key, one.value);
    if (!appended && appended.error().code() == ErrorCode::kInvalid)
      return backup.named(corruption("a record has no place: " + appended.error().message()));
    KAURI_CHECK(appended);
    octets += one.key.size() + one.value.size();
    progress("restore", backup.reader.records(), backup.header().records);
  }
}

// Also without changes: a database that does not open is not put into place.
Result<void> Restorer::replay_all(const std::string& directory) {
  DatabaseOptions database_options = options_.database;
  database_options.path = directory;
  database_options.suffix = report_.backup.suffix;
  database_options.durability = storage::Durability::kRelaxed;
  database_options.indexes.clear();  // those that it has; the server settles what is configured
  database_options.create = false;
  database_options.start_writer = false;
  KAURI_TRY(const std::unique_ptr<Database> database,
            Database::open(database_options, schema_, clock_, random_));
  KAURI_TRY(const std::unique_ptr<Replay> replay, Replay::start(*database));
  if (replay->csn() != report_.backup.csn)
    return corruption("the backup's header says CSN " + report_.backup.csn +
                      " and its tables CSN " + replay->csn());
  for (Opened& one : changes_) KAURI_CHECK(replay_source(one, *replay));
  KAURI_CHECK(replay->finish());
  report_.csn = replay->csn();
  KAURI_CHECK(check_database(*database));
  return database->env().sync();
}

Result<void> Restorer::replay_source(Opened& source, Replay& replay) {
  const BackupHeader& header = source.header();
  if (header.since > replay.csn() && !(until_ < parse_csn(header.since).value_or(kEndOfTime)))
    return invalid(source.name + " begins after CSN " + header.since +
                   ", and the state so far has CSN \"" + replay.csn() +
                   "\": the changes between them are missing");
  bool cut = false;  // by the moment that is wanted
  for (;;) {
    const auto next = source.reader.next();
    if (!next) return source.named(next.error());
    if (!*next) break;
    const std::string_view octets = (*next)->value;
    const Result<ChangeRecord> record = decode_change(octets);
    if (!record) return source.named(record.error());
    progress("changes", source.reader.records(), header.records);
    // Of the backup's own time, or after the moment that is wanted: read, since the checksum covers
    // them.
    if (record->csn <= replay.csn()) continue;
    if (const auto csn = parse_csn(record->csn); csn && until_ < *csn) {
      cut = true;
      continue;
    }
    if (const Result<void> done = replay.apply(*record, octets.size()); !done)
      return source.named(done.error());
    ++report_.changes;
  }
  if (cut || replay.csn() >= header.csn) return {};
  return source.named(corruption("its records lead to CSN " + replay.csn() +
                                 ", and its header says CSN " + header.csn +
                                 ": the last ones are missing"));
}

Result<void> Restorer::check_database(Database& database) {
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, database.env().begin_read());
  KAURI_TRY(const storage::TableStats stats, txn->table_stats(Table::kEntries));
  report_.entries = stats.entries;
  if (report_.changes == 0 && stats.entries != report_.backup.entries)
    return corruption("the backup's header says " + std::to_string(report_.backup.entries) +
                      " entries and its tables have " + std::to_string(stats.entries));
  if (!options_.verify) return {};
  KAURI_TRY(const VerifyReport found, verify(database, [this](const ImportProgress& state) {
              if (options_.progress) options_.progress("verify", state.entries, report_.entries);
            }));
  if (found.fault_count == 0) return {};
  return corruption("the restored database has " + std::to_string(found.fault_count) +
                    " faults and was not put into place; the first: " + found.faults.front());
}

Result<RestoreReport> Restorer::put_in_place(const std::string& directory) {
  const std::string made = directory + "/data.mdb";
  const std::string place = path_ + "/data.mdb";
  // LMDB's table of readers is of the old file. The next process makes a new one, also while a
  // foreign tool has the old one open.
  if (::unlink((path_ + "/lock.mdb").c_str()) != 0 && errno != ENOENT)
    return Error(ErrorCode::kIo, "cannot remove " + path_ + "/lock.mdb: " + std::strerror(errno));
  KAURI_CHECK(storage::put_in_place(made, place));
  // Best effort: it only spares later writes the cost of large folios in the cache.
  [[maybe_unused]] const Result<void> dropped = storage::drop_page_cache(path_);
  report_.seconds = static_cast<double>(clock_.monotonic_nanos() - started_) / 1e9;
  return std::move(report_);
}

}  // namespace

Result<Csn> parse_moment(std::string_view text) {
  if (const std::optional<Csn> csn = parse_csn(text)) return *csn;
  std::string digits;
  for (const char c : text)
    if (c != '-' && c != ':' && c != 'T') digits.push_back(c);
  // The form of a CSN's time: fourteen digits, point, six digits, Z.
  if (digits.size() >= 15 && digits.back() == 'Z') {
    digits.pop_back();
    if (digits.size() == 14) digits.push_back('.');
    digits.resize(std::max<std::size_t>(digits.size(), 21), '0');
    // All changes of that microsecond.
    if (const std::optional<Csn> csn = parse_csn(digits + "Z#ffffff#fff#ffffff")) return *csn;
  }
  return invalid("\"" + std::string(text) +
                 "\" is no moment: give a CSN, or a time in UTC such as 20260131235959Z or "
                 "2026-01-31T23:59:59Z, with up to six digits of a fraction");
}

Result<RestoreReport> restore(const RestoreOptions& options, RestoreSource backup,
                              std::vector<RestoreSource> changes,
                              std::shared_ptr<const schema::Schema> schema, Clock& clock,
                              Random& random) {
  Restorer restorer(options, std::move(schema), clock, random);
  return restorer.run(std::move(backup), std::move(changes));
}

}  // namespace kauri::backend
