// KeyedHash: a hash of octets for tables whose keys a client chooses. The standard library's has no
// secret: octets that all hash alike can be computed, and each look-up then goes through all of
// them. This one is the value of a polynomial at a secret point of a prime field: two strings of n
// octets share it for at most n / 7 + 1 of 2^61 points, whoever chose them.
//
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/random.h"

namespace kauri {

class KeyedHash {
 public:
  // With the key of this process.
  KeyedHash() : KeyedHash(of_process()) {}
  // With a key of its own.
  explicit KeyedHash(Random& random)
      : point_(1 + random.next_u64() % (kPrime - 1)),
        factor_(1 + random.next_u64() % (kPrime - 1)) {}

  std::size_t operator()(std::string_view octets) const {
    // The length tells strings apart that differ in zeros at their end.
    std::uint64_t sum = octets.size() % kPrime;
    for (; octets.size() >= kStep; octets.remove_prefix(kStep)) sum = add(sum, octets, kStep);
    if (!octets.empty()) sum = add(sum, octets, octets.size());
    return static_cast<std::size_t>(multiply(sum, factor_));
  }

 private:
  // 2^61 - 1. Seven octets are a number below it.
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
  static constexpr std::size_t kStep = 7;
  __extension__ using Wide = unsigned __int128;

  static const KeyedHash& of_process() {
    static const KeyedHash hash(Random::system());
    return hash;
  }
  static std::uint64_t reduce(std::uint64_t value) {
    value = (value & kPrime) + (value >> 61U);
    return value >= kPrime ? value - kPrime : value;
  }
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return reduce((static_cast<std::uint64_t>(product) & kPrime) +
                  static_cast<std::uint64_t>(product >> 61U));
  }
  std::uint64_t add(std::uint64_t sum, std::string_view octets, std::size_t count) const {
    std::uint64_t word = 0;
    std::memcpy(&word, octets.data(), count);
    return reduce(multiply(sum, point_) + word);
  }

  std::uint64_t point_;
  std::uint64_t factor_;
};

}  // namespace kauri
