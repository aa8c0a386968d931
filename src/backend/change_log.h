// The change log: one record for each committed change, in order (docs/formats/changes.md).
//
// Feeds replication, change feeds, audit and restore to a point in time. The table is bounded by
// the number of records; the oldest go first. Thread safety: as the transaction given; ChangeLog
// belongs to the writer thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "storage/storage.h"

namespace kauri::backend {

// Persisted; never renumber.
enum class ChangeKind : std::uint8_t { kAdd = 1, kDelete = 2, kModify = 3, kModifyDn = 4 };

// What happened to one attribute: the values that went and the values that came.
struct AttributeChange {
  std::string description;  // "givenName;lang-en"
  std::vector<std::string> removed;
  std::vector<std::string> added;
  friend bool operator==(const AttributeChange&, const AttributeChange&) = default;
};

struct ChangeRecord {
  ChangeKind kind = ChangeKind::kAdd;
  std::string csn;
  // The CSN of the state that the change was made on: "" of a database without changes; nothing in
  // a record of version 1. Whoever replays records knows by it that none is missing.
  std::optional<std::string> previous_csn = std::string();
  std::array<unsigned char, 16> entry_uuid{};  // zeros when the entry has none
  EntryId id;
  std::string dn;      // before the change; of an added entry its own
  std::string new_dn;  // of a ModifyDN; else empty
  std::vector<AttributeChange> attributes;
  friend bool operator==(const ChangeRecord&, const ChangeRecord&) = default;
};

std::string encode_change(const ChangeRecord& record);
// The CSN of the state that the change left: an entry that was imported may have brought a later
// one than the change's own.
std::string csn_after(const ChangeRecord& record);
// RETURNS: kCorruption with what is wrong and where.
Result<ChangeRecord> decode_change(std::string_view octets);

// Where the log stands; copied before a batch and put back when the batch fails.
struct ChangeLogPosition {
  std::uint64_t first = 1;  // sequence of the oldest record; == next when there is none
  std::uint64_t next = 1;   // sequence of the next record
};

Result<ChangeLogPosition> read_change_position(storage::Txn& txn);
std::string change_key(std::uint64_t sequence);
// Appends a record and erases old ones while there are more than `records_max` (at most a few for
// each call, so that a lowered limit does not stop the writer). With 0 nothing is kept.
Result<void> append_change(storage::WriteTxn& txn, ChangeLogPosition& position,
                           const ChangeRecord& record, std::uint64_t records_max);
// The record with the sequence; nothing when it is not there (any more).
Result<std::optional<ChangeRecord>> read_change(storage::Txn& txn, std::uint64_t sequence);

}  // namespace kauri::backend
