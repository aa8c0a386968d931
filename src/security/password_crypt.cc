// {CRYPT}: what crypt(5) knows (DES, md5crypt, sha256crypt, sha512crypt, bcrypt, scrypt, yescrypt,
// ...) through crypt_r, after a look at the work that the setting asks for.
#include <crypt.h>
#include <sodium.h>

#include <cerrno>
#include <charconv>
#include <memory>

#include "security/password_schemes.h"
#include "text/ascii.h"

namespace kauri::security::schemes {
namespace {

// The value of a digit of crypt's own base 64, or -1.
int crypt_digit(char c) {
  if (c == '.') return 0;
  if (c == '/') return 1;
  if (c >= '0' && c <= '9') return c - '0' + 2;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 12;
  if (c >= 'a' && c <= 'z') return c - 'a' + 38;
  return -1;
}

// `count` digits, the least significant first.
bool crypt_number(std::string_view text, std::size_t at, std::size_t count, std::uint64_t& value) {
  if (text.size() < at + count) return false;
  value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = crypt_digit(text[at + i]);
    if (digit < 0) return false;
    value |= static_cast<std::uint64_t>(digit) << (6 * i);
  }
  return true;
}

// A decimal number at the start of `text` that is at most `most`.
bool small_number(std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value <= most;
}

// 128 * N * r octets, N = 2^log2_n.
bool memory_is_affordable(std::uint64_t log2_n, std::uint64_t r) {
  if (log2_n > 30 || r == 0 || r > (1U << 20U)) return false;
  return ((r << log2_n) >> 3U) <= kMemoryKibMax;
}

// "$y$j9T$salt": flavour, log2(N) - 1 and r - 1, one digit each, as crypt_gensalt writes them. The
// optional further parameters (p, t, g) would multiply the work and are in no system's files.
bool yescrypt_is_affordable(std::string_view parameters) {
  if (parameters.find('$') != 3) return false;
  const int log2_n = crypt_digit(parameters[1]);
  const int r = crypt_digit(parameters[2]);
  // Digits from 48 on start longer numbers.
  if (log2_n < 0 || log2_n >= 48 || r < 0 || r >= 48) return false;
  return memory_is_affordable(static_cast<std::uint64_t>(log2_n) + 1,
                              static_cast<std::uint64_t>(r) + 1);
}

// "$7$" log2(N), r (5 digits), p (5 digits).
bool scrypt_is_affordable(std::string_view parameters) {
  std::uint64_t log2_n = 0;
  std::uint64_t r = 0;
  std::uint64_t p = 0;
  return crypt_number(parameters, 0, 1, log2_n) && crypt_number(parameters, 1, 5, r) &&
         crypt_number(parameters, 6, 5, p) && p >= 1 && p <= 4 && memory_is_affordable(log2_n, r);
}

bool bcrypt_is_affordable(std::string_view setting) {
  // "$2b$12$": always two digits.
  if (setting.size() < 7 || setting[3] != '$' || setting[6] != '$' || !text::is_digit(setting[4]) ||
      !text::is_digit(setting[5])) {
    return false;
  }
  return static_cast<unsigned>((setting[4] - '0') * 10 + (setting[5] - '0')) <= kBcryptCostMax;
}

// Only settings whose cost can be told are computed.
bool affordable(std::string_view setting) {
  if (setting.starts_with("$1$") || setting.starts_with("$3$")) return true;
  if (setting.starts_with("$5$") || setting.starts_with("$6$")) {
    const std::string_view rest = setting.substr(3);
    return !rest.starts_with("rounds=") || small_number(rest.substr(7), kCryptRoundsMax);
  }
  if (setting.starts_with("$2")) return bcrypt_is_affordable(setting);
  if (setting.starts_with("$y$")) return yescrypt_is_affordable(setting.substr(3));
  if (setting.starts_with("$gy$")) return yescrypt_is_affordable(setting.substr(4));
  if (setting.starts_with("$7$")) return scrypt_is_affordable(setting.substr(3));
  if (setting.starts_with("$sha1$")) return small_number(setting.substr(6), kCryptRoundsMax);
  if (setting.starts_with("$md5,rounds=")) {
    return small_number(setting.substr(12), kCryptRoundsMax);
  }
  if (setting.starts_with("$md5$")) return true;
  if (setting.starts_with('_')) {
    std::uint64_t rounds = 0;
    return crypt_number(setting, 1, 4, rounds) && rounds <= kCryptRoundsMax;
  }
  // Traditional DES: two digits of salt, eleven of hash.
  return setting.size() >= 13 && crypt_digit(setting[0]) >= 0 && crypt_digit(setting[1]) >= 0;
}

}  // namespace

bool verify_crypt(std::string_view password, std::string_view body, bool& no_memory) {
  // crypt_r takes C strings: "secret\0anything" must not match the hash of "secret".
  if (password.find('\0') != std::string_view::npos) return false;
  if (body.find('\0') != std::string_view::npos || !affordable(body)) return false;
  std::string phrase(password);
  const std::string setting(body);
  const auto data = std::make_unique<crypt_data>();
  errno = 0;
  const char* made = crypt_r(phrase.c_str(), setting.c_str(), data.get());
  // "*0" and "*1" are crypt's failures; no hash begins so.
  const bool failed = made == nullptr || made[0] == '*';
  no_memory = failed && errno == ENOMEM;
  const bool matches = !failed && equal_in_constant_time(made, setting);
  sodium_memzero(data.get(), sizeof(crypt_data));
  sodium_memzero(phrase.data(), phrase.size());
  return matches;
}

}  // namespace kauri::security::schemes
