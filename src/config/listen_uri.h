// Addresses to listen on as URIs: "ldap://host:port", "ldapi://%2Fpath" or "ldapi:///path".
// Thread safety: immutable values and functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::config {

struct ListenAddress {
  enum class Kind : std::uint8_t { kTcp, kUnix } kind = Kind::kTcp;
  std::string host;        // kTcp; without the brackets of IPv6; empty = every address
  std::uint16_t port = 0;  // kTcp; 389 when the URI names none; 0 = any free one
  std::string path;        // kUnix; as written, may be relative
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// RETURNS: kInvalid with the URI, what is wrong with it and what was expected.
Result<ListenAddress> parse_listen_uri(std::string_view uri);

}  // namespace kauri::config
