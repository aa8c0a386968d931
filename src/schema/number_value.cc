#include "schema/number_value.h"

#include <algorithm>

#include "base/assert.h"
#include "base/endian.h"
#include "text/ascii.h"

namespace kauri::schema {

namespace {

constexpr std::size_t kLongDigits = 0x7F;

std::string_view magnitude(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text;
}

}  // namespace

bool is_integer(std::string_view text) {
  const std::string_view digits = magnitude(text);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), text::is_digit)) return false;
  return digits[0] != '0' || text.size() == 1;
}

bool normalize_integer(std::string_view text, std::string& out) {
  if (!is_integer(text) || text.size() > UINT32_MAX) return false;
  std::string_view digits = magnitude(text);
  const std::size_t start = out.size();
  out.push_back(static_cast<char>(0x80U + std::min(digits.size(), kLongDigits)));
  if (digits.size() >= kLongDigits) {
    append_big_endian(out, static_cast<std::uint32_t>(digits.size()));
  }
  if (digits.size() % 2 != 0) {
    out.push_back(static_cast<char>(digits[0] - '0'));
    digits.remove_prefix(1);
  }
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    out.push_back(static_cast<char>((digits[i] - '0') * 16 + (digits[i + 1] - '0')));
  }
  if (text.starts_with('-')) {
    for (std::size_t i = start; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
  }
  return true;
}

std::uint64_t integer_low_bits(std::string_view text) {
  KAURI_ASSERT(is_integer(text));
  std::uint64_t value = 0;
  for (const char digit : magnitude(text)) {
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return text.starts_with('-') ? 0 - value : value;
}

std::optional<std::uint64_t> integer_bits(std::string_view text) {
  if (!is_integer(text)) return std::nullopt;
  const bool negative = text.starts_with('-');
  const std::string_view limit = negative ? "9223372036854775808" : "18446744073709551615";
  const std::string_view digits = magnitude(text);
  if (digits.size() > limit.size() || (digits.size() == limit.size() && digits > limit)) {
    return std::nullopt;
  }
  return integer_low_bits(text);
}

}  // namespace kauri::schema
