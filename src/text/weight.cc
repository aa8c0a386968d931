#include "text/weight.h"

#include <algorithm>

namespace kauri::text {
namespace {

constexpr std::size_t kBeyondAscii = 10;

// What a character weighs besides, by its first two octets.
std::size_t unfolding(unsigned char first, unsigned char second) {
  if (first == 0xEF && second == 0xB7) return 200;                   // U+FDC0 to U+FDFF: up to 18
  if (first == 0xE3 && (second | 1U) == 0x8D) return 30;             // U+3300 to U+337F: up to 6
  if (first == 0xC4 && second == 0xB0) return 25;                    // U+0130
  if (first == 0xC7 && second >= 0x84 && second <= 0x8C) return 20;  // U+01C4 to U+01CC
  if (first == 0xCE && second == 0x90) return 20;                    // U+0390
  if (first == 0xCE && second == 0xB0) return 20;                    // U+03B0
  return 0;
}

}  // namespace

std::size_t preparation_weight(std::string_view text) {
  const auto beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  auto at = std::find_if(text.begin(), text.end(), beyond_ascii);
  if (at == text.end()) return text.size();
  std::size_t weight = static_cast<std::size_t>(at - text.begin());
  for (; at != text.end(); ++at) {
    if (!beyond_ascii(*at)) {
      ++weight;
      continue;
    }
    weight += kBeyondAscii;
    if (at + 1 != text.end()) {
      weight += unfolding(static_cast<unsigned char>(*at), static_cast<unsigned char>(at[1]));
    }
  }
  return weight;
}

}  // namespace kauri::text
