// The syntaxes of schema definitions (RFC 4517 sections 3.3.1, 3.3.7, 3.3.8, 3.3.18 to 3.3.24).
#include "schema/definition.h"
#include "schema/syntaxes/validators.h"

namespace kauri::schema::syntaxes {

namespace {

bool description_of(DefinitionKind kind, std::string_view value, std::string* why) {
  Definition definition;
  DefinitionError error;
  return parse_definition(kind, value, &definition, &error) ||
         refuse_at(why, error.offset, error.message);
}

}  // namespace

bool attribute_type_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kAttributeType, value, why);
}
bool object_class_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kObjectClass, value, why);
}
bool matching_rule_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kMatchingRule, value, why);
}
bool matching_rule_use_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kMatchingRuleUse, value, why);
}
bool syntax_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kSyntax, value, why);
}
bool content_rule_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kContentRule, value, why);
}
bool structure_rule_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kStructureRule, value, why);
}
bool name_form_description(std::string_view value, std::string* why) {
  return description_of(DefinitionKind::kNameForm, value, why);
}

}  // namespace kauri::schema::syntaxes
