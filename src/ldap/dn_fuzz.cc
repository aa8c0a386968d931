// A name as text: what is parsed is written and parsed again as the same types and octets; writing
// is idempotent.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/limits.h"
#include "ldap/dn.h"
#include "text/utf8.h"

namespace {

void check_same(const kauri::ldap::Dn& a, const kauri::ldap::Dn& b) {
  KAURI_ASSERT(a.rdns.size() == b.rdns.size());
  for (std::size_t i = 0; i < a.rdns.size(); ++i) {
    KAURI_ASSERT(a.rdns[i].avas.size() == b.rdns[i].avas.size());
    for (std::size_t j = 0; j < a.rdns[i].avas.size(); ++j) {
      KAURI_ASSERT(a.rdns[i].avas[j].type == b.rdns[i].avas[j].type);
      KAURI_ASSERT(a.rdns[i].avas[j].value == b.rdns[i].avas[j].value);
      KAURI_ASSERT(a.rdns[i].avas[j].hex == b.rdns[i].avas[j].hex);
      KAURI_ASSERT(!a.rdns[i].avas[j].value.empty() && !a.rdns[i].avas[j].type.empty());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  using namespace kauri::ldap;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Dn> dn = parse_dn(text);
  const Result<Rdn> rdn = parse_rdn(text);
  KAURI_ASSERT(rdn.has_value() == (dn.has_value() && dn->rdns.size() == 1));
  if (!dn) {
    KAURI_ASSERT(dn.error().code() == ErrorCode::kInvalid);
    KAURI_ASSERT(text::is_ascii(dn.error().message()));
    return 0;
  }
  const std::string written = to_string(*dn);
  KAURI_ASSERT(text::is_valid_utf8(written));
  const Result<Dn> again = parse_dn(written);
  if (!again) {
    // Escaping may take a long name past the limit; nothing else may go wrong.
    KAURI_ASSERT(written.size() > limits::kDnSizeMax);
    return 0;
  }
  check_same(*dn, *again);
  KAURI_ASSERT(to_string(*again) == written);
  return 0;
}
