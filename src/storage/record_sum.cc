#include "storage/record_sum.h"

#include <cstring>

#include "base/digest.h"
#include "base/planted_fault.h"
#include "storage/lmdb_env.h"

namespace kauri::storage {
namespace {

constexpr std::string_view kAdvice =
    ": the file is damaged; run verify, then restore a backup or rebuild what it names";

// Octets at the begin of an entry or a change record that are a checksum of what follows them.
constexpr std::size_t kOwnSumSize = 4;
// LMDB's handle of the tree in which the names of the tables are.
constexpr MDB_dbi kNames = 1;

// The size of the key is a part of it, so that no octet can pass from the key to the value.
std::uint32_t sum_of(Table table, std::string_view key, std::string_view value) {
  if (!sum_covers_value(table)) value = value.substr(0, kOwnSumSize);
  const auto begin = static_cast<std::uint32_t>(index_of(table) | key.size() << 8U);
  return crc32c(value, crc32c(key, begin));
}

Error damaged(Table table, std::string_view key, std::string_view how) {
  return corruption(describe("record", table_name(table), key) + " " + std::string(how) +
                    std::string(kAdvice));
}

// The record before the cursor's, or the last one where it has none. Puts the cursor back.
Result<void> check_before(MDB_cursor* cursor, Table table, std::string_view sought, bool at_record,
                          MDB_val& key, MDB_val& value) {
  MDB_val before{};
  MDB_val stored{};
  const int rc = mdb_cursor_get(cursor, &before, &stored, at_record ? MDB_PREV : MDB_LAST);
  if (rc == MDB_NOTFOUND) {
    if (!at_record) return prove_empty(mdb_cursor_txn(cursor), table);
    // Nothing is before it: LMDB has lost the cursor's position.
    if (mdb_cursor_get(cursor, &key, &value, MDB_FIRST) != 0)
      return damaged(table, sought, "has a neighbour that vanished");
    return {};
  }
  if (rc != 0) return lmdb_error(rc, describe("cursor", table_name(table), sought));
  KAURI_CHECK(check_record(table, to_view(before), to_view(stored)));
  if (to_view(before) >= sought)
    return damaged(table, to_view(before), "stands before a lesser key");
  if (at_record) {
    const int back = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (back != 0) return lmdb_error(back, describe("cursor", table_name(table), sought));
  }
  return {};
}

}  // namespace

bool has_record_sum(Table table, std::string_view key) {
  return table != Table::kMeta || key != kPlainKey;
}

bool sum_covers_value(Table table) {
  return table != Table::kEntries && table != Table::kChanges;
}

void write_record(Table table, std::string_view key, std::string_view value, char* space) {
  const std::uint32_t sum = sum_of(table, key, value);
  if (!value.empty()) std::memcpy(space, value.data(), value.size());
  std::memcpy(space + value.size(), &sum, sizeof sum);
}

bool record_is_whole(Table table, std::string_view key, std::string_view stored,
                     std::string_view& value) {
  value = stored;
  if (!has_record_sum(table, key)) return true;
  if (stored.size() < kRecordSumSize) [[unlikely]]
    return false;
  value.remove_suffix(kRecordSumSize);
  std::uint32_t sum = 0;
  std::memcpy(&sum, stored.data() + value.size(), sizeof sum);
  return sum == sum_of(table, key, value) || KAURI_PLANTED_FAULT("records-unchecked");
}

Error damaged_record(Table table, std::string_view key) {
  return damaged(table, key, "has a wrong checksum");
}

Error key_out_of_order(Table table, std::string_view key) {
  return damaged(table, key, "is not in order with the one before");
}

Result<std::string_view> check_record(Table table, std::string_view key, std::string_view stored) {
  std::string_view value;
  if (!record_is_whole(table, key, stored, value)) return damaged_record(table, key);
  return value;
}

Result<void> prove_empty(MDB_txn* txn, Table table) {
  const std::string_view name = table_name(table);
  MDB_val key = to_val(name);
  MDB_val tree{};
  const int rc = mdb_get(txn, kNames, &key, &tree);
  if (rc == 0) return {};
  if (rc != MDB_NOTFOUND) return lmdb_error(rc, "look for the name of table " + std::string(name));
  return corruption("table " + std::string(name) + ": it is not found by its name" +
                    std::string(kAdvice));
}

Result<int> seek_proved(MDB_cursor* cursor, Table table, std::string_view sought, MDB_val& key,
                        MDB_val& value) {
  key = to_val(sought);
  const int rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  if (!has_record_sum(table, sought)) return rc;
  if (rc == 0) {
    if (to_view(key) == sought) return rc;
    if (to_view(key) < sought) return damaged(table, to_view(key), "stands behind a greater key");
  }
  KAURI_CHECK(check_before(cursor, table, sought, rc == 0, key, value));
  return rc;
}

}  // namespace kauri::storage
