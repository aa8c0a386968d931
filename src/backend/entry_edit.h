// EntryEdit: an entry while a Modify or ModifyDN changes it, step by step, over the stored state;
// then what has to be written. Attributes outside the record (large_values.h) are changed value by
// value and never read whole, save where all of their values go or come back into the record.
//
// Nothing is written before apply(). Thread safety: thread-compatible. Inside backend/ only.
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
#include "storage/storage.h"

namespace kauri::backend {

class EntryEdit {
 public:
  EntryEdit(Core& core, storage::Txn& txn, EntryId id, const entry::EntryView& view);
  ~EntryEdit();
  EntryEdit(const EntryEdit&) = delete;
  EntryEdit& operator=(const EntryEdit&) = delete;

  bool has(const schema::AttributeDescription& description) const;
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
  // The type without options gets one value.
  Result<void> set(const schema::AttributeType& type, std::string value);

  // The entry as it would be, for the schema checks: attributes outside the record have no values
  // in it. REQUIRES: the values asked for by checks of names are found with has_value().
  entry::Entry preview() const;
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
  // Writes the record, values and index. REQUIRES: prepare().
  Result<void> apply(storage::WriteTxn& txn);

 private:
  struct Working;

  Working* find(const schema::AttributeDescription& description) const;
  Working& find_or_add(const schema::AttributeDescription& description);
  void touch(Working& attribute);
  Result<bool> in_base(const Working& attribute, const std::string& identity);
  Result<std::optional<std::string>> base_value(const Working& attribute,
                                                const std::string& identity);
  Result<void> prepare_external(Working& attribute);
  Result<void> prepare_replaced(Working& attribute);
  void put_living(Working& attribute);
  void prepare_inline(Working& attribute);
  Result<void> prepare_index();
  Result<void> spare_remaining_keys(std::vector<std::string>& erased);
  bool may_leave_record(const Working& attribute) const;

  Core& core_;
  storage::Txn& txn_;
  EntryId id_;
  std::string rdn_;
  EntryId parent_;
  std::vector<std::unique_ptr<Working>> attributes_;
  std::vector<const schema::AttributeType*> inline_types_;
  std::vector<AttributeChange> changes_;
  std::vector<std::string> erased_keys_;
  std::vector<std::string> inserted_keys_;
  bool prepared_ = false;
};

}  // namespace kauri::backend
