// What the parts of an open database share. Inside backend/ only.
//
// Thread safety: constant after open(), save the atomics and what is thread-safe itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "base/clock.h"
#include "base/random.h"
#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "index/index_catalog.h"
#include "schema/schema.h"
#include "storage/storage.h"

namespace kauri::backend {

// Announced by the writer just before it commits, so that a reader that sees the commit sees the
// announcement too.
struct NameChanges {
  // The last commit that renamed or moved an entry.
  std::atomic<std::uint64_t> last_rename{0};
  // The last commit after which something may be wrong that a name cache learned before: an entry
  // with children was renamed or moved, or an entry lost its last child (from then on it can be
  // deleted or renamed as a leaf).
  std::atomic<std::uint64_t> last_cached_change{0};
};

struct Core {
  std::shared_ptr<const schema::Schema> schema;
  Clock* clock = nullptr;
  Random* random = nullptr;
  std::string suffix;                    // DN text
  std::string suffix_normal;             // schema::normalize_dn
  std::vector<std::string> suffix_rdns;  // normal, leaf first
  std::uint64_t change_log_records_max = 0;
  bool read_only = false;
  std::unique_ptr<entry::Dictionary> dictionary;
  index::IndexCatalog catalog;
  std::unique_ptr<storage::Env> env;
  NameChanges names;
};

// The key of an entry in the table of entries.
std::string entry_key(EntryId id);
// A record of the table of entries, with only numbers that the dictionary has: whoever gets the
// view may ask the dictionary for each of them. RETURNS: kCorruption with table, id and reason.
Result<entry::EntryView> parse_entry(const Core& core, EntryId id, std::string_view record);
// Parses the DN text and sets suffix, suffix_normal and suffix_rdns. RETURNS: kInvalid.
Result<void> set_suffix(Core& core, const std::string& text);

}  // namespace kauri::backend
