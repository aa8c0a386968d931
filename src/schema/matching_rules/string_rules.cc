// caseIgnore*, caseExact*, numericString* and telephoneNumber* (RFC 4517 sections 4.2.3
// to 4.2.8, 4.2.11 to 4.2.13, 4.2.22 to 4.2.24, 4.2.29, 4.2.30).
//
// Normal forms are those of RFC 4518, so a part of a value is a plain substring of the value's
// normal form.
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/validators.h"
#include "text/stringprep.h"
#include "text/utf8.h"

namespace kauri::schema::rules {

namespace {

using text::Letters;
using text::StringPart;

StringPart part_at(SubstringPosition position) {
  switch (position) {
    case SubstringPosition::kInitial:
      return StringPart::kInitial;
    case SubstringPosition::kFinal:
      return StringPart::kFinal;
    case SubstringPosition::kAny:
      break;
  }
  return StringPart::kAny;
}

// A Directory String is never empty, an IA5 String may be.
template <Letters letters>
bool directory(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return !value.empty() && text::prepare_string(value, letters, StringPart::kWhole, out);
}
template <Letters letters>
bool ia5(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return text::is_ascii(value) && text::prepare_string(value, letters, StringPart::kWhole, out);
}
template <Letters letters>
bool part(SubstringPosition position, std::string_view value, std::string& out) {
  return text::prepare_string(value, letters, part_at(position), out);
}
template <Letters letters>
bool ia5_part(SubstringPosition position, std::string_view value, std::string& out) {
  return text::is_ascii(value) && text::prepare_string(value, letters, part_at(position), out);
}

bool numeric(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return syntaxes::numeric_string(value, nullptr) && text::prepare_numeric(value, out);
}
bool numeric_part(SubstringPosition /*position*/, std::string_view value, std::string& out) {
  return syntaxes::numeric_string(value, nullptr) && text::prepare_numeric(value, out);
}

bool telephone(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return syntaxes::telephone_number(value, nullptr) && text::prepare_telephone(value, out);
}
bool telephone_part(SubstringPosition /*position*/, std::string_view value, std::string& out) {
  return syntaxes::telephone_number(value, nullptr) && text::prepare_telephone(value, out);
}

}  // namespace

void add_string_rules(RuleList& list) {
  constexpr RuleKind kEq = RuleKind::kEquality;
  constexpr RuleKind kOrd = RuleKind::kOrdering;
  constexpr RuleKind kSub = RuleKind::kSubstrings;
  constexpr Letters kFold = Letters::kFolded;
  constexpr Letters kKeep = Letters::kAsTheyAre;
  const RuleSpec specs[] = {
      {"2.5.13.2", "caseIgnoreMatch", kEq, kDirectoryString, "caseIgnore", directory<kFold>},
      {"2.5.13.3", "caseIgnoreOrderingMatch", kOrd, kDirectoryString, "caseIgnore",
       directory<kFold>},
      {"2.5.13.4", "caseIgnoreSubstringsMatch", kSub, kSubstringAssertion, "caseIgnore",
       directory<kFold>, nullptr, part<kFold>},
      {"2.5.13.5", "caseExactMatch", kEq, kDirectoryString, "caseExact", directory<kKeep>},
      {"2.5.13.6", "caseExactOrderingMatch", kOrd, kDirectoryString, "caseExact", directory<kKeep>},
      {"2.5.13.7", "caseExactSubstringsMatch", kSub, kSubstringAssertion, "caseExact",
       directory<kKeep>, nullptr, part<kKeep>},
      {"1.3.6.1.4.1.1466.109.114.1", "caseExactIA5Match", kEq, kIa5String, "caseExact", ia5<kKeep>},
      {"1.3.6.1.4.1.1466.109.114.2", "caseIgnoreIA5Match", kEq, kIa5String, "caseIgnore",
       ia5<kFold>},
      {"1.3.6.1.4.1.1466.109.114.3", "caseIgnoreIA5SubstringsMatch", kSub, kSubstringAssertion,
       "caseIgnore", ia5<kFold>, nullptr, ia5_part<kFold>},
      {"1.3.6.1.4.1.4203.1.2.1", "caseExactIA5SubstringsMatch", kSub, kSubstringAssertion,
       "caseExact", ia5<kKeep>, nullptr, ia5_part<kKeep>},
      {"2.5.13.8", "numericStringMatch", kEq, kNumericString, "numericString", numeric},
      {"2.5.13.9", "numericStringOrderingMatch", kOrd, kNumericString, "numericString", numeric},
      {"2.5.13.10", "numericStringSubstringsMatch", kSub, kSubstringAssertion, "numericString",
       numeric, nullptr, numeric_part},
      {"2.5.13.20", "telephoneNumberMatch", kEq, kTelephoneNumber, "telephoneNumber", telephone},
      {"2.5.13.21", "telephoneNumberSubstringsMatch", kSub, kSubstringAssertion, "telephoneNumber",
       telephone, nullptr, telephone_part},
  };
  for (const RuleSpec& spec : specs) add_rule(list, spec);
}

}  // namespace kauri::schema::rules
