// Selection: which attributes of an entry a search asked for (RFC 4511 section 4.5.1.8, RFC 3673,
// RFC 4529). Internal to operation/. Thread safety: thread-compatible; reused between requests.
#pragma once

#include <string_view>
#include <vector>

#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "schema/schema.h"

namespace kauri::operation {

// Attribute types whose values are made when they are asked for, never stored.
enum class Computed : unsigned char {
  kEntryDn,
  kHasSubordinates,
  kNumSubordinates,
  kSubschemaSubentry
};
inline constexpr std::size_t kComputedCount = 4;
const schema::AttributeType& computed_type(const schema::Schema& schema, Computed computed);

class Selection {
 public:
  // Unknown names are ignored; an empty list is all user attributes.
  void compile(const std::vector<std::string_view>& attributes, bool types_only,
               const entry::Dictionary& dictionary);

  // Nothing but the user attributes, with their values: the stored octets as they are.
  bool plain_user() const { return plain_user_; }
  bool types_only() const { return types_only_; }
  bool wants(AttributeNumber number, bool operational) const {
    if (operational ? all_operational_ : all_user_) return true;
    return number.value() < numbers_.size() && numbers_[number.value()];
  }
  bool wants(Computed computed) const {
    return all_operational_ || computed_[static_cast<std::size_t>(computed)];
  }

 private:
  void add(const schema::AttributeDescription& description, const entry::Dictionary& dictionary);
  void add_class(const schema::ObjectClass& object_class, const entry::Dictionary& dictionary);

  bool all_user_ = false;
  bool all_operational_ = false;
  bool types_only_ = false;
  bool plain_user_ = false;
  bool computed_[kComputedCount] = {};
  std::vector<bool> numbers_;  // by attribute number
};

}  // namespace kauri::operation
