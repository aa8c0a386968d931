// LDAP URLs (RFC 4516), with the schemes ldaps and ldapi (draft-chu-ldap-ldapi) too.
//
// Thread safety: immutable values. Every part is kept decoded; an empty part and an absent one mean
// the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ldap/message.h"

namespace kauri::ldap {

enum class UrlScheme : std::uint8_t { kLdap, kLdaps, kLdapi };

struct UrlExtension {
  bool critical = false;
  std::string type = {};
  std::optional<std::string> value = {};

  bool operator==(const UrlExtension&) const = default;
};

struct LdapUrl {
  UrlScheme scheme = UrlScheme::kLdap;
  std::string host = {};  // IPv6 addresses without brackets; for ldapi the path of the socket
  std::optional<std::uint16_t> port = {};
  std::string dn = {};
  std::vector<std::string> attributes = {};
  std::optional<Scope> scope = {};
  std::string filter = {};  // RFC 4515 text
  std::vector<UrlExtension> extensions = {};

  // The port, else the scheme's (389, 636; 0 for ldapi).
  std::uint16_t port_or_default() const;
  bool operator==(const LdapUrl&) const = default;
};

// Whether `text` starts with one of the three schemes and "://", in any case.
bool has_ldap_scheme(std::string_view text);

// RETURNS: kInvalid with position and reason: another scheme, a percent sign without two
// hexadecimal digits, a broken host, port, name (RFC 4514), attribute, scope or filter (RFC 4515),
// control characters, bad UTF-8. Characters that RFC 3986 would have encoded (spaces, letters
// outside ASCII) are accepted as they are.
Result<LdapUrl> parse_url(std::string_view text);
// A URL that parse_url reads back as the same parts; nothing in it but what RFC 3986 allows. Parts
// at the end that are empty are left out.
std::string to_string(const LdapUrl& url);

// RETURNS: kInvalid when a '%' is not followed by two hexadecimal digits.
Result<std::string> percent_decode(std::string_view text);
// Encodes all octets but unreserved ones (letters, digits, "-._~") and those in `keep`.
std::string percent_encode(std::string_view octets, std::string_view keep = {});

}  // namespace kauri::ldap
