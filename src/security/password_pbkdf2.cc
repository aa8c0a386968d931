// PBKDF2 (RFC 8018 section 5.2) in the two forms in which directories store it: OpenLDAP's text
// "rounds$salt$key" in base64 with '.' for '+' and without padding, and 389 DS's base64 of a 32-bit
// big-endian round count, 64 octets of salt and 256 octets of key.
#include <openssl/evp.h>

#include <charconv>

#include "base/endian.h"
#include "security/password_schemes.h"

namespace kauri::security::schemes {
namespace {

constexpr std::size_t k389SaltSize = 64;
constexpr std::size_t k389KeySize = 256;
constexpr std::size_t k389Size = 4 + k389SaltSize + k389KeySize;

const EVP_MD* evp_digest(Digest digest) {
  switch (digest) {
    case Digest::kSha1:
      return EVP_sha1();
    case Digest::kSha256:
      return EVP_sha256();
    case Digest::kSha512:
      return EVP_sha512();
    default:
      return nullptr;
  }
}

struct Stored {
  std::uint32_t rounds = 0;
  std::string salt;
  std::string key;
};

bool parse_text(Digest digest, std::string_view body, Stored& out) {
  const std::size_t first = body.find('$');
  const std::size_t second = body.find('$', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view rounds = body.substr(0, first);
  const auto [end, error] =
      std::from_chars(rounds.data(), rounds.data() + rounds.size(), out.rounds);
  if (error != std::errc() || end != rounds.data() + rounds.size()) return false;
  return decode_base64(body.substr(first + 1, second - first - 1), true, out.salt) &&
         decode_base64(body.substr(second + 1), true, out.key) && !out.salt.empty() &&
         out.key.size() == digest_size(digest);
}

bool parse_binary(std::string_view body, Stored& out) {
  std::string octets;
  if (!decode_base64(body, false, octets) || octets.size() != k389Size) return false;
  out.rounds = load_big_endian<std::uint32_t>(octets);
  out.salt = octets.substr(4, k389SaltSize);
  out.key = octets.substr(4 + k389SaltSize);
  return true;
}

}  // namespace

bool verify_pbkdf2(Digest digest, std::string_view password, std::string_view body,
                   bool& no_memory) {
  // HMAC fills its key with zeros: without this "secret\0" would match the hash of "secret".
  if (password.ends_with('\0')) return false;
  Stored stored;
  const bool readable = body.find('$') == std::string_view::npos ? parse_binary(body, stored)
                                                                 : parse_text(digest, body, stored);
  if (!readable || stored.rounds == 0 || stored.rounds > kPbkdf2RoundsMax) return false;
  std::string key(stored.key.size(), '\0');
  if (PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                        reinterpret_cast<const unsigned char*>(stored.salt.data()),
                        static_cast<int>(stored.salt.size()), static_cast<int>(stored.rounds),
                        evp_digest(digest), static_cast<int>(key.size()),
                        reinterpret_cast<unsigned char*>(key.data())) != 1) {
    no_memory = true;  // the parameters are good, so nothing else can fail
    return false;
  }
  return equal_in_constant_time(key, stored.key);
}

}  // namespace kauri::security::schemes
