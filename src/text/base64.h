// Base64 (RFC 4648 section 4): standard alphabet, padded. Thread safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kauri::text {

void append_base64(std::string& out, std::string_view octets);
std::string encode_base64(std::string_view octets);
// Strict: whole groups of four, padding only at the end and with zero bits under it, no white
// space. Nothing otherwise.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace kauri::text
