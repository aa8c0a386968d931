#include "ldap/url.h"

#include <algorithm>
#include <charconv>

#include "ldap/dn.h"
#include "ldap/filter.h"
#include "ldap/name_syntax.h"
#include "ldap/quote.h"
#include "text/ascii.h"
#include "text/hex.h"
#include "text/utf8.h"

namespace kauri::ldap {
namespace {

constexpr std::uint16_t kLdapPort = 389;
constexpr std::uint16_t kLdapsPort = 636;

struct SchemeName {
  std::string_view prefix;
  UrlScheme scheme;
};
constexpr SchemeName kSchemes[] = {
    {"ldap://", UrlScheme::kLdap},
    {"ldaps://", UrlScheme::kLdaps},
    {"ldapi://", UrlScheme::kLdapi},
};

struct ScopeName {
  std::string_view name;
  Scope scope;
};
// The first name of a scope is the one that is written.
constexpr ScopeName kScopes[] = {
    {"base", Scope::kBase},
    {"one", Scope::kOneLevel},
    {"sub", Scope::kSubtree},
    {"subord", Scope::kSubordinate},  // draft-sermersheim-ldap-subordinate-scope
    {"subordinate", Scope::kSubordinate},
    {"children", Scope::kSubordinate},
};

// The scheme at the head of `text`; nullptr for another one.
const SchemeName* find_scheme(std::string_view text) {
  for (const SchemeName& name : kSchemes) {
    if (text::equal_ignoring_case(text.substr(0, name.prefix.size()), name.prefix)) return &name;
  }
  return nullptr;
}

bool is_attribute_selector(std::string_view text) {
  if (text == "*" || text == "+" || text == "1.1") return true;
  if (text.starts_with('@')) text.remove_prefix(1);  // RFC 4529
  return internal::is_attribute_description(text);
}

class UrlParser {
 public:
  explicit UrlParser(std::string_view text) : text_(text), rest_(text) {}

  Result<LdapUrl> parse() {
    KAURI_CHECK(check_characters());
    const SchemeName* scheme = find_scheme(text_);
    if (scheme == nullptr) return error("\"ldap://\", \"ldaps://\" or \"ldapi://\" is expected");
    url_.scheme = scheme->scheme;
    rest_.remove_prefix(scheme->prefix.size());
    KAURI_CHECK(parse_host_and_port());
    if (rest_.empty()) return std::move(url_);
    // next_part() steps over the slash or question mark in front of each part.
    KAURI_CHECK(parse_dn_part());
    KAURI_CHECK(parse_attributes());
    KAURI_CHECK(parse_scope());
    KAURI_CHECK(parse_filter_part());
    KAURI_CHECK(parse_extensions());
    if (!rest_.empty()) return error("a fifth question mark must be written as %3f");
    return std::move(url_);
  }

 private:
  Error error(std::string_view why) const { return error_at(rest_, why); }
  // `where` is a piece of text_.
  Error error_at(std::string_view where, std::string_view why) const {
    return internal::syntax_error("the URL", text_,
                                  static_cast<std::size_t>(where.data() - text_.data()), why);
  }

  Result<void> check_characters() const {
    const std::size_t valid = text::utf8_error_offset(text_);
    if (valid != text_.size()) return error_at(text_.substr(valid), "it is not well-formed UTF-8");
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto octet = static_cast<unsigned char>(text_[i]);
      if (octet < 0x20 || octet == 0x7F) {
        return error_at(text_.substr(i), "a control character must be percent-encoded");
      }
    }
    return {};
  }

  // Decodes `part`, which may not hold NUL unless it is an extension's value (RFC 4516
  // section 2.1).
  Result<std::string> decode(std::string_view part, bool nul_allowed = false) const {
    for (std::size_t i = part.find('%'); i != std::string_view::npos; i = part.find('%', i + 1)) {
      if (part.size() - i < 3 || text::hex_digit(part[i + 1]) < 0 ||
          text::hex_digit(part[i + 2]) < 0) {
        return error_at(part.substr(i), "'%' is not followed by two hexadecimal digits");
      }
      if (!nul_allowed && part.substr(i, 3) == "%00") {
        return error_at(part.substr(i), "a NUL octet is allowed in the value of an extension only");
      }
    }
    return percent_decode(part);
  }

