// UTF-8 (RFC 3629): checking and stepping. Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::text {

// Well-formed UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF. NUL is a character
// like any other.
bool is_valid_utf8(std::string_view text);
// Offset of the first octet that starts no well-formed sequence; text.size() when the whole is
// well-formed.
std::size_t utf8_error_offset(std::string_view text);
// Only octets 0x00-0x7F.
bool is_ascii(std::string_view text);

// Decodes the character at *offset and steps over it. RETURNS: false at the end or on a malformed
// sequence, with *offset unchanged.
bool next_code_point(std::string_view text, std::size_t* offset, char32_t* code_point);
// REQUIRES: code_point is a Unicode scalar value (not a surrogate, at most U+10FFFF).
void append_utf8(std::string& out, char32_t code_point);

}  // namespace kauri::text
