#include "operation/paged_cookie.h"

#include "base/digest.h"
#include "base/endian.h"

namespace kauri::operation {
namespace {

// MAC, serial, sent, scope, position of the walk.
constexpr std::size_t kMacSize = 16;
constexpr std::size_t kHeadSize = kMacSize + 8 + 4 + 4;

std::string mac_of(std::string_view key, const RequestDigest& digest, std::string_view body) {
  std::string data(digest.data(), digest.size());
  data += body;
  const auto mac = hmac_sha256(key, data);
  return {mac.data(), kMacSize};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace

RequestDigest request_digest(std::string_view request_body, std::string_view identity,
                             std::uint64_t connection, std::uint64_t bind_count) {
  std::string data;
  append_big_endian<std::uint64_t>(data, connection);
  append_big_endian<std::uint64_t>(data, bind_count);
  append_big_endian<std::uint64_t>(data, identity.size());
  data += identity;
  data += request_body;
  return digest128(data);
}

std::string make_cookie(std::string_view key, const RequestDigest& digest,
                        const PagePosition& position) {
  std::string body;
  append_big_endian<std::uint64_t>(body, position.serial);
  append_big_endian<std::uint32_t>(body, position.sent);
  append_big_endian<std::uint32_t>(body, position.scope);
  body += position.walk;
  return mac_of(key, digest, body) + body;
}

std::optional<PagePosition> open_cookie(std::string_view key, const RequestDigest& digest,
                                        std::string_view cookie) {
  if (cookie.size() < kHeadSize) return std::nullopt;
  const std::string_view body = cookie.substr(kMacSize);
  if (!equal_in_constant_time(mac_of(key, digest, body), cookie.substr(0, kMacSize))) {
    return std::nullopt;
  }
  PagePosition position;
  position.serial = load_big_endian<std::uint64_t>(body);
  position.sent = load_big_endian<std::uint32_t>(body.substr(8));
  position.scope = load_big_endian<std::uint32_t>(body.substr(12));
  position.walk = body.substr(16);
  return position;
}

}  // namespace kauri::operation
