#include "backend/backup_check.h"

#include <algorithm>

#include "backend/change_log.h"
#include "backend/meta_format.h"
#include "base/endian.h"
#include "entry/entry_view.h"
#include "index/posting_format.h"
#include "text/hex.h"

namespace kauri::backend {
namespace {

using storage::Table;

constexpr std::size_t kIdSize = sizeof(std::uint64_t);
// Entry, attribute, digest (docs/formats/values.md).
constexpr std::size_t kValueKeySize = kIdSize + 4 + 16;
constexpr std::size_t kCountsSize = 2 * kIdSize;

std::string number_text(std::uint64_t number) {
  return std::to_string(number);
}

Error fault(Table table, const std::string& what) {
  return corruption("table " + std::string(storage::table_name(table)) + what);
}
Error key_fault(Table table, std::string_view key, const std::string& what) {
  return fault(table, ", key " + text::encode_hex(key) + ": " + what);
}

// A hash of the pair, whose sums over equal sets of pairs are equal.
std::uint64_t link(std::uint64_t id, std::uint64_t parent) {
  std::uint64_t x = id * 0x9e3779b97f4a7c15U ^ (parent + 0x2545f4914f6cdd1dU) * 0xd6e8feb86659fd93U;
  x = (x ^ x >> 32U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 29U) * 0x94d049bb133111ebU;
  return x ^ x >> 32U;
}

}  // namespace

Result<void> BackupCheck::add(const BackupRecord& record) {
  KAURI_CHECK(check_order(record));
  switch (record.table) {
    case Table::kMeta:
      return add_meta(record.key, record.value);
    case Table::kEntries:
      return add_entry(record.key, record.value);
    case Table::kDn:
      return add_name(record.key, record.value);
    case Table::kIndex:
      return add_posting(record.key, record.value);
    case Table::kValues:
      return add_value(record.key);
    case Table::kChanges:
      return add_change(record.key, record.value);
  }
  return corruption("a record is of no table");
}

Result<void> BackupCheck::finish() {
  for (auto at = static_cast<std::size_t>(table_); at < storage::kTableCount; ++at)
    KAURI_CHECK(end_table(static_cast<Table>(at)));
  return {};
}

Result<void> BackupCheck::check_order(const BackupRecord& record) {
  if (record.table < table_)
    return key_fault(record.table, record.key, "it comes after records of a later table");
  while (table_ < record.table) {
    KAURI_CHECK(end_table(table_));
    table_ = static_cast<Table>(static_cast<std::size_t>(table_) + 1);
    key_.clear();
  }
  if (record.key <= key_)
    return key_fault(record.table, record.key, "it is not in order with the one before");
  key_ = record.key;
  return {};
}

Result<void> BackupCheck::end_table(Table table) {
  switch (table) {
    case Table::kMeta:
      if (next_id_ == 0) return fault(Table::kMeta, ": the next id is missing or 0");
      return {};
    case Table::kEntries:
      return end_entries();
    case Table::kDn:
      return end_names();
    case Table::kIndex:
      return end_list();
    case Table::kValues:
      return end_values();
    case Table::kChanges:
      break;
  }
  return {};
}

// --- What the database is ---

Result<void> BackupCheck::add_meta(std::string_view key, std::string_view value) {
  if (key == kMetaNextId && value.size() == kIdSize)
    next_id_ = load_big_endian<std::uint64_t>(value);
  if (key.starts_with(kMetaAttribute)) ++attributes_;  // they have no gaps
  if (key.starts_with(kMetaIndex) && key.size() == kMetaIndex.size() + sizeof(std::uint32_t) &&
      value.size() >= 2 && static_cast<IndexState>(value[1]) == IndexState::kUsable)
    indexes_.push_back(load_big_endian<std::uint32_t>(key.substr(kMetaIndex.size())));
  return {};
}

// --- Entries ---

Result<void> BackupCheck::add_entry(std::string_view key, std::string_view value) {
  if (key.size() != kIdSize) return key_fault(Table::kEntries, key, "it has not 8 octets");
  const auto id = load_big_endian<std::uint64_t>(key);
  const std::string where = ", id " + number_text(id) + ": ";
  if (id == 0 || id >= next_id_)
    return fault(Table::kEntries, where + "the next id to give out is " + number_text(next_id_));
  const Result<entry::EntryView> view = entry::EntryView::parse(value);
  if (!view) return fault(Table::kEntries, where + view.error().message());
  if (view->highest_number().value() > attributes_)
    return fault(Table::kEntries, where + "attribute number " +
                                      number_text(view->highest_number().value()) +
                                      " is not in the dictionary");
  const std::uint64_t number = id >> index::kBlockBits;
  if (blocks_.empty() || blocks_.back().number != number) blocks_.push_back({number, {}});
  const std::uint64_t offset = id % index::kBlockIds;
  blocks_.back().ids[offset / 64] |= std::uint64_t{1} << offset % 64;
  ++entries_;
  links_ += link(id, view->parent().value());
  if (!view->has_external()) return {};
  for (std::size_t i = 0; i < view->attribute_count(); ++i)
    if (const entry::AttributeSlot slot = view->attribute(i); slot.external)
      large_.push_back({id, slot.number.value(), slot.value_count});
  return {};
}

const BackupCheck::Block* BackupCheck::block(std::uint64_t number) const {
  // Ids are given out in order, so that without deletions block n is the n-th.
  if (number < blocks_.size() && blocks_[number].number == number) return &blocks_[number];
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), number,
                                      [](const Block& a, std::uint64_t b) { return a.number < b; });
  return found != blocks_.end() && found->number == number ? &*found : nullptr;
}

