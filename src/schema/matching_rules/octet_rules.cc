// octetString* (RFC 4517 sections 4.2.27, 4.2.28), UUID (RFC 4530), CSN (draft-chu-ldap-csn), and
// rules of X.520 whose syntaxes have no public LDAP form, which therefore compare octets.
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"
#include "text/hex.h"

namespace kauri::schema::rules {

namespace {

bool octets(const Schema& /*schema*/, std::string_view value, std::string& out) {
  out += value;
  return true;
}
bool octets_part(SubstringPosition /*position*/, std::string_view part, std::string& out) {
  out += part;
  return true;
}

// 16 octets: they sort as RFC 4530 section 2.4 asks.
bool uuid(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::uuid(value, nullptr)) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '-') continue;
    out.push_back(
        static_cast<char>(text::hex_digit(value[i]) * 16 + text::hex_digit(value[i + 1])));
    ++i;
  }
  return true;
}

bool csn(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::csn(value, nullptr)) return false;
  // The 'Z' and '.' stand at fixed places; only the hexadecimal digits have two spellings.
  for (const char c : value) out.push_back(text::to_lower(c));
  return true;
}

}  // namespace

void add_octet_rules(RuleList& list) {
  constexpr RuleKind kEq = RuleKind::kEquality;
  constexpr RuleKind kOrd = RuleKind::kOrdering;
  const RuleSpec specs[] = {
      {"2.5.13.17", "octetStringMatch", kEq, kOctetString, "octetString", octets},
      {"2.5.13.18", "octetStringOrderingMatch", kOrd, kOctetString, "octetString", octets},
      {"2.5.13.19", "octetStringSubstringsMatch", RuleKind::kSubstrings, kOctetString,
       "octetString", octets, nullptr, octets_part},
      {"1.3.6.1.1.16.2", "uuidMatch", kEq, kUuid, "uuid", uuid},
      {"1.3.6.1.1.16.3", "uuidOrderingMatch", kOrd, kUuid, "uuid", uuid},
      {"1.3.6.1.4.1.4203.666.11.2.2", "CSNMatch", kEq, kCsn, "csn", csn},
      {"1.3.6.1.4.1.4203.666.11.2.3", "CSNOrderingMatch", kOrd, kCsn, "csn", csn},
      {"2.5.13.22", "presentationAddressMatch", kEq, "1.3.6.1.4.1.1466.115.121.1.43",
       "presentationAddress", octets},
      {"2.5.13.24", "protocolInformationMatch", kEq, "1.3.6.1.4.1.1466.115.121.1.42",
       "protocolInformation", octets},
      {"1.3.6.1.4.1.4203.666.4.12", "authzMatch", kEq, "1.3.6.1.4.1.4203.666.2.7", "authz", octets},
  };
  for (const RuleSpec& spec : specs) add_rule(list, spec);
}

}  // namespace kauri::schema::rules
