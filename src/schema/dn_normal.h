// Normal forms of DNs (distinguishedNameMatch, RFC 4517 section 4.2.15).
//
// NormalRdn: octets equal exactly when two RDNs are equal: AVAs by type (canonical),
// equality-normal values, sorted; no octet 0x00 or 0x01 in it unescaped. NormalDn: root first, each
// RDN followed by 0x01, so that `a` is an ancestor of `b` exactly when a's octets are a prefix of
// b's. The empty DN is the empty string. Thread safety: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ldap/dn.h"
#include "schema/schema.h"

namespace kauri::schema {

// An unknown attribute type is normalised as its lower-case text with caseIgnoreMatch values.
// RETURNS: kInvalid when a value breaks its type's syntax, a type has no equality rule, or one type
// appears twice in an RDN (RFC 4512 2.3.1).
Result<std::string> normalize_rdn(const Schema& schema, const ldap::Rdn& rdn);
// One normal RDN each, leaf first.
Result<std::vector<std::string>> normalize_rdns(const Schema& schema, const ldap::Dn& dn);
// The joined form, root first.
Result<std::string> normalize_dn(const Schema& schema, const ldap::Dn& dn);
// Parse and normalise in one step; the fast path for plain ASCII names allocates only the result.
Result<std::string> normalize_dn(const Schema& schema, std::string_view text);
std::string join_normal(const std::vector<std::string>& rdns_leaf_first);
// The joined form of a child: parent + rdn + 0x01.
std::string child_normal(std::string_view parent_normal, std::string_view normal_rdn);
inline bool is_same_or_below(std::string_view normal_dn, std::string_view normal_ancestor) {
  return normal_dn.starts_with(normal_ancestor);
}
// The parent's normal form; empty for a name of one RDN.
std::string_view parent_normal(std::string_view normal_dn);

}  // namespace kauri::schema
