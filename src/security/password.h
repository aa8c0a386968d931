// Stored passwords: RFC 3112-like "{SCHEME}text" values of userPassword. Thread safety: thread-safe
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace kauri::security {

enum class PasswordScheme : std::uint8_t { kArgon2id, kSsha512, kSsha256, kSsha };

// "argon2id", "ssha512", "ssha256", "ssha", with or without braces and case.
Result<PasswordScheme> parse_scheme(std::string_view name);
std::string_view to_string(PasswordScheme scheme);

// "{ARGON2}$argon2id$...", "{SSHA512}base64", ... kLimit for a password over
// limits::kPasswordSizeMax.
Result<std::string> hash_password(std::string_view password, PasswordScheme scheme, Random& random);

// The clear text in a value of userPassword, which is to be hashed before it is stored: all of the
// value, or what follows "{CLEAR}" or "{CLEARTEXT}", as other servers' exports mark it. Nothing for
// a value that is stored as it is: "{NAME}text" whatever else NAME is, and the markers "*", "!" and
// "!!" of password files. A value of an unknown scheme matches nothing; hashed as if it were clear,
// it would become its own password. VALID UNTIL: the octets of `value` change.
std::optional<std::string_view> clear_password(std::string_view value);
bool is_hashed(std::string_view stored);  // there is no clear text in it
// `value` as it is to be stored: its clear text hashed, or itself. RETURNS: kLimit, kInvalid of
// hash_password().
Result<std::string> stored_password(std::string_view value, PasswordScheme scheme, Random& random);
// Whether a value that is_hashed() can match a password at all: its scheme is one that
// verify_password() knows, or it is the marker of a locked account.
bool is_known_scheme(std::string_view stored);

// Constant time in the comparison. A malformed hash, an unknown scheme and a clear stored value
// never match. {ARGON2} {SSHA} {SHA} {SSHA256} {SHA256} {SSHA384} {SHA384} {SSHA512} {SHA512}
// {SMD5} {MD5} {CRYPT} {PBKDF2} {PBKDF2-SHA1} {PBKDF2-SHA256} {PBKDF2-SHA512} {PBKDF2_SHA256}, with
// caps on work factors taken from stored values. *no_memory: whether it could not be told, because
// there was no memory to compute the hash.
bool verify_password(std::string_view password, std::string_view stored, bool* no_memory = nullptr);

// True when verifying takes more than about 100 us (argon2, pbkdf2, crypt): such work belongs to
// the HashPool.
bool is_slow(std::string_view stored);

// Spends the time of a verification of the default scheme, for names that do not exist. RETURNS:
// whether there was the memory for it.
bool verify_dummy(std::string_view password);

}  // namespace kauri::security