  // Steps over one separator and takes what lies before the next question mark.
  std::string_view next_part() {
    if (rest_.empty()) return rest_;
    rest_.remove_prefix(1);
    const std::string_view part = rest_.substr(0, rest_.find('?'));
    rest_.remove_prefix(part.size());
    return part;
  }

  Result<void> parse_host_and_port() {
    const std::size_t end = std::min(rest_.find_first_of("/?"), rest_.size());
    std::string_view authority = rest_.substr(0, end);
    const std::string_view whole = authority;
    rest_.remove_prefix(end);
    if (url_.scheme == UrlScheme::kLdapi) {
      KAURI_TRY(url_.host, decode(authority));
    } else if (authority.starts_with('[')) {
      KAURI_CHECK(parse_ip_literal(authority));
      KAURI_CHECK(parse_port(authority));
    } else {
      const std::string_view host = authority.substr(0, authority.find(':'));
      KAURI_TRY(url_.host, decode(host));
      if (!is_host_name(url_.host)) {
        return error_at(host, internal::quote(url_.host) + " is not a host name");
      }
      authority.remove_prefix(host.size());
      KAURI_CHECK(parse_port(authority));
      if (url_.host.empty() && url_.port.has_value()) {
        return error_at(whole, "a port needs a host");
      }
    }
    if (rest_.starts_with('?')) return error("'/' is expected before the first question mark");
    return {};
  }

  // Nothing that could be taken for another part of a URL, and nothing that could not be shown.
  static bool is_host_name(std::string_view host) {
    constexpr std::string_view kForbidden = "[]:/?#@\"<>\\^`{|} ";
    return std::none_of(host.begin(), host.end(), [&](char c) {
      const auto octet = static_cast<unsigned char>(c);
      return octet < 0x20 || octet == 0x7F || kForbidden.find(c) != std::string_view::npos;
    });
  }

  // "[" address "]"
  Result<void> parse_ip_literal(std::string_view& authority) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos)
      return error_at(authority, "']' is missing behind the address");
    const std::string_view address = authority.substr(1, close - 1);
    const std::size_t bad = address.find_first_not_of("0123456789abcdefABCDEF:.");
    if (address.find(':') == std::string_view::npos || bad != std::string_view::npos) {
      return error_at(authority, "an IPv6 address is expected between '[' and ']'");
    }
    url_.host = address;
    authority.remove_prefix(close + 1);
    return {};
  }

  // Nothing, or ":" and a number; a colon alone means the default (RFC 3986 section 3.2.3).
  Result<void> parse_port(std::string_view text) {
    if (text.empty()) return {};
    if (text[0] != ':') return error_at(text, "':' and a port are expected behind the address");
    const std::string_view digits = text.substr(1);
    if (digits.empty()) return {};
    std::uint16_t port = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (fault != std::errc() || end != digits.data() + digits.size()) {
      return error_at(text, "the port is not a number from 0 to 65535");
    }
    url_.port = port;
    return {};
  }

  Result<void> parse_dn_part() {
    const std::string_view part = next_part();
    KAURI_TRY(url_.dn, decode(part));
    const Result<Dn> dn = parse_dn(url_.dn);
    if (!dn) return error_at(part, dn.error().message());
    return {};
  }

  Result<void> parse_attributes() {
    std::string_view part = next_part();
    while (!part.empty()) {
      const std::string_view item = part.substr(0, part.find(','));
      KAURI_TRY(std::string attribute, decode(item));
      if (!is_attribute_selector(attribute)) {
        return error_at(item, internal::quote(attribute) + " is not an attribute description");
      }
      url_.attributes.push_back(std::move(attribute));
      part.remove_prefix(item.size());
      if (part == ",") return error_at(part, "an attribute is expected after ','");
      if (!part.empty()) part.remove_prefix(1);
    }
    return {};
  }

  Result<void> parse_scope() {
    const std::string_view part = next_part();
    if (part.empty()) return {};
    for (const ScopeName& name : kScopes) {
      if (!text::equal_ignoring_case(name.name, part)) continue;
      url_.scope = name.scope;
      return {};
    }
    return error_at(part, "the scope is none of base, one, sub and subord");
  }

  Result<void> parse_filter_part() {
    const std::string_view part = next_part();
    KAURI_TRY(url_.filter, decode(part));
    if (url_.filter.empty()) return {};
    const Result<Filter> filter = parse_filter(url_.filter);
    if (!filter) return error_at(part, filter.error().message());
    return {};
  }

  Result<void> parse_extensions() {
    std::string_view part = next_part();
    while (!part.empty()) {
      const std::string_view item = part.substr(0, part.find(','));
      KAURI_CHECK(parse_extension(item));
      part.remove_prefix(item.size());
      if (part == ",") return error_at(part, "an extension is expected after ','");
      if (!part.empty()) part.remove_prefix(1);
    }
    return {};
  }

  Result<void> parse_extension(std::string_view item) {
    UrlExtension& extension = url_.extensions.emplace_back();
    std::string_view type = item.substr(0, item.find('='));
    const std::string_view value = item.substr(type.size());
    extension.critical = type.starts_with('!');
    if (extension.critical) type.remove_prefix(1);
    KAURI_TRY(extension.type, decode(type));
    if (!internal::is_oid(extension.type)) {
      return error_at(item, "an extension's type is neither a name nor a dotted OID");
    }
    if (value.empty()) return {};
    KAURI_TRY(std::string decoded, decode(value.substr(1), true));
    extension.value = std::move(decoded);
    return {};
  }

  std::string_view text_;
  std::string_view rest_;
  LdapUrl url_;
};

