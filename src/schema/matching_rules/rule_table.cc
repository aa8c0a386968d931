#include "schema/matching_rules/rule_table.h"

#include <algorithm>

#include "base/assert.h"
#include "schema/name_table.h"

namespace kauri::schema {

bool MatchingRule::normalize_substring(const Schema& /*schema*/, SubstringPosition /*position*/,
                                       std::string_view /*part*/, std::string& /*out*/) const {
  return false;
}

namespace rules {

namespace {

class FunctionRule final : public MatchingRule {
 public:
  explicit FunctionRule(const RuleSpec& spec)
      : MatchingRule(spec.oid, spec.name, spec.kind, spec.assertion_syntax), spec_(spec) {}

  std::string_view normal_form() const override { return spec_.normal_form; }
  bool normalize(const Schema& schema, std::string_view value, std::string& out) const override {
    return spec_.normalize(schema, value, out);
  }
  bool normalize_assertion(const Schema& schema, std::string_view value,
                           std::string& out) const override {
    return spec_.normalize_assertion != nullptr ? spec_.normalize_assertion(schema, value, out)
                                                : spec_.normalize(schema, value, out);
  }
  bool normalize_substring(const Schema& /*schema*/, SubstringPosition position,
                           std::string_view part, std::string& out) const override {
    return spec_.normalize_substring != nullptr && spec_.normalize_substring(position, part, out);
  }

 private:
  RuleSpec spec_;
};

struct Table {
  Table() {
    for (const auto add :
         {add_string_rules, add_list_rules, add_word_rules, add_number_rules, add_time_rules,
          add_octet_rules, add_name_rules, add_certificate_rules}) {
      add(owned);
    }
    for (const auto& rule : owned) {
      all.push_back(rule.get());
      const bool fresh =
          names.insert(rule->oid(), rule.get()) && names.insert(rule->name(), rule.get());
      KAURI_ASSERT(fresh);
    }
    // Names that files use for rules of the same meaning.
    constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
        {"2.16.840.1.113730.3.3.1", "caseExactIA5SubstringsMatch"},
    };
    for (const auto& [alias, name] : kAliases) names.insert(alias, names.find(name));
  }
  RuleList owned;
  std::vector<const MatchingRule*> all;
  NameTable<MatchingRule> names;
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

void add_rule(RuleList& list, const RuleSpec& spec) {
  list.push_back(std::make_unique<FunctionRule>(spec));
}

const std::vector<const MatchingRule*>& all_matching_rules() {
  return table().all;
}

std::string rule_definition(const MatchingRule& rule) {
  return "( " + std::string(rule.oid()) + " NAME '" + std::string(rule.name()) + "' SYNTAX " +
         std::string(rule.assertion_syntax()) + " )";
}

bool rule_fits_syntax(const MatchingRule& rule, std::string_view syntax_oid) {
  const auto is_one_of = [syntax_oid](std::initializer_list<std::string_view> oids) {
    return std::find(oids.begin(), oids.end(), syntax_oid) != oids.end();
  };
  constexpr std::string_view kCountryString = "1.3.6.1.4.1.1466.115.121.1.11";
  constexpr std::string_view kPrintableString = "1.3.6.1.4.1.1466.115.121.1.44";
  const std::string_view form = rule.normal_form();
  // The rules that compare an assertion with the first component of a value: their assertion
  // syntax is that of the component (RFC 4517 4.2.15, 4.2.25), and a description's first is a
  // number or an OID.
  if (rule.name().find("FirstComponent") != std::string_view::npos) {
    constexpr std::string_view kStructureRule = "1.3.6.1.4.1.1466.115.121.1.17";
    if (rule.assertion_syntax() == kInteger) return syntax_oid == kStructureRule;
    return rule.assertion_syntax() == kOid &&
           is_one_of({"1.3.6.1.4.1.1466.115.121.1.3", "1.3.6.1.4.1.1466.115.121.1.16",
                      "1.3.6.1.4.1.1466.115.121.1.30", "1.3.6.1.4.1.1466.115.121.1.31",
                      "1.3.6.1.4.1.1466.115.121.1.35", "1.3.6.1.4.1.1466.115.121.1.37",
                      "1.3.6.1.4.1.1466.115.121.1.54"});
  }
  if (rule.assertion_syntax() == syntax_oid) return true;
  if (form == "caseIgnore" || form == "caseExact" || form == "words") {
    // The IA5 rules are for IA5 String alone; the others for what is a DirectoryString in X.520
    // (RFC 4517 4.2.4).
    if (rule.name().find("IA5") != std::string_view::npos) return syntax_oid == kIa5String;
    return is_one_of({kDirectoryString, kPrintableString, kCountryString, kTelephoneNumber});
  }
  if (form == "numericString") return syntax_oid == kNumericString;
  if (form == "telephoneNumber") return syntax_oid == kTelephoneNumber;
  if (form == "caseIgnoreList") return syntax_oid == kPostalAddress;
  if (form == "octetString") return syntax_oid == kOctetString;
  return false;
}

bool rule_compares_syntax(const MatchingRule& rule, std::string_view syntax_oid) {
  if (rule.assertion_syntax() == syntax_oid) return true;
  // The rules whose values have a grammar of their own, and further syntaxes with that grammar.
  struct Row {
    std::string_view form;
    std::string_view also;
  };
  constexpr std::string_view kLargeInteger = "1.2.840.113556.1.4.906";
  constexpr Row kRows[] = {{"integer", kLargeInteger},
                           {"boolean", {}},
                           {"bitString", {}},
                           {"generalizedTime", {}},
                           {"distinguishedName", {}},
                           {"uniqueMember", kDn},
                           {"objectIdentifier", {}},
                           {"uuid", {}},
                           {"csn", {}}};
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& one) { return one.form == rule.normal_form(); });
  return row == std::end(kRows) || (!row->also.empty() && row->also == syntax_oid);
}

}  // namespace rules

const MatchingRule* find_matching_rule(std::string_view name_or_oid) {
  return rules::table().names.find(name_or_oid);
}

}  // namespace kauri::schema
