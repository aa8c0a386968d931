#include "backend/change_log.h"

#include <algorithm>

#include "base/digest.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {

using storage::Table;

constexpr std::uint8_t kRecordVersion = 2;
constexpr std::uint8_t kVersionWithoutPrevious = 1;
constexpr std::uint64_t kErasedAtOnceMax = 4;

void put_text(std::string& out, std::string_view text) {
  append_little_endian(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

void put_texts(std::string& out, const std::vector<std::string>& texts) {
  append_little_endian(out, static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) put_text(out, text);
}

std::size_t encoded_size(const std::vector<std::string>& texts) {
  std::size_t size = sizeof(std::uint32_t);
  for (const std::string& text : texts) size += sizeof(std::uint32_t) + text.size();
  return size;
}

// What a record may need at most: growing step by step would copy all values several times.
std::size_t room_for(const ChangeRecord& record) {
  std::size_t size = 256 + record.dn.size() + record.new_dn.size();
  for (const AttributeChange& change : record.attributes)
    size += sizeof(std::uint32_t) + change.description.size() + encoded_size(change.removed) +
            encoded_size(change.added);
  return size;
}

// Reads a record front to back; after the first fault everything is empty and ok() is false.
class Cursor {
 public:
  explicit Cursor(std::string_view octets) : rest_(octets) {}
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  template <std::unsigned_integral T>
  T number() {
    const std::string_view octets = take(sizeof(T));
    return ok_ ? load_little_endian<T>(octets) : T{};
  }
  std::string_view take(std::size_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    const auto count = number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && ok_; ++i) out.push_back(text());
    return out;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string encode_change(const ChangeRecord& record) {
  std::string out;
  out.reserve(room_for(record));
  append_little_endian(out, std::uint32_t{0});  // the checksum, below
  out.push_back(static_cast<char>(record.previous_csn ? kRecordVersion : kVersionWithoutPrevious));
  out.push_back(static_cast<char>(record.kind));
  append_little_endian(out, record.id.value());
  out.append(reinterpret_cast<const char*>(record.entry_uuid.data()), record.entry_uuid.size());
  put_text(out, record.csn);
  if (record.previous_csn) put_text(out, *record.previous_csn);
  put_text(out, record.dn);
  put_text(out, record.new_dn);
  append_little_endian(out, static_cast<std::uint32_t>(record.attributes.size()));
  for (const AttributeChange& change : record.attributes) {
    put_text(out, change.description);
    put_texts(out, change.removed);
    put_texts(out, change.added);
  }
  const std::uint32_t sum = crc32c(std::string_view(out).substr(sizeof(std::uint32_t)));
  std::memcpy(out.data(), &sum, sizeof(sum));
  return out;
}

Result<ChangeRecord> decode_change(std::string_view octets) {
  Cursor in(octets);
  const auto sum = in.number<std::uint32_t>();
  if (!in.ok()) return corruption("change record: shorter than its checksum");
  if (crc32c(octets.substr(sizeof(sum))) != sum)
    return corruption("change record: the checksum does not fit");
  const auto version = in.number<std::uint8_t>();
  if (version != kRecordVersion && version != kVersionWithoutPrevious)
    return corruption("change record: version " + std::to_string(version) + " is unknown");
  ChangeRecord record;
  const auto kind = in.number<std::uint8_t>();
  if (kind < 1 || kind > 4)
    return corruption("change record: kind " + std::to_string(kind) + " is unknown");
  record.kind = static_cast<ChangeKind>(kind);
  record.id = EntryId(in.number<std::uint64_t>());
  if (const std::string_view uuid = in.take(record.entry_uuid.size()); in.ok())
    std::memcpy(record.entry_uuid.data(), uuid.data(), uuid.size());
  record.csn = in.text();
  record.previous_csn.reset();
  if (version == kRecordVersion) record.previous_csn = in.text();
  record.dn = in.text();
  record.new_dn = in.text();
  const auto count = in.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    AttributeChange change;
    change.description = in.text();
    change.removed = in.texts();
    change.added = in.texts();
    record.attributes.push_back(std::move(change));
  }
  if (!in.ok() || !in.at_end()) return corruption("change record: a length does not fit");
  return record;
}

std::string csn_after(const ChangeRecord& record) {
  if (record.kind != ChangeKind::kAdd) return record.csn;
  for (const AttributeChange& attribute : record.attributes) {
    if (attribute.description == "entryCSN" && attribute.added.size() == 1)
      return std::max(record.csn, attribute.added.front());
  }
  return record.csn;
}

std::string change_key(std::uint64_t sequence) {
  std::string key;
  append_big_endian(key, sequence);
  return key;
}

Result<ChangeLogPosition> read_change_position(storage::Txn& txn) {
  ChangeLogPosition position;
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kChanges));
  KAURI_TRY(const bool any, cursor->first());
  if (!any) return position;
  if (cursor->key().size() != 8) return corruption("table changes: a key has not 8 octets");
  position.first = load_big_endian<std::uint64_t>(cursor->key());
  KAURI_TRY([[maybe_unused]] const bool last, cursor->last());
  if (cursor->key().size() != 8) return corruption("table changes: a key has not 8 octets");
  position.next = load_big_endian<std::uint64_t>(cursor->key()) + 1;
  return position;
}

Result<void> append_change(storage::WriteTxn& txn, ChangeLogPosition& position,
                           const ChangeRecord& record, std::uint64_t records_max) {
  if (records_max != 0) {
    KAURI_CHECK(txn.append(Table::kChanges, change_key(position.next), encode_change(record)));
    ++position.next;
  }
  for (std::uint64_t erased = 0;
       position.next - position.first > records_max && erased < kErasedAtOnceMax; ++erased) {
    KAURI_TRY([[maybe_unused]] const bool was_there,
              txn.erase(Table::kChanges, change_key(position.first)));
    ++position.first;
  }
  return {};
}

Result<std::optional<ChangeRecord>> read_change(storage::Txn& txn, std::uint64_t sequence) {
  KAURI_TRY(const std::optional<std::string_view> octets,
            txn.get(Table::kChanges, change_key(sequence)));
  if (!octets) return std::optional<ChangeRecord>();
  Result<ChangeRecord> record = decode_change(*octets);
  if (!record)
    return record.error().with_context("table changes, sequence " + std::to_string(sequence));
  return std::optional<ChangeRecord>(std::move(*record));
}

}  // namespace kauri::backend
