// The families of password schemes behind password.h: each file of the family holds one of these
// functions. `body` is the stored value after "{SCHEME}"; nothing here trusts it.
//
// Thread safety: thread-safe functions. All of them answer false to a body that they cannot read or
// that asks for more work than the caps below allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace kauri::security::schemes {

// --- Caps on work factors taken from stored values ---
// PBKDF2 rounds; about 2 s.
inline constexpr std::uint32_t kPbkdf2RoundsMax = 4'000'000;
// Rounds of sha256crypt, sha512crypt, sha1crypt, sunmd5 and BSDi's DES; under 1 s.
inline constexpr std::uint32_t kCryptRoundsMax = 1'000'000;
// log2 of bcrypt's rounds; about 2 s.
inline constexpr unsigned kBcryptCostMax = 15;
// Memory of one argon2, scrypt or yescrypt computation, in KiB.
inline constexpr std::uint64_t kMemoryKibMax = 256ULL * 1024;
// Passes of argon2 times its memory in KiB; about 2 s.
inline constexpr std::uint64_t kArgon2WorkMax = 1024ULL * 1024;

// --- Base64 as password files write it: padding may be absent; '.' stands for '+' when adapted ---
// False when `text` is no base64; `out` is the octets.
bool decode_base64(std::string_view text, bool adapted, std::string& out);
// Lengths first, then every octet, whatever differs.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// --- Digests: SHA-1, SHA-2 and MD5, with and without salt (password_digest.cc) ---
enum class Digest : std::uint8_t { kMd5, kSha1, kSha256, kSha384, kSha512 };
std::size_t digest_size(Digest digest);
// Empty when it cannot be computed.
std::string salted_digest(Digest digest, std::string_view password, std::string_view salt);
// base64(digest + salt); a salted scheme needs at least one octet of salt, a plain one exactly
// none.
bool verify_digest(Digest digest, bool salted, std::string_view password, std::string_view body,
                   bool& no_memory);

// --- PBKDF2 (password_pbkdf2.cc): "rounds$salt$key" of OpenLDAP, base64 of 389 DS ---
bool verify_pbkdf2(Digest digest, std::string_view password, std::string_view body,
                   bool& no_memory);

// --- argon2 (password_argon2.cc) ---
// "$argon2id$v=19$m=19456,t=2,p=1$salt$hash", or nothing when there is no memory for it.
Result<std::string> make_argon2id(std::string_view password, Random& random);
bool verify_argon2(std::string_view password, std::string_view body, bool& no_memory);
// One computation with the parameters of make_argon2id(), its result dropped. False: no memory.
bool spend_argon2id(std::string_view password);

// --- crypt(3) (password_crypt.cc) ---
bool verify_crypt(std::string_view password, std::string_view body, bool& no_memory);

}  // namespace kauri::security::schemes
