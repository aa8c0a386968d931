// Database: one suffix with its storage environment, dictionary, indexes and writer thread (DESIGN
// sections 4 and 5).
//
// Thread safety: thread-safe, but for what says otherwise. Reading: a ReadSession for each thread.
// Writing: submit(); one writer thread groups what waits into one transaction, checks each
// operation against the state in the transaction, changes, commits once, and only then calls the
// completions.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/result.h"
#include "entry/dictionary.h"
#include "index/index_catalog.h"
#include "ldap/dn.h"
#include "ldap/message.h"
#include "ldap/result_code.h"
#include "query/access.h"
#include "storage/storage.h"

namespace kauri::backend {

class ReadSession;
struct Core;

using EnvWrapper = std::function<std::unique_ptr<storage::Env>(std::unique_ptr<storage::Env>)>;

struct DatabaseOptions {
  std::string path;    // directory of the storage environment
  std::string suffix;  // DN text; when empty, what the database was made with; kInvalid if it
                       // differs from that
  storage::Durability durability = storage::Durability::kDurable;
  // Empty = index::default_indexes(); without a writer, the indexes that the database has.
  std::vector<index::IndexSpec> indexes;
  bool create = false;       // make it if there is none; else kNotFound
  bool start_writer = true;  // false: offline tools
  // Nothing is written, whatever else is asked for: the indexes are those that the database has.
  bool read_only = false;
  // Which pages of the file are checked at the opening, and whether it is opened though tables are
  // broken (storage::EnvOptions). REQUIRES: a report only with read_only.
  storage::PageExtent page_extent = storage::PageExtent::kFit;
  storage::TableSet page_tables = storage::kAllTables;
  storage::PageReport* page_report = nullptr;
  std::uint64_t change_log_records_max = limits::kChangeLogRecordsMax;
  // For tests: stands between the database and its storage.
  EnvWrapper wrap_env = {};
};

// --- Writing ---
struct WriteOutcome {
  ldap::OperationResult result;
  std::string csn;  // of the change; empty when it failed
  EntryId id;       // the entry changed; 0 when it failed
  std::int64_t queued_nanos =
      0;  // waiting for the writer; then the rest of the time is the commit's
  // The failure of ours behind `result`, with paths and keys that are the log's business alone.
  std::optional<Error> failure = std::nullopt;
};

struct Modification {
  ldap::ModifyOperation operation = ldap::ModifyOperation::kAdd;
  schema::AttributeDescription description;
  std::vector<std::string> values;
};

// What a submitted write carries. All octets are owned. DNs are parsed and normalised by the
// submitter.
struct TargetName {
  ldap::Dn dn;                           // as requested
  std::vector<std::string> normal_rdns;  // leaf first (schema/dn_normal.h)
};
struct AddOperation {
  TargetName target;
  std::vector<entry::Attribute>
      attributes;  // as requested, descriptions known to the schema, values syntax-checked
  // Whoever submits it has seen that no attribute has equal values, which spares the writer a look.
  bool values_are_distinct = false;
};
struct DeleteOperation {
  TargetName target;
};
struct ModifyOperationRequest {
  TargetName target;
  std::vector<Modification> modifications;
  // Adding a value that is there and deleting one that is not are no errors (the permissive modify
  // control, 1.2.840.113556.1.4.1413).
  bool permissive = false;
};
struct ModifyDnOperation {
  TargetName target;
  ldap::Rdn new_rdn;
  std::string new_normal_rdn;
  bool delete_old_rdn = false;
  std::optional<TargetName> new_superior;
};

struct WriteRequest {
  std::variant<AddOperation, DeleteOperation, ModifyOperationRequest, ModifyDnOperation> operation;
  std::unique_ptr<query::Authorizer>
      authorizer;  // used on the writer thread; its identity is creatorsName/modifiersName
  std::size_t size_bytes = 0;  // of the request, for the bounds of a batch
  std::int64_t submitted_nanos = 0;
  // THREADS: called on the writer thread after the commit (or refusal); must not block or throw.
  std::function<void(WriteOutcome&&)> completion;
};

struct WriterStats {
  std::uint64_t commits = 0;
  std::uint64_t operations = 0;  // committed
  std::uint64_t refused = 0;     // answered with an error
  std::uint64_t largest_batch = 0;
  std::uint64_t queue_length = 0;
};

class Database {
 public:
  // Opens, and creates when asked. Starts the writer. RETURNS: kNotFound, kInvalid (suffix, index,
  // format version), kBusy (another process has it), kIo, kCorruption.
  static Result<std::unique_ptr<Database>> open(const DatabaseOptions& options,
                                                std::shared_ptr<const schema::Schema> schema,
                                                Clock& clock, Random& random);
  ~Database();  // stop()
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& suffix() const;         // DN text
  const std::string& suffix_normal() const;  // schema::normalize_dn
  std::size_t suffix_rdn_count() const;
  const std::shared_ptr<const schema::Schema>& schema() const;
  entry::Dictionary& dictionary();
  const index::IndexCatalog& indexes() const;
  storage::Env& env();
  // Inside backend/.
  Core& core();

  // For one thread at a time; not begun yet.
  Result<std::unique_ptr<ReadSession>> read_session();

  // Queues a write. False, and nothing happens, when the queue is full (answer `busy`) or the
  // writer stopped
  // (`unavailable`).
  enum class Submitted : std::uint8_t { kYes, kQueueFull, kStopped };
  Submitted submit(std::unique_ptr<WriteRequest>& request);
  // For tools and tests: submits and waits.
  WriteOutcome execute(std::unique_ptr<WriteRequest> request);
  // Finishes what is queued, then ends the writer. Idempotent.
  void stop();

  WriterStats writer_stats() const;
  // The newest committed change, "" for an untouched database (contextCSN).
  std::string context_csn() const;
  // The id of the last commit that renamed or moved an entry (see ReadSession's name cache).
  std::uint64_t last_rename_txn() const;

 private:
  class Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kauri::backend
