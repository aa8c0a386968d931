// Messages as some clients write them, with every length in four octets (RFC 4511 section 5.1
// allows any definite form). For tests. Thread safety: immutable function.
#pragma once

#include <string>
#include <string_view>

#include "base/assert.h"
#include "ber/reader.h"

namespace kauri::ldap {

// The same elements with each length as 84 00 xx xx xx, inside constructed ones too. REQUIRES:
// `octets` are whole elements of less than 16 MiB.
inline std::string with_long_lengths(std::string_view octets) {
  std::string out;
  ber::Reader reader(octets);
  while (!reader.at_end()) {
    ber::Tag tag = 0;
    const std::string_view contents = reader.any_element(tag);
    KAURI_ASSERT(reader.ok());
    const std::string inner =
        (tag & 0x20U) != 0 ? with_long_lengths(contents) : std::string(contents);
    out.push_back(static_cast<char>(tag));
    out.append(std::string_view("\x84\0", 2));
    for (int shift = 16; shift >= 0; shift -= 8)
      out.push_back(static_cast<char>((inner.size() >> static_cast<unsigned>(shift)) & 0xFFU));
    out.append(inner);
  }
  return out;
}

}  // namespace kauri::ldap
