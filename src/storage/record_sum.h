// The checksums of records, and proof that a record which is not found is not there
// (docs/formats/file.md). Inside storage/ only. Thread safety:
// thread-safe.
//
// Every value is followed by four octets: the CRC-32C of the table's number, the key and the value;
// of an entry or a change record, which begin with a checksum of the rest, the first four octets
// stand for the value. Whoever reads through a transaction sees the value alone, and only when its
// checksum is right. A wrong bit in a key hides the record from those who look for it; but keys of
// a table rise, so it stands beside the place where it should be: both neighbours of that place are
// asked for their checksums before anybody is told that there is no such record.
#pragma once

#include <lmdb.h>

#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace kauri::storage {

inline constexpr std::size_t kRecordSumSize = 4;

bool has_record_sum(Table table, std::string_view key);
// Whether the checksum covers all of the value, and not only the checksum that it begins with.
bool sum_covers_value(Table table);

// Fills `space`, which has value.size() + kRecordSumSize octets, as the table holds the record.
void write_record(Table table, std::string_view key, std::string_view value, char* space);

// Whether the checksum of a stored record is right, or it has none; `value` gets the value without
// it. For the path of every search.
bool record_is_whole(Table table, std::string_view key, std::string_view stored,
                     std::string_view& value);
// What is wrong with a record that is not whole, with table and key.
Error damaged_record(Table table, std::string_view key);
// The same for one that a walk in the order of keys may not meet.
Error key_out_of_order(Table table, std::string_view key);

// The value without its checksum. RETURNS: kCorruption with table and key, when it is wrong.
Result<std::string_view> check_record(Table table, std::string_view key, std::string_view stored);

// Moves the cursor to the first record whose key is not less than `sought`, as MDB_SET_RANGE does,
// and proves that none before it is left out; the checksum of that record is the caller's to ask.
// RETURNS: an LMDB code (0, MDB_NOTFOUND, or a failure), and in `key` and `value` what LMDB says;
// kCorruption when the record before is damaged.
Result<int> seek_proved(MDB_cursor* cursor, Table table, std::string_view sought, MDB_val& key,
                        MDB_val& value);
// A table in which nothing was found is one that LMDB finds by its name. RETURNS: kCorruption when
// there is no such name: LMDB takes the table for an empty one then.
Result<void> prove_empty(MDB_txn* txn, Table table);

}  // namespace kauri::storage
