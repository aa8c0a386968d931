// Text from outside inside of messages: what reaches a terminal, a log line or an LDAPString has no
// control characters and is UTF-8. Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kauri::text {

// Whether `text` is UTF-8 without control characters (C0, DEL, C1, and U+2028 and U+2029, which
// end lines too) and without the marks that turn the direction of writing.
bool is_visible(std::string_view text);

// Appends `text` with every octet of what is_visible() forbids as \xx. A message that is made of
// visible parts is visible, so a backslash of the text itself stays as it is.
void append_visible(std::string& out, std::string_view text);
std::string visible(std::string_view text);
// The same for text of several lines, whose ends stay.
std::string visible_lines(std::string_view text);

// `text` in single quotes, visible; of a longer text only about `octets_max` octets, then
// "...' (N octets)".
std::string quoted(std::string_view text, std::size_t octets_max = 60);

}  // namespace kauri::text
