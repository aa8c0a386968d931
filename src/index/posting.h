// Posting lists: for each index key the exact set of entries, in the index table
// (docs/formats/index.md).
//
// A list of up to kInlineMax ids is one record; a longer one has a head with its cardinality and
// one record for each block of 8,192 consecutive ids that has members: a sorted array of 16-bit
// offsets, or a bitmap of 1 KiB. Keys are made by index/index_keys.h. All functions return
// kCorruption, naming the key, for records that are not well formed, and what the transaction
// returns. Thread safety: as the transaction given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "index/id_set.h"
#include "storage/storage.h"

namespace kauri::index {

// How many entries the list has: one look-up, whatever its length. 0 when absent.
Result<std::uint64_t> posting_count(storage::Txn& txn, std::string_view key);
// The same, and adds the members to `out` when that needs no further look-up: a list of one record.
struct PostingPeek {
  std::uint64_t count = 0;
  bool complete = true;  // all members are in `out`
};
Result<PostingPeek> peek_posting(storage::Txn& txn, std::string_view key, IdSet& out);
// Adds the list's members to `out`.
Result<void> read_posting(storage::Txn& txn, std::string_view key, IdSet& out);
// The same into a vector, ascending, for lists that are intersected and not kept. REQUIRES: `out`
// is empty.
Result<void> read_posting(storage::Txn& txn, std::string_view key, std::vector<std::uint64_t>& out);
// Takes out of `ids`, which ascend, what the list does not have: looks them up, block by block,
// where the list has more than kLookUpFactor times as many, and else reads the list through beside
// them.
inline constexpr std::size_t kLookUpFactor = 16;
Result<void> retain_posting(storage::Txn& txn, std::string_view key,
                            std::vector<std::uint64_t>& ids);
// Whether the list has the id: at most two look-ups.
Result<bool> posting_contains(storage::Txn& txn, std::string_view key, EntryId id);
// What becomes of one entry in a list.
struct PostingChange {
  EntryId id;
  bool insert = true;  // or erase
};
// Many changes of one list at once; of an id that is there (absent) already, none. RETURNS: how
// many ids came or went. REQUIRES: ids above 0, ascending, each once.
Result<std::uint64_t> change_posting(storage::WriteTxn& txn, std::string_view key,
                                     std::span<const PostingChange> changes);
// No-ops when the id is there (absent) already. RETURNS true when the list changed.
Result<bool> insert_posting(storage::WriteTxn& txn, std::string_view key, EntryId id);
Result<bool> erase_posting(storage::WriteTxn& txn, std::string_view key, EntryId id);

// Walks the distinct index keys in [first, last) in order, with the cardinality of each; for ranges
// and sorted reading.
class PostingScan {
 public:
  static Result<PostingScan> open(storage::Txn& txn, std::string_view first, std::string_view last);
  // False at the end. key() and count() then belong to the list reached.
  Result<bool> next();
  std::string_view key() const { return key_; }
  std::uint64_t count() const { return count_; }
  // Adds the members of the list reached. REQUIRES: at most once for each list.
  Result<void> read(IdSet& out);

 private:
  Result<bool> step();

  std::unique_ptr<storage::Cursor> cursor_;
  std::string first_;
  std::string last_;
  std::string key_;
  std::uint64_t count_ = 0;
  enum class At : std::uint8_t { kStart, kRecord, kHead, kBehind, kEnd } at_ = At::kStart;
};

// Builds the records of one list for bulk loading: ids ascending, without duplicates. Appends (key,
// value) pairs in key order through the callback.
using RecordSink = Result<void> (*)(void* context, std::string_view key, std::string_view value);
Result<void> build_posting(std::string_view key, const EntryId* ids, std::size_t count,
                           RecordSink sink, void* context);

}  // namespace kauri::index