bool BackupCheck::exists(std::uint64_t id) const {
  const Block* const found = block(id >> index::kBlockBits);
  const std::uint64_t offset = id % index::kBlockIds;
  return found != nullptr && (found->ids[offset / 64] >> offset % 64 & 1U) != 0;
}

Result<void> BackupCheck::end_entries() {
  // As their values come.
  std::sort(large_.begin(), large_.end(), [](const LargeAttribute& a, const LargeAttribute& b) {
    return a.entry != b.entry ? a.entry < b.entry : a.number < b.number;
  });
  return {};
}

// --- Names ---

Result<void> BackupCheck::add_name(std::string_view key, std::string_view value) {
  if (key.size() < kIdSize) return key_fault(Table::kDn, key, "it is too short");
  const auto parent = load_big_endian<std::uint64_t>(key);
  if (parent != parent_) {
    KAURI_CHECK(end_children());
    parent_ = parent;
    children_ = 0;
    children_due_ = 0;
    if (!exists(parent))
      return key_fault(Table::kDn, key, "the entry " + number_text(parent) + " does not exist");
  }
  if (key.size() == kIdSize) {
    if (value.size() != kCountsSize)
      return key_fault(Table::kDn, key, "the counts of subordinates have not 16 octets");
    children_due_ = load_little_endian<std::uint64_t>(value);
    return {};
  }
  if (value.size() != kIdSize) return key_fault(Table::kDn, key, "it leads to no id");
  const auto id = load_little_endian<std::uint64_t>(value);
  if (!exists(id))
    return key_fault(Table::kDn, key,
                     "it leads to the entry " + number_text(id) + ", which does not exist");
  ++names_;
  ++children_;
  named_links_ += link(id, parent);
  return {};
}

Result<void> BackupCheck::end_children() {
  if (parent_ == 0 || children_ == children_due_) return {};
  return fault(Table::kDn, ", counts of entry " + number_text(parent_) + ": it has " +
                               number_text(children_) + " children, and they say " +
                               number_text(children_due_));
}

Result<void> BackupCheck::end_names() {
  KAURI_CHECK(end_children());
  if (names_ != entries_)
    return fault(Table::kDn,
                 ": " + number_text(names_) + " names of " + number_text(entries_) + " entries");
  if (named_links_ == links_) return {};
  return fault(Table::kDn, ": a name leads to an entry that has another parent");
}

// --- Indexes ---

