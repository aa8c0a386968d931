// Building and removing whole indexes from the entries. Inside backend/ only.
//
// An index that is being built is marked so in the meta table first: a crash on the way leaves an
// index that is never read and is built again at the next open. Thread safety: no other writer may
// be at work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/core.h"
#include "backend/meta.h"
#include "backend/offline.h"
#include "base/result.h"

namespace kauri::backend {

// Octets of memory for sorting before runs go to disk.
inline constexpr std::size_t kIndexBuildBytesMax = std::size_t{256} << 20U;

// Builds the indexes of the given attribute numbers anew, as the catalogue defines them, and marks
// them usable.
Result<void> build_indexes(Core& core, const std::vector<AttributeNumber>& numbers,
                           const std::function<void(const ImportProgress&)>& progress);
// Erases the index records of a number that the catalogue no longer has, and its definition.
Result<void> drop_index(Core& core, AttributeNumber number);
// Compares the stored definitions with the catalogue: drops, builds and records what differs.
Result<void> settle_indexes(Core& core, const std::vector<StoredIndex>& stored);

}  // namespace kauri::backend
