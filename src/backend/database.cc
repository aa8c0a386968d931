#include "backend/database.h"

#include <algorithm>
#include <filesystem>
#include <future>

#include "backend/core.h"
#include "backend/index_build.h"
#include "backend/meta.h"
#include "backend/read_session_impl.h"
#include "backend/writer.h"
#include "base/assert.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

Result<Meta> create_database(Core& core, const DatabaseOptions& options) {
  if (options.suffix.empty())
    return invalid(
        "a new database in " + options.path +
        " needs a suffix: give its name (--suffix, or suffix in [[database]]), or import "
        "an LDIF file, whose first entry names it");
  KAURI_CHECK(set_suffix(core, options.suffix));
  const std::vector<index::IndexSpec> specs =
      options.indexes.empty() ? index::default_indexes(*core.schema) : options.indexes;
  KAURI_TRY(core.catalog, index::IndexCatalog::make(specs, *core.dictionary));
  KAURI_TRY(const std::unique_ptr<storage::WriteTxn> txn, core.env->begin_write());
  KAURI_CHECK(write_new_meta(*txn, core.suffix));
  KAURI_TRY([[maybe_unused]] const std::uint32_t highest,
            write_attributes(*txn, *core.dictionary, 0));
  for (const index::IndexDefinition& one : core.catalog.definitions())
    KAURI_CHECK(write_index(*txn, stored_index(one, IndexState::kUsable)));
  KAURI_CHECK(txn->commit());
  Meta meta;
  meta.suffix = core.suffix;
  return meta;
}

Result<void> check_suffix(Core& core, const DatabaseOptions& options) {
  if (options.suffix.empty()) return {};
  Result<std::string> wanted = schema::normalize_dn(*core.schema, options.suffix);
  if (!wanted) return wanted.error().with_context("the suffix \"" + options.suffix + "\"");
  if (*wanted == core.suffix_normal) return {};
  return invalid("the database in " + options.path + " has the suffix \"" + core.suffix +
                 "\", not \"" + options.suffix + "\"");
}

// The catalogue as the database has it, for tools that must not change it.
Result<void> take_stored_indexes(Core& core, const std::vector<StoredIndex>& stored) {
  std::vector<index::IndexSpec> specs;
  for (const StoredIndex& one : stored) {
    if (!core.dictionary->contains(one.number))
      return corruption("table meta: an index has the unknown attribute number " +
                        std::to_string(one.number.value()));
    if (one.kinds.any())
      specs.push_back({std::string(core.dictionary->text(one.number)), one.kinds});
  }
  KAURI_TRY(core.catalog, index::IndexCatalog::make(specs, *core.dictionary));
  std::vector<const schema::AttributeType*> unusable;
  for (const index::IndexDefinition& definition : core.catalog.definitions()) {
    if (std::find(stored.begin(), stored.end(), stored_index(definition, IndexState::kUsable)) ==
        stored.end())
      unusable.push_back(definition.type);
  }
  for (const schema::AttributeType* type : unusable) core.catalog.set_usable(*type, false);
  return {};
}

Result<void> open_existing(Core& core, const DatabaseOptions& options, const Meta& meta) {
  KAURI_CHECK(set_suffix(core, meta.suffix));
  KAURI_CHECK(check_suffix(core, options));
  for (const auto& [number, text] : meta.attributes) {
    // Records are written for numbers without gaps: one that is missing is a record that was lost.
    if (number.value() != core.dictionary->size() + 1)
      return corruption("table meta: attribute number " + std::to_string(number.value()) +
                        " stands where number " + std::to_string(core.dictionary->size() + 1) +
                        " is due; restore a backup");
    KAURI_CHECK(core.dictionary->restore(number, text));
  }
  if (options.read_only || (options.indexes.empty() && !options.start_writer))
    return take_stored_indexes(core, meta.indexes);
  const std::vector<index::IndexSpec> specs =
      options.indexes.empty() ? index::default_indexes(*core.schema) : options.indexes;
  KAURI_TRY(core.catalog, index::IndexCatalog::make(specs, *core.dictionary));
  return settle_indexes(core, meta.indexes);
}

Result<std::optional<Meta>> stored_meta(Core& core) {
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, core.env->begin_read());
  return read_meta(*txn);
}

}  // namespace

