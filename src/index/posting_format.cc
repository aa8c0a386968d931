#include "index/posting_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/assert.h"

namespace kauri::index {
namespace {

constexpr std::size_t kWords = kBitmapSize / 8;

std::uint16_t array_offset(std::string_view payload, std::size_t at) {
  return load_little_endian<std::uint16_t>(payload.substr(1 + at * 2, 2));
}

std::size_t array_count(std::string_view payload) {
  return (payload.size() - 1) / 2;
}

// Position of the first offset >= `offset`.
std::size_t array_lower_bound(std::string_view payload, std::uint16_t offset) {
  std::size_t low = 0;
  std::size_t high = array_count(payload);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (array_offset(payload, middle) < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::uint64_t bitmap_word(std::string_view payload, std::size_t at) {
  return load_little_endian<std::uint64_t>(payload.substr(1 + at * 8, 8));
}

std::string encode_array(const std::uint16_t* offsets, std::size_t count) {
  std::string out(1, kArrayTag);
  out.reserve(1 + count * 2);
  for (std::size_t i = 0; i < count; ++i) append_little_endian<std::uint16_t>(out, offsets[i]);
  return out;
}

}  // namespace

RecordShape record_shape(std::string_view record) {
  if (record.size() == kHeadSize && record[0] == kHeadTag)
    return head_count(record) > 0 ? RecordShape::kHead : RecordShape::kBroken;
  if (record.empty() || record.size() % 8 != 0 || record.size() > kInlineMax * 8)
    return RecordShape::kBroken;
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < inline_count(record); ++i) {
    const std::uint64_t id = inline_id(record, i);
    if (id <= previous) return RecordShape::kBroken;
    previous = id;
  }
  return RecordShape::kInline;
}

std::string encode_head(std::uint64_t count) {
  std::string out(1, kHeadTag);
  append_little_endian<std::uint64_t>(out, count);
  return out;
}

bool check_block(std::string_view payload) {
  if (payload.empty()) return false;
  if (payload[0] == kBitmapTag) {
    if (payload.size() != 1 + kBitmapSize) return false;
    return payload.find_first_not_of('\0', 1) != std::string_view::npos;
  }
  if (payload[0] != kArrayTag || payload.size() % 2 != 1) return false;
  const std::size_t count = array_count(payload);
  if (count == 0 || count > kArrayMax) return false;
  for (std::size_t i = 1; i < count; ++i)
    if (array_offset(payload, i - 1) >= array_offset(payload, i)) return false;
  return array_offset(payload, count - 1) < kBlockIds;
}

std::size_t block_count(std::string_view payload) {
  if (payload[0] == kArrayTag) return array_count(payload);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kWords; ++i)
    count += static_cast<std::size_t>(std::popcount(bitmap_word(payload, i)));
  return count;
}

bool block_contains(std::string_view payload, std::uint16_t offset) {
  if (payload[0] == kBitmapTag)
    return ((static_cast<unsigned char>(payload[1 + offset / 8U]) >> (offset % 8U)) & 1U) != 0;
  const std::size_t at = array_lower_bound(payload, offset);
  return at < array_count(payload) && array_offset(payload, at) == offset;
}

std::size_t block_offsets(std::string_view payload, std::uint16_t* out) {
  if (payload[0] == kArrayTag) {
    const std::size_t count = array_count(payload);
    std::memcpy(out, payload.data() + 1, count * 2);
    return count;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    for (std::uint64_t word = bitmap_word(payload, i); word != 0; word &= word - 1)
      out[count++] =
          static_cast<std::uint16_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }
  return count;
}

std::string encode_block(const std::uint16_t* offsets, std::size_t count) {
  KAURI_ASSERT(count > 0 && count <= kBlockIds);
  if (count <= kArrayMax) return encode_array(offsets, count);
  std::string out(1 + kBitmapSize, '\0');
  out[0] = kBitmapTag;
  for (std::size_t i = 0; i < count; ++i) {
    char& octet = out[1 + offsets[i] / 8U];
    octet = static_cast<char>(static_cast<unsigned char>(octet) | (1U << (offsets[i] % 8U)));
  }
  return out;
}

std::string block_with(std::string_view payload, std::uint16_t offset) {
  if (payload[0] == kBitmapTag) {
    std::string out(payload);
    char& octet = out[1 + offset / 8U];
    octet = static_cast<char>(static_cast<unsigned char>(octet) | (1U << (offset % 8U)));
    return out;
  }
  std::array<std::uint16_t, kArrayMax + 1> offsets;
  const std::size_t count = block_offsets(payload, offsets.data());
  const std::size_t at = array_lower_bound(payload, offset);
  std::copy_backward(offsets.data() + at, offsets.data() + count, offsets.data() + count + 1);
  offsets[at] = offset;
  return encode_block(offsets.data(), count + 1);
}

std::string block_without(std::string_view payload, std::uint16_t offset) {
  if (payload[0] == kBitmapTag) {
    std::string out(payload);
    char& octet = out[1 + offset / 8U];
    octet = static_cast<char>(static_cast<unsigned char>(octet) & ~(1U << (offset % 8U)));
    if (block_count(out) > kArrayBack) return out;
    std::array<std::uint16_t, kBlockIds> offsets;
    const std::size_t count = block_offsets(out, offsets.data());
    return count == 0 ? std::string() : encode_array(offsets.data(), count);
  }
  std::array<std::uint16_t, kArrayMax> offsets;
  const std::size_t count = block_offsets(payload, offsets.data());
  const std::size_t at = array_lower_bound(payload, offset);
  std::copy(offsets.data() + at + 1, offsets.data() + count, offsets.data() + at);
  return count == 1 ? std::string() : encode_array(offsets.data(), count - 1);
}

}  // namespace kauri::index
