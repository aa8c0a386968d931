// String preparation for matching (RFC 4518): map, normalise (NFKC of Unicode 3.2), prohibit,
// insignificant characters.
//
// Thread safety: immutable functions. ASCII takes a fast path without ICU; both paths give the same
// octets. Two deliberate differences from the RFC: code points that Unicode 3.2 did not assign are
// allowed and stay as they are (directories hold emoji and newer scripts, and the tables never
// change under an index), and NUL is kept instead of mapped to nothing, so that `admin` followed by
// NUL never equals `admin`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::text {

enum class Letters : std::uint8_t { kAsTheyAre, kFolded };
// What the string is, for the spaces of section 2.6.1: a whole value, or a part of a substrings
// assertion.
enum class StringPart : std::uint8_t { kWhole, kInitial, kAny, kFinal };

// All three append to `out`. RETURNS: false, with `out` unchanged, when `text` is not UTF-8 or
// holds a prohibited character (private use, non-character, U+FFFD), or more combining marks in a
// row than limits::kCombiningMarksMax. Section 2.6.1. A whole value comes out as " foo  bar ":
// parts of it are plain substrings of these octets.
bool prepare_string(std::string_view text, Letters letters, StringPart part, std::string& out);
// Whether that limit is what keeps the text from being prepared: UTF-8 with a longer run.
bool has_excess_marks(std::string_view text);
// What a diagnostic says of it, and of that limit.
inline constexpr std::string_view kExcessMarks =
    "it has more than 30 combining marks in a row, which is the limit";
// Section 2.6.2: spaces go.
bool prepare_numeric(std::string_view text, std::string& out);
// Section 2.6.3: spaces and hyphens go, letters are folded.
bool prepare_telephone(std::string_view text, std::string& out);

}  // namespace kauri::text
