// Referral URIs out of the values of `ref` (RFC 3296 sections 5.2 to 5.4). Thread safety: immutable
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ldap/message.h"

namespace kauri::operation {

// One value of `ref` ("URI label") as the URI for a client.
struct ReferralTarget {
  std::string_view below;        // DN text of the RDNs that the name has below the referral object
  std::string_view referral_dn;  // of the referral object; for a URL that names no entry
  // Scope that the URL shall state; nothing for operations that have none.
  std::optional<ldap::Scope> scope;
};
// A URI that is no LDAP URL is returned as it is, without its label.
std::string referral_uri(std::string_view ref_value, const ReferralTarget& target);

}  // namespace kauri::operation
