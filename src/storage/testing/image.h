// Image: a data file of LMDB in memory, with the places that a test wants to damage. For tests
// only. Thread safety: thread-compatible.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "storage/page_layout.h"
#include "storage/storage.h"

namespace kauri::storage {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& octets) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << octets;
}

// A data file in memory, with the places that a test wants to damage.
class Image {
 public:
  static constexpr std::size_t kPageSize = 4096;

  explicit Image(std::string octets) : octets_(std::move(octets)) {}

  std::string& octets() { return octets_; }
  const std::string& octets() const { return octets_; }
  std::string page(std::uint64_t number) const {
    return octets_.substr(number * kPageSize, kPageSize);
  }
  std::uint64_t newest() const {
    return page::load_meta(page(0)).txn_id < page::load_meta(page(1)).txn_id ? 1 : 0;
  }
  page::Meta meta() const { return page::load_meta(page(newest())); }

  // Where the record of a table's tree lies.
  std::size_t tree_place(Table table) const {
    const std::uint64_t names = meta().tables.root;
    const std::string octets = page(names);
    for (std::size_t i = 0; i < page::nodes_of(octets); ++i)
      if (page::node_key(octets, i) == table_name(table))
        return names * kPageSize + page::node_offset(octets, i) + page::kNodeHeaderSize +
               table_name(table).size();
    ADD_FAILURE() << "no table " << table_name(table);
    return 0;
  }
  page::TreeRecord tree(Table table) const { return page::load_tree(octets_, tree_place(table)); }
  std::uint64_t child(std::uint64_t branch, std::size_t index) const {
    const std::string octets = page(branch);
    return page::load_node(octets, page::node_offset(octets, index)).child();
  }
  // The leaf page behind the index-th node of the table's last level of branch pages.
  std::uint64_t leaf(Table table, std::size_t index = 0) const {
    std::uint64_t at = tree(table).root;
    for (unsigned level = 1; level < tree(table).depth; ++level)
      at = child(at, level + 1 == tree(table).depth ? index : 0);
    return at;
  }
  // Where a node of a page lies in the file.
  std::size_t node_place(std::uint64_t number, std::size_t index) const {
    return number * kPageSize + page::node_offset(page(number), index);
  }
  // Where the key of a record of the table lies in the file, its stored value behind it.
  std::size_t record_place(Table table, std::string_view key) const {
    for (std::size_t i = 0; i < tree(table).leaf_pages; ++i) {
      const std::uint64_t number = leaf(table, i);
      const std::string octets = page(number);
      for (std::size_t node = 0; node < page::nodes_of(octets); ++node)
        if (page::node_key(octets, node) == key)
          return node_place(number, node) + page::kNodeHeaderSize;
    }
    ADD_FAILURE() << "no such record in table " << table_name(table);
    return 0;
  }
  std::uint64_t overflow(Table table) const {
    const std::string octets = page(leaf(table));
    return page::load<std::uint64_t>(page::node_data(octets, 0), 0);
  }

  template <class T>
  void store(std::size_t place, T value) {
    std::memcpy(octets_.data() + place, &value, sizeof value);
  }
  void swap_pages(std::uint64_t a, std::uint64_t b, std::size_t from) {
    const std::string first = page(a).substr(from);
    octets_.replace(a * kPageSize + from, kPageSize - from, page(b).substr(from));
    octets_.replace(b * kPageSize + from, kPageSize - from, first);
  }

 private:
  std::string octets_;
};

}  // namespace kauri::storage
