// EntryEdit: an entry while a Modify or ModifyDN changes it, step by step, over the stored state;
// then what has to be written. Attributes outside the record (large_values.h) are changed value by
// value and never read whole, save where all of their values go or come back into the record.
//
// Attributes that nobody asks for stay as the record has them, octet for octet. Nothing is written
// before apply(). Thread safety: thread-compatible. Inside backend/ only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/change_log.h"
#include "backend/core.h"
#include "base/result.h"
#include "entry/entry.h"
#include "entry/entry_view.h"
#include "index/posting_changes.h"
#include "storage/storage.h"

namespace kauri::backend {

class EntryEdit {
 public:
  // REQUIRES: `view` is valid until prepare() returns.
  EntryEdit(Core& core, storage::Txn& txn, EntryId id, const entry::EntryView& view);
  ~EntryEdit();
  EntryEdit(const EntryEdit&) = delete;
  EntryEdit& operator=(const EntryEdit&) = delete;

  bool has(const schema::AttributeDescription& description) const {
    return count(description) != 0;
  }
  Result<bool> has_value(const schema::AttributeDescription& description, std::string_view value);
  std::uint64_t count(const schema::AttributeDescription& description) const;

  // False when an equal value is there.
  Result<bool> add_value(const schema::AttributeDescription& description, std::string value);
  // False when there is no equal value.
  Result<bool> remove_value(const schema::AttributeDescription& description,
                            std::string_view value);
  // False when the attribute is not there.
  Result<bool> remove(const schema::AttributeDescription& description);
  // All values of an attribute as they are now.
  Result<std::vector<std::string>> values(const schema::AttributeDescription& description);
  // The type without options gets one value, which is nobody's to ask for or to change after that.
  void set(const schema::AttributeType& type, std::string value);

  // The entry as it would be, for the schema checks. Values are in it of objectClass, and of
  // attributes that are or were asked for by value and are in the record; others have none.
  entry::Entry preview();
  // Octets of all values that would be in the record, and some for each.
  std::size_t octets() const;
  // The values that are new, of attributes with an index for substrings.
  std::vector<entry::Attribute> values_for_substrings() const;
  // Types that must stay in the record whatever their size (naming attributes, objectClass).
  void keep_inline(const schema::AttributeType& type);

  // Name and place, for ModifyDN.
  void set_rdn(std::string rdn) { rdn_ = std::move(rdn); }
  void set_parent(EntryId parent) { parent_ = parent; }

  // Settles what goes where and reads what that needs; the last step that may read the old state.
  Result<void> prepare();
  // What changed, for the change log; once. REQUIRES: prepare().
  std::vector<AttributeChange> take_changes() { return std::move(changes_); }
  // Writes the record and values, and adds what changes in the index to `postings`; once. REQUIRES:
  // prepare().
  Result<void> apply(storage::WriteTxn& txn, index::PostingChanges& postings);

 private:
  struct Working;

  // In the record, and not asked for yet.
  struct Untaken {
    AttributeNumber number;
    std::size_t slot = 0;
  };

  Working* find(const schema::AttributeDescription& description) const;
  Working* find_or_take(const schema::AttributeDescription& description);
  Working& take(std::vector<Untaken>::iterator one);
  Working& find_or_add(const schema::AttributeDescription& description);
  void touch(Working& attribute);
  static void clear(Working& attribute);
  Result<bool> in_base(const Working& attribute, const std::string& identity);
  Result<std::optional<std::string>> base_value(const Working& attribute,
                                                const std::string& identity);
  Result<void> prepare_external(Working& attribute);
  Result<void> prepare_replaced(Working& attribute);
  void put_living(Working& attribute);
  void prepare_inline(Working& attribute);
  Result<void> prepare_index();
  void take_types(const std::vector<const schema::AttributeType*>& types);
  void prepare_record();
  Result<void> spare_remaining_keys(std::vector<std::string>& erased);
  bool may_leave_record(const Working& attribute) const;

  Core& core_;
  storage::Txn& txn_;
  EntryId id_;
  entry::EntryView view_;
  std::string rdn_;
  EntryId parent_;
  std::vector<Untaken> untaken_;  // in the order of the record
  std::vector<std::unique_ptr<Working>> attributes_;
  std::vector<const schema::AttributeType*> inline_types_;
  std::vector<AttributeChange> changes_;
  std::vector<std::string> erased_keys_;
  std::vector<std::string> inserted_keys_;
  std::string record_;
  bool prepared_ = false;
};

}  // namespace kauri::backend
