#include "storage/page_layout.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"

namespace kauri::storage::page {
namespace {

std::string hex(std::uint16_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 12; shift >= 0; shift -= 4) {
    const auto digit = (value >> static_cast<unsigned>(shift)) & 15U;
    if (digit != 0 || text.size() > 2 || shift == 0) text += kDigits[digit];
  }
  return text;
}

std::string header_fault(std::string_view page, std::uint64_t number, std::uint16_t form) {
  if (number_of(page) != number)
    return "it says that it is page " + std::to_string(number_of(page));
  if (flags_of(page) != form)
    return std::string("it should be a ") + (form == kLeaf ? "leaf" : "branch") +
           " page, and its flags are " + hex(flags_of(page));
  const std::size_t lower = lower_of(page);
  const std::size_t upper = upper_of(page);
  if (lower < kHeaderSize || lower % 2 != 0 || upper < lower || upper > page.size())
    return "its free space from " + std::to_string(lower) + " to " + std::to_string(upper) +
           " is none of a page of " + std::to_string(page.size()) + " octets";
  return {};
}

std::string of_node(std::size_t index, std::string what) {
  return "node " + std::to_string(index) + " " + std::move(what);
}

// How many octets of data a leaf node has in the page itself.
std::size_t inline_size(const Node& node) {
  return (node.flags & kBigData) != 0 ? kPageNumberSize : node.size;
}

std::string flags_fault(const Node& node, TreeKind kind) {
  const bool fits = kind == TreeKind::kTables ? node.flags == kTree && node.size == kTreeRecordSize
                                              : (node.flags & ~kBigData) == 0;
  if (fits) return {};
  return "has the flags " + hex(node.flags) + " and " + std::to_string(node.size) +
         " octets of data, which nothing in this tree has";
}

std::string key_fault(const Node& node, TreeKind kind, bool may_be_empty) {
  const bool fits = node.key_size == 0            ? may_be_empty
                    : kind == TreeKind::kFreeList ? node.key_size == sizeof(std::uint64_t)
                                                  : node.key_size <= limits::kKeySizeMax;
  if (fits) return {};
  return "has a key of " + std::to_string(node.key_size) + " octets";
}

// One node; `used` grows by its size.
std::string node_fault(std::string_view page, std::size_t index, std::uint16_t form, TreeKind kind,
                       std::size_t& used) {
  const std::size_t offset = node_offset(page, index);
  if (offset < upper_of(page) || offset % 2 != 0 || offset + kNodeHeaderSize > page.size())
    return of_node(index, "starts at " + std::to_string(offset) + ", where no node can be");
  const Node node = load_node(page, offset);
  // LMDB never looks at the first key of a branch page.
  std::string why = key_fault(node, kind, form == kBranch && index == 0);
  if (why.empty() && form == kLeaf) why = flags_fault(node, kind);
  if (!why.empty()) return of_node(index, std::move(why));
  const std::size_t size =
      kNodeHeaderSize + node.key_size + (form == kLeaf ? inline_size(node) : 0);
  if (size > page.size() - offset)
    return of_node(index, "has " + std::to_string(size) + " octets from " + std::to_string(offset) +
                              " on and runs out of the page");
  used += size + size % 2;
  return {};
}

std::string order_fault(std::string_view page, std::size_t first, TreeKind kind) {
  const std::size_t count = nodes_of(page);
  for (std::size_t i = first + 1; i < count; ++i)
    if (compare_keys(kind, node_key(page, i - 1), node_key(page, i)) >= 0)
      return of_node(i, "has a key that is not behind the one before it");
  return {};
}

}  // namespace

int compare_keys(TreeKind kind, std::string_view a, std::string_view b) {
  if (kind != TreeKind::kFreeList) return a.compare(b);
  const auto first = load<std::uint64_t>(a, 0);
  const auto second = load<std::uint64_t>(b, 0);
  return first < second ? -1 : first > second ? 1 : 0;
}

std::string_view node_key(std::string_view page, std::size_t index) {
  const std::size_t offset = node_offset(page, index);
  return page.substr(offset + kNodeHeaderSize, load_node(page, offset).key_size);
}

std::string_view node_data(std::string_view page, std::size_t index) {
  const std::size_t offset = node_offset(page, index);
  const Node node = load_node(page, offset);
  return page.substr(offset + kNodeHeaderSize + node.key_size, inline_size(node));
}

std::string layout_fault(std::string_view page, std::uint64_t number, std::uint16_t form,
                         TreeKind kind) {
  std::string why = header_fault(page, number, form);
  if (!why.empty()) return why;
  const std::size_t count = nodes_of(page);
  // A branch page with one child ends LMDB in an assertion, but for the free list.
  const std::size_t count_min = form == kBranch && kind != TreeKind::kFreeList ? 2 : 1;
  if (count < count_min) return "it has " + std::to_string(count) + " nodes";
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    why = node_fault(page, i, form, kind, used);
    if (!why.empty()) return why;
  }
  // Nodes fill the end of a page without gaps; other sums mean a size or a place that is wrong.
  if (used != page.size() - upper_of(page))
    return "its nodes have " + std::to_string(used) + " octets, and " +
           std::to_string(page.size() - upper_of(page)) + " are taken";
  return order_fault(page, form == kBranch ? 1 : 0, kind);
}

}  // namespace kauri::storage::page
