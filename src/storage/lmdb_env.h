// The LMDB side of storage.h: the classes behind Env, ReadTxn, WriteTxn and Cursor. Inside storage/
// only.
//
// LMDB frees the cursors of a write transaction when that ends, and leaves those of a read
// transaction to us. Every transaction therefore knows its cursors (an intrusive list), so that the
// order in which the two are destroyed does not matter. Thread safety: EnvImpl thread-safe; the
// rest confined to one thread at a time.
#pragma once

#include <lmdb.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/assert.h"
#include "storage/directory_lock.h"
#include "storage/lmdb_error.h"
#include "storage/map_guard.h"
#include "storage/storage.h"

namespace kauri::storage {

inline MDB_val to_val(std::string_view octets) {
  return {octets.size(), const_cast<char*>(octets.data())};
}
inline std::string_view to_view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}
constexpr std::size_t index_of(Table table) {
  return static_cast<std::size_t>(table);
}

class EnvImpl final : public Env {
 public:
  static Result<std::unique_ptr<Env>> open(const EnvOptions& options);
  ~EnvImpl() override;

  Result<std::unique_ptr<ReadTxn>> begin_read() override;
  Result<std::unique_ptr<WriteTxn>> begin_write() override;
  Result<void> sync() override;
  EnvStats stats() override;
  Result<unsigned> check_readers() override;
  Result<void> copy_to(int fd) override;
  Durability durability() const override { return durability_; }
  const std::string& path() const override { return path_; }

  MDB_dbi dbi(Table table) const { return tables_[index_of(table)]; }
  Error error(int rc, std::string_view operation) const {
    return lmdb_error(rc, std::string(operation) + " in " + path_);
  }
  // For calls that write to the file: LMDB reports a write that came out short, the first sign of a
  // full disk, as EIO.
  Error write_error(int rc, std::string operation) const;
  void transaction_begins() { open_transactions_.fetch_add(1, std::memory_order_relaxed); }
  void transaction_ends() { open_transactions_.fetch_sub(1, std::memory_order_relaxed); }
  void writer_ends() { writer_.store(std::thread::id(), std::memory_order_relaxed); }

 private:
  EnvImpl() = default;
  Result<void> open_environment(const EnvOptions& options);
  // LMDB trusts each page that it reads, so they are looked at first.
  Result<void> check_file(const EnvOptions& options) const;
  Result<void> make_file(const EnvOptions& options) const;
  Result<void> open_tables();
  Result<void> watch_map();

  // Set by open(), then constant.
  std::string path_;
  DirectoryLock lock_;  // ends after the environment
  MDB_env* env_ = nullptr;
  Durability durability_ = Durability::kDurable;
  bool read_only_ = false;
  std::array<MDB_dbi, kTableCount> tables_{};
  MapGuard guard_;
  // Shared by threads.
  std::atomic<int> open_transactions_{0};
  std::atomic<std::thread::id>
      writer_{};  // the thread with the open write transaction, to catch a self-deadlock
};

class CursorImpl;

// What both kinds of transactions share.
class TxnState {
 public:
  // `snapshot`: nothing that a cursor has shown changes while the transaction lives.
  TxnState(EnvImpl& env, MDB_txn* txn, bool snapshot) : env_(env), txn_(txn), snapshot_(snapshot) {
    env_.transaction_begins();
  }
  ~TxnState() { env_.transaction_ends(); }
  TxnState(const TxnState&) = delete;
  TxnState& operator=(const TxnState&) = delete;

  Result<std::unique_ptr<Cursor>> open_cursor(Table table);
  Result<TableStats> table_stats(Table table);
  // Takes the LMDB cursors away from all Cursor objects; closes them when `close` (read
  // transactions).
  void detach_cursors(bool close);

  EnvImpl& env_;
  MDB_txn* txn_;  // nullptr once ended
  const bool snapshot_;
  std::uint64_t epoch_ =
      1;  // grows with reset() and renew(); cursors of an older one are renewed before use
  bool live_ = true;  // false between reset() and renew(), and after the end
  CursorImpl* cursors_ = nullptr;
};

class CursorImpl final : public Cursor {
 public:
  CursorImpl(TxnState& txn, MDB_cursor* cursor, Table table);
  ~CursorImpl() override;

  Result<bool> seek(std::string_view key) override { return seek_range(key); }
  Result<bool> seek_exact(std::string_view key) override;
  Result<bool> first() override { return position(MDB_FIRST); }
  Result<bool> last() override { return position(MDB_LAST); }
  Result<bool> next() override { return step(MDB_NEXT); }
  Result<bool> previous() override { return step(MDB_PREV); }
  bool at_record() const override {
    return position_ == Position::kAtRecord || position_ == Position::kAtDamage;
  }
  std::string_view key() const override {
    KAURI_ASSERT(at_record());
    return to_view(key_);
  }
  std::string_view value() const override {
    KAURI_ASSERT(position_ == Position::kAtRecord);
    return value_;
  }

 private:
  friend class TxnState;
  enum class Position : std::uint8_t { kNone, kAtRecord, kAtDamage, kPastEnd };

  Result<bool> seek_range(std::string_view key);
  Result<bool> position(MDB_cursor_op op);
  Result<bool> step(MDB_cursor_op op);
  Result<bool> finish(int rc, std::string_view key);
  Result<bool> take_record();
  // Fails when the transaction has ended or was reset.
  Result<void> refresh();

  TxnState* txn_;       // nullptr once the transaction has ended
  MDB_cursor* cursor_;  // the same
  CursorImpl* next_ = nullptr;
  CursorImpl* previous_ = nullptr;
  MDB_val key_{};
  MDB_val stored_{};        // with its checksum
  std::string_view value_;  // without
  std::uint64_t epoch_;
  Table table_;
  Position position_ = Position::kNone;
};

class ReadTxnImpl final : public ReadTxn {
 public:
  ReadTxnImpl(EnvImpl& env, MDB_txn* txn) : state_(env, txn, true) {}
  ~ReadTxnImpl() override;

  Result<std::optional<std::string_view>> get(Table table, std::string_view key) override;
  Result<std::unique_ptr<Cursor>> cursor(Table table) override;
  std::uint64_t id() const override;
  Result<TableStats> table_stats(Table table) override;
  void reset() override;
  Result<void> renew() override;

 private:
  TxnState state_;
};

class WriteTxnImpl final : public WriteTxn {
 public:
  WriteTxnImpl(EnvImpl& env, MDB_txn* txn) : state_(env, txn, false) {}
  ~WriteTxnImpl() override { abort(); }

  Result<std::optional<std::string_view>> get(Table table, std::string_view key) override;
  Result<std::unique_ptr<Cursor>> cursor(Table table) override;
  std::uint64_t id() const override;
  Result<TableStats> table_stats(Table table) override;
  Result<void> put(Table table, std::string_view key, std::string_view value) override;
  Result<void> append(Table table, std::string_view key, std::string_view value) override;
  Result<bool> erase(Table table, std::string_view key) override;
  Result<void> clear(Table table) override;
  Result<void> commit() override;
  void abort() override;

 private:
  Result<void> store(Table table, std::string_view key, std::string_view value, unsigned flags);
  Result<char*> reserve(Table table, std::string_view key, std::size_t size, unsigned flags);
  Result<void> check_open() const;

  TxnState state_;
};

}  // namespace kauri::storage
