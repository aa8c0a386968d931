// StrongId: an integer that is a distinct type, with explicit conversion both ways. Thread safety:
// immutable.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace kauri {

template <class Tag, class Rep>
class StrongId {
 public:
  using rep = Rep;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Rep value_ = 0;
};

// Identifies an entry for the life of its database; never reused. 0 is "no entry" (the parent of
// the suffix entry).
using EntryId = StrongId<struct EntryIdTag, std::uint64_t>;
// Number of an attribute description in a database's dictionary (entry/dictionary.h). 0 is never
// given out.
using AttributeNumber = StrongId<struct AttributeNumberTag, std::uint32_t>;

}  // namespace kauri

template <class Tag, class Rep>
struct std::hash<kauri::StrongId<Tag, Rep>> {
  std::size_t operator()(kauri::StrongId<Tag, Rep> id) const {
    return std::hash<Rep>()(id.value());
  }
};
