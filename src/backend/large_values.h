// The values table: the values of attributes that have too many of them for the entry's record, one
// record each (docs/formats/values.md).
//
// An attribute goes there when it gets more than limits::kInlineValuesMax values, and comes back
// into the record when it has at most half of that, so that one value added and deleted in turn
// moves nothing. Thread safety: as the transaction given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "entry/entry_view.h"
#include "schema/schema.h"
#include "storage/storage.h"

namespace kauri::backend {

// An attribute outside the record returns into it with this many values or fewer.
inline constexpr std::size_t kReturnInlineMax = limits::kInlineValuesMax / 2;

// What two equal values share: the normal form by the type's equality rule; the octets where the
// type has no rule or the value no normal form.
std::string value_identity(const schema::Schema& schema, const schema::AttributeType& type,
                           std::string_view value);

std::string value_key(EntryId id, AttributeNumber number, std::string_view identity);
// All keys of one attribute begin with it.
std::string value_prefix(EntryId id, AttributeNumber number);

Result<bool> has_large_value(storage::Txn& txn, EntryId id, AttributeNumber number,
                             std::string_view identity);
// A value on its way into the table. VALID UNTIL: what it was made from changes.
struct LargeValue {
  std::string key;  // value_key
  std::string_view value;
};
// Sorts them by their keys and writes them in that order: each finds the page of the one before,
// and those of a new entry, which come behind all others, fill whole pages.
Result<void> put_large_values(storage::WriteTxn& txn, std::vector<LargeValue>& values);
// All values there are, as many as the entry says. RETURNS: kCorruption when there are more or
// fewer.
Result<std::vector<std::string>> read_large_values(storage::Txn& txn, EntryId id,
                                                   AttributeNumber number, std::uint64_t count);
// The same with the key of each, in the order of the keys.
struct LargeRecord {
  std::string key;
  std::string value;
};
Result<std::vector<LargeRecord>> read_large_records(storage::Txn& txn, EntryId id,
                                                    AttributeNumber number, std::uint64_t count);
// The same as read_large_values, whatever the entry says: for verification.
Result<std::vector<std::string>> find_large_values(storage::Txn& txn, EntryId id,
                                                   AttributeNumber number);
// RETURNS: how many there were.
Result<std::uint64_t> erase_large_values(storage::WriteTxn& txn, EntryId id,
                                         AttributeNumber number);

// entry::ExternalValues over the transaction of the moment.
class TxnExternalValues final : public entry::ExternalValues {
 public:
  explicit TxnExternalValues(storage::Txn* txn = nullptr) : txn_(txn) {}
  void set(storage::Txn* txn) { txn_ = txn; }
  Result<bool> contains(EntryId id, AttributeNumber number, std::string_view normal_value) override;
  Result<void> for_each(EntryId id, const entry::AttributeSlot& slot,
                        bool (*callback)(void* context, std::string_view value),
                        void* context) override;

 private:
  storage::Txn* txn_;
};

}  // namespace kauri::backend
