// Which attributes hold password material, whose values never stand in a log or a plan.
// Thread safety: immutable functions.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ldap/filter.h"
#include "schema/schema.h"

namespace kauri::query {

// Beside userPassword; known only where their schema is loaded.
inline constexpr std::array<std::string_view, 7> kSecretNames = {
    "authPassword",    "sambaNTPassword", "sambaLMPassword", "sambaPasswordHistory",
    "krbPrincipalKey", "krbMKey",         "krbPwdHistory"};

// userPassword and its subtypes, authPassword, Samba's and Kerberos' keys.
bool is_secret(const schema::Schema& schema, const schema::AttributeType& type);

// RFC 4515 text of a filter for logs: values asserted of secret attributes are "[hidden]".
std::string loggable_filter(const schema::Schema& schema, const ldap::Filter& filter);

}  // namespace kauri::query
