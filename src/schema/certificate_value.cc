#include "schema/certificate_value.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "schema/number_value.h"
#include "text/utf8.h"

namespace kauri::schema {

namespace {

// Digits of a serial number in an assertion; certificates have at most 20 octets (RFC 5280
// section 4.1.2.2).
constexpr std::size_t kSerialDigitsMax = 100;
constexpr std::size_t kSerialOctetsMax = 64;

constexpr unsigned char kInteger = 0x02;
constexpr unsigned char kOid = 0x06;
constexpr unsigned char kSequence = 0x30;
constexpr unsigned char kSet = 0x31;
constexpr unsigned char kVersion = 0xA0;

class DerReader {
 public:
  explicit DerReader(std::string_view octets) : rest_(octets) {}
  bool at_end() const { return rest_.empty(); }
  bool next_is(unsigned char tag) const {
    return !rest_.empty() && static_cast<unsigned char>(rest_[0]) == tag;
  }

  // The contents of the next element.
  bool take(unsigned char* tag, std::string_view* contents) {
    if (rest_.size() < 2) return false;
    *tag = octet(0);
    std::size_t header = 2;
    std::size_t length = octet(1);
    if (length >= 0x80) {
      const std::size_t octets = length & 0x7FU;
      if (octets == 0 || octets > 4 || rest_.size() < 2 + octets) return false;
      length = 0;
      for (std::size_t i = 0; i < octets; ++i) length = length * 256 + octet(2 + i);
      header += octets;
    }
    if (rest_.size() - header < length) return false;
    *contents = rest_.substr(header, length);
    rest_.remove_prefix(header + length);
    return true;
  }
  bool take_tagged(unsigned char tag, std::string_view* contents) {
    unsigned char found = 0;
    return next_is(tag) && take(&found, contents);
  }

