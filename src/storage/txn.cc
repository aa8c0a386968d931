#include <cstring>

#include "base/limits.h"
#include "storage/lmdb_env.h"
#include "storage/record_sum.h"

namespace kauri::storage {
namespace {

// LMDB's own limit of a value (MAXDATASIZE).
constexpr std::size_t kValueSizeMax = 0xffffffffU;

bool key_size_ok(std::string_view key) {
  return !key.empty() && key.size() <= limits::kKeySizeMax;
}

Error not_open() {
  return {ErrorCode::kInternal, "the transaction is not open"};
}

// What is not found is looked for once more, so that damage beside its place is seen.
Result<std::optional<std::string_view>> prove_absent(const TxnState& state, Table table,
                                                     std::string_view key) {
  MDB_cursor* cursor = nullptr;
  if (const int rc = mdb_cursor_open(state.txn_, state.env_.dbi(table), &cursor); rc != 0)
    return state.env_.error(rc, "open cursor");
  MDB_val found{};
  MDB_val stored{};
  const Result<int> rc = seek_proved(cursor, table, key, found, stored);
  mdb_cursor_close(cursor);
  if (!rc) return rc.error().with_context(state.env_.path());
  if (*rc == 0) {
    const auto whole = check_record(table, to_view(found), to_view(stored));
    if (!whole) return whole.error().with_context(state.env_.path());
  }
  if (*rc == 0 || *rc == MDB_NOTFOUND) return std::optional<std::string_view>();
  return state.env_.error(*rc, describe("get", table_name(table), key));
}

// mdb_get, and not a cursor kept for each table: that is slower for random keys, since it looks at
// the page of the last key first.
Result<std::optional<std::string_view>> find(const TxnState& state, Table table,
                                             std::string_view key) {
  if (!key_size_ok(key)) return std::optional<std::string_view>();
  MDB_val sought = to_val(key);
  MDB_val found;
  const int rc = mdb_get(state.txn_, state.env_.dbi(table), &sought, &found);
  if (rc == 0) [[likely]] {
    std::string_view value;
    if (!record_is_whole(table, key, to_view(found), value)) [[unlikely]]
      return damaged_record(table, key).with_context(state.env_.path());
    return std::optional<std::string_view>(value);
  }
  if (rc == MDB_NOTFOUND) {
    if (has_record_sum(table, key)) return prove_absent(state, table, key);
    return std::optional<std::string_view>();
  }
  return lmdb_error(rc, describe("get", table_name(table), key) + " of " + state.env_.path());
}

}  // namespace

Result<TableStats> TxnState::table_stats(Table table) {
  if (!live_) return not_open();
  MDB_stat stat{};
  if (const int rc = mdb_stat(txn_, env_.dbi(table), &stat); rc != 0)
    return env_.error(rc, "table statistics");
  if (stat.ms_entries == 0) {
    if (const auto empty = prove_empty(txn_, table); !empty)
      return empty.error().with_context(env_.path());
  }
  TableStats stats;
  stats.entries = stat.ms_entries;
  stats.leaf_pages = stat.ms_leaf_pages;
  stats.branch_pages = stat.ms_branch_pages;
  stats.overflow_pages = stat.ms_overflow_pages;
  stats.depth = stat.ms_depth;
  return stats;
}

// --- Reading ---

ReadTxnImpl::~ReadTxnImpl() {
  state_.detach_cursors(true);
  mdb_txn_abort(state_.txn_);
}

Result<std::optional<std::string_view>> ReadTxnImpl::get(Table table, std::string_view key) {
  if (!state_.live_) [[unlikely]]
    return not_open();
  return find(state_, table, key);
}

Result<std::unique_ptr<Cursor>> ReadTxnImpl::cursor(Table table) {
  return state_.open_cursor(table);
}
std::uint64_t ReadTxnImpl::id() const {
  return mdb_txn_id(state_.txn_);
}
Result<TableStats> ReadTxnImpl::table_stats(Table table) {
  return state_.table_stats(table);
}

void ReadTxnImpl::reset() {
  if (!state_.live_) return;
  state_.live_ = false;
  ++state_.epoch_;
  mdb_txn_reset(state_.txn_);
}

Result<void> ReadTxnImpl::renew() {
  if (state_.live_)
    return Error(ErrorCode::kInternal, "renewal of a read transaction that was not reset");
  if (const int rc = mdb_txn_renew(state_.txn_); rc != 0)
    return state_.env_.error(rc, "renew read transaction");
  ++state_.epoch_;
  state_.live_ = true;
  return {};
}

// --- Writing ---

Result<void> WriteTxnImpl::check_open() const {
  if (state_.txn_ == nullptr) [[unlikely]]
    return not_open();
  return {};
}

Result<std::optional<std::string_view>> WriteTxnImpl::get(Table table, std::string_view key) {
  KAURI_CHECK(check_open());
  return find(state_, table, key);
}

Result<std::unique_ptr<Cursor>> WriteTxnImpl::cursor(Table table) {
  return state_.open_cursor(table);
}
std::uint64_t WriteTxnImpl::id() const {
  return state_.txn_ == nullptr ? 0 : mdb_txn_id(state_.txn_);
}
Result<TableStats> WriteTxnImpl::table_stats(Table table) {
  return state_.table_stats(table);
}

Result<char*> WriteTxnImpl::reserve(Table table, std::string_view key, std::size_t size,
                                    unsigned flags) {
  KAURI_CHECK(check_open());
  if (!key_size_ok(key))
    return invalid(describe("put", table_name(table), key) + ": a key has 1 to " +
                   std::to_string(limits::kKeySizeMax) + " octets, this one " +
                   std::to_string(key.size()));
  if (size > kValueSizeMax)
    return limit_exceeded(describe("put", table_name(table), key) + ": a value of " +
                          std::to_string(size) + " octets, the limit is " +
                          std::to_string(kValueSizeMax));
  MDB_val target = to_val(key);
  MDB_val space{size, nullptr};
  const int rc = mdb_put(state_.txn_, state_.env_.dbi(table), &target, &space, flags | MDB_RESERVE);
  if (rc == 0) [[likely]]
    return static_cast<char*>(space.mv_data);
  if (rc == MDB_KEYEXIST)
    return invalid(describe("append", table_name(table), key) +
                   ": the key is not behind the last one");
  return state_.env_.write_error(rc, describe("put", table_name(table), key));
}

Result<void> WriteTxnImpl::store(Table table, std::string_view key, std::string_view value,
                                 unsigned flags) {
  const std::size_t sum = has_record_sum(table, key) ? kRecordSumSize : 0;
  KAURI_TRY(char* space, reserve(table, key, value.size() + sum, flags));
  if (sum != 0)
    write_record(table, key, value, space);
  else if (!value.empty())
    std::memcpy(space, value.data(), value.size());
  return {};
}

Result<void> WriteTxnImpl::put(Table table, std::string_view key, std::string_view value) {
  return store(table, key, value, 0);
}

Result<void> WriteTxnImpl::append(Table table, std::string_view key, std::string_view value) {
  return store(table, key, value, MDB_APPEND);
}

Result<bool> WriteTxnImpl::erase(Table table, std::string_view key) {
  KAURI_CHECK(check_open());
  if (!key_size_ok(key)) return false;
  MDB_val target = to_val(key);
  const int rc = mdb_del(state_.txn_, state_.env_.dbi(table), &target, nullptr);
  if (rc == 0) return true;
  if (rc == MDB_NOTFOUND) {
    // What should have been erased may lie beside its place.
    if (has_record_sum(table, key)) KAURI_CHECK(prove_absent(state_, table, key));
    return false;
  }
  return state_.env_.write_error(rc, describe("erase", table_name(table), key));
}

Result<void> WriteTxnImpl::clear(Table table) {
  KAURI_CHECK(check_open());
  if (const int rc = mdb_drop(state_.txn_, state_.env_.dbi(table), 0); rc != 0)
    return state_.env_.write_error(rc, "clear table " + std::string(table_name(table)));
  return {};
}

Result<void> WriteTxnImpl::commit() {
  KAURI_CHECK(check_open());
  state_.detach_cursors(false);
  MDB_txn* txn = state_.txn_;
  state_.txn_ = nullptr;
  state_.live_ = false;
  // Before the commit, which lets another thread in.
  state_.env_.writer_ends();
  if (const int rc = mdb_txn_commit(txn); rc != 0) return state_.env_.write_error(rc, "commit");
  return {};
}

void WriteTxnImpl::abort() {
  if (state_.txn_ == nullptr) return;
  state_.detach_cursors(false);
  MDB_txn* txn = state_.txn_;
  state_.txn_ = nullptr;
  state_.live_ = false;
  state_.env_.writer_ends();
  mdb_txn_abort(txn);
}

}  // namespace kauri::storage
