// The pages of LMDB 0.9 as they lie in data.mdb, for whoever looks at them without LMDB: the page
// checker and tests that damage a file. Little-endian, 64 bits. Inside storage/ only.
//
// Nothing here trusts what it reads: the loads ask for octets that the caller has bounds-checked,
// and end the process where they are not there, so a view is always a whole page. Thread safety:
// immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/endian.h"

namespace kauri::storage::page {

// --- The file ---
inline constexpr std::uint64_t kMetaPages = 2;  // commit N is in page N % 2
inline constexpr std::uint64_t kNoPage = UINT64_MAX;
inline constexpr std::size_t kPageSizeMin = 512;
inline constexpr std::size_t kPageSizeMax = 32768;

// --- Every page: number u64, pad u16, flags u16, lower u16, upper u16 (overflow: count u32) ---
inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::uint16_t kBranch = 0x01;
inline constexpr std::uint16_t kLeaf = 0x02;
inline constexpr std::uint16_t kOverflow = 0x04;
inline constexpr std::uint16_t kMeta = 0x08;

// --- A node: size u32 (with the flags: child page), flags u16, key size u16, key, data ---
inline constexpr std::size_t kNodeHeaderSize = 8;
inline constexpr std::uint16_t kBigData = 0x01;  // the data are the number of an overflow page
inline constexpr std::uint16_t kTree = 0x02;     // the data are the record of a tree
inline constexpr std::size_t kPageNumberSize = 8;

inline constexpr std::size_t kTreeRecordSize = 48;
inline constexpr std::uint16_t kIntegerKeys = 0x08;
inline constexpr unsigned kDepthMax = 32;  // LMDB's cursors have room for so many

inline constexpr std::uint32_t kMagic = 0xbeefc0de;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kMetaSize = kHeaderSize + 24 + 2 * kTreeRecordSize + 16;

template <class T>
T load(std::string_view octets, std::size_t offset) {
  return load_little_endian<T>(octets.substr(offset));
}

inline std::uint64_t number_of(std::string_view page) {
  return load<std::uint64_t>(page, 0);
}
inline std::uint16_t flags_of(std::string_view page) {
  return load<std::uint16_t>(page, 10);
}
inline std::uint16_t lower_of(std::string_view page) {
  return load<std::uint16_t>(page, 12);
}
inline std::uint16_t upper_of(std::string_view page) {
  return load<std::uint16_t>(page, 14);
}
inline std::uint32_t overflow_count_of(std::string_view page) {
  return load<std::uint32_t>(page, 12);
}
// REQUIRES: lower_of(page) >= kHeaderSize
inline std::size_t nodes_of(std::string_view page) {
  return (lower_of(page) - kHeaderSize) / 2;
}
inline std::uint16_t node_offset(std::string_view page, std::size_t index) {
  return load<std::uint16_t>(page, kHeaderSize + 2 * index);
}

struct Node {
  std::uint32_t size = 0;  // of the data
  std::uint16_t flags = 0;
  std::uint16_t key_size = 0;

  // Branch pages have no flags: their room belongs to the number.
  std::uint64_t child() const { return size | std::uint64_t{flags} << 32U; }
};
// REQUIRES: offset + kNodeHeaderSize <= page.size()
inline Node load_node(std::string_view page, std::size_t offset) {
  return {load<std::uint32_t>(page, offset), load<std::uint16_t>(page, offset + 4),
          load<std::uint16_t>(page, offset + 6)};
}

// What the file says of one tree.
struct TreeRecord {
  std::uint32_t pad = 0;  // of the free list: the page size
  std::uint16_t flags = 0;
  std::uint16_t depth = 0;
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
  std::uint64_t entries = 0;
  std::uint64_t root = kNoPage;
};
// REQUIRES: offset + kTreeRecordSize <= octets.size()
inline TreeRecord load_tree(std::string_view octets, std::size_t offset) {
  TreeRecord tree;
  tree.pad = load<std::uint32_t>(octets, offset);
  tree.flags = load<std::uint16_t>(octets, offset + 4);
  tree.depth = load<std::uint16_t>(octets, offset + 6);
  tree.branch_pages = load<std::uint64_t>(octets, offset + 8);
  tree.leaf_pages = load<std::uint64_t>(octets, offset + 16);
  tree.overflow_pages = load<std::uint64_t>(octets, offset + 24);
  tree.entries = load<std::uint64_t>(octets, offset + 32);
  tree.root = load<std::uint64_t>(octets, offset + 40);
  return tree;
}

struct Meta {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  TreeRecord free_list;
  TreeRecord tables;  // from the names of tables to their trees
  std::uint64_t last_page = 0;
  std::uint64_t txn_id = 0;
};
// REQUIRES: page.size() >= kMetaSize
inline Meta load_meta(std::string_view page) {
  constexpr std::size_t kTrees = kHeaderSize + 24;
  Meta meta;
  meta.magic = load<std::uint32_t>(page, kHeaderSize);
  meta.version = load<std::uint32_t>(page, kHeaderSize + 4);
  meta.free_list = load_tree(page, kTrees);
  meta.tables = load_tree(page, kTrees + kTreeRecordSize);
  meta.last_page = load<std::uint64_t>(page, kTrees + 2 * kTreeRecordSize);
  meta.txn_id = load<std::uint64_t>(page, kTrees + 2 * kTreeRecordSize + 8);
  return meta;
}

}  // namespace kauri::storage::page
