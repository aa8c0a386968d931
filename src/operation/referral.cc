#include "operation/referral.h"

#include "text/ascii.h"

namespace kauri::operation {
namespace {

std::string_view scope_name(ldap::Scope scope) {
  switch (scope) {
    case ldap::Scope::kBase:
      return "base";
    case ldap::Scope::kOneLevel:
      return "one";
    case ldap::Scope::kSubtree:
      return "sub";
    case ldap::Scope::kSubordinate:
      return "subordinates";
  }
  return "sub";
}

// RFC 4516 section 2.1: what is not allowed bare in the DN of a URL.
void append_url_dn(std::string& out, std::string_view dn) {
  constexpr std::string_view kBare = "-._~!$&'()*+,;=:@/";
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : dn) {
    if (text::is_alpha(c) || text::is_digit(c) || kBare.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto octet = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[octet >> 4U];
      out += kHex[octet & 0xFU];
    }
  }
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         text::equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// Takes the part up to `separator` off the head of `rest`.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return part;
}

}  // namespace

std::string referral_uri(std::string_view ref_value, const ReferralTarget& target) {
  std::string_view uri = ref_value.substr(0, ref_value.find(' '));
  if (!starts_with_ignoring_case(uri, "ldap://") && !starts_with_ignoring_case(uri, "ldaps://")) {
    return std::string(uri);
  }
  const std::size_t slash = uri.find('/', uri.find("://") + 3);
  std::string out(uri.substr(0, slash));
  std::string_view rest = slash == std::string_view::npos ? "" : uri.substr(slash + 1);
  const std::string_view dn = take_part(rest, '?');
  take_part(rest, '?');  // attributes, scope and filter are the request's own
  take_part(rest, '?');
  take_part(rest, '?');
  const std::string_view extensions = rest;

  out += '/';
  if (!target.below.empty()) {
    append_url_dn(out, target.below);
    out += ',';
  }
  if (dn.empty()) {
    append_url_dn(out, target.referral_dn);
  } else {
    out += dn;
  }
  if (target.scope.has_value()) {
    out += "??";
    out += scope_name(*target.scope);
  }
  if (!extensions.empty()) {
    out += target.scope.has_value() ? "??" : "????";
    out += extensions;
  }
  return out;
}

}  // namespace kauri::operation
