// Any octets as a stored password: it never matches what it was not made from, never crashes, and
// never costs more than the caps allow.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "security/password.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view stored(reinterpret_cast<const char*>(data), size);
  static_cast<void>(kauri::security::is_slow(stored));
  static_cast<void>(kauri::security::parse_scheme(stored));
  // A password that no seed holds, and that no short input can hold the digest of by chance.
  if (kauri::security::verify_password("gh0st of a password", stored)) {
    KAURI_ASSERT(kauri::security::is_hashed(stored));
    KAURI_ASSERT(false);
  }
  KAURI_ASSERT(!kauri::security::verify_password("", stored));
  return 0;
}