// Reserved characters that mean nothing inside these parts, kept for legibility.
constexpr std::string_view kKeptInParts = ",=+:@!$&'()*;/";
constexpr std::string_view kKeptInHosts = "!$&'()*+,;=";
constexpr std::string_view kKeptInValues = "=+:@!$&'()*;/";

void append_authority(std::string& out, const LdapUrl& url) {
  const bool literal = url.scheme != UrlScheme::kLdapi && url.host.find(':') != std::string::npos;
  if (literal) {
    out.append("[").append(url.host).append("]");
  } else {
    out.append(percent_encode(url.host, kKeptInHosts));
  }
  if (url.port.has_value()) out.append(":").append(std::to_string(*url.port));
}

std::string attributes_text(const LdapUrl& url) {
  std::string out;
  for (const std::string& attribute : url.attributes) {
    if (!out.empty()) out.push_back(',');
    out.append(percent_encode(attribute, "*+@;"));
  }
  return out;
}

std::string_view scope_text(const LdapUrl& url) {
  if (!url.scope.has_value()) return {};
  for (const ScopeName& name : kScopes) {
    if (name.scope == *url.scope) return name.name;
  }
  return {};
}

std::string extensions_text(const LdapUrl& url) {
  std::string out;
  for (const UrlExtension& extension : url.extensions) {
    if (!out.empty()) out.push_back(',');
    if (extension.critical) out.push_back('!');
    out.append(percent_encode(extension.type));
    if (extension.value.has_value()) {
      out.append("=").append(percent_encode(*extension.value, kKeptInValues));
    }
  }
  return out;
}

}  // namespace

std::uint16_t LdapUrl::port_or_default() const {
  if (port.has_value()) return *port;
  switch (scheme) {
    case UrlScheme::kLdap:
      return kLdapPort;
    case UrlScheme::kLdaps:
      return kLdapsPort;
    case UrlScheme::kLdapi:
      return 0;
  }
  return 0;
}

bool has_ldap_scheme(std::string_view text) {
  return find_scheme(text) != nullptr;
}

Result<LdapUrl> parse_url(std::string_view text) {
  return UrlParser(text).parse();
}

std::string to_string(const LdapUrl& url) {
  std::string out;
  for (const SchemeName& name : kSchemes) {
    if (name.scheme == url.scheme) out = name.prefix;
  }
  append_authority(out, url);
  std::string tail = "/" + percent_encode(url.dn, kKeptInParts);
  tail.append("?").append(attributes_text(url));
  tail.append("?").append(scope_text(url));
  tail.append("?").append(percent_encode(url.filter, kKeptInParts));
  tail.append("?").append(extensions_text(url));
  // The slash stays, as most programs write it.
  while (tail.size() > 1 && tail.back() == '?') tail.pop_back();
  return out.append(tail);
}

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? text::hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? text::hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return internal::syntax_error("the text", text, i,
                                    "'%' is not followed by two hexadecimal digits");
    }
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view octets, std::string_view keep) {
  constexpr std::string_view kUnreserved = "-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : octets) {
    if (text::is_alpha(c) || text::is_digit(c) || kUnreserved.find(c) != std::string_view::npos ||
        keep.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto octet = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[octet >> 4U]);
    out.push_back(kDigits[octet & 0xFU]);
  }
  return out;
}

}  // namespace kauri::ldap
