#include "backend/large_values.h"

#include "base/digest.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {
using storage::Table;
}

std::string value_identity(const schema::Schema& schema, const schema::AttributeType& type,
                           std::string_view value) {
  std::string normal;
  if (type.equality != nullptr && type.equality->normalize(schema, value, normal)) return normal;
  return std::string(value);
}

std::string value_prefix(EntryId id, AttributeNumber number) {
  std::string key;
  append_big_endian(key, id.value());
  append_big_endian(key, number.value());
  return key;
}

std::string value_key(EntryId id, AttributeNumber number, std::string_view identity) {
  std::string key = value_prefix(id, number);
  const std::array<char, 16> digest = digest128(identity);
  key.append(digest.data(), digest.size());
  return key;
}

Result<bool> has_large_value(storage::Txn& txn, EntryId id, AttributeNumber number,
                             std::string_view identity) {
  KAURI_TRY(const std::optional<std::string_view> value,
            txn.get(Table::kValues, value_key(id, number, identity)));
  return value.has_value();
}

Result<void> put_large_value(storage::WriteTxn& txn, EntryId id, AttributeNumber number,
                             std::string_view identity, std::string_view value) {
  return txn.put(Table::kValues, value_key(id, number, identity), value);
}

Result<std::vector<std::string>> read_large_values(storage::Txn& txn, EntryId id,
                                                   AttributeNumber number) {
  std::vector<std::string> values;
  TxnExternalValues external(&txn);
  KAURI_CHECK(external.for_each(
      id, number,
      [](void* context, std::string_view value) {
        static_cast<std::vector<std::string>*>(context)->emplace_back(value);
        return true;
      },
      &values));
  return values;
}

Result<std::uint64_t> erase_large_values(storage::WriteTxn& txn, EntryId id,
                                         AttributeNumber number) {
  const std::string prefix = value_prefix(id, number);
  std::vector<std::string> keys;
  {
    KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kValues));
    KAURI_TRY(bool found, cursor->seek(prefix));
    while (found && cursor->key().starts_with(prefix)) {
      keys.emplace_back(cursor->key());
      KAURI_TRY(found, cursor->next());
    }
  }
  for (const std::string& key : keys) {
    KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kValues, key));
  }
  return keys.size();
}

Result<bool> TxnExternalValues::contains(EntryId id, AttributeNumber number,
                                         std::string_view normal_value) {
  KAURI_ASSERT(txn_ != nullptr);
  return has_large_value(*txn_, id, number, normal_value);
}

Result<void> TxnExternalValues::for_each(EntryId id, AttributeNumber number,
                                         bool (*callback)(void* context, std::string_view value),
                                         void* context) {
  KAURI_ASSERT(txn_ != nullptr);
  const std::string prefix = value_prefix(id, number);
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn_->cursor(Table::kValues));
  KAURI_TRY(bool found, cursor->seek(prefix));
  while (found && cursor->key().starts_with(prefix)) {
    if (!callback(context, cursor->value())) break;
    KAURI_TRY(found, cursor->next());
  }
  return {};
}

}  // namespace kauri::backend
