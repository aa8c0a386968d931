#include "backend/large_values.h"

#include <algorithm>

#include "base/digest.h"
#include "base/endian.h"
#include "base/key_sort.h"

namespace kauri::backend {
namespace {

using storage::Table;

Error wrong_count(EntryId id, AttributeNumber number, std::uint64_t found, std::uint64_t due) {
  return corruption("table values, entry " + std::to_string(id.value()) + ", attribute number " +
                    std::to_string(number.value()) + ": " + std::to_string(found) +
                    " values, and the entry says " + std::to_string(due) + "; run verify");
}

struct Walked {
  std::uint64_t values = 0;
  bool stopped = false;  // by the callback
};

Result<Walked> walk_values(storage::Txn& txn, EntryId id, AttributeNumber number,
                           bool (*callback)(void* context, std::string_view value), void* context) {
  Walked walked;
  const std::string prefix = value_prefix(id, number);
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kValues));
  KAURI_TRY(bool found, cursor->seek(prefix));
  while (found && cursor->key().starts_with(prefix)) {
    ++walked.values;
    walked.stopped = !callback(context, cursor->value());
    if (walked.stopped) break;
    KAURI_TRY(found, cursor->next());
  }
  return walked;
}

}  // namespace

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

Result<void> put_large_values(storage::WriteTxn& txn, std::vector<LargeValue>& values) {
  if (values.empty()) return {};
  sort_by_key(values, [](const LargeValue& one) -> std::string_view { return one.key; });
  bool behind_all = true;
  {
    KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kValues));
    KAURI_TRY(const bool any, cursor->last());
    if (any) behind_all = cursor->key() < values.front().key;
  }
  for (const LargeValue& one : values) {
    KAURI_CHECK(behind_all ? txn.append(Table::kValues, one.key, one.value)
                           : txn.put(Table::kValues, one.key, one.value));
  }
  return {};
}

Result<std::vector<std::string>> find_large_values(storage::Txn& txn, EntryId id,
                                                   AttributeNumber number) {
  std::vector<std::string> values;
  KAURI_TRY([[maybe_unused]] const Walked walked,
            walk_values(
                txn, id, number,
                [](void* context, std::string_view value) {
                  static_cast<std::vector<std::string>*>(context)->emplace_back(value);
                  return true;
                },
                &values));
  return values;
}

Result<std::vector<LargeRecord>> read_large_records(storage::Txn& txn, EntryId id,
                                                    AttributeNumber number, std::uint64_t count) {
  std::vector<LargeRecord> records;
  const std::string prefix = value_prefix(id, number);
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kValues));
  KAURI_TRY(bool found, cursor->seek(prefix));
  while (found && cursor->key().starts_with(prefix)) {
    records.push_back({std::string(cursor->key()), std::string(cursor->value())});
    KAURI_TRY(found, cursor->next());
  }
  if (records.size() != count) return wrong_count(id, number, records.size(), count);
  return records;
}

Result<std::vector<std::string>> read_large_values(storage::Txn& txn, EntryId id,
                                                   AttributeNumber number, std::uint64_t count) {
  KAURI_TRY(std::vector<std::string> values, find_large_values(txn, id, number));
  if (values.size() != count) return wrong_count(id, number, values.size(), count);
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

Result<void> TxnExternalValues::for_each(EntryId id, const entry::AttributeSlot& slot,
                                         bool (*callback)(void* context, std::string_view value),
                                         void* context) {
  KAURI_ASSERT(txn_ != nullptr);
  KAURI_TRY(const Walked walked, walk_values(*txn_, id, slot.number, callback, context));
  if (walked.stopped || walked.values == slot.value_count) return {};
  return wrong_count(id, slot.number, walked.values, slot.value_count);
}

}  // namespace kauri::backend
