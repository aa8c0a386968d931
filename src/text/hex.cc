#include "text/hex.h"

namespace kauri::text {

void append_hex(std::string& out, std::string_view octets) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.reserve(out.size() + octets.size() * 2);
  for (const char octet : octets) {
    const auto value = static_cast<unsigned char>(octet);
    out.push_back(kDigits[value >> 4U]);
    out.push_back(kDigits[value & 0x0FU]);
  }
}

std::string encode_hex(std::string_view octets) {
  std::string out;
  append_hex(out, octets);
  return out;
}

std::optional<std::string> decode_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

}  // namespace kauri::text