 private:
  unsigned char octet(std::size_t i) const { return static_cast<unsigned char>(rest_[i]); }
  std::string_view rest_;
};

bool append_dotted_oid(std::string_view octets, std::string& out) {
  if (octets.empty()) return false;
  std::uint64_t arc = 0;
  bool first = true;
  bool inside = false;
  for (const char c : octets) {
    const auto octet = static_cast<unsigned char>(c);
    if (arc > (std::numeric_limits<std::uint64_t>::max() >> 7U)) return false;
    arc = (arc << 7U) | (octet & 0x7FU);
    inside = (octet & 0x80U) != 0;
    if (inside) continue;
    if (first) {
      const std::uint64_t root = std::min<std::uint64_t>(arc / 40, 2);
      out += std::to_string(root) + "." + std::to_string(arc - root * 40);
      first = false;
    } else {
      out += "." + std::to_string(arc);
    }
    arc = 0;
  }
  return !inside;
}

// Fixed-width characters, big-endian.
bool append_wide(std::string_view octets, std::size_t width, std::string& out) {
  if (octets.size() % width != 0) return false;
  for (std::size_t i = 0; i < octets.size(); i += width) {
    char32_t c = 0;
    for (std::size_t k = 0; k < width; ++k) {
      c = (c << 8U) | static_cast<unsigned char>(octets[i + k]);
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return false;
    text::append_utf8(out, c);
  }
  return true;
}

// The ASN.1 character string types as UTF-8. A TeletexString is read as Latin-1, which is what it
// holds in practice.
bool append_string(unsigned char tag, std::string_view octets, std::string& out) {
  switch (tag) {
    case 0x0C:  // UTF8String
      out += octets;
      return text::is_valid_utf8(octets);
    case 0x12:  // NumericString
    case 0x13:  // PrintableString
    case 0x16:  // IA5String
    case 0x1A:  // VisibleString
      out += octets;
      return text::is_ascii(octets);
    case 0x14:
      return append_wide(octets, 1, out);  // TeletexString
    case 0x1E:
      return append_wide(octets, 2, out);  // BMPString
    case 0x1C:
      return append_wide(octets, 4, out);  // UniversalString
    default:
      return false;
  }
}

bool read_ava(DerReader& set, ldap::Rdn* rdn) {
  std::string_view pair;
  std::string_view oid;
  std::string_view value;
  unsigned char tag = 0;
  if (!set.take_tagged(kSequence, &pair)) return false;
  DerReader inside(pair);
  ldap::Ava ava;
  if (!inside.take_tagged(kOid, &oid) || !append_dotted_oid(oid, ava.type)) return false;
  if (!inside.take(&tag, &value) || !inside.at_end()) return false;
  if (!append_string(tag, value, ava.value)) return false;
  rdn->avas.push_back(std::move(ava));
  return true;
}

bool read_name(std::string_view octets, ldap::Dn* dn) {
  DerReader name(octets);
  while (!name.at_end()) {
    std::string_view contents;
    if (!name.take_tagged(kSet, &contents)) return false;
    DerReader set(contents);
    ldap::Rdn rdn;
    while (!set.at_end()) {
      if (!read_ava(set, &rdn)) return false;
    }
    if (rdn.avas.empty()) return false;
    dn->rdns.push_back(std::move(rdn));
  }
  // X.509 writes the root first, LDAP the leaf.
  std::reverse(dn->rdns.begin(), dn->rdns.end());
  return true;
}

// A decimal number in two's complement, big-endian, as short as can be.
std::optional<std::string> serial_octets(std::string_view decimal) {
  if (!is_integer(decimal) || decimal.size() > kSerialDigitsMax) return std::nullopt;
  const bool negative = decimal.starts_with('-');
  if (negative) decimal.remove_prefix(1);
  std::string octets;  // little-endian while it grows
  for (const char digit : decimal) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (char& c : octets) {
      carry += static_cast<unsigned char>(c) * 10U;
      c = static_cast<char>(carry & 0xFFU);
      carry >>= 8U;
    }
    if (carry > 0 || octets.empty()) octets.push_back(static_cast<char>(carry));
  }
  octets.push_back('\0');
  if (negative) {
    unsigned carry = 1;
    for (char& c : octets) {
      carry += static_cast<unsigned char>(~c);
      c = static_cast<char>(carry & 0xFFU);
      carry >>= 8U;
    }
  }
  const auto sign_bit = [&octets](std::size_t i) {
    return (static_cast<unsigned char>(octets[i]) & 0x80U) != 0;
  };
  const char filler = negative ? '\xFF' : '\0';
  while (octets.size() > 1 && octets.back() == filler && sign_bit(octets.size() - 2) == negative) {
    octets.pop_back();
  }
  std::reverse(octets.begin(), octets.end());
  return octets;
}

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}
bool skip_word(std::string_view& text, std::string_view word) {
  skip_spaces(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  skip_spaces(text);
  return true;
}

// A GSER string (RFC 3641 section 3.2): in double quotes, which stand twice inside.
bool take_quoted(std::string_view& text, std::string* out) {
  if (!text.starts_with('"')) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      out->push_back(text[i]);
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      out->push_back('"');
      ++i;
    } else {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<CertificateId> certificate_id(std::string_view der) {
  std::string_view certificate;
  std::string_view contents;
  std::string_view ignored;
  CertificateId id;
  DerReader whole(der);
  if (!whole.take_tagged(kSequence, &certificate) || !whole.at_end()) return std::nullopt;
  DerReader outer(certificate);
  if (!outer.take_tagged(kSequence, &contents)) return std::nullopt;
  DerReader body(contents);
  if (body.next_is(kVersion) && !body.take_tagged(kVersion, &ignored)) return std::nullopt;
  std::string_view serial;
  std::string_view issuer;
  if (!body.take_tagged(kInteger, &serial) || serial.empty() || serial.size() > kSerialOctetsMax ||
      !body.take_tagged(kSequence, &ignored) || !body.take_tagged(kSequence, &issuer) ||
      !read_name(issuer, &id.issuer)) {
    return std::nullopt;
  }
  id.serial = serial;
  return id;
}

std::optional<CertificateAssertion> parse_certificate_assertion(std::string_view text) {
  CertificateAssertion assertion;
  std::string_view serial;
  skip_spaces(text);
  if (text.starts_with('{')) {
    text.remove_prefix(1);
    if (!skip_word(text, "serialNumber")) return std::nullopt;
    const std::size_t end = text.find_first_of(", ");
    if (end == std::string_view::npos) return std::nullopt;
    serial = text.substr(0, end);
    text.remove_prefix(end);
    if (!skip_word(text, ",") || !skip_word(text, "issuer") || !skip_word(text, "rdnSequence:") ||
        !take_quoted(text, &assertion.issuer) || !skip_word(text, "}") || !text.empty()) {
      return std::nullopt;
    }
  } else {
    const std::size_t dollar = text.find('$');
    if (dollar == std::string_view::npos) return std::nullopt;
    serial = text.substr(0, dollar);
    while (serial.ends_with(' ')) serial.remove_suffix(1);
    assertion.issuer = text.substr(dollar + 1);
  }
  auto octets = serial_octets(serial);
  if (!octets) return std::nullopt;
  assertion.serial = std::move(*octets);
  return assertion;
}

}  // namespace kauri::schema
