// Big-endian integers in octet strings: keys that sort in numeric order. Thread safety: immutable.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace kauri {

template <std::unsigned_integral T>
constexpr T to_big_endian(T value) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  return value;
}
static_assert(std::endian::native == std::endian::little,
              "Kauri's formats are written for little-endian machines");

template <std::unsigned_integral T>
void append_big_endian(std::string& out, T value) {
  const T swapped = to_big_endian(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof(T));
}

// REQUIRES: in.size() >= sizeof(T)
template <std::unsigned_integral T>
T load_big_endian(std::string_view in) {
  KAURI_ASSERT(in.size() >= sizeof(T));
  T value;
  std::memcpy(&value, in.data(), sizeof(T));
  return to_big_endian(value);
}

template <std::unsigned_integral T>
void append_little_endian(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// REQUIRES: in.size() >= sizeof(T)
template <std::unsigned_integral T>
T load_little_endian(std::string_view in) {
  KAURI_ASSERT(in.size() >= sizeof(T));
  T value;
  std::memcpy(&value, in.data(), sizeof(T));
  return value;
}

}  // namespace kauri