class Database::Impl {
 public:
  Core core;
  std::unique_ptr<Writer> writer;
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Database::~Database() {
  stop();
}

Result<std::unique_ptr<Database>> Database::open(const DatabaseOptions& options,
                                                 std::shared_ptr<const schema::Schema> schema,
                                                 Clock& clock, Random& random) {
  std::error_code ignored;
  const bool exists =
      std::filesystem::exists(std::filesystem::path(options.path) / "data.mdb", ignored);
  KAURI_ASSERT(options.read_only || options.page_report == nullptr);
  if (!exists && (!options.create || options.read_only))
    return Error(ErrorCode::kNotFound, "there is no database in " + options.path);
  auto impl = std::make_unique<Impl>();
  Core& core = impl->core;
  core.schema = std::move(schema);
  core.clock = &clock;
  core.random = &random;
  core.change_log_records_max = options.change_log_records_max;
  core.read_only = options.read_only;
  core.dictionary = std::make_unique<entry::Dictionary>(core.schema);
  storage::EnvOptions env_options;
  env_options.path = options.path;
  env_options.durability = options.durability;
  env_options.read_only = options.read_only;
  env_options.page_extent = options.page_extent;
  env_options.page_tables = options.page_tables;
  env_options.page_report = options.page_report;
  KAURI_TRY(core.env, storage::Env::open(env_options));
  if (options.wrap_env) core.env = options.wrap_env(std::move(core.env));
  storage::TableSet readable = options.page_tables;
  if (options.page_report != nullptr) readable &= ~options.page_report->broken;
  if (!readable.test(static_cast<std::size_t>(storage::Table::kMeta)))
    return corruption("table meta of " + options.path + " is damaged; restore a backup");

  KAURI_TRY(std::optional<Meta> meta, stored_meta(core));
  if (!meta) {
    if (!options.create || options.read_only)
      return Error(ErrorCode::kNotFound, "there is no database in " + options.path);
    KAURI_TRY(meta, create_database(core, options));
  } else {
    KAURI_CHECK(open_existing(core, options, *meta));
  }
  // What only reads does without the change log, which may be among the tables that are broken.
  BatchState state;
  if (readable.test(static_cast<std::size_t>(storage::Table::kChanges))) {
    KAURI_TRY(state, read_batch_state(core));
  }
  impl->writer = std::make_unique<Writer>(core, std::move(state));
  if (options.start_writer && !options.read_only) impl->writer->start();
  return std::unique_ptr<Database>(new Database(std::move(impl)));
}

const std::string& Database::suffix() const {
  return impl_->core.suffix;
}
const std::string& Database::suffix_normal() const {
  return impl_->core.suffix_normal;
}
std::size_t Database::suffix_rdn_count() const {
  return impl_->core.suffix_rdns.size();
}
const std::shared_ptr<const schema::Schema>& Database::schema() const {
  return impl_->core.schema;
}
entry::Dictionary& Database::dictionary() {
  return *impl_->core.dictionary;
}
const index::IndexCatalog& Database::indexes() const {
  return impl_->core.catalog;
}
storage::Env& Database::env() {
  return *impl_->core.env;
}
Core& Database::core() {
  return impl_->core;
}

Result<std::unique_ptr<ReadSession>> Database::read_session() {
  return std::unique_ptr<ReadSession>(std::make_unique<ReadSessionImpl>(*this, impl_->core));
}

Database::Submitted Database::submit(std::unique_ptr<WriteRequest>& request) {
  return impl_->writer->submit(request);
}

WriteOutcome Database::execute(std::unique_ptr<WriteRequest> request) {
  const auto promise = std::make_shared<std::promise<WriteOutcome>>();
  std::future<WriteOutcome> future = promise->get_future();
  request->submitted_nanos = impl_->core.clock->monotonic_nanos();
  request->completion = [promise, next = std::move(request->completion)](WriteOutcome&& outcome) {
    WriteOutcome copy = outcome;
    if (next) next(std::move(outcome));
    promise->set_value(std::move(copy));
  };
  switch (submit(request)) {
    case Submitted::kYes:
      return future.get();
    case Submitted::kQueueFull:
      return refused(ldap::ResultCode::kBusy, "too many changes wait for the writer");
    case Submitted::kStopped:
      break;
  }
  return refused(ldap::ResultCode::kUnavailable, "the database takes no changes now");
}

void Database::stop() {
  if (impl_ != nullptr && impl_->writer != nullptr) impl_->writer->stop();
}

WriterStats Database::writer_stats() const {
  return impl_->writer->stats();
}
std::string Database::context_csn() const {
  return impl_->writer->context_csn();
}
std::uint64_t Database::last_rename_txn() const {
  return impl_->core.names.last_rename.load();
}

}  // namespace kauri::backend
