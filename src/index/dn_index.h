// The dn table: names to entry ids, children in order, and counts of subordinates
// (docs/formats/dn.md).
//
// Key: parent EntryId (u64 big-endian) + normal RDN (past limits::kKeyValueMax its head and a
// digest) -> EntryId. Beside them, the key of a parent alone (8 octets) holds its counts. The
// suffix entry's key has parent 0 and the normal form of the whole suffix as its RDN. Thread
// safety: as the transaction given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_id.h"
#include "storage/storage.h"

namespace kauri::index {

struct SubordinateCounts {
  std::uint64_t children = 0;
  std::uint64_t descendants = 0;
};

Result<std::optional<EntryId>> find_child(storage::Txn& txn, EntryId parent,
                                          std::string_view normal_rdn);
Result<SubordinateCounts> subordinate_counts(storage::Txn& txn, EntryId id);
Result<void> put_child(storage::WriteTxn& txn, EntryId parent, std::string_view normal_rdn,
                       EntryId id);
Result<void> erase_child(storage::WriteTxn& txn, EntryId parent, std::string_view normal_rdn);
Result<void> put_counts(storage::WriteTxn& txn, EntryId id,
                        SubordinateCounts counts);  // all zero: erased

// The octets of the keys, for bulk building.
std::string child_key(EntryId parent, std::string_view normal_rdn);
std::string counts_key(EntryId parent);
std::string encode_counts(SubordinateCounts counts);

// Children of one parent in key order; resumable: give the last key seen as `after`.
class ChildCursor {
 public:
  static Result<ChildCursor> open(storage::Txn& txn, EntryId parent,
                                  std::string_view after_key = {});
  // The next child, or nothing at the end.
  Result<std::optional<EntryId>> next();
  // The key of the child returned last; pass to open() in a later transaction.
  const std::string& last_key() const { return last_key_; }

 private:
  std::unique_ptr<storage::Cursor> cursor_;
  std::string prefix_;
  std::string last_key_;
  bool positioned_ = false;
};

}  // namespace kauri::index
