// Hexadecimal digits (RFC 4648 section 8). Thread safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kauri::text {

// 0 to 15, or -1 when `digit` is no hexadecimal digit of either case.
constexpr int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// Two lower-case digits for each octet.
void append_hex(std::string& out, std::string_view octets);
std::string encode_hex(std::string_view octets);
// Nothing when `text` has an odd length or holds anything but hexadecimal digits.
std::optional<std::string> decode_hex(std::string_view text);

}  // namespace kauri::text
