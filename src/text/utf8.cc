#include "text/utf8.h"

#include <cstring>

#include "base/assert.h"

namespace kauri::text {

namespace {

// Length of the well-formed sequence at the start of `in`, or 0. Table 3-7 of the Unicode Standard.
std::size_t sequence_length(std::string_view in) {
  const auto at = [in](std::size_t i) -> unsigned {
    return i < in.size() ? static_cast<unsigned char>(in[i]) : 0U;
  };
  const auto continues = [at](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned lead = at(0);
  if (in.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return continues(1) ? 2 : 0;
  if (lead < 0xF0) {
    const unsigned low = lead == 0xE0 ? 0xA0U : 0x80U;
    const unsigned high = lead == 0xED ? 0x9FU : 0xBFU;
    return at(1) >= low && at(1) <= high && continues(2) ? 3 : 0;
  }
  if (lead < 0xF5) {
    const unsigned low = lead == 0xF0 ? 0x90U : 0x80U;
    const unsigned high = lead == 0xF4 ? 0x8FU : 0xBFU;
    return at(1) >= low && at(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Octets at the start of `text`, in whole blocks of 8, that are all ASCII.
std::size_t ascii_blocks(std::string_view text) {
  std::size_t offset = 0;
  while (text.size() - offset >= sizeof(std::uint64_t)) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + offset, sizeof block);
    if ((block & 0x8080808080808080ULL) != 0) break;
    offset += sizeof block;
  }
  return offset;
}

}  // namespace

std::size_t utf8_error_offset(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (static_cast<unsigned char>(text[offset]) < 0x80) {
      const std::size_t skipped = ascii_blocks(text.substr(offset));
      offset += skipped > 0 ? skipped : 1;
      continue;
    }
    const std::size_t length = sequence_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return offset;
}

bool is_valid_utf8(std::string_view text) {
  return utf8_error_offset(text) == text.size();
}

bool is_ascii(std::string_view text) {
  for (std::size_t i = ascii_blocks(text); i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) return false;
  }
  return true;
}

bool next_code_point(std::string_view text, std::size_t* offset, char32_t* code_point) {
  if (*offset >= text.size()) return false;
  const std::string_view rest = text.substr(*offset);
  const std::size_t length = sequence_length(rest);
  if (length == 0) return false;
  static constexpr unsigned kLeadMasks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = static_cast<unsigned char>(rest[0]) & kLeadMasks[length];
  for (std::size_t i = 1; i < length; ++i) {
    value = (value << 6U) | (static_cast<unsigned char>(rest[i]) & 0x3FU);
  }
  *code_point = value;
  *offset += length;
  return true;
}

void append_utf8(std::string& out, char32_t code_point) {
  KAURI_ASSERT(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto octet = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (code_point < 0x80) {
    octet(code_point);
  } else if (code_point < 0x800) {
    octet(0xC0U | (code_point >> 6U));
    octet(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    octet(0xE0U | (code_point >> 12U));
    octet(0x80U | ((code_point >> 6U) & 0x3FU));
    octet(0x80U | (code_point & 0x3FU));
  } else {
    octet(0xF0U | (code_point >> 18U));
    octet(0x80U | ((code_point >> 12U) & 0x3FU));
    octet(0x80U | ((code_point >> 6U) & 0x3FU));
    octet(0x80U | (code_point & 0x3FU));
  }
}

}  // namespace kauri::text
