#include "index/id_set.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "index/posting_format.h"

namespace kauri::index {
namespace {

struct BitmapFree {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<roaring_bitmap_t, BitmapFree>;

Bitmap make_bitmap() {
  Bitmap bitmap(roaring_bitmap_create());
  KAURI_ASSERT(bitmap != nullptr);
  return bitmap;
}

std::uint32_t high_of(std::uint64_t id) {
  return static_cast<std::uint32_t>(id >> 32U);
}
std::uint32_t low_of(std::uint64_t id) {
  return static_cast<std::uint32_t>(id);
}
std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32U) | low;
}

}  // namespace

struct IdSet::Large {
  struct Part {
    std::uint32_t high;
    Bitmap bitmap;  // never empty between calls
  };
  std::vector<Part> parts;  // by high

  Large() = default;
  Large(const Large& other) {
    for (const Part& part : other.parts)
      parts.push_back({part.high, Bitmap(roaring_bitmap_copy(part.bitmap.get()))});
  }

  std::vector<Part>::iterator lower(std::uint32_t high) {
    return std::lower_bound(parts.begin(), parts.end(), high,
                            [](const Part& part, std::uint32_t key) { return part.high < key; });
  }
  roaring_bitmap_t* find(std::uint32_t high) {
    const auto at = lower(high);
    return at != parts.end() && at->high == high ? at->bitmap.get() : nullptr;
  }
  roaring_bitmap_t& part(std::uint32_t high) {
    auto at = lower(high);
    if (at == parts.end() || at->high != high) at = parts.insert(at, {high, make_bitmap()});
    return *at->bitmap;
  }
  void drop_empty() {
    std::erase_if(parts,
                  [](const Part& part) { return roaring_bitmap_is_empty(part.bitmap.get()); });
  }
  std::uint64_t size() const {
    std::uint64_t total = 0;
    for (const Part& part : parts) total += roaring_bitmap_get_cardinality(part.bitmap.get());
    return total;
  }
};

IdSet::IdSet() = default;
IdSet::~IdSet() = default;
IdSet::IdSet(const IdSet& other) {
  *this = other;
}
IdSet::IdSet(IdSet&& other) noexcept {
  *this = std::move(other);
}

IdSet& IdSet::operator=(const IdSet& other) {
  if (this == &other) return *this;
  std::copy(std::begin(other.small_), std::end(other.small_), std::begin(small_));
  small_count_ = other.small_count_;
  large_ = other.large_ == nullptr ? nullptr : std::make_unique<Large>(*other.large_);
  return *this;
}

IdSet& IdSet::operator=(IdSet&& other) noexcept {
  if (this == &other) return *this;
  std::copy(std::begin(other.small_), std::end(other.small_), std::begin(small_));
  small_count_ = std::exchange(other.small_count_, 0);
  large_ = std::move(other.large_);
  return *this;
}

IdSet IdSet::single(EntryId id) {
  IdSet set;
  set.small_[0] = id.value();
  set.small_count_ = 1;
  return set;
}

void IdSet::clear() {
  small_count_ = 0;
  large_.reset();
}

IdSet::Large& IdSet::grow() {
  if (large_ == nullptr) {
    large_ = std::make_unique<Large>();
    for (std::uint32_t i = 0; i < small_count_; ++i)
      roaring_bitmap_add(&large_->part(high_of(small_[i])), low_of(small_[i]));
    small_count_ = 0;
  }
  return *large_;
}

// After members were taken away: back to the small form when it holds them.
void IdSet::shrink() {
  if (large_ == nullptr) return;
  large_->drop_empty();
  if (large_->size() > kSmallMax) return;
  small_count_ = 0;
  for (const Large::Part& part : large_->parts) {
    std::array<std::uint32_t, kSmallMax> lows;
    roaring_bitmap_to_uint32_array(part.bitmap.get(), lows.data());
    const std::uint64_t count = roaring_bitmap_get_cardinality(part.bitmap.get());
    for (std::uint64_t i = 0; i < count; ++i) small_[small_count_++] = join(part.high, lows[i]);
  }
  large_.reset();
}

void IdSet::add(EntryId id) {
  const std::uint64_t value = id.value();
  if (large_ != nullptr) {
    roaring_bitmap_add(&large_->part(high_of(value)), low_of(value));
    return;
  }
  std::uint64_t* const end = small_ + small_count_;
  std::uint64_t* const at = std::lower_bound(small_, end, value);
  if (at != end && *at == value) return;
  if (small_count_ == kSmallMax) {
    roaring_bitmap_add(&grow().part(high_of(value)), low_of(value));
    return;
  }
  std::copy_backward(at, end, end + 1);
  *at = value;
  ++small_count_;
}

void IdSet::add_range(EntryId first, EntryId last) {
  if (last < first) return;
  if (large_ == nullptr && last.value() - first.value() < kSmallMax) {
    for (std::uint64_t id = first.value(); id <= last.value() && id >= first.value(); ++id)
      add(EntryId(id));
    return;
  }
  Large& large = grow();
  for (std::uint64_t high = high_of(first.value()); high <= high_of(last.value()); ++high) {
    const std::uint32_t part = static_cast<std::uint32_t>(high);
    const std::uint32_t low = part == high_of(first.value()) ? low_of(first.value()) : 0;
    const std::uint32_t top = part == high_of(last.value()) ? low_of(last.value()) : UINT32_MAX;
    roaring_bitmap_add_range_closed(&large.part(part), low, top);
  }
}

