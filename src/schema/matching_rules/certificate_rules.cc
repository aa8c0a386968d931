// Rules over ASN.1 values (RFC 4523): the value's octets compare. An assertion that is not such a
// value, as the GSER text of the exact and component forms, is unfit and so never matches.
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/validators.h"

namespace kauri::schema::rules {

namespace {

bool der(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::der_sequence(value, nullptr)) return false;
  out += value;
  return true;
}

}  // namespace

void add_certificate_rules(RuleList& list) {
  constexpr RuleKind kEq = RuleKind::kEquality;
  const RuleSpec specs[] = {
      {"2.5.13.34", "certificateExactMatch", kEq, "1.3.6.1.1.15.1", "certificate", der},
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
