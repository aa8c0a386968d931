// Integers of any size (RFC 4517 section 3.3.16) and their normal forms. Thread safety: immutable
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kauri::schema {

// Octets of a stored INTEGER, its sign included; invalidAttributeSyntax past it. The sums of
// increments (RFC 4525) cost the one writer its digits, and nobody counts in thousands of them.
inline constexpr std::size_t kIntegerSizeMax = 4096;

// The grammar: optional '-', no '+', no leading zero, no "-0".
bool is_integer(std::string_view text);
// Appends octets that sort as the numbers do: sign and number of digits, then two digits in each
// octet; every octet complemented when negative. False, with `out` unchanged, when `text` is no
// integer.
bool normalize_integer(std::string_view text, std::string& out);
// The number in 64-bit two's complement: its low 64 bits when it is larger. REQUIRES:
// is_integer(text).
std::uint64_t integer_low_bits(std::string_view text);
// The same, or nothing when the number does not fit in 64 bits, signed or unsigned.
std::optional<std::uint64_t> integer_bits(std::string_view text);

}  // namespace kauri::schema
