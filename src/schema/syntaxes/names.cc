// Names and identifiers: DN, Name And Optional UID, OID, UUID, CSN, and the two syntaxes of RFC
// 2307.
#include <algorithm>

#include "ldap/dn.h"
#include "schema/name_and_uid.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"
#include "text/hex.h"

namespace kauri::schema::syntaxes {

bool is_numeric_oid(std::string_view text) {
  std::size_t arcs = 0;
  while (true) {
    std::size_t digits = 0;
    while (digits < text.size() && text::is_digit(text[digits])) ++digits;
    if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
    ++arcs;
    if (digits == text.size()) return arcs >= 2;
    if (text[digits] != '.') return false;
    text.remove_prefix(digits + 1);
  }
}

bool is_descriptor(std::string_view text) {
  if (text.empty() || !text::is_alpha(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return text::is_alpha(c) || text::is_digit(c) || c == '-' || c == '_';
  });
}

bool distinguished_name(std::string_view value, std::string* why) {
  const auto dn = ldap::parse_dn(value);
  return dn || refuse(why, dn.error().message());
}

bool name_and_optional_uid(std::string_view value, std::string* why) {
  return distinguished_name(split_name_and_uid(value).name, why);
}

bool object_identifier(std::string_view value, std::string* why) {
  return is_numeric_oid(value) || is_descriptor(value) ||
         refuse(why,
                "an OID is either numbers divided by dots, or a name of letters, digits and "
                "hyphens");
}

// B:count:hex:dn or S:count:text:dn, as Active Directory's schema has it.
bool dn_with_string(std::string_view value, std::string* why) {
  constexpr std::string_view kForm = "the value is not of the form B:count:octets:dn";
  if (value.size() < 4 || (value[0] != 'B' && value[0] != 'S') || value[1] != ':') {
    return refuse(why, kForm);
  }
  std::size_t at = 2;
  std::size_t count = 0;
  while (at < value.size() && text::is_digit(value[at]) && count <= value.size()) {
    count = count * 10 + static_cast<std::size_t>(value[at++] - '0');
  }
  if (at == 2 || at >= value.size() || value[at] != ':' || count > value.size() - at - 1) {
    return refuse(why, kForm);
  }
  const std::string_view content = value.substr(at + 1, count);
  const std::string_view rest = value.substr(at + 1 + count);
  if (!rest.starts_with(':')) return refuse(why, kForm);
  if (value[0] == 'B' && !text::decode_hex(content)) {
    return refuse_at(why, at + 1, "expected pairs of hexadecimal digits");
  }
  return distinguished_name(rest.substr(1), why);
}

bool uuid(std::string_view value, std::string* why) {
  if (value.size() != 36) return refuse(why, "a UUID has 36 characters");
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? value[i] != '-' : text::hex_digit(value[i]) < 0) {
      return refuse_at(why, i, hyphen ? "expected '-'" : "expected a hexadecimal digit");
    }
  }
  return true;
}

// YYYYMMDDHHMMSS.ffffffZ#ccccccc#sss#mmmmmm with hexadecimal counters (draft-chu-ldap-csn).
bool csn(std::string_view value, std::string* why) {
  constexpr std::string_view kForm = "dddddddddddddd.ddddddZ#xxxxxx#xxx#xxxxxx";
  if (value.size() != kForm.size()) {
    return refuse(why, "a CSN has 40 characters, as in 20240101120000.000000Z#000000#000#000000");
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool ok = kForm[i] == 'd'   ? text::is_digit(value[i])
                    : kForm[i] == 'x' ? text::hex_digit(value[i]) >= 0
                                      : value[i] == kForm[i];
    if (!ok) return refuse_at(why, i, "the CSN is malformed");
  }
  return generalized_time(value.substr(0, 22), why);
}

bool nis_netgroup_triple(std::string_view value, std::string* why) {
  constexpr std::string_view kForm = "a netgroup triple is of the form (host,user,domain)";
  if (!ia5_string(value, why)) return false;
  if (value.size() < 2 || value.front() != '(' || value.back() != ')') return refuse(why, kForm);
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (std::count(inside.begin(), inside.end(), ',') != 2 ||
      inside.find_first_of("()") != std::string_view::npos) {
    return refuse(why, kForm);
  }
  return true;
}

bool boot_parameter(std::string_view value, std::string* why) {
  const std::size_t equals = value.find('=');
  const std::size_t colon = value.find(':', equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || equals == 0 || colon == std::string_view::npos) {
    return refuse(why, "a boot parameter is of the form key=server:path");
  }
  return ia5_string(value, why);
}

}  // namespace kauri::schema::syntaxes
