// IdSet: a sorted set of EntryIds in memory with fast algebra; the candidates of a search.
//
// Up to kSmallMax ids (as many as an inline posting list has) live inside the object, without
// allocation; larger sets are CRoaring's bitmaps behind a pointer, one for each 2^32 ids. Thread
// safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  // Ascending ids.
  void add_sorted(std::span<const std::uint64_t> ids);
  // Adds block * 8192 + each offset of a posting block's bitmap or array. REQUIRES: a payload that
  // passed check_block() (index/posting_format.h).
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
  void clear();

 private:
  static constexpr std::size_t kSmallMax = 8;
  struct Large;
  Large& grow();
  void shrink();

  // Sets of up to kSmallMax members are always in small_, larger ones always in large_.
  std::uint64_t small_[kSmallMax] = {};  // sorted
  std::uint32_t small_count_ = 0;
  std::unique_ptr<Large> large_;  // when set, small_ is unused
};

}  // namespace kauri::index
