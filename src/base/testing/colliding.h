// Strings that all have one hash in libstdc++ (MurmurHash64A, whose seed is a constant): what a
// client sends who wants look-ups in std::unordered_map to take for ever. Each two blocks of eight
// octets have two forms: the second block takes back what the first one changed.
//
// Thread safety: thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kauri::testing {

// What the hash makes of a block, backwards.
inline std::uint64_t unmixed(std::uint64_t mixed) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995U;
  std::uint64_t inverse = kFactor;  // Newton: each step doubles the low bits that are right
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  mixed *= inverse;
  mixed ^= mixed >> 47U;
  return mixed * inverse;
}

inline std::vector<std::string> colliding_strings(std::size_t count) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;
  const auto octets_of = [](std::uint64_t word) {
    std::string octets;
    for (int i = 0; i < 8; ++i) octets += static_cast<char>(word >> (8 * i));
    return octets;
  };
  // A change of the highest bit alone goes through the multiplication between the blocks unchanged.
  const std::string plain = octets_of(unmixed(1)) + octets_of(unmixed(2));
  const std::string twin = octets_of(unmixed(1 ^ kTop)) + octets_of(unmixed(2 ^ kTop));
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < count) ++bits;
  std::vector<std::string> strings;
  strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::size_t bit = 0; bit < bits; ++bit) text += (i >> bit & 1U) != 0 ? twin : plain;
    strings.push_back(std::move(text));
  }
  return strings;
}

}  // namespace kauri::testing
