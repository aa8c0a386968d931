#include "storage/lmdb_env.h"
#include "storage/record_sum.h"

namespace kauri::storage {

CursorImpl::CursorImpl(TxnState& txn, MDB_cursor* cursor, Table table)
    : txn_(&txn), cursor_(cursor), next_(txn.cursors_), epoch_(txn.epoch_), table_(table) {
  if (next_ != nullptr) next_->previous_ = this;
  txn.cursors_ = this;
}

CursorImpl::~CursorImpl() {
  if (txn_ == nullptr) return;  // the transaction has taken the LMDB cursor with it
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : txn_->cursors_) = next_;
  mdb_cursor_close(cursor_);
}

Result<void> CursorImpl::refresh() {
  if (txn_ != nullptr && epoch_ == txn_->epoch_) [[likely]]
    return {};
  position_ = Position::kNone;
  if (txn_ == nullptr || !txn_->live_)
    return Error(ErrorCode::kInternal, "cursor used without a transaction");
  if (const int rc = mdb_cursor_renew(txn_->txn_, cursor_); rc != 0)
    return txn_->env_.error(rc, "renew cursor");
  epoch_ = txn_->epoch_;
  return {};
}

Result<bool> CursorImpl::position(MDB_cursor_op op) {
  KAURI_CHECK(refresh());
  const int rc = mdb_cursor_get(cursor_, &key_, &stored_, op);
  if (rc == MDB_NOTFOUND) {
    position_ = Position::kNone;
    if (const auto empty = prove_empty(txn_->txn_, table_); !empty)
      return empty.error().with_context(txn_->env_.path());
  }
  return finish(rc, {});
}

Result<bool> CursorImpl::seek_range(std::string_view key) {
  // No record has an empty key, so seeking it means: the first one.
  if (key.empty()) return position(MDB_FIRST);
  KAURI_CHECK(refresh());
  position_ = Position::kNone;
  const Result<int> rc = seek_proved(cursor_, table_, key, key_, stored_);
  if (rc) return finish(*rc, key);
  return rc.error().with_context(txn_->env_.path());
}

Result<bool> CursorImpl::seek_exact(std::string_view key) {
  KAURI_TRY(const bool found, seek_range(key));
  if (found && to_view(key_) == key) return true;
  position_ = Position::kPastEnd;
  return false;
}

Result<bool> CursorImpl::step(MDB_cursor_op op) {
  KAURI_CHECK(refresh());
  if (position_ == Position::kPastEnd) return false;
  // LMDB would start from an end of the table, and a loop that lost its position would begin again.
  if (position_ == Position::kNone)
    return Error(ErrorCode::kInternal, "step of a cursor that has no position");
  const std::string_view from = to_view(key_);
  const int rc = mdb_cursor_get(cursor_, &key_, &stored_, op);
  // Pages that lead back to themselves would make a walk without an end. In a write transaction
  // the page of the last key may have changed since.
  if (rc == 0 && txn_->snapshot_ && !(op == MDB_NEXT ? from < to_view(key_) : to_view(key_) < from))
      [[unlikely]] {
    position_ = Position::kNone;
    return key_out_of_order(table_, to_view(key_)).with_context(txn_->env_.path());
  }
  return finish(rc, {});
}

Result<bool> CursorImpl::finish(int rc, std::string_view key) {
  if (rc == 0) [[likely]]
    return take_record();
  if (rc == MDB_NOTFOUND) {
    position_ = Position::kPastEnd;
    return false;
  }
  position_ = Position::kNone;
  return lmdb_error(rc, describe("cursor", table_name(table_), key) + " of " + txn_->env_.path());
}

Result<bool> CursorImpl::take_record() {
  if (!record_is_whole(table_, to_view(key_), to_view(stored_), value_)) [[unlikely]] {
    position_ = Position::kAtDamage;
    return damaged_record(table_, to_view(key_)).with_context(txn_->env_.path());
  }
  position_ = Position::kAtRecord;
  return true;
}

Result<std::unique_ptr<Cursor>> TxnState::open_cursor(Table table) {
  if (!live_) return Error(ErrorCode::kInternal, "cursor opened without a transaction");
  MDB_cursor* cursor = nullptr;
  if (const int rc = mdb_cursor_open(txn_, env_.dbi(table), &cursor); rc != 0)
    return env_.error(rc, "open cursor");
  return std::unique_ptr<Cursor>(std::make_unique<CursorImpl>(*this, cursor, table));
}

void TxnState::detach_cursors(bool close) {
  for (CursorImpl* cursor = cursors_; cursor != nullptr; cursor = cursor->next_) {
    if (close) mdb_cursor_close(cursor->cursor_);
    cursor->cursor_ = nullptr;
    cursor->txn_ = nullptr;
    cursor->position_ = CursorImpl::Position::kNone;
  }
  cursors_ = nullptr;
}

}  // namespace kauri::storage
