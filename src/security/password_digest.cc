// {SSHA*}, {SHA*}, {SMD5} and {MD5}: base64 of a digest of password and salt, followed by the salt.
#include <openssl/evp.h>

#include <cerrno>

#include "base/assert.h"
#include "security/password_schemes.h"

namespace kauri::security::schemes {
namespace {

const EVP_MD* evp_digest(Digest digest) {
  switch (digest) {
    case Digest::kMd5:
      return EVP_md5();
    case Digest::kSha1:
      return EVP_sha1();
    case Digest::kSha256:
      return EVP_sha256();
    case Digest::kSha384:
      return EVP_sha384();
    case Digest::kSha512:
      return EVP_sha512();
  }
  return nullptr;
}

}  // namespace

std::size_t digest_size(Digest digest) {
  switch (digest) {
    case Digest::kMd5:
      return 16;
    case Digest::kSha1:
      return 20;
    case Digest::kSha256:
      return 32;
    case Digest::kSha384:
      return 48;
    case Digest::kSha512:
      return 64;
  }
  return 0;
}

std::string salted_digest(Digest digest, std::string_view password, std::string_view salt) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  KAURI_ASSERT(context != nullptr);
  std::string out(digest_size(digest), '\0');
  unsigned size = 0;
  // MD5 is refused where OpenSSL runs in FIPS mode: such a value then matches nothing.
  const bool done =
      EVP_DigestInit_ex(context, evp_digest(digest), nullptr) == 1 &&
      EVP_DigestUpdate(context, password.data(), password.size()) == 1 &&
      EVP_DigestUpdate(context, salt.data(), salt.size()) == 1 &&
      EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(out.data()), &size) == 1;
  EVP_MD_CTX_free(context);
  if (!done || size != out.size()) return {};
  return out;
}

bool verify_digest(Digest digest, bool salted, std::string_view password, std::string_view body,
                   bool& no_memory) {
  std::string octets;
  if (!decode_base64(body, false, octets)) return false;
  const std::size_t size = digest_size(digest);
  if (salted ? octets.size() <= size : octets.size() != size) return false;
  const std::string_view stored = octets;
  errno = 0;
  const std::string made = salted_digest(digest, password, stored.substr(size));
  no_memory = made.empty() && errno == ENOMEM;
  return equal_in_constant_time(made, stored.substr(0, size));
}

}  // namespace kauri::security::schemes
