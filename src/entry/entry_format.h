// The stored form of an entry, byte by byte: docs/formats/entry.md. Persisted: never renumber or
// move a field without a new format version. Inside entry/ only. Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::entry::format {

inline constexpr std::uint8_t kVersion = 1;

// Offsets of the header's fields; all integers are little-endian.
inline constexpr std::size_t kCrc = 0;                   // u32, CRC-32C of all that follows
inline constexpr std::size_t kVersionAt = 4;             // u8
inline constexpr std::size_t kReserved = 5;              // u8, zero
inline constexpr std::size_t kRdnSize = 6;               // u16
inline constexpr std::size_t kParent = 8;                // u64
inline constexpr std::size_t kUserSize = 16;             // u32, octets of the user attributes
inline constexpr std::size_t kOperationalSize = 20;      // u32
inline constexpr std::size_t kUserInline = 24;           // u16, slots
inline constexpr std::size_t kUserExternal = 26;         // u16
inline constexpr std::size_t kOperationalInline = 28;    // u16
inline constexpr std::size_t kOperationalExternal = 30;  // u16
inline constexpr std::size_t kHeaderSize = 32;

// Offsets of a slot's fields. An external slot has the count of its values at kOffset, and zeros
// behind it.
inline constexpr std::size_t kNumber = 0;  // u32
inline constexpr std::size_t kOffset =
    4;  // u32, from the start of the user (operational) attributes
inline constexpr std::size_t kValuesAt =
    8;  // u16, from the start of the attribute to its first value
inline constexpr std::size_t kValueCount = 10;  // u16; kCountSaturated = so many or more
inline constexpr std::size_t kSlotSize = 12;
inline constexpr std::uint16_t kCountSaturated = 0xffff;

// The BER tags of a PartialAttribute.
inline constexpr char kSequence = 0x30;
inline constexpr char kSet = 0x31;
inline constexpr char kOctetString = 0x04;

// Octets of tag and minimal length in front of `size` octets.
constexpr std::size_t header_size(std::size_t size) {
  std::size_t octets = 2;
  if (size >= 0x80) {
    for (; size != 0; size >>= 8U) ++octets;
  }
  return octets;
}

inline void append_header(std::string& out, char tag, std::size_t size) {
  out += tag;
  if (size < 0x80) {
    out += static_cast<char>(size);
    return;
  }
  const std::size_t octets = header_size(size) - 2;
  out += static_cast<char>(0x80U | octets);
  for (std::size_t i = octets; i-- > 0;) out += static_cast<char>((size >> (8 * i)) & 0xffU);
}

// Reads tag and length of the element at the start of `octets`. RETURNS: octets of the header, 0
// when the tag is another, the length is no definite one of up to 4 octets, or the contents go past
// the end.
inline std::size_t read_header(std::string_view octets, char tag, std::size_t& size) {
  if (octets.size() < 2 || octets[0] != tag) return 0;
  const auto first = static_cast<unsigned char>(octets[1]);
  std::size_t header = 2;
  size = first;
  if (first >= 0x80) {
    const std::size_t count = first & 0x7fU;
    if (count == 0 || count > 4 || octets.size() < 2 + count) return 0;
    size = 0;
    for (std::size_t i = 0; i < count; ++i)
      size = size << 8U | static_cast<unsigned char>(octets[2 + i]);
    header += count;
  }
  return size <= octets.size() - header ? header : 0;
}

}  // namespace kauri::entry::format
