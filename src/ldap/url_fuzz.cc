// An LDAP URL: what is parsed is written in RFC 3986's characters only, and parsed again as the
// same parts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "ldap/url.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  using namespace kauri::ldap;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<LdapUrl> url = parse_url(text);
  if (!url) {
    KAURI_ASSERT(url.error().code() == ErrorCode::kInvalid);
    KAURI_ASSERT(text::is_ascii(url.error().message()));
    return 0;
  }
  KAURI_ASSERT(has_ldap_scheme(text));
  const std::string written = to_string(*url);
  KAURI_ASSERT(
      std::all_of(written.begin(), written.end(), [](char c) { return c > ' ' && c <= '~'; }));
  const Result<LdapUrl> again = parse_url(written);
  KAURI_ASSERT(again.has_value());
  KAURI_ASSERT(*again == *url);
  KAURI_ASSERT(percent_decode(percent_encode(text)).value() == text);
  return 0;
}
