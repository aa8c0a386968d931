// The meta table: what a database is, its dictionary, its indexes and where it stands.
// Thread safety: as the transaction given. Octets: docs/formats/meta.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/meta_format.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "entry/dictionary.h"
#include "index/index_catalog.h"
#include "storage/storage.h"

namespace kauri::backend {

struct StoredIndex {
  AttributeNumber number;
  index::IndexKinds kinds;
  IndexState state = IndexState::kUsable;
  // "EQUALITY-OID,SUBSTRINGS-OID" of the rules that made its keys; an index made by other rules
  // than the schema has now answers wrongly.
  std::string rules = {};
  friend bool operator==(const StoredIndex&, const StoredIndex&) = default;
};

StoredIndex stored_index(const index::IndexDefinition& definition, IndexState state);

struct Meta {
  std::string suffix;  // DN text
  EntryId next_id{1};
  std::string last_csn;                                             // "" before the first change
  std::vector<std::pair<AttributeNumber, std::string>> attributes;  // ascending numbers
  std::vector<StoredIndex> indexes;                                 // ascending numbers
};

// Nothing when the table is empty (a new environment). RETURNS: kInvalid for a format version that
// this program does not know, kCorruption for octets that break the format.
Result<std::optional<Meta>> read_meta(storage::Txn& txn);

// What a new database begins with.
Result<void> write_new_meta(storage::WriteTxn& txn, const std::string& suffix);
Result<void> write_next_id(storage::WriteTxn& txn, EntryId next_id);
Result<void> write_last_csn(storage::WriteTxn& txn, std::string_view csn);
Result<void> write_index(storage::WriteTxn& txn, const StoredIndex& index);
Result<void> erase_index(storage::WriteTxn& txn, AttributeNumber number);
// Writes the numbers above `persisted`. RETURNS: the highest number now in the table.
Result<std::uint32_t> write_attributes(storage::WriteTxn& txn, const entry::Dictionary& dictionary,
                                       std::uint32_t persisted);

}  // namespace kauri::backend
