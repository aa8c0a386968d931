// How the families of matching rules are put together; only the files beside this one and the
// subschema use it. Thread safety: immutable after the first use of find_matching_rule().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/matching_rule.h"

namespace kauri::schema::rules {

using RuleList = std::vector<std::unique_ptr<const MatchingRule>>;

// Each appends its family; one file each.
void add_string_rules(RuleList& list);
void add_list_rules(RuleList& list);
void add_word_rules(RuleList& list);
void add_number_rules(RuleList& list);
void add_time_rules(RuleList& list);
void add_octet_rules(RuleList& list);
void add_name_rules(RuleList& list);
void add_certificate_rules(RuleList& list);

using NormalizeFunction = bool (*)(const Schema& schema, std::string_view value, std::string& out);
using SubstringFunction = bool (*)(SubstringPosition position, std::string_view part,
                                   std::string& out);

// A rule made of functions: enough for all whose match is a comparison of octets.
struct RuleSpec {
  std::string_view oid;
  std::string_view name;
  RuleKind kind;
  std::string_view assertion_syntax;
  std::string_view normal_form;
  NormalizeFunction normalize;
  NormalizeFunction normalize_assertion = nullptr;  // null: the same as normalize
  SubstringFunction normalize_substring = nullptr;  // for substrings rules
};
void add_rule(RuleList& list, const RuleSpec& spec);

// Every rule, in the order of the families.
const std::vector<const MatchingRule*>& all_matching_rules();
// "( oid NAME 'name' SYNTAX oid )"
std::string rule_definition(const MatchingRule& rule);
// Whether values of the syntax may be compared by the rule in an extensible match, apart from the
// types that name it.
bool rule_fits_syntax(const MatchingRule& rule, std::string_view syntax_oid);

// Whether values of the syntax have normal forms by the rule at all, whatever RFC 4517 says of the
// pair: caseIgnoreIA5Match of a Directory String is not as the RFC has it and compares,
// integerMatch of one makes all filters on the type Undefined.
bool rule_compares_syntax(const MatchingRule& rule, std::string_view syntax_oid);

// RFC 4517 syntaxes that rules assert.
inline constexpr std::string_view kDirectoryString = "1.3.6.1.4.1.1466.115.121.1.15";
inline constexpr std::string_view kIa5String = "1.3.6.1.4.1.1466.115.121.1.26";
inline constexpr std::string_view kSubstringAssertion = "1.3.6.1.4.1.1466.115.121.1.58";
inline constexpr std::string_view kNumericString = "1.3.6.1.4.1.1466.115.121.1.36";
inline constexpr std::string_view kTelephoneNumber = "1.3.6.1.4.1.1466.115.121.1.50";
inline constexpr std::string_view kPostalAddress = "1.3.6.1.4.1.1466.115.121.1.41";
inline constexpr std::string_view kInteger = "1.3.6.1.4.1.1466.115.121.1.27";
inline constexpr std::string_view kBoolean = "1.3.6.1.4.1.1466.115.121.1.7";
inline constexpr std::string_view kBitString = "1.3.6.1.4.1.1466.115.121.1.6";
inline constexpr std::string_view kGeneralizedTime = "1.3.6.1.4.1.1466.115.121.1.24";
inline constexpr std::string_view kUtcTime = "1.3.6.1.4.1.1466.115.121.1.53";
inline constexpr std::string_view kOctetString = "1.3.6.1.4.1.1466.115.121.1.40";
inline constexpr std::string_view kDn = "1.3.6.1.4.1.1466.115.121.1.12";
inline constexpr std::string_view kNameAndOptionalUid = "1.3.6.1.4.1.1466.115.121.1.34";
inline constexpr std::string_view kOid = "1.3.6.1.4.1.1466.115.121.1.38";
inline constexpr std::string_view kUuid = "1.3.6.1.1.16.1";
inline constexpr std::string_view kCsn = "1.3.6.1.4.1.4203.666.11.2.1";

}  // namespace kauri::schema::rules
