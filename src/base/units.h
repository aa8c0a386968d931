// Sizes with their unit. Thread safety: immutable.
#pragma once

#include <cstddef>

namespace kauri::literals {
constexpr std::size_t operator""_KiB(unsigned long long n) {
  return static_cast<std::size_t>(n) << 10U;
}
constexpr std::size_t operator""_MiB(unsigned long long n) {
  return static_cast<std::size_t>(n) << 20U;
}
constexpr std::size_t operator""_GiB(unsigned long long n) {
  return static_cast<std::size_t>(n) << 30U;
}
}  // namespace kauri::literals
