#include "security/password.h"

#include <sodium.h>

#include <array>
#include <optional>

#include "base/limits.h"
#include "security/password_schemes.h"
#include "text/ascii.h"
#include "text/base64.h"
#include "text/visible.h"

namespace kauri::security {
namespace {

using schemes::Digest;

enum class Family : std::uint8_t { kDigest, kSaltedDigest, kPbkdf2, kArgon2, kCrypt };

struct Scheme {
  std::string_view name;  // upper case
  Family family;
  Digest digest;  // means nothing for argon2 and crypt
};

constexpr std::array kSchemes = {
    Scheme{"ARGON2", Family::kArgon2, Digest::kSha512},
    Scheme{"ARGON2ID", Family::kArgon2, Digest::kSha512},
    Scheme{"ARGON2I", Family::kArgon2, Digest::kSha512},
    Scheme{"SSHA", Family::kSaltedDigest, Digest::kSha1},
    Scheme{"SSHA256", Family::kSaltedDigest, Digest::kSha256},
    Scheme{"SSHA384", Family::kSaltedDigest, Digest::kSha384},
    Scheme{"SSHA512", Family::kSaltedDigest, Digest::kSha512},
    Scheme{"SMD5", Family::kSaltedDigest, Digest::kMd5},
    Scheme{"SHA", Family::kDigest, Digest::kSha1},
    Scheme{"SHA256", Family::kDigest, Digest::kSha256},
    Scheme{"SHA384", Family::kDigest, Digest::kSha384},
    Scheme{"SHA512", Family::kDigest, Digest::kSha512},
    Scheme{"MD5", Family::kDigest, Digest::kMd5},
    Scheme{"CRYPT", Family::kCrypt, Digest::kSha512},
    Scheme{"PBKDF2", Family::kPbkdf2, Digest::kSha1},
    Scheme{"PBKDF2-SHA1", Family::kPbkdf2, Digest::kSha1},
    Scheme{"PBKDF2-SHA256", Family::kPbkdf2, Digest::kSha256},
    Scheme{"PBKDF2-SHA512", Family::kPbkdf2, Digest::kSha512},
    Scheme{"PBKDF2_SHA256", Family::kPbkdf2, Digest::kSha256},
    Scheme{"PBKDF2_SHA512", Family::kPbkdf2, Digest::kSha512},
};

// No scheme writes anything near this; a longer value is not worth reading.
constexpr std::size_t kStoredSizeMax = 4096;
constexpr std::size_t kSchemeNameMax = 32;
constexpr std::size_t kSaltSize = 16;

struct Parts {
  std::string_view scheme;
  std::string_view body;
};

// RFC 2307 section 5.3: "{scheme}body".
std::optional<Parts> split(std::string_view stored) {
  if (stored.size() < 3 || stored.front() != '{') return std::nullopt;
  const std::size_t close = stored.substr(0, kSchemeNameMax + 2).find('}');
  if (close == std::string_view::npos || close == 1) return std::nullopt;
  const std::string_view name = stored.substr(1, close - 1);
  for (const char c : name) {
    if (!text::is_alpha(c) && !text::is_digit(c) && c != '-' && c != '_' && c != '/' && c != '.') {
      return std::nullopt;
    }
  }
  return Parts{name, stored.substr(close + 1)};
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme& scheme : kSchemes) {
    if (text::equal_ignoring_case(scheme.name, name)) return &scheme;
  }
  return nullptr;
}

// How the passwd and shadow files write "no password can match".
bool is_locked_marker(std::string_view stored) {
  return stored == "*" || stored == "!" || stored == "!!";
}

}  // namespace

