// The octets of posting records (docs/formats/index.md). Persisted: never change the meaning of a
// value.
//
// Thread safety: immutable functions. All of them take octets from the disk and trust nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/endian.h"

namespace kauri::index {

// A list of up to this many ids is one record.
inline constexpr std::size_t kInlineMax = 8;
// A list in blocks becomes one record again when it shrinks to this.
inline constexpr std::uint64_t kInlineBack = 4;
inline constexpr unsigned kBlockBits = 13;
inline constexpr std::uint64_t kBlockIds = std::uint64_t{1} << kBlockBits;
// A block of up to this many members is an array of offsets; more make it a bitmap.
inline constexpr std::size_t kArrayMax = 512;
// A bitmap becomes an array again when it shrinks to this.
inline constexpr std::size_t kArrayBack = 384;
inline constexpr std::size_t kBitmapSize = kBlockIds / 8;

// First octet of a block.
inline constexpr char kArrayTag = 1;
inline constexpr char kBitmapTag = 2;
// First octet of a head; its length, unlike that of an inline list, is no multiple of 8.
inline constexpr char kHeadTag = 1;
inline constexpr std::size_t kHeadSize = 9;

enum class RecordShape : std::uint8_t { kBroken, kInline, kHead };

// What the record under a list's own key is.
RecordShape record_shape(std::string_view record);
// REQUIRES: kInline.
inline std::size_t inline_count(std::string_view record) {
  return record.size() / 8;
}
inline std::uint64_t inline_id(std::string_view record, std::size_t at) {
  return load_little_endian<std::uint64_t>(record.substr(at * 8));
}
// REQUIRES: kHead.
inline std::uint64_t head_count(std::string_view record) {
  return load_little_endian<std::uint64_t>(record.substr(1));
}
std::string encode_head(std::uint64_t count);

// Whether a block is well formed: known tag, right length, members, offsets rising and in range.
bool check_block(std::string_view payload);
// REQUIRES for all below: check_block().
std::size_t block_count(std::string_view payload);
bool block_contains(std::string_view payload, std::uint16_t offset);
// Writes the offsets in rising order to `out` (room for kBlockIds); RETURNS how many.
std::size_t block_offsets(std::string_view payload, std::uint16_t* out);
// The block of these rising offsets: an array up to kArrayMax, else a bitmap.
std::string encode_block(const std::uint16_t* offsets, std::size_t count);
// `payload` with the offset added (taken away); empty when the block has no member left.
// REQUIRES: the offset is absent (present).
std::string block_with(std::string_view payload, std::uint16_t offset);
std::string block_without(std::string_view payload, std::uint16_t offset);

}  // namespace kauri::index
