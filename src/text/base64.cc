#include "text/base64.h"

#include <array>
#include <cstdint>

namespace kauri::text {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  for (auto& digit : digits) digit = kNoDigit;
  for (std::uint8_t i = 0; i < 64; ++i) digits[static_cast<unsigned char>(kAlphabet[i])] = i;
  return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

}  // namespace

void append_base64(std::string& out, std::string_view octets) {
  out.reserve(out.size() + (octets.size() + 2) / 3 * 4);
  while (!octets.empty()) {
    const std::size_t taken = octets.size() < 3 ? octets.size() : 3;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8U) | (i < taken ? static_cast<unsigned char>(octets[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out.push_back(i <= taken ? kAlphabet[(group >> (18U - 6U * i)) & 0x3FU] : '=');
    }
    octets.remove_prefix(taken);
  }
}

std::string encode_base64(std::string_view octets) {
  std::string out;
  append_base64(out, octets);
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  while (!text.empty()) {
    std::size_t digits = 4;
    if (text.size() == 4 && text[3] == '=') digits = text[2] == '=' ? 2 : 3;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t digit = i < digits ? kDigits[static_cast<unsigned char>(text[i])] : 0;
      if (digit == kNoDigit) return std::nullopt;
      group = (group << 6U) | digit;
    }
    // Bits under the padding must be zero, or two texts would stand for one value.
    if ((digits == 2 && (group & 0xFFFFU) != 0) || (digits == 3 && (group & 0xFFU) != 0)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      out.push_back(static_cast<char>((group >> (16U - 8U * i)) & 0xFFU));
    }
    text.remove_prefix(4);
  }
  return out;
}

}  // namespace kauri::text
