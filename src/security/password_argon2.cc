// argon2 (RFC 9106) through libsodium, in the string form that OpenLDAP's module stores.
#include <sodium.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "security/password_schemes.h"
#include "text/base64.h"

namespace kauri::security::schemes {
namespace {

// OWASP's smallest setting: 19 MiB, two passes, one lane; about 40 ms.
constexpr std::uint64_t kMemoryKib = 19 * 1024;
constexpr std::uint64_t kPasses = 2;
constexpr std::size_t kKeySize = 32;

bool ready() {
  // sodium_init() may be called from several threads; it costs nothing after the first time.
  static const bool done = sodium_init() >= 0;
  return done;
}

bool derive(std::string_view password, const unsigned char* salt,
            std::array<unsigned char, kKeySize>& key) {
  return ready() && crypto_pwhash(key.data(), key.size(), password.data(), password.size(), salt,
                                  kPasses, kMemoryKib * 1024, crypto_pwhash_ALG_ARGON2ID13) == 0;
}

std::string unpadded(std::string_view octets) {
  std::string out = text::encode_base64(octets);
  while (!out.empty() && out.back() == '=') out.pop_back();
  return out;
}

// Steps over `prefix` and a decimal number.
bool take_number(std::string_view& text, std::string_view prefix, std::uint64_t& value) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// What libsodium is going to spend on this string must be known before it is asked.
bool affordable(std::string_view body) {
  std::string_view rest = body;
  if (rest.starts_with("$argon2id$")) {
    rest.remove_prefix(10);
  } else if (rest.starts_with("$argon2i$")) {
    rest.remove_prefix(9);
  } else {
    return false;
  }
  std::uint64_t version = 0;
  std::uint64_t memory_kib = 0;
  std::uint64_t passes = 0;
  std::uint64_t lanes = 0;
  if (!take_number(rest, "v=", version) || !take_number(rest, "$m=", memory_kib) ||
      !take_number(rest, ",t=", passes) || !take_number(rest, ",p=", lanes) ||
      !rest.starts_with('$')) {
    return false;
  }
  // With the first bound the product of the second cannot overflow.
  return memory_kib >= 8 && memory_kib <= kMemoryKibMax && passes >= 1 &&
         passes <= kArgon2WorkMax && memory_kib * passes <= kArgon2WorkMax && lanes >= 1 &&
         lanes <= 64;
}

}  // namespace

Result<std::string> make_argon2id(std::string_view password, Random& random) {
  std::array<unsigned char, crypto_pwhash_SALTBYTES> salt;
  random.fill(salt);
  std::array<unsigned char, kKeySize> key;
  if (!derive(password, salt.data(), key)) {
    return Error(ErrorCode::kIo, "argon2id found no " + std::to_string(kMemoryKib) +
                                     " KiB of memory to hash a password with");
  }
  std::string out =
      "$argon2id$v=19$m=" + std::to_string(kMemoryKib) + ",t=" + std::to_string(kPasses) + ",p=1$";
  out += unpadded({reinterpret_cast<const char*>(salt.data()), salt.size()});
  out += '$';
  out += unpadded({reinterpret_cast<const char*>(key.data()), key.size()});
  return out;
}

bool verify_argon2(std::string_view password, std::string_view body, bool& no_memory) {
  if (body.find('\0') != std::string_view::npos || !affordable(body) || !ready()) return false;
  const std::string text(body);
  // libsodium says EINVAL of another password, and what the system said of missing memory.
  errno = 0;
  if (crypto_pwhash_str_verify(text.c_str(), password.data(), password.size()) == 0) return true;
  no_memory = errno == ENOMEM;
  return false;
}

bool spend_argon2id(std::string_view password) {
  static constexpr std::array<unsigned char, crypto_pwhash_SALTBYTES> kSalt = {1};
  std::array<unsigned char, kKeySize> key;
  const bool done = derive(password, kSalt.data(), key);
  sodium_memzero(key.data(), key.size());
  return done;
}

}  // namespace kauri::security::schemes
