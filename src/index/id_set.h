// IdSet: a sorted set of EntryIds in memory with fast algebra; the candidates of a search.
//
// Up to a handful of ids live inside the object (no allocation); larger sets are CRoaring's 64-bit
// bitmaps behind a pointer. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/strong_id.h"

namespace kauri::index {

class IdSet {
 public:
  IdSet();
  ~IdSet();
  IdSet(const IdSet& other);
  IdSet& operator=(const IdSet& other);
  IdSet(IdSet&& other) noexcept;
  IdSet& operator=(IdSet&& other) noexcept;
  static IdSet single(EntryId id);

  void add(EntryId id);
  // All ids in [first, last].
  void add_range(EntryId first, EntryId last);
  // Adds block * 8192 + each offset of a posting block's bitmap or array (index/posting_format.h).
  void add_block(std::uint64_t block, std::string_view payload);

  bool contains(EntryId id) const;
  std::uint64_t size() const;
  bool empty() const { return size() == 0; }
  // The smallest member >= id; nothing when there is none. O(log n).
  std::optional<EntryId> at_or_after(EntryId id) const;

  IdSet& operator&=(const IdSet& other);
  IdSet& operator|=(const IdSet& other);
  IdSet& operator-=(const IdSet& other);
  bool operator==(const IdSet& other) const;

 private:
  static constexpr std::size_t kSmallMax = 6;
  struct Large;
  std::uint64_t small_[kSmallMax] = {};  // sorted
  std::uint32_t small_count_ = 0;
  std::unique_ptr<Large> large_;  // when set, small_ is unused
};

}  // namespace kauri::index
