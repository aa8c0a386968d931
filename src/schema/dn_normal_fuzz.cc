// Names: the fast path and the full parser agree, a normal form is well-formed, and writing a
// parsed name gives a name with the same normal form.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "schema/schema_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace schema = kauri::schema;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const schema::Schema& known = *schema::builtin_schema();
  const auto quick = schema::normalize_dn(known, text);
  const auto dn = kauri::ldap::parse_dn(text);
  if (!dn) {
    KAURI_ASSERT(!quick);
    return 0;
  }
  const auto full = schema::normalize_dn(known, *dn);
  KAURI_ASSERT(quick.has_value() == full.has_value());
  if (!full) return 0;
  KAURI_ASSERT(*quick == *full);
  const auto rdns = schema::normalize_rdns(known, *dn);
  KAURI_ASSERT(rdns.has_value());
  KAURI_ASSERT(schema::join_normal(*rdns) == *full);
  for (const std::string& rdn : *rdns) {
    KAURI_ASSERT(!rdn.empty());
    KAURI_ASSERT(rdn.find('\0') == std::string::npos && rdn.find('\1') == std::string::npos);
  }
  if (!rdns->empty()) {
    KAURI_ASSERT(schema::child_normal(schema::parent_normal(*full), rdns->front()) == *full);
  }
  const std::string written = kauri::ldap::to_string(*dn);
  // Escaping may grow a name past the limit of its size.
  const auto again = schema::normalize_dn(known, written);
  if (again) KAURI_ASSERT(*again == *full);
  return 0;
}
