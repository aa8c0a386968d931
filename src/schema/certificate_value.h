// What of an X.509 certificate certificateExactMatch compares (RFC 4523 section 2.4): serial number
// and issuer.
//
// A reader of just enough DER; every length is checked against the octets that are there. Thread
// safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ldap/dn.h"

namespace kauri::schema {

struct CertificateId {
  std::string serial;  // two's complement, big-endian, as short as can be
  ldap::Dn issuer;     // types are dotted OIDs, values UTF-8
};

// From a DER certificate. Nothing when the octets are no certificate, or a name in it is not a
// character string.
std::optional<CertificateId> certificate_id(std::string_view der);

// From an assertion: `{ serialNumber 123, issuer rdnSequence:"cn=x" }` (RFC 4523 section 3.1), or
// `123$cn=x` as older clients write it. `issuer` is the DN's text. Nothing when the text is
// neither.
struct CertificateAssertion {
  std::string serial;
  std::string issuer;
};
std::optional<CertificateAssertion> parse_certificate_assertion(std::string_view text);

}  // namespace kauri::schema
