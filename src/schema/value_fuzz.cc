// Every syntax and every matching rule over arbitrary octets. The first octet chooses a position
// for substrings.
//
// Checked: a refusal leaves the output alone and has a reason; rules of one normal form agree; a
// value that its syntax accepts can be normalised by the rules that go with it; a value matches
// itself.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/schema_loader.h"
#include "schema/syntaxes/syntax_table.h"

namespace {

namespace schema = kauri::schema;

void check_syntaxes(std::string_view value) {
  for (const schema::Syntax* syntax : schema::all_syntaxes()) {
    std::string why;
    const bool ok = syntax->validate(value, &why);
    KAURI_ASSERT(ok || !why.empty());
    KAURI_ASSERT(ok == syntax->validate(value, nullptr));
  }
}

// The rules' own syntax, where it is that of the values too: all that it accepts has a normal form.
// Strings are left out, since preparation prohibits characters that their syntax allows, and so are
// names, whose values have rules too.
void check_total(const schema::MatchingRule& rule, std::string_view value, bool normalized) {
  constexpr std::string_view kForms[] = {"numericString", "telephoneNumber", "integer", "boolean",
                                         "bitString",     "generalizedTime", "uuid",    "csn",
                                         "octetString"};
  for (const std::string_view form : kForms) {
    if (rule.normal_form() != form || rule.kind() == schema::RuleKind::kSubstrings) continue;
    if (schema::find_syntax(rule.assertion_syntax())->validate(value, nullptr)) {
      KAURI_ASSERT(normalized);
    }
  }
}

void check_rules(std::string_view value, schema::SubstringPosition position) {
  const schema::Schema& known = *schema::builtin_schema();
  for (const schema::MatchingRule* rule : schema::rules::all_matching_rules()) {
    std::string normal = "x";
    const bool ok = rule->normalize(known, value, normal);
    KAURI_ASSERT(ok || normal == "x");
    KAURI_ASSERT(normal.starts_with('x'));
    std::string assertion = "x";
    const bool asserted = rule->normalize_assertion(known, value, assertion);
    KAURI_ASSERT(asserted || assertion == "x");
    check_total(*rule, value, ok);
    if (ok && asserted && rule->is_octet_equality() && normal == assertion) {
      KAURI_ASSERT(rule->matches(normal, assertion));
    }
    if (ok && asserted) static_cast<void>(rule->matches(normal.substr(1), assertion.substr(1)));
    if (rule->kind() != schema::RuleKind::kSubstrings) continue;
    std::string part = "x";
    const bool has_part = rule->normalize_substring(known, position, value, part);
    KAURI_ASSERT(has_part || part == "x");
    // A whole value is a part of itself at any position, lists aside, whose parts have no escapes.
    if (ok && has_part && rule->normal_form() != "caseIgnoreList") {
      KAURI_ASSERT(normal.substr(1).find(part.substr(1)) != std::string::npos);
    }
  }
}

// Spaces and case around a value do not change it.
void check_insignificant(std::string_view value) {
  const schema::Schema& known = *schema::builtin_schema();
  const schema::MatchingRule* rule = schema::find_matching_rule("caseIgnoreMatch");
  std::string plain;
  if (!rule->normalize(known, value, plain)) return;
  std::string padded;
  KAURI_ASSERT(rule->normalize(known, std::string(value) + "  ", padded));
  KAURI_ASSERT(padded == plain);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto position = static_cast<schema::SubstringPosition>(data[0] % 3);
  const std::string_view value(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_syntaxes(value);
  check_rules(value, position);
  check_insignificant(value);
  return 0;
}