Result<void> BackupCheck::add_posting(std::string_view key, std::string_view value) {
  if (key.size() < sizeof(std::uint32_t)) return key_fault(Table::kIndex, key, "it is too short");
  // An index that is being built may hold anything: it is made anew before it is read.
  if (!std::binary_search(indexes_.begin(), indexes_.end(), load_big_endian<std::uint32_t>(key)))
    return end_list();
  if (!list_.empty() && key.size() == list_.size() + kIdSize && key.starts_with(list_))
    return add_block(key, value);
  KAURI_CHECK(end_list());
  switch (index::record_shape(value)) {
    case index::RecordShape::kInline:
      return add_inline(key, value);
    case index::RecordShape::kHead:
      list_ = key;
      listed_due_ = index::head_count(value);
      return {};
    case index::RecordShape::kBroken:
      break;
  }
  return key_fault(Table::kIndex, key, "it is neither a list nor the head of one");
}

Result<void> BackupCheck::add_inline(std::string_view key, std::string_view value) {
  for (std::size_t i = 0; i < index::inline_count(value); ++i)
    if (const std::uint64_t id = index::inline_id(value, i); !exists(id))
      return key_fault(Table::kIndex, key,
                       "it lists the entry " + number_text(id) + ", which does not exist");
  return {};
}

Result<void> BackupCheck::add_block(std::string_view key, std::string_view value) {
  if (!index::check_block(value)) return key_fault(Table::kIndex, key, "a block is malformed");
  const auto number = load_big_endian<std::uint64_t>(key.substr(list_.size()));
  const Block* const entries = block(number);
  listed_ += index::block_count(value);
  if (entries != nullptr && value.front() == index::kBitmapTag) {
    std::uint64_t strange = 0;
    for (std::size_t i = 0; i < kWords; ++i)
      strange |= load_little_endian<std::uint64_t>(value.substr(1 + i * 8)) & ~entries->ids[i];
    if (strange == 0) return {};
  } else if (entries != nullptr) {
    bool all = true;
    for (std::size_t at = 1; at < value.size(); at += sizeof(std::uint16_t)) {
      const auto offset = load_little_endian<std::uint16_t>(value.substr(at));
      all = all && (entries->ids[offset / 64] >> offset % 64 & 1U) != 0;
    }
    if (all) return {};
  }
  return key_fault(Table::kIndex, key, "it lists an entry that does not exist");
}

Result<void> BackupCheck::end_list() {
  if (list_.empty()) return {};
  if (listed_ != listed_due_)
    return key_fault(Table::kIndex, list_,
                     "the list has " + number_text(listed_) + " entries, and its head says " +
                         number_text(listed_due_));
  list_.clear();
  listed_ = 0;
  return {};
}

// --- Values outside of the entries ---

Result<void> BackupCheck::add_value(std::string_view key) {
  if (key.size() != kValueKeySize) return key_fault(Table::kValues, key, "it has not 28 octets");
  const auto entry = load_big_endian<std::uint64_t>(key);
  const auto number = load_big_endian<std::uint32_t>(key.substr(kIdSize));
  while (large_at_ < large_.size()) {
    const LargeAttribute& at = large_[large_at_];
    if (at.entry == entry && at.number == number) {
      ++values_;
      return {};
    }
    if (values_ != at.values) break;  // told below
    ++large_at_;
    values_ = 0;
  }
  KAURI_CHECK(end_values());
  return key_fault(Table::kValues, key, "no entry has an attribute for this value");
}

Result<void> BackupCheck::end_values() {
  for (; large_at_ < large_.size(); ++large_at_, values_ = 0)
    if (const LargeAttribute& at = large_[large_at_]; values_ != at.values)
      return fault(Table::kValues, ", entry " + number_text(at.entry) + ", attribute number " +
                                       number_text(at.number) + ": " + number_text(values_) +
                                       " values, and the entry says " + number_text(at.values));
  return {};
}

// --- The change log ---

Result<void> BackupCheck::add_change(std::string_view key, std::string_view value) {
  if (key.size() != kIdSize) return key_fault(Table::kChanges, key, "it has not 8 octets");
  const auto sequence = load_big_endian<std::uint64_t>(key);
  const std::string where = ", sequence " + number_text(sequence) + ": ";
  if (sequence_ != 0 && sequence != sequence_ + 1)
    return fault(Table::kChanges, where + "it follows the sequence " + number_text(sequence_));
  sequence_ = sequence;
  if (const auto record = decode_change(value); !record)
    return fault(Table::kChanges, where + record.error().message());
  return {};
}

}  // namespace kauri::backend
