#include "schema/registry.h"

#include <utility>

#include "schema/definition.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/syntax_table.h"
#include "text/ascii.h"

namespace kauri::schema {

FileSyntax::FileSyntax(std::unique_ptr<Text> text, const Syntax* substitute)
    : Syntax(text->oid, text->description, substitute != nullptr && substitute->human_readable()),
      text_(std::move(text)),
      substitute_(substitute) {}

FileSyntax::FileSyntax(std::string oid, std::string description, const Syntax* substitute)
    : FileSyntax(std::make_unique<Text>(Text{std::move(oid), std::move(description)}), substitute) {
}

bool FileSyntax::validate(std::string_view value, std::string* why) const {
  return substitute_ == nullptr || substitute_->validate(value, why);
}

Result<void> Registry::fill_well_known() {
  const std::pair<std::string_view, const AttributeType**> kTypes[] = {
      {"objectClass", &known.object_class},
      {"structuralObjectClass", &known.structural_object_class},
      {"creatorsName", &known.creators_name},
      {"createTimestamp", &known.create_timestamp},
      {"modifiersName", &known.modifiers_name},
      {"modifyTimestamp", &known.modify_timestamp},
      {"entryUUID", &known.entry_uuid},
      {"entryCSN", &known.entry_csn},
      {"entryDN", &known.entry_dn},
      {"subschemaSubentry", &known.subschema_subentry},
      {"hasSubordinates", &known.has_subordinates},
      {"numSubordinates", &known.num_subordinates},
      {"userPassword", &known.user_password},
      {"aliasedObjectName", &known.aliased_object_name},
      {"ref", &known.ref},
  };
  for (const auto& [name, place] : kTypes) {
    *place = attribute_type(name);
    if (*place == nullptr) {
      return invalid("the schema lacks attribute type '" + std::string(name) +
                     "', which the server needs");
    }
  }
  const std::pair<std::string_view, const ObjectClass**> kClasses[] = {
      {"top", &known.top},
      {"alias", &known.alias},
      {"referral", &known.referral},
      {"extensibleObject", &known.extensible_object},
      {"subschema", &known.subschema},
  };
  for (const auto& [name, place] : kClasses) {
    *place = object_class(name);
    if (*place == nullptr) {
      return invalid("the schema lacks object class '" + std::string(name) +
                     "', which the server needs");
    }
  }
  return {};
}

std::vector<std::string> Registry::matching_rule_uses() const {
  std::vector<std::string> uses;
  for (const MatchingRule* rule : rules::all_matching_rules()) {
    Definition use;
    use.kind = DefinitionKind::kMatchingRuleUse;
    use.oid.text = rule->oid();
    use.names.push_back({std::string(rule->name()), 0});
    for (const AttributeType* type : type_list) {
      const bool named =
          type->equality == rule || type->ordering == rule || type->substrings == rule;
      if (named ||
          (type->syntax != nullptr && rules::rule_fits_syntax(*rule, type->syntax->oid()))) {
        use.applies.push_back({std::string(type->name()), 0});
      }
    }
    if (!use.applies.empty()) uses.push_back(to_string(use));
  }
  return uses;
}

std::vector<std::string> Registry::subschema_values(std::string_view name) const {
  std::vector<std::string> values;
  DefinitionKind kind{};
  if (!kind_of(name, &kind)) return values;
  switch (kind) {
    case DefinitionKind::kAttributeType:
      for (const AttributeType* type : type_list) values.push_back(type->definition);
      break;
    case DefinitionKind::kObjectClass:
      for (const ObjectClass* object_class : class_list) values.push_back(object_class->definition);
      break;
    case DefinitionKind::kSyntax:
      for (const Syntax* syntax : all_syntaxes()) values.push_back(syntax_definition(*syntax));
      for (const auto& syntax : syntaxes) values.push_back(syntax->definition());
      break;
    case DefinitionKind::kMatchingRule:
      for (const MatchingRule* rule : rules::all_matching_rules()) {
        values.push_back(rules::rule_definition(*rule));
      }
      break;
    case DefinitionKind::kMatchingRuleUse:
      return matching_rule_uses();
    case DefinitionKind::kContentRule:
    case DefinitionKind::kStructureRule:
    case DefinitionKind::kNameForm:
      break;
  }
  const auto found = kept.find(text::to_lower(attribute_of(kind)));
  if (found != kept.end()) values.insert(values.end(), found->second.begin(), found->second.end());
  return values;
}

}  // namespace kauri::schema
