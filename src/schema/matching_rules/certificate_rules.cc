// Rules over ASN.1 values (RFC 4523). certificateExactMatch compares serial number and issuer; the
// others compare the value's octets, and an assertion that is not such a value, as the GSER text of
// their component forms, is unfit and so never matches.
#include "schema/certificate_value.h"
#include "schema/dn_normal.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/validators.h"

namespace kauri::schema::rules {

namespace {

bool der(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::der_sequence(value, nullptr)) return false;
  out += value;
  return true;
}

// The serial number's length and octets, then the issuer's normal form.
bool append_id(std::string_view serial, const Result<std::string>& issuer, std::string& out) {
  if (!issuer) return false;
  out.push_back(static_cast<char>(serial.size()));
  out += serial;
  out += *issuer;
  return true;
}

// Values that are a DER SEQUENCE but no certificate with a readable issuer still equal themselves:
// 0xFF, which is no length of a serial number, and the octets.
bool certificate(const Schema& schema, std::string_view value, std::string& out) {
  if (!syntaxes::der_sequence(value, nullptr)) return false;
  const auto id = certificate_id(value);
  if (id && append_id(id->serial, normalize_dn(schema, id->issuer), out)) return true;
  out.push_back('\xFF');
  out += value;
  return true;
}

bool certificate_assertion(const Schema& schema, std::string_view value, std::string& out) {
  if (certificate(schema, value, out)) return true;
  const auto assertion = parse_certificate_assertion(value);
  return assertion && append_id(assertion->serial, normalize_dn(schema, assertion->issuer), out);
}

}  // namespace

void add_certificate_rules(RuleList& list) {
  constexpr RuleKind kEq = RuleKind::kEquality;
  const RuleSpec specs[] = {
      {"2.5.13.34", "certificateExactMatch", kEq, "1.3.6.1.1.15.1", "certificateId", certificate,
       certificate_assertion},
      {"2.5.13.35", "certificateMatch", kEq, "1.3.6.1.1.15.2", "certificate", der},
      {"2.5.13.36", "certificatePairExactMatch", kEq, "1.3.6.1.1.15.3", "certificatePair", der},
      {"2.5.13.37", "certificatePairMatch", kEq, "1.3.6.1.1.15.4", "certificatePair", der},
      {"2.5.13.38", "certificateListExactMatch", kEq, "1.3.6.1.1.15.5", "certificateList", der},
      {"2.5.13.39", "certificateListMatch", kEq, "1.3.6.1.1.15.6", "certificateList", der},
      {"2.5.13.40", "algorithmIdentifierMatch", kEq, "1.3.6.1.1.15.7", "algorithmIdentifier", der},
      {"2.5.13.45", "attributeCertificateExactMatch", kEq, "1.3.6.1.4.1.4203.666.11.10.2.2",
       "attributeCertificate", der},
  };
  for (const RuleSpec& spec : specs) add_rule(list, spec);
}

}  // namespace kauri::schema::rules
