// The change log against the entries: what kauri verify says of the table of changes. Inside
// backend/ only. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "backend/core.h"
#include "base/result.h"
#include "storage/storage.h"

namespace kauri::backend {

struct ChangeCheck {
  std::string last_csn;         // of the database
  bool compare_entries = true;  // false: the table of entries cannot be read
  std::function<void(std::string)> fault;
  std::function<void(std::uint64_t)> advance;  // the sequence that was reached
};

// Sequences without gaps, CSNs that rise; then each entry against the last record of it: an entry
// is there unless that is a deletion, has the name and the entryCSN of that record, and one that
// was changed after the oldest record has a record. RETURNS: how many
// records the entries were compared with; kCorruption when reading stops.
Result<std::uint64_t> verify_changes(Core& core, storage::Txn& txn, const ChangeCheck& check);

}  // namespace kauri::backend
