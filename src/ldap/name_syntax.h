// Spelling of names (RFC 4512 section 1.4). Thread safety: immutable functions.
#pragma once

#include <string_view>

#include "text/ascii.h"

namespace kauri::ldap::internal {

// descr: a letter, then letters, digits and hyphens.
inline bool is_descriptor(std::string_view text) {
  if (text.empty() || !text::is_alpha(text[0])) return false;
  for (const char c : text) {
    if (!text::is_alpha(c) && !text::is_digit(c) && c != '-') return false;
  }
  return true;
}

// numericoid: two and more numbers without leading zeros, joined by dots.
inline bool is_numeric_oid(std::string_view text) {
  std::size_t numbers = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && text::is_digit(text[digits])) ++digits;
    if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
    ++numbers;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text[0] != '.' || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return numbers >= 2;
}

// oid: either of the two.
inline bool is_oid(std::string_view text) {
  return is_descriptor(text) || is_numeric_oid(text);
}

// attributedescription (RFC 4512 section 2.5): an oid and options of letters, digits and hyphens.
inline bool is_attribute_description(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  if (!is_oid(text.substr(0, semicolon))) return false;
  if (semicolon == std::string_view::npos) return true;
  bool option_empty = true;
  for (const char c : text.substr(semicolon + 1)) {
    if (c == ';') {
      if (option_empty) return false;
      option_empty = true;
    } else if (text::is_alpha(c) || text::is_digit(c) || c == '-') {
      option_empty = false;
    } else {
      return false;
    }
  }
  return !option_empty;
}

}  // namespace kauri::ldap::internal
