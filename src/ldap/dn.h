// Distinguished names as text (RFC 4514), independent of any schema. Schema-aware normal forms:
// schema/dn_normal.h.
//
// Thread safety: immutable values. Limits: limits::kDnSizeMax, kDnRdnsMax, kRdnAvasMax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kauri::ldap {

// One attribute type and value of an RDN, unescaped.
struct Ava {
  std::string type;  // as written: descriptor or dotted OID, never empty
  std::string
      value;  // octets; never empty. For "#hex" the contents of the BER string, and hex is true
  bool hex = false;
};

struct Rdn {
  std::vector<Ava> avas;  // at least one
};

struct Dn {
  std::vector<Rdn> rdns;  // from the leaf to the root, as written; empty = the root DSE's name
  bool empty() const { return rdns.empty(); }
};

// Parses RFC 4514 (and RFC 2253's spaces around separators and ';' as separator, and quoted
// values). RETURNS: kInvalid with the position and what was expected: empty value, empty type, bad
// escape, bad hex, stray separator, bad UTF-8, a limit exceeded.
Result<Dn> parse_dn(std::string_view text);
// Exactly one RDN, nothing after it.
Result<Rdn> parse_rdn(std::string_view text);

// Text that parse_dn reads back as the same octets; escapes what RFC 4514 section 2.4 demands and
// control characters.
std::string to_string(const Dn& dn);
std::string to_string(const Rdn& rdn);
std::string escape_value(std::string_view value);

// "rdn,parent", or "rdn" when parent is empty.
std::string join_dn(std::string_view rdn, std::string_view parent);

}  // namespace kauri::ldap
