// import_ldif() (offline.h): the choice between the two ways, and what they share.
#include <sys/stat.h>

#include <optional>
#include <thread>

#include "backend/backup_file.h"
#include "backend/import_bulk.h"
#include "backend/import_orphans.h"
#include "backend/import_pipeline.h"
#include "backend/index_build.h"
#include "backend/meta.h"
#include "backend/offline.h"
#include "backend/working_copy.h"
#include "backend/write_context.h"
#include "index/dn_index.h"
#include "schema/dn_normal.h"
#include "storage/durable_name.h"
#include "storage/page_cache.h"

namespace kauri::backend {
namespace {

constexpr std::int64_t kProgressNanos = 250'000'000;
constexpr std::size_t kEntriesAtOnce = 5'000;  // of a transaction, where there are entries already
// Files no larger than this are one transaction for certain, and need no copy of the database.
constexpr std::uint64_t kOneTransactionOctets = std::uint64_t{100} << 10U;
constexpr std::uint64_t kRecordOctetsMin = 24;  // "dn:c=a\nobjectClass:a\nc:a"
static_assert(kOneTransactionOctets / kRecordOctetsMin < kEntriesAtOnce);

// Passes on rejects and progress, and counts.
class Reporter {
 public:
  Reporter(const ImportOptions& options, Clock& clock)
      : options_(options), clock_(clock), started_(clock.monotonic_nanos()) {
    for (const std::string& file : options.files) {
      struct stat info {};
      if (file != "-" && ::stat(file.c_str(), &info) == 0)
        state_.bytes_total += static_cast<std::uint64_t>(info.st_size);
    }
  }

  // RETURNS: kLimit when there are too many.
  Result<void> reject(const PreparedRecord& record) {
    ++rejected_;
    if (options_.reject)
      options_.reject(
          {record.file == nullptr ? "" : *record.file, record.line, record.dn, record.reject});
    if (options_.rejects_max == 0 || rejected_ < options_.rejects_max) return {};
    return limit_exceeded("the import stops after " + std::to_string(rejected_) +
                          " rejects, the limit is " + std::to_string(options_.rejects_max));
  }
  void progress(const char* phase, std::uint64_t entries, std::uint64_t bytes_read) {
    const std::int64_t now = clock_.monotonic_nanos();
    const bool same = state_.phase == phase;
    state_.phase = phase;
    state_.entries = entries;
    if (bytes_read != 0) state_.bytes_read = bytes_read;
    if (!options_.progress || (same && now - last_ < kProgressNanos)) return;
    last_ = now;
    options_.progress(state_);
  }
  ImportReport report(std::uint64_t entries) const {
    ImportReport report;
    report.entries = entries;
    report.rejected = rejected_;
    report.seconds = static_cast<double>(clock_.monotonic_nanos() - started_) / 1e9;
    return report;
  }

