// Text from outside inside our sentences. Internal to src/ldap. Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::ldap::internal {

// `text` in double quotes, bounded to 80 octets, with everything but printable ASCII as \xx: fit
// for one log line and for an LDAPString.
std::string quote(std::string_view text);

// kInvalid: `what` and the quoted text, the octet (counted from 1) where reading stopped, and why.
Error syntax_error(std::string_view what, std::string_view text, std::size_t offset,
                   std::string_view why);

// `value` fits into text that needs UTF-8: appends it with \xx for control characters, for octets
// that are no UTF-8, and for those of `special`.
void append_escaped(std::string& out, std::string_view value, std::string_view special);

}  // namespace kauri::ldap::internal
