// Octets: Octet String, images, and ASN.1 values whose outer shape is checked.
#include "schema/syntaxes/validators.h"

namespace kauri::schema::syntaxes {

bool octet_string(std::string_view /*value*/, std::string* /*why*/) {
  return true;
}

bool nonempty_octets(std::string_view value, std::string* why) {
  return !value.empty() || refuse(why, "the value may not be empty");
}

// One SEQUENCE whose length is exactly that of the value.
bool der_sequence(std::string_view value, std::string* why) {
  constexpr std::string_view kForm = "the value is not one DER SEQUENCE";
  const auto octet = [value](std::size_t i) { return static_cast<unsigned char>(value[i]); };
  if (value.size() < 2 || octet(0) != 0x30) return refuse(why, kForm);
  std::size_t header = 2;
  std::size_t length = octet(1);
  if (length > 0x80) {
    const std::size_t octets = length & 0x7FU;
    if (octets > 4 || value.size() < 2 + octets) return refuse(why, kForm);
    length = 0;
    for (std::size_t i = 0; i < octets; ++i) length = length * 256 + octet(2 + i);
    header += octets;
  } else if (length == 0x80) {
    return refuse(why, kForm);
  }
  return value.size() - header == length ||
         refuse(why, "the length of the DER SEQUENCE is " + std::to_string(length) + ", but " +
                         std::to_string(value.size() - header) + " octets follow");
}

// RFC 3672 section 2.1: the outer braces of the GSER text.
bool subtree_specification(std::string_view value, std::string* why) {
  if (!utf8_string(value, why)) return false;
  return (value.size() >= 2 && value.front() == '{' && value.back() == '}') ||
         refuse(why, "a subtree specification stands in braces");
}

}  // namespace kauri::schema::syntaxes
