#include "index/dn_index.h"

#include <array>
#include <cstring>

#include "base/digest.h"
#include "base/endian.h"
#include "base/limits.h"

namespace kauri::index {
namespace {

using storage::Table;

constexpr std::size_t kIdSize = 8;
constexpr std::size_t kCountsSize = 16;

Error broken(EntryId parent, std::string_view what, std::size_t size, std::size_t expected) {
  return corruption("table dn, parent entry " + std::to_string(parent.value()) + ": " +
                    std::string(what) + " has " + std::to_string(size) + " octets, not " +
                    std::to_string(expected));
}

Error no_name(EntryId parent) {
  return invalid("a child of entry " + std::to_string(parent.value()) +
                 " needs a relative name, the one given is empty");
}

// A record that holds an entry id: 8 octets, not 0.
Result<EntryId> decode_id(EntryId parent, std::string_view value) {
  if (value.size() != kIdSize)
    return broken(parent, "the record of a child", value.size(), kIdSize);
  const EntryId id(load_little_endian<std::uint64_t>(value));
  if (id.value() == 0)
    return corruption("table dn, parent entry " + std::to_string(parent.value()) +
                      ": a child has the entry id 0");
  return id;
}

// The key in a buffer on the stack: reading names is on the path of every search.
class ChildKey {
 public:
  ChildKey(EntryId parent, std::string_view normal_rdn) {
    const std::uint64_t number = to_big_endian(parent.value());
    append({reinterpret_cast<const char*>(&number), sizeof number});
    if (normal_rdn.size() <= limits::kKeyValueMax) {
      append(normal_rdn);
      return;
    }
    append(normal_rdn.substr(0, limits::kKeyValueMax));
    append(std::string_view("\0", 1));
    const std::array<char, 16> digest = digest128(normal_rdn);
    append({digest.data(), digest.size()});
  }
  std::string_view view() const { return {octets_.data(), size_}; }

 private:
  void append(std::string_view octets) {
    if (octets.empty()) return;
    std::memcpy(octets_.data() + size_, octets.data(), octets.size());
    size_ += octets.size();
  }
  std::array<char, kIdSize + limits::kKeyValueMax + 1 + 16> octets_;
  std::size_t size_ = 0;
};

}  // namespace

std::string child_key(EntryId parent, std::string_view normal_rdn) {
  return std::string(ChildKey(parent, normal_rdn).view());
}

std::string counts_key(EntryId parent) {
  return child_key(parent, {});
}

std::string encode_counts(SubordinateCounts counts) {
  std::string out;
  append_little_endian<std::uint64_t>(out, counts.children);
  append_little_endian<std::uint64_t>(out, counts.descendants);
  return out;
}

Result<std::optional<EntryId>> find_child(storage::Txn& txn, EntryId parent,
                                          std::string_view normal_rdn) {
  if (normal_rdn.empty()) return std::optional<EntryId>();
  const ChildKey key(parent, normal_rdn);
  KAURI_TRY(const auto value, txn.get(Table::kDn, key.view()));
  if (!value) return std::optional<EntryId>();
  KAURI_TRY(const EntryId id, decode_id(parent, *value));
  return std::optional<EntryId>(id);
}

Result<SubordinateCounts> subordinate_counts(storage::Txn& txn, EntryId id) {
  const ChildKey key(id, {});
  KAURI_TRY(const auto value, txn.get(Table::kDn, key.view()));
  if (!value) return SubordinateCounts{};
  if (value->size() != kCountsSize)
    return broken(id, "the record of its counts", value->size(), kCountsSize);
  SubordinateCounts counts;
  counts.children = load_little_endian<std::uint64_t>(*value);
  counts.descendants = load_little_endian<std::uint64_t>(value->substr(8));
  return counts;
}

Result<void> put_child(storage::WriteTxn& txn, EntryId parent, std::string_view normal_rdn,
                       EntryId id) {
  if (normal_rdn.empty()) return no_name(parent);
  std::string value;
  append_little_endian<std::uint64_t>(value, id.value());
  return txn.put(Table::kDn, ChildKey(parent, normal_rdn).view(), value);
}

Result<void> erase_child(storage::WriteTxn& txn, EntryId parent, std::string_view normal_rdn) {
  if (normal_rdn.empty()) return no_name(parent);
  KAURI_TRY([[maybe_unused]] const bool erased,
            txn.erase(Table::kDn, ChildKey(parent, normal_rdn).view()));
  return {};
}

Result<void> put_counts(storage::WriteTxn& txn, EntryId id, SubordinateCounts counts) {
  const ChildKey key(id, {});
  if (counts.children != 0 || counts.descendants != 0)
    return txn.put(Table::kDn, key.view(), encode_counts(counts));
  KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kDn, key.view()));
  return {};
}

Result<ChildCursor> ChildCursor::open(storage::Txn& txn, EntryId parent,
                                      std::string_view after_key) {
  ChildCursor children;
  KAURI_TRY(children.cursor_, txn.cursor(Table::kDn));
  children.prefix_ = counts_key(parent);
  children.last_key_ = after_key;
  return children;
}

Result<std::optional<EntryId>> ChildCursor::next() {
  bool found = false;
  if (positioned_) {
    KAURI_TRY(found, cursor_->next());
  } else {
    // The counts of the parent, if it has any, lie under the prefix itself, before its children.
    const std::string& from = last_key_.empty() ? prefix_ : last_key_;
    KAURI_TRY(found, cursor_->seek(from));
    positioned_ = true;
    if (found && cursor_->key() == from) {
      KAURI_TRY(found, cursor_->next());
    }
  }
  if (!found || !cursor_->key().starts_with(prefix_)) return std::optional<EntryId>();
  KAURI_TRY(const EntryId id,
            decode_id(EntryId(load_big_endian<std::uint64_t>(prefix_)), cursor_->value()));
  last_key_ = cursor_->key();
  return std::optional<EntryId>(id);
}

}  // namespace kauri::index