namespace schemes {

bool decode_base64(std::string_view text, bool adapted, std::string& out) {
  std::string padded(text);
  if (adapted) {
    for (char& c : padded) {
      if (c == '.') c = '+';
    }
  }
  while (padded.size() % 4 != 0 && padded.size() < text.size() + 2) padded.push_back('=');
  std::optional<std::string> octets = text::decode_base64(padded);
  if (!octets) return false;
  out = std::move(*octets);
  return true;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace schemes

Result<PasswordScheme> parse_scheme(std::string_view name) {
  std::string_view bare = name;
  if (bare.size() >= 2 && bare.front() == '{' && bare.back() == '}') {
    bare = bare.substr(1, bare.size() - 2);
  }
  for (const PasswordScheme scheme : {PasswordScheme::kArgon2id, PasswordScheme::kSsha512,
                                      PasswordScheme::kSsha256, PasswordScheme::kSsha}) {
    if (text::equal_ignoring_case(bare, to_string(scheme))) return scheme;
  }
  // OpenLDAP's name of the same thing.
  if (text::equal_ignoring_case(bare, "argon2")) return PasswordScheme::kArgon2id;
  return invalid(text::quoted(name) +
                 " is no password scheme that can be made; expected argon2id, ssha512, ssha256 or "
                 "ssha");
}

std::string_view to_string(PasswordScheme scheme) {
  switch (scheme) {
    case PasswordScheme::kArgon2id:
      return "argon2id";
    case PasswordScheme::kSsha512:
      return "ssha512";
    case PasswordScheme::kSsha256:
      return "ssha256";
    case PasswordScheme::kSsha:
      return "ssha";
  }
  return "";
}

Result<std::string> hash_password(std::string_view password, PasswordScheme scheme,
                                  Random& random) {
  if (password.empty()) return invalid("a password must not be empty");
  if (password.size() > limits::kPasswordSizeMax) {
    return limit_exceeded("a password of " + std::to_string(password.size()) +
                          " octets exceeds the limit of " +
                          std::to_string(limits::kPasswordSizeMax) + " octets");
  }
  if (scheme == PasswordScheme::kArgon2id) {
    KAURI_TRY(std::string body, schemes::make_argon2id(password, random));
    return "{ARGON2}" + body;
  }
  Digest digest = Digest::kSha1;
  std::string out = "{SSHA}";
  if (scheme == PasswordScheme::kSsha512) {
    digest = Digest::kSha512;
    out = "{SSHA512}";
  } else if (scheme == PasswordScheme::kSsha256) {
    digest = Digest::kSha256;
    out = "{SSHA256}";
  }
  const std::string salt = random.bytes(kSaltSize);
  const std::string made = schemes::salted_digest(digest, password, salt);
  if (made.empty()) return Error(ErrorCode::kIo, "there is no memory to hash a password with");
  text::append_base64(out, made + salt);
  return out;
}

std::optional<std::string_view> clear_password(std::string_view value) {
  if (is_locked_marker(value)) return std::nullopt;
  const std::optional<Parts> parts = split(value);
  if (!parts) return value;
  const bool marked = text::equal_ignoring_case(parts->scheme, "CLEAR") ||
                      text::equal_ignoring_case(parts->scheme, "CLEARTEXT");
  return marked ? std::optional(parts->body) : std::nullopt;
}

bool is_hashed(std::string_view stored) {
  return !clear_password(stored).has_value();
}

Result<std::string> stored_password(std::string_view value, PasswordScheme scheme, Random& random) {
  const std::optional<std::string_view> clear = clear_password(value);
  if (!clear) return std::string(value);
  return hash_password(*clear, scheme, random);
}

bool is_known_scheme(std::string_view stored) {
  if (is_locked_marker(stored)) return true;
  const std::optional<Parts> parts = split(stored);
  return parts.has_value() && find_scheme(parts->scheme) != nullptr;
}

bool verify_password(std::string_view password, std::string_view stored, bool* no_memory) {
  bool ignored = false;
  bool& missing = no_memory != nullptr ? *no_memory : ignored;
  missing = false;
  if (password.empty() || password.size() > limits::kPasswordSizeMax) return false;
  if (stored.size() > kStoredSizeMax) return false;
  const std::optional<Parts> parts = split(stored);
  if (!parts) return false;
  const Scheme* scheme = find_scheme(parts->scheme);
  if (scheme == nullptr) return false;
  switch (scheme->family) {
    case Family::kDigest:
      return schemes::verify_digest(scheme->digest, false, password, parts->body, missing);
    case Family::kSaltedDigest:
      return schemes::verify_digest(scheme->digest, true, password, parts->body, missing);
    case Family::kPbkdf2:
      return schemes::verify_pbkdf2(scheme->digest, password, parts->body, missing);
    case Family::kArgon2:
      return schemes::verify_argon2(password, parts->body, missing);
    case Family::kCrypt:
      return schemes::verify_crypt(password, parts->body, missing);
  }
  return false;
}

bool is_slow(std::string_view stored) {
  const std::optional<Parts> parts = split(stored);
  if (!parts) return false;
  const Scheme* scheme = find_scheme(parts->scheme);
  return scheme != nullptr && scheme->family != Family::kDigest &&
         scheme->family != Family::kSaltedDigest;
}

bool verify_dummy(std::string_view password) {
  return schemes::spend_argon2id(password.substr(0, limits::kPasswordSizeMax));
}

}  // namespace kauri::security