 private:
  const ImportOptions& options_;
  Clock& clock_;
  std::int64_t started_;
  std::int64_t last_ = 0;
  ImportProgress state_;
  std::uint64_t rejected_ = 0;
};

PipelineOptions pipeline_options(const ImportOptions& options, std::int64_t start_micros) {
  PipelineOptions out;
  out.files = options.files;
  out.threads = options.threads;
  if (out.threads == 0) out.threads = std::max(1U, std::thread::hardware_concurrency());
  out.keep_operational = options.keep_operational;
  out.start_micros = start_micros;
  return out;
}

struct Target {
  std::unique_ptr<storage::Env> env;  // holds the directory's lock
  std::optional<Meta> meta;
  std::uint64_t entries = 0;
};

Result<Target> open_target(const DatabaseOptions& options) {
  Target target;
  storage::EnvOptions env_options;
  env_options.path = options.path;
  // Whole, since a database that only looks empty would be replaced.
  env_options.page_extent = storage::PageExtent::kWhole;
  KAURI_TRY(target.env, storage::Env::open(env_options));
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, target.env->begin_read());
  KAURI_TRY(target.meta, read_meta(*txn));
  KAURI_TRY(const storage::TableStats stats, txn->table_stats(storage::Table::kEntries));
  target.entries = stats.entries;
  return target;
}

// The indexes to build: the configured ones, else those of the (empty) database, else the default.
Result<std::vector<index::IndexSpec>> wanted_indexes(const schema::Schema& schema,
                                                     const DatabaseOptions& options,
                                                     const std::optional<Meta>& meta) {
  if (!options.indexes.empty()) return options.indexes;
  if (!meta) return index::default_indexes(schema);
  std::vector<index::IndexSpec> specs;
  for (const StoredIndex& one : meta->indexes) {
    for (const auto& [number, text] : meta->attributes)
      if (number == one.number && one.kinds.any()) specs.push_back({text, one.kinds});
  }
  return specs;
}

Result<void> load_all(const ImportOptions& options, Core& core, const std::string& spill_directory,
                      const HashPassword& hash_password, Reporter& reporter,
                      std::uint64_t* entries) {
  PipelineOptions pipeline = pipeline_options(options, core.clock->wall_micros());
  pipeline.catalog = &core.catalog;
  BulkLoader loader(core, spill_directory, static_cast<std::size_t>(options.memory_bytes_max));
  {
    ImportPipeline batches(pipeline, core.schema, *core.random, hash_password);
    for (;;) {
      KAURI_TRY(const std::unique_ptr<ImportBatch> batch, batches.next());
      if (batch == nullptr) break;
      KAURI_CHECK(loader.take(*batch));
      for (const PreparedRecord& record : batch->prepared)
        if (!record.reject.empty()) KAURI_CHECK(reporter.reject(record));
      reporter.progress("parse", loader.entries(), batch->octets_read);
    }
    KAURI_CHECK(loader.take_orphans(
        [&reporter](const PreparedRecord& record) { return reporter.reject(record); }));
  }
  if (core.suffix.empty())
    return invalid("there is no entry to import, and no suffix to make an empty database of");
  *entries = loader.entries();
  return loader.finish([&](const char* phase) { reporter.progress(phase, loader.entries(), 0); });
}

// A new environment beside the old one, put in its place when it is whole and on the disk.
Result<ImportReport> import_bulk(const ImportOptions& options, Target target,
                                 std::shared_ptr<const schema::Schema> schema, Clock& clock,
                                 Random& random, const HashPassword& hash_password) {
  Reporter reporter(options, clock);
  const std::string& path = options.database.path;
  const TemporaryDirectory directory(path + "/import.tmp");
  std::uint64_t entries = 0;
  {
    Core core;
    core.schema = std::move(schema);
    core.clock = &clock;
    core.random = &random;
    core.dictionary = std::make_unique<entry::Dictionary>(core.schema);
    std::string suffix = options.database.suffix;
    if (suffix.empty() && target.meta) suffix = target.meta->suffix;
    if (!suffix.empty()) KAURI_CHECK(set_suffix(core, suffix));
    KAURI_TRY(const std::vector<index::IndexSpec> specs,
              wanted_indexes(*core.schema, options.database, target.meta));
    KAURI_TRY(core.catalog, index::IndexCatalog::make(specs, *core.dictionary));
    storage::EnvOptions env_options;
    env_options.path = directory.path();
    env_options.durability = storage::Durability::kRelaxed;
    KAURI_TRY(core.env, storage::Env::open(env_options));
    if (options.database.wrap_env) core.env = options.database.wrap_env(std::move(core.env));
    KAURI_CHECK(load_all(options, core, directory.path(), hash_password, reporter, &entries));
  }
  KAURI_CHECK(storage::put_in_place(directory.path() + "/data.mdb", path + "/data.mdb"));
  target.env.reset();
  // Best effort: it only spares later writes the cost of large folios in the cache.
  [[maybe_unused]] const Result<void> dropped = storage::drop_page_cache(path);
  return reporter.report(entries);
}

// One entry into a database that has others.
Result<Placed> add_entry(WriteContext& context, PreparedRecord& record) {
  TargetName name{record.name, record.normal_rdns};
  KAURI_TRY(const Located located, context.locate(name));
  if (located.outside) {
    record.reject = "the name is outside of the suffix " + context.core().suffix;
  } else if (located.missing > 1) {
    return Placed::kParentMissing;
  } else if (located.found()) {
    record.reject = "the entry exists already";
  }
  if (!record.reject.empty()) return Placed::kRejected;
  const bool is_suffix = located.path.empty();
  if (is_suffix) {
    record.entry.rdn = ldap::to_string(record.name);
  } else {
    record.entry.parent = located.path.back();
  }
  const EntryId id = context.take_id();
  ChangeRecord change;
  change.kind = ChangeKind::kAdd;
  // The log is in the order of its own CSNs; the entry keeps the one it came with.
  change.csn = context.next_csn();
  change.id = id;
  KAURI_TRY(const std::string parent_dn, context.dn_text(located.path));
  change.dn = ldap::join_dn(record.entry.rdn, parent_dn);
  change.entry_uuid =
      parse_uuid(record.entry.find(*context.schema().well_known().entry_uuid)->values.front());
  for (const entry::Attribute& attribute : record.entry.attributes)
    change.attributes.push_back({attribute.description.to_string(), {}, attribute.values});
  const std::string_view normal_rdn = is_suffix ? std::string_view(context.core().suffix_normal)
                                                : std::string_view(record.normal_rdns.front());
  KAURI_CHECK(store_new_entry(context, {id, &record.name.rdns.front(), normal_rdn}, record.entry));
  KAURI_CHECK(context.change_counts(located.path, 1, 1));
  KAURI_CHECK(context.log(change));
  context.observe_csn(record.csn);
  return Placed::kYes;
}

// Entries one by one into a database that has others, some thousands in a transaction.
class EntryAdder {
 public:
  EntryAdder(Core& core, CsnGenerator& csns, BatchState& state)
      : core_(core), csns_(csns), state_(state) {}

