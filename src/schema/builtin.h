// The built-in definitions, as OpenLDAP-style directives. Thread safety: immutable.
#pragma once

#include <string_view>

namespace kauri::schema::builtin {

std::string_view core();           // RFC 4512, RFC 4519, RFC 4523, RFC 2079, RFC 2247, RFC 3296
std::string_view cosine();         // RFC 4524
std::string_view inetorgperson();  // RFC 2798
std::string_view nis_common();     // what RFC 2307 and its revision share
std::string_view nis_rfc2307();
std::string_view nis_rfc2307bis();
std::string_view operational();  // what the server maintains or publishes

}  // namespace kauri::schema::builtin
