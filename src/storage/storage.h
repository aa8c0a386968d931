// The key-value store under a database: the only user of LMDB. Six ordered tables, one writer,
// snapshot readers.
//
// Keys sort by memcmp and have 1 to limits::kKeySizeMax octets. Views returned by a transaction
// point into the map and are VALID UNTIL the transaction ends (reads) or changes anything (writes).
// Records are stored with a checksum of key and value that nobody here sees: whoever reads gets
// kCorruption when it is wrong, and when the place of a record that is not found is damaged
// (record_sum.h). Of the tables kEntries and kChanges it covers the key and the checksum with which
// the value begins, and their readers prove the rest. Env: thread-safe. A transaction and its
// cursors: confined to one thread at a time (write transactions to the thread that began them).
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kauri::storage {

// Persisted as LMDB database names; never renumber or rename.
enum class Table : std::uint8_t {
  kMeta = 0,
  kEntries = 1,
  kDn = 2,
  kIndex = 3,
  kValues = 4,
  kChanges = 5
};
inline constexpr std::size_t kTableCount = 6;
std::string_view table_name(Table table);

// The record of kMeta with this key has no checksum, so that every version of the program can read
// it: it says of which format all others are.
inline constexpr std::string_view kPlainKey = "format";

// Some of the tables, by their numbers.
using TableSet = std::bitset<kTableCount>;
inline constexpr TableSet kAllTables{(1U << kTableCount) - 1};
template <class... Tables>
TableSet table_set(Tables... tables) {
  TableSet set;
  (set.set(static_cast<std::size_t>(tables)), ...);
  return set;
}

enum class Durability : std::uint8_t {
  kDurable,   // a commit returns when it is on stable storage
  kMetaLazy,  // a crash of the machine may lose the last commit, never more; integrity kept
  kRelaxed,  // a crash of the machine may lose or damage the file; for bulk loading and by explicit
             // configuration
};

// How many pages of the file are checked before LMDB, which trusts them all, reads any
// (page_check.h). Header pages and the free list always are.
enum class PageExtent : std::uint8_t {
  kBranches,  // and the branch pages: about one page in 100
  kFit,       // all pages, where the file has few; else the branch pages
  kWhole,     // and all other pages: costs reading the file
};
struct PageReport {
  bool whole = false;  // leaf and overflow pages were checked too
  std::uint64_t pages_read = 0;
  std::uint64_t fault_count = 0;
  std::vector<std::string> faults;  // at most 100, each a sentence that names the page
  bool unusable = false;  // no table can be found: the header pages or the names are damaged
  TableSet broken;        // tables whose pages must not be read
  std::uint64_t size_due =
      0;  // octets that the file should have; fewer when the rest is free pages
  std::uint64_t file_size = 0;
};

struct EnvOptions {
  std::string path = {};  // a directory, made if missing; holds data.mdb and lock.mdb
  Durability durability = Durability::kDurable;
  std::size_t map_size = std::size_t{1} << 40U;  // address space, not disk
  unsigned readers_max = 512;
  bool read_only = false;
  PageExtent page_extent = PageExtent::kFit;
  TableSet page_tables = kAllTables;  // others are not checked: nobody may read them
  // Where given: gets what was found, also when open() fails, and an environment is opened though
  // tables are broken. REQUIRES: nothing is written then, and no broken table is read.
  PageReport* page_report = nullptr;
};

struct EnvStats {
  std::uint64_t map_size = 0;
  std::uint64_t file_size = 0;
  std::uint64_t pages_used = 0;
  std::uint64_t page_size = 0;
  std::uint64_t last_txn_id = 0;
  std::uint64_t oldest_reader_txn_id = 0;  // == last_txn_id when no reader lags
  unsigned readers_in_use = 0;
  unsigned readers_max = 0;
};
struct TableStats {
  std::uint64_t entries = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t branch_pages = 0;
  std::uint64_t overflow_pages = 0;
  unsigned depth = 0;
};

class Cursor;

// Reading side of a transaction.
class Txn {
 public:
  virtual ~Txn() = default;
  // nullopt when the key is absent. RETURNS: kCorruption, kIo.
  virtual Result<std::optional<std::string_view>> get(Table table, std::string_view key) = 0;
  // A cursor lives at most as long as its transaction (a read cursor survives renew() but loses its
  // position).
  virtual Result<std::unique_ptr<Cursor>> cursor(Table table) = 0;
  // Identifies the snapshot: commits are numbered 1, 2, ... and a reader sees the id of the commit
  // it reads. A write transaction has the id that readers of its commit will see.
  virtual std::uint64_t id() const = 0;
  virtual Result<TableStats> table_stats(Table table) = 0;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  // Each positions the cursor; false when there is no such record. RETURNS: kCorruption, kIo. Where
  // the record itself is damaged the cursor stands at it all the same, and can go on from there.
  virtual Result<bool> seek(std::string_view key) = 0;  // first record with key >= `key`
  virtual Result<bool> seek_exact(std::string_view key) = 0;
  virtual Result<bool> first() = 0;
  virtual Result<bool> last() = 0;
  virtual Result<bool> next() = 0;
  virtual Result<bool> previous() = 0;
  virtual bool at_record() const = 0;
  // REQUIRES: the last positioning returned true, or at_record().
  virtual std::string_view key() const = 0;
  // REQUIRES: the last positioning returned true.
  virtual std::string_view value() const = 0;
};

class ReadTxn : public Txn {
 public:
  // Gives the snapshot back but keeps the reader slot; cheap.
  virtual void reset() = 0;
  // Takes the newest snapshot. REQUIRES: after reset().
  virtual Result<void> renew() = 0;
};

class WriteTxn : public Txn {
 public:
  // Insert or replace. RETURNS: kNoSpace, kIo; kInvalid for a bad key size. After any error abort()
  // is due.
  virtual Result<void> put(Table table, std::string_view key, std::string_view value) = 0;
  // Insert behind every key of the table; kInvalid when `key` is not greater than the last.
  virtual Result<void> append(Table table, std::string_view key, std::string_view value) = 0;
  // False when the key was absent.
  virtual Result<bool> erase(Table table, std::string_view key) = 0;
  virtual Result<void> clear(Table table) = 0;
  // On stable storage when it returns (kDurable). On error nothing of the transaction is visible.
  virtual Result<void> commit() = 0;
  virtual void abort() = 0;
};

class Env {
 public:
  virtual ~Env() = default;
  virtual Result<std::unique_ptr<ReadTxn>> begin_read() = 0;
  // Blocks while another write transaction is open.
  virtual Result<std::unique_ptr<WriteTxn>> begin_write() = 0;
  // Flushes what a relaxed durability left behind.
  virtual Result<void> sync() = 0;
  virtual EnvStats stats() = 0;
  // Frees slots of dead processes. RETURNS: how many.
  virtual Result<unsigned> check_readers() = 0;
  // Writes a consistent, compacted copy to an open descriptor.
  virtual Result<void> copy_to(int fd) = 0;
  virtual Durability durability() const = 0;
  virtual const std::string& path() const = 0;

  // Opens or creates. The directory is locked for this process (a lock file); kBusy names the
  // holder's pid. Damaged pages are kCorruption with the first one's number.
  static Result<std::unique_ptr<Env>> open(const EnvOptions& options);
};

}  // namespace kauri::storage
