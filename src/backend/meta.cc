#include "backend/meta.h"

#include "base/endian.h"

namespace kauri::backend {
namespace {

using storage::Table;

Error broken(std::string_view key, const std::string& why) {
  return corruption("table meta, key " + std::string(key) + ": " + why);
}

std::string numbered_key(std::string_view head, AttributeNumber number) {
  std::string key(head);
  append_big_endian(key, number.value());
  return key;
}

template <std::unsigned_integral T>
Result<std::optional<T>> read_number(storage::Txn& txn, std::string_view key) {
  KAURI_TRY(const std::optional<std::string_view> value, txn.get(Table::kMeta, key));
  if (!value) return std::optional<T>();
  if (value->size() != sizeof(T))
    return broken(
        key, std::to_string(value->size()) + " octets instead of " + std::to_string(sizeof(T)));
  return std::optional<T>(load_big_endian<T>(*value));
}

template <std::unsigned_integral T>
Result<void> write_number(storage::WriteTxn& txn, std::string_view key, T number) {
  std::string value;
  append_big_endian(value, number);
  return txn.put(Table::kMeta, key, value);
}

// Calls back with the number and value of each record whose key is `head` and a number.
template <class Visit>
Result<void> for_numbered(storage::Txn& txn, std::string_view head, Visit visit) {
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kMeta));
  KAURI_TRY(bool found, cursor->seek(head));
  while (found && cursor->key().starts_with(head)) {
    const std::string_view rest = cursor->key().substr(head.size());
    if (rest.size() != sizeof(std::uint32_t)) return broken(head, "the number is malformed");
    const AttributeNumber number(load_big_endian<std::uint32_t>(rest));
    if (number.value() == 0) return broken(head, "the number 0 is never given out");
    KAURI_CHECK(visit(number, cursor->value()));
    KAURI_TRY(found, cursor->next());
  }
  return {};
}

Result<StoredIndex> decode_index(AttributeNumber number, std::string_view value) {
  if (value.size() < 2) return broken(kMetaIndex, "a definition has at least two octets");
  const auto kinds = static_cast<std::uint8_t>(value[0]);
  const auto state = static_cast<IndexState>(value[1]);
  if ((kinds & ~(kKindPresence | kKindEquality | kKindSubstring)) != 0 ||
      (state != IndexState::kUsable && state != IndexState::kBuilding))
    return broken(kMetaIndex, "unknown kinds or state");
  return StoredIndex{
      number,
      {(kinds & kKindPresence) != 0, (kinds & kKindEquality) != 0, (kinds & kKindSubstring) != 0},
      state,
      std::string(value.substr(2))};
}

Result<void> check_version(storage::Txn& txn, std::string_view key, std::uint32_t known,
                           std::string_view what) {
  KAURI_TRY(const std::optional<std::uint32_t> version, read_number<std::uint32_t>(txn, key));
  if (!version) return broken(key, "the record is missing");
  if (*version == known) return {};
  return invalid("the database has " + std::string(what) + " version " + std::to_string(*version) +
                 " and this program knows version " + std::to_string(known) + "; " +
                 (*version > known ? "a newer program made it, or its table meta is damaged"
                                   : "export it with the program that made it and import it here, "
                                     "or make a backup with that and restore it here"));
}

}  // namespace

StoredIndex stored_index(const index::IndexDefinition& definition, IndexState state) {
  std::string rules;
  if (definition.type->equality != nullptr) rules.append(definition.type->equality->oid());
  rules.push_back(',');
  if (definition.type->substrings != nullptr) rules.append(definition.type->substrings->oid());
  return {definition.number, definition.kinds, state, std::move(rules)};
}

Result<std::optional<Meta>> read_meta(storage::Txn& txn) {
  KAURI_TRY(const storage::TableStats stats, txn.table_stats(Table::kMeta));
  if (stats.entries == 0) return std::optional<Meta>();
  KAURI_CHECK(check_version(txn, kMetaFormat, kFormatVersion, "format"));
  KAURI_CHECK(check_version(txn, kMetaNormal, kNormalVersion, "normal form"));
  Meta meta;
  KAURI_TRY(const std::optional<std::string_view> suffix, txn.get(Table::kMeta, kMetaSuffix));
  if (!suffix || suffix->empty()) return broken(kMetaSuffix, "the suffix is missing");
  meta.suffix = *suffix;
  KAURI_TRY(const std::optional<std::uint64_t> next, read_number<std::uint64_t>(txn, kMetaNextId));
  if (!next || *next == 0) return broken(kMetaNextId, "the next id is missing or 0");
  meta.next_id = EntryId(*next);
  KAURI_TRY(const std::optional<std::string_view> csn, txn.get(Table::kMeta, kMetaLastCsn));
  if (csn) meta.last_csn = *csn;
  KAURI_CHECK(for_numbered(txn, kMetaAttribute,
                           [&](AttributeNumber number, std::string_view text) -> Result<void> {
                             meta.attributes.emplace_back(number, text);
                             return {};
                           }));
  KAURI_CHECK(for_numbered(txn, kMetaIndex,
                           [&](AttributeNumber number, std::string_view value) -> Result<void> {
                             KAURI_TRY(const StoredIndex index, decode_index(number, value));
                             meta.indexes.push_back(index);
                             return {};
                           }));
  return std::optional<Meta>(std::move(meta));
}

Result<void> write_new_meta(storage::WriteTxn& txn, const std::string& suffix) {
  KAURI_CHECK(write_number(txn, kMetaFormat, kFormatVersion));
  KAURI_CHECK(write_number(txn, kMetaNormal, kNormalVersion));
  KAURI_CHECK(txn.put(Table::kMeta, kMetaSuffix, suffix));
  return write_next_id(txn, EntryId(1));
}

Result<void> write_next_id(storage::WriteTxn& txn, EntryId next_id) {
  return write_number(txn, kMetaNextId, next_id.value());
}

Result<void> write_last_csn(storage::WriteTxn& txn, std::string_view csn) {
  return txn.put(Table::kMeta, kMetaLastCsn, csn);
}

Result<void> write_index(storage::WriteTxn& txn, const StoredIndex& index) {
  std::uint8_t kinds = 0;
  if (index.kinds.presence) kinds |= kKindPresence;
  if (index.kinds.equality) kinds |= kKindEquality;
  if (index.kinds.substring) kinds |= kKindSubstring;
  std::string value;
  value.push_back(static_cast<char>(kinds));
  value.push_back(static_cast<char>(index.state));
  value.append(index.rules);
  return txn.put(Table::kMeta, numbered_key(kMetaIndex, index.number), value);
}

Result<void> erase_index(storage::WriteTxn& txn, AttributeNumber number) {
  KAURI_TRY([[maybe_unused]] const bool erased,
            txn.erase(Table::kMeta, numbered_key(kMetaIndex, number)));
  return {};
}

Result<std::uint32_t> write_attributes(storage::WriteTxn& txn, const entry::Dictionary& dictionary,
                                       std::uint32_t persisted) {
  std::uint32_t highest = persisted;
  for (AttributeNumber number(persisted + 1); dictionary.contains(number);
       number = AttributeNumber(number.value() + 1)) {
    KAURI_CHECK(
        txn.put(Table::kMeta, numbered_key(kMetaAttribute, number), dictionary.text(number)));
    highest = number.value();
  }
  return highest;
}

}  // namespace kauri::backend