  Result<Placed> add(PreparedRecord& record) {
    if (txn_ == nullptr) {
      KAURI_TRY(txn_, core_.env->begin_write());
    }
    WriteContext context(core_, *txn_, csns_, state_);
    KAURI_TRY(const Placed placed, add_entry(context, record));
    KAURI_CHECK(context.postings().flush(*txn_));
    if (placed == Placed::kYes) ++entries_;
    if (placed == Placed::kYes && ++in_txn_ >= kEntriesAtOnce) KAURI_CHECK(commit());
    return placed;
  }
  Result<void> commit() {
    if (txn_ == nullptr) return {};
    KAURI_CHECK(write_batch_state(core_, *txn_, state_));
    const std::unique_ptr<storage::WriteTxn> ending = std::move(txn_);
    in_txn_ = 0;
    return ending->commit();
  }
  std::uint64_t entries() const { return entries_; }

 private:
  Core& core_;
  CsnGenerator& csns_;
  BatchState& state_;
  std::unique_ptr<storage::WriteTxn> txn_;
  std::size_t in_txn_ = 0;
  std::uint64_t entries_ = 0;
};

// The entries that came before their parents, once all are read.
Result<void> add_orphans(OrphanStore& orphans, EntryAdder& adder, Reporter& reporter) {
  return orphans.drain(
      [&](PreparedRecord& record, const std::vector<std::string>& /*keys*/) -> Result<void> {
        KAURI_TRY(const Placed placed, adder.add(record));
        if (placed == Placed::kParentMissing) {
          record.reject =
              "its parent " + parent_name(record) + " is not in the database and was not imported";
        }
        return placed == Placed::kYes ? Result<void>() : reporter.reject(record);
      });
}

Result<ImportReport> import_into(const ImportOptions& options,
                                 std::shared_ptr<const schema::Schema> schema, Clock& clock,
                                 Random& random, const HashPassword& hash_password) {
  Reporter reporter(options, clock);
  DatabaseOptions database_options = options.database;
  database_options.start_writer = false;
  database_options.page_extent = storage::PageExtent::kBranches;  // open_target() has seen them all
  KAURI_TRY(const std::unique_ptr<Database> database,
            Database::open(database_options, std::move(schema), clock, random));
  Core& core = database->core();
  KAURI_TRY(BatchState state, read_batch_state(core));
  CsnGenerator csns(clock, 0);
  if (const std::optional<Csn> last = parse_csn(state.last_csn)) csns.observe(*last);
  const std::int64_t start = csns.next().micros;
  ImportPipeline batches(pipeline_options(options, start), core.schema, random, hash_password);
  OrphanStore orphans(core.schema, options.database.path,
                      static_cast<std::size_t>(options.memory_bytes_max));
  EntryAdder adder(core, csns, state);
  for (;;) {
    KAURI_TRY(const std::unique_ptr<ImportBatch> batch, batches.next());
    if (batch == nullptr) break;
    for (PreparedRecord& record : batch->prepared) {
      Placed placed = Placed::kRejected;
      if (record.reject.empty()) {
        KAURI_TRY(placed, adder.add(record));
      }
      if (placed == Placed::kRejected) KAURI_CHECK(reporter.reject(record));
      if (placed == Placed::kParentMissing) KAURI_CHECK(orphans.add(record, {}));
    }
    reporter.progress("parse", adder.entries(), batch->octets_read);
  }
  KAURI_CHECK(add_orphans(orphans, adder, reporter));
  reporter.progress("sync", adder.entries(), 0);
  KAURI_CHECK(adder.commit());
  return reporter.report(adder.entries());
}

// Octets of the files; nothing where that cannot be known.
std::optional<std::uint64_t> size_of(const std::vector<std::string>& files) {
  std::uint64_t size = 0;
  for (const std::string& file : files) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    size += static_cast<std::uint64_t>(info.st_size);
  }
  return size;
}

// Many transactions into a copy, which becomes the database when all are done.
Result<ImportReport> import_into_copy(const ImportOptions& options,
                                      std::shared_ptr<const schema::Schema> schema, Clock& clock,
                                      Random& random, const HashPassword& hash_password) {
  KAURI_TRY(const std::unique_ptr<WorkingCopy> copy,
            WorkingCopy::make(options.database.path, "import.tmp"));
  ImportOptions work = options;
  work.database.path = copy->path();
  work.database.durability = storage::Durability::kRelaxed;
  KAURI_TRY(const ImportReport report,
            import_into(work, std::move(schema), clock, random, hash_password));
  KAURI_CHECK(copy->put_in_place());
  return report;
}

}  // namespace

Result<ImportReport> import_ldif(const ImportOptions& options,
                                 std::shared_ptr<const schema::Schema> schema, Clock& clock,
                                 Random& random, const HashPassword& hash_password) {
  KAURI_TRY(Target target, open_target(options.database));
  if (target.entries != 0) {
    target.env.reset();
    const std::optional<std::uint64_t> size = size_of(options.files);
    const bool small = size && *size <= kOneTransactionOctets;
    return (small ? import_into : import_into_copy)(options, std::move(schema), clock, random,
                                                    hash_password);
  }
  return import_bulk(options, std::move(target), std::move(schema), clock, random, hash_password);
}

}  // namespace kauri::backend