void IdSet::add_sorted(std::span<const std::uint64_t> ids) {
  if (ids.size() <= kSmallMax) {
    for (const std::uint64_t id : ids) add(EntryId(id));
    return;
  }
  std::vector<std::uint32_t> lows;
  for (std::size_t begin = 0; begin < ids.size(); begin += lows.size()) {
    lows.clear();
    for (std::size_t i = begin; i < ids.size() && high_of(ids[i]) == high_of(ids[begin]); ++i)
      lows.push_back(low_of(ids[i]));
    roaring_bitmap_add_many(&grow().part(high_of(ids[begin])), lows.size(), lows.data());
  }
}

void IdSet::add_block(std::uint64_t block, std::string_view payload) {
  const std::uint64_t base = block << kBlockBits;
  std::array<std::uint16_t, kBlockIds> offsets;
  const std::size_t count = block_offsets(payload, offsets.data());
  if (count == kBlockIds) {
    add_range(EntryId(base), EntryId(base + kBlockIds - 1));
    return;
  }
  if (large_ == nullptr && small_count_ + count <= kSmallMax) {
    for (std::size_t i = 0; i < count; ++i) add(EntryId(base + offsets[i]));
    return;
  }
  std::array<std::uint32_t, kBlockIds> lows;
  for (std::size_t i = 0; i < count; ++i) lows[i] = low_of(base) + offsets[i];
  roaring_bitmap_add_many(&grow().part(high_of(base)), count, lows.data());
  // The block may have repeated what was there already.
  if (count <= kSmallMax) shrink();
}

bool IdSet::contains(EntryId id) const {
  if (large_ == nullptr) return std::binary_search(small_, small_ + small_count_, id.value());
  const roaring_bitmap_t* part = large_->find(high_of(id.value()));
  return part != nullptr && roaring_bitmap_contains(part, low_of(id.value()));
}

std::uint64_t IdSet::size() const {
  return large_ == nullptr ? small_count_ : large_->size();
}

std::optional<EntryId> IdSet::at_or_after(EntryId id) const {
  if (large_ == nullptr) {
    const std::uint64_t* const end = small_ + small_count_;
    const std::uint64_t* const at = std::lower_bound(small_, end, id.value());
    if (at == end) return std::nullopt;
    return EntryId(*at);
  }
  for (auto part = large_->lower(high_of(id.value())); part != large_->parts.end(); ++part) {
    const std::uint32_t low = part->high == high_of(id.value()) ? low_of(id.value()) : 0;
    roaring_uint32_iterator_t at;
    roaring_init_iterator(part->bitmap.get(), &at);
    if (roaring_move_uint32_iterator_equalorlarger(&at, low))
      return EntryId(join(part->high, at.current_value));
  }
  return std::nullopt;
}

IdSet& IdSet::operator&=(const IdSet& other) {
  if (this == &other) return *this;
  if (large_ == nullptr) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < small_count_; ++i)
      if (other.contains(EntryId(small_[i]))) small_[kept++] = small_[i];
    small_count_ = kept;
    return *this;
  }
  if (other.large_ == nullptr) {
    IdSet result;
    for (std::uint32_t i = 0; i < other.small_count_; ++i)
      if (contains(EntryId(other.small_[i]))) result.add(EntryId(other.small_[i]));
    return *this = std::move(result);
  }
  for (Large::Part& part : large_->parts) {
    if (const roaring_bitmap_t* with = other.large_->find(part.high); with != nullptr)
      roaring_bitmap_and_inplace(part.bitmap.get(), with);
    else
      part.bitmap = make_bitmap();
  }
  shrink();
  return *this;
}

IdSet& IdSet::operator|=(const IdSet& other) {
  if (this == &other) return *this;
  if (other.large_ == nullptr) {
    for (std::uint32_t i = 0; i < other.small_count_; ++i) add(EntryId(other.small_[i]));
    return *this;
  }
  Large& large = grow();
  for (const Large::Part& part : other.large_->parts)
    roaring_bitmap_or_inplace(&large.part(part.high), part.bitmap.get());
  return *this;
}

IdSet& IdSet::operator-=(const IdSet& other) {
  if (this == &other) {
    clear();
    return *this;
  }
  if (large_ == nullptr) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < small_count_; ++i)
      if (!other.contains(EntryId(small_[i]))) small_[kept++] = small_[i];
    small_count_ = kept;
    return *this;
  }
  if (other.large_ == nullptr) {
    for (std::uint32_t i = 0; i < other.small_count_; ++i) {
      if (roaring_bitmap_t* part = large_->find(high_of(other.small_[i])); part != nullptr)
        roaring_bitmap_remove(part, low_of(other.small_[i]));
    }
  } else {
    for (Large::Part& part : large_->parts) {
      if (const roaring_bitmap_t* with = other.large_->find(part.high); with != nullptr)
        roaring_bitmap_andnot_inplace(part.bitmap.get(), with);
    }
  }
  shrink();
  return *this;
}

bool IdSet::operator==(const IdSet& other) const {
  if ((large_ == nullptr) != (other.large_ == nullptr)) return false;
  if (large_ == nullptr)
    return std::equal(small_, small_ + small_count_, other.small_,
                      other.small_ + other.small_count_);
  return std::equal(large_->parts.begin(), large_->parts.end(), other.large_->parts.begin(),
                    other.large_->parts.end(), [](const Large::Part& a, const Large::Part& b) {
                      return a.high == b.high &&
                             roaring_bitmap_equals(a.bitmap.get(), b.bitmap.get());
                    });
}

}  // namespace kauri::index
