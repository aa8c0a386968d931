#include "config/listen_uri.h"

#include <charconv>

#include "text/ascii.h"
#include "text/hex.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::config {
namespace {

// Octets of a UNIX socket's path that Linux takes (sun_path without its NUL).
constexpr std::size_t kSocketPathMax = 107;
constexpr std::uint16_t kLdapPort = 389;

Error bad(std::string_view uri, std::string_view what) {
  return invalid(text::quoted(uri, 200) + " " + std::string(what));
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         text::equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool percent_decode(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = text::hex_digit(text[i + 1]);
    const int low = text::hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

bool is_host_character(char c) {
  return text::is_alpha(c) || text::is_digit(c) || c == '-' || c == '.' || c == '_';
}

bool is_host(std::string_view host, bool brackets) {
  for (const char c : host) {
    if (!is_host_character(c) && !(brackets && (c == ':' || c == '%'))) return false;
  }
  return host.size() <= 255 && !(brackets && host.empty());
}

Result<ListenAddress> parse_tcp(std::string_view uri, std::string_view rest) {
  ListenAddress out;
  out.port = kLdapPort;
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) {
    return bad(uri, "has a path; expected ldap://HOST:PORT");
  }
  std::string_view port;
  bool has_port = false;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return bad(uri, "lacks the ']' after the IPv6 address");
    const std::string_view host = rest.substr(1, close - 1);
    if (!is_host(host, true)) return bad(uri, "has no IPv6 address between '[' and ']'");
    out.host = std::string(host);
    rest.remove_prefix(close + 1);
    if (!rest.empty() && rest[0] != ':') return bad(uri, "has text between ']' and ':'");
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    has_port = colon != std::string_view::npos;
    if (has_port) port = rest.substr(colon + 1);
    const std::string_view host = rest.substr(0, colon);
    if (port.find(':') != std::string_view::npos) {
      return bad(uri, "has more than one ':'; an IPv6 address stands in '[' and ']'");
    }
    if (!is_host(host, false)) return bad(uri, "has no host name or address before the port");
    // "*" is not a host character; an empty host says the same.
    out.host = std::string(host);
  }
  if (has_port) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || end != port.data() + port.size()) {
      return bad(uri,
                 "has the port " + text::quoted(port, 40) + "; expected a number from 0 to 65535");
    }
  }
  return out;
}

Result<ListenAddress> parse_unix(std::string_view uri, std::string_view rest) {
  ListenAddress out;
  out.kind = ListenAddress::Kind::kUnix;
  // "ldapi://%2Frun%2Fldapi/" has an empty path behind its host.
  if (!rest.starts_with('/') && rest.ends_with('/')) rest.remove_suffix(1);
  if (!percent_decode(rest, out.path)) {
    return bad(uri, "has a '%' without two hexadecimal digits after it");
  }
  if (out.path.find('\0') != std::string::npos) return bad(uri, "names a path with a NUL in it");
  if (out.path.empty() || out.path == "/") {
    return bad(uri, "names no socket; expected ldapi://%2FPATH or ldapi:///PATH");
  }
  if (out.path.size() > kSocketPathMax) {
    return bad(uri, "names a path of " + std::to_string(out.path.size()) +
                        " octets; the system allows " + std::to_string(kSocketPathMax));
  }
  return out;
}

}  // namespace

Result<ListenAddress> parse_listen_uri(std::string_view uri) {
  if (starts_with_ignoring_case(uri, "ldap://")) return parse_tcp(uri, uri.substr(7));
  if (starts_with_ignoring_case(uri, "ldapi://")) return parse_unix(uri, uri.substr(8));
  if (starts_with_ignoring_case(uri, "ldaps://")) {
    return bad(uri, "asks for TLS, which is not available in this version");
  }
  return bad(uri, "is no address to listen on; expected ldap://HOST:PORT or ldapi://%2FPATH");
}

}  // namespace kauri::config
