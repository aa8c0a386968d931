// One tree page by itself: whether all that its header and nodes point to lies inside of it, so
// that walking it reads no octet outside. Inside storage/ only. Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/page_format.h"

namespace kauri::storage::page {

// Which tree a page belongs to, as far as the form of its nodes depends on it.
enum class TreeKind : std::uint8_t {
  kRecords,   // of a table
  kTables,    // names of tables to their trees
  kFreeList,  // commit numbers to pages, keys in the machine's order
};

// Negative, 0, positive: as LMDB orders the keys of such a tree. REQUIRES: keys of the free list
// have 8 octets.
int compare_keys(TreeKind kind, std::string_view a, std::string_view b);

// REQUIRES: layout_fault() found nothing, index < nodes_of(page)
std::string_view node_key(std::string_view page, std::size_t index);
// The data inside the page: of a node with kBigData the number of its overflow page. REQUIRES: a
// leaf.
std::string_view node_data(std::string_view page, std::size_t index);

// RETURNS: what is wrong with the page `number`, read as one of `form` (kBranch or kLeaf), as a
// part of a sentence; "" when nothing is. Keys are in order, too.
std::string layout_fault(std::string_view page, std::uint64_t number, std::uint16_t form,
                         TreeKind kind);

}  // namespace kauri::storage::page
