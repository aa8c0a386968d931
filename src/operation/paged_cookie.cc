#include "operation/paged_cookie.h"

#include "base/digest.h"
#include "base/endian.h"

namespace kauri::operation {
namespace {

// Tag, and encrypted with it: serial, sent, scope, position of the walk.
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kHeadSize = kTagSize + 8 + 4 + 4;

// Authenticates the body and, since no two bodies of a connection have the same serial, serves as
// the nonce of its encryption (the construction of RFC 5297, from HMAC).
std::string tag_of(std::string_view key, const RequestDigest& digest, std::string_view body) {
  std::string data = "tag";
  data.append(digest.data(), digest.size());
  data += body;
  const auto mac = hmac_sha256(key, data);
  return {mac.data(), kTagSize};
}

// Encrypts and decrypts.
void apply_key_stream(std::string_view key, std::string_view tag, std::string& body) {
  std::string block_name = "stream";
  block_name += tag;
  const std::size_t prefix = block_name.size();
  std::array<char, 32> block{};
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (i % block.size() == 0) {
      block_name.resize(prefix);
      append_big_endian<std::uint64_t>(block_name, i / block.size());
      block = hmac_sha256(key, block_name);
    }
    body[i] = static_cast<char>(body[i] ^ block[i % block.size()]);
  }
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
  std::string cookie = tag_of(key, digest, body);
  apply_key_stream(key, cookie, body);
  return cookie + body;
}

std::optional<PagePosition> open_cookie(std::string_view key, const RequestDigest& digest,
                                        std::string_view cookie) {
  if (cookie.size() < kHeadSize || cookie.size() > kHeadSize + kWalkSizeMax) return std::nullopt;
  const std::string_view tag = cookie.substr(0, kTagSize);
  std::string body(cookie.substr(kTagSize));
  apply_key_stream(key, tag, body);
  if (!equal_in_constant_time(tag_of(key, digest, body), tag)) return std::nullopt;
  PagePosition position;
  position.serial = load_big_endian<std::uint64_t>(body);
  position.sent = load_big_endian<std::uint32_t>(std::string_view(body).substr(8));
  position.scope = load_big_endian<std::uint32_t>(std::string_view(body).substr(12));
  position.walk = body.substr(16);
  return position;
}

}  // namespace kauri::operation
