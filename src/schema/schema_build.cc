// From definitions to a Schema: references, inheritance, and what stands in for the unknown.
#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "schema/matching_rules/rule_table.h"
#include "schema/schema_state.h"
#include "text/ascii.h"

namespace kauri::schema {

namespace {

// Steps from a type or class to its most distant superior.
constexpr std::size_t kInheritanceMax = 64;

// The rule that stands in for one nobody knows: what the syntax asks for.
const MatchingRule* substitute_rule(RuleKind kind, std::string_view syntax_oid) {
  struct Row {
    std::string_view syntax;
    std::string_view equality;
    std::string_view ordering;
    std::string_view substrings;
  };
  constexpr Row kRows[] = {
      {rules::kDirectoryString, "caseIgnoreMatch", "caseIgnoreOrderingMatch",
       "caseIgnoreSubstringsMatch"},
      {rules::kIa5String, "caseIgnoreIA5Match", "", "caseIgnoreIA5SubstringsMatch"},
      {rules::kInteger, "integerMatch", "integerOrderingMatch", ""},
      {rules::kBoolean, "booleanMatch", "", ""},
      {rules::kGeneralizedTime, "generalizedTimeMatch", "generalizedTimeOrderingMatch", ""},
      {rules::kDn, "distinguishedNameMatch", "", ""},
      {rules::kOid, "objectIdentifierMatch", "", ""},
      {rules::kTelephoneNumber, "telephoneNumberMatch", "", "telephoneNumberSubstringsMatch"},
      {rules::kNumericString, "numericStringMatch", "numericStringOrderingMatch",
       "numericStringSubstringsMatch"},
  };
  for (const Row& row : kRows) {
    if (row.syntax != syntax_oid) continue;
    switch (kind) {
      case RuleKind::kEquality:
        return find_matching_rule(row.equality);
      case RuleKind::kOrdering:
        return find_matching_rule(row.ordering);
      case RuleKind::kSubstrings:
        return find_matching_rule(row.substrings);
    }
  }
  return kind == RuleKind::kEquality ? find_matching_rule("octetStringMatch") : nullptr;
}

// The OID, shortened where the arc is common, since it stands in every normal form of a name. A
// shortened form never looks like an OID or a name: it has no dot inside and starts with a digit or
// a dot.
std::string naming_key_of(std::string_view oid) {
  constexpr std::string_view kX520 = "2.5.4.";
  constexpr std::string_view kPilot = "0.9.2342.19200300.100.1.";
  const auto last_arc = [oid](std::string_view arc) {
    return oid.starts_with(arc) && oid.find('.', arc.size()) == std::string_view::npos;
  };
  if (last_arc(kX520)) return std::string(oid.substr(kX520.size()));
  if (last_arc(kPilot)) return "." + std::string(oid.substr(kPilot.size()));
  return text::to_lower(oid);
}

class RegistryBuilder {
 public:
  RegistryBuilder(const SchemaBuilder::State& state, std::vector<Warning>* warnings)
      : state_(state), warnings_(warnings), registry_(std::make_shared<Registry>()) {}

  Result<std::shared_ptr<const Schema>> build() {
    KAURI_CHECK(declare());
    for (std::size_t i = 0; i < registry_->types.size(); ++i) KAURI_CHECK(link_type(i));
    for (std::size_t i = 0; i < registry_->types.size(); ++i) KAURI_CHECK(inherit(i));
    for (std::size_t i = 0; i < registry_->classes.size(); ++i) KAURI_CHECK(link_class(i));
    for (std::size_t i = 0; i < registry_->classes.size(); ++i) KAURI_CHECK(close_class(i));
    KAURI_CHECK(registry_->fill_well_known());
    return std::shared_ptr<const Schema>(std::move(registry_));
  }

 private:
  void warn(const LoadedDefinition& loaded, const Word& word, std::string_view sentence) {
    if (loaded.builtin) return;
    warnings_->push_back(
        {loaded.file_number, word.offset,
         loaded.place(word) + ": " + loaded.title() + ": " + std::string(sentence)});
  }

  Result<void> declare() {
    for (const LoadedDefinition& loaded : state_.definitions) {
      switch (loaded.definition.kind) {
        case DefinitionKind::kAttributeType:
          declare_type(loaded);
          break;
        case DefinitionKind::kObjectClass:
          declare_class(loaded);
          break;
        case DefinitionKind::kSyntax:
          declare_syntax(loaded);
          break;
        case DefinitionKind::kMatchingRule:
        case DefinitionKind::kMatchingRuleUse:
          // Rules are code: the server shows the ones it has, not what a file claims.
          if (find_matching_rule(loaded.definition.oid.text) == nullptr) {
            warn(loaded, loaded.definition.oid, "the server does not implement this rule");
          }
          break;
        default:
          registry_->kept[text::to_lower(attribute_of(loaded.definition.kind))].push_back(
              to_string(loaded.definition));
      }
    }
    return {};
  }

  static std::vector<std::string> names_of(const Definition& definition) {
    std::vector<std::string> names;
    names.reserve(definition.names.size());
    for (const Word& name : definition.names) names.push_back(name.text);
    return names;
  }
  static std::string origin_of(const LoadedDefinition& loaded) {
    return loaded.file->line_place(loaded.definition.oid.offset);
  }

  void declare_type(const LoadedDefinition& loaded) {
    const Definition& d = loaded.definition;
    auto type = std::make_unique<AttributeType>();
    type->oid = d.oid.text;
    type->names = names_of(d);
    type->description = d.description;
    type->obsolete = d.obsolete;
    type->syntax_length_max = d.length_max;
    type->single_value = d.single_value;
    type->collective = d.collective;
    type->no_user_modification = d.no_user_modification;
    type->usage = d.usage;
    type->extensions = d.extensions;
    type->definition = to_string(d);
    type->origin = origin_of(loaded);
    type->naming_key = naming_key_of(d.oid.text);
    registry_->types_by_name.insert(type->oid, type.get());
    for (const std::string& name : type->names) registry_->types_by_name.insert(name, type.get());
    registry_->type_list.push_back(type.get());
    registry_->types.push_back(std::move(type));
    type_sources_.push_back(&loaded);
  }

  void declare_class(const LoadedDefinition& loaded) {
    const Definition& d = loaded.definition;
    auto object_class = std::make_unique<ObjectClass>();
    object_class->oid = d.oid.text;
    object_class->names = names_of(d);
    object_class->description = d.description;
    object_class->obsolete = d.obsolete;
    object_class->kind = d.class_kind;
    object_class->extensions = d.extensions;
    object_class->definition = to_string(d);
    object_class->origin = origin_of(loaded);
    registry_->classes_by_name.insert(object_class->oid, object_class.get());
    for (const std::string& name : object_class->names) {
      registry_->classes_by_name.insert(name, object_class.get());
    }
    registry_->class_list.push_back(object_class.get());
    registry_->classes.push_back(std::move(object_class));
    class_sources_.push_back(&loaded);
  }

  void declare_syntax(const LoadedDefinition& loaded) {
    const Definition& d = loaded.definition;
    if (find_syntax(d.oid.text) != nullptr) return;
    const Syntax* substitute = nullptr;
    for (const auto& [keyword, values] : d.extensions) {
      if (text::equal_ignoring_case(keyword, "X-SUBST") && values.size() == 1) {
        substitute = find_syntax(values[0]);
      }
    }
    if (substitute == nullptr) {
      warn(loaded, d.oid, "the server does not know this syntax; its values are taken as octets");
    }
    add_syntax(d.oid.text, d.description, substitute, to_string(d));
  }

  const Syntax* add_syntax(const std::string& oid, const std::string& description,
                           const Syntax* substitute, std::string definition) {
    registry_->syntaxes.push_back(std::make_unique<FileSyntax>(oid, description, substitute));
    FileSyntax* syntax = registry_->syntaxes.back().get();
    syntax->set_definition(std::move(definition));
    file_syntaxes_[oid] = syntax;
    return syntax;
  }

  const Syntax* syntax_of(const LoadedDefinition& loaded) {
    const Word& word = loaded.definition.syntax;
    if (const Syntax* syntax = find_syntax(word.text)) return syntax;
    const auto found = file_syntaxes_.find(word.text);
    if (found != file_syntaxes_.end()) return found->second;
    warn(loaded, word, "syntax " + word.text + " is unknown; its values are taken as octets");
    return add_syntax(word.text, "", nullptr, "( " + word.text + " )");
  }

  Result<void> link_type(std::size_t i) {
    const LoadedDefinition& loaded = *type_sources_[i];
    AttributeType& type = *registry_->types[i];
    if (!loaded.definition.superiors.empty()) {
      const Word& name = loaded.definition.superiors[0];
      type.superior = registry_->attribute_type(name.text);
      if (type.superior == nullptr) {
        return loaded.error(name,
                            loaded.title() + ": its superior '" + name.text + "' is not defined");
      }
    }
    if (!loaded.definition.syntax.text.empty()) type.syntax = syntax_of(loaded);
    if (type.no_user_modification && !type.operational()) {
      warn(loaded, loaded.definition.oid,
           "NO-USER-MODIFICATION goes with operational types only (RFC 4512 section 4.1.2)");
    }
    return {};
  }

  // Takes over what the type leaves open from its nearest superior that has it.
  Result<void> inherit(std::size_t i) {
    const LoadedDefinition& loaded = *type_sources_[i];
    AttributeType& type = *registry_->types[i];
    std::size_t steps = 0;
    for (const AttributeType* superior = type.superior; superior != nullptr;
         superior = superior->superior) {
      if (superior == &type || ++steps > kInheritanceMax) {
        return loaded.error(loaded.definition.superiors[0],
                            loaded.title() + ": its superiors form a circle, or are more than " +
                                std::to_string(kInheritanceMax) + " deep");
      }
    }
    // Superiors may not be done yet, but what they have of their own is enough for the walk up.
    for (const AttributeType* at = type.superior; at != nullptr; at = at->superior) {
      if (type.syntax != nullptr) break;
      type.syntax = at->syntax;
      type.syntax_length_max = at->syntax_length_max;
    }
    if (type.syntax == nullptr) {
      return loaded.error(loaded.definition.oid,
                          loaded.title() + ": neither it nor a superior has a SYNTAX");
    }
    KAURI_CHECK(own_rules(loaded, &type));
    return {};
  }

  Result<void> own_rules(const LoadedDefinition& loaded, AttributeType* type) {
    type->equality = effective_rule(*type, RuleKind::kEquality);
    type->ordering = effective_rule(*type, RuleKind::kOrdering);
    type->substrings = effective_rule(*type, RuleKind::kSubstrings);
    // Each unknown rule is reported once, at the definition that names it.
    for (const RuleKind kind : {RuleKind::kEquality, RuleKind::kOrdering, RuleKind::kSubstrings}) {
      const Word& word = rule_word(loaded.definition, kind);
      if (word.text.empty()) continue;
      const MatchingRule* rule = find_matching_rule(word.text);
      if (rule != nullptr && rule->kind() == kind) {
        check_fit(loaded, word, *rule, *type->syntax);
        continue;
      }
      const MatchingRule* used = substitute_rule(kind, type->syntax->oid());
      warn(loaded, word,
           (rule == nullptr ? "matching rule '" + word.text + "' is unknown"
                            : "'" + word.text + "' is not a rule of this kind") +
               (used == nullptr
                    ? std::string("; the type has none, so filters that need it match nothing")
                    : "; " + std::string(used->name()) + " stands in"));
    }
    return {};
  }

  void check_fit(const LoadedDefinition& loaded, const Word& word, const MatchingRule& rule,
                 const Syntax& syntax) {
    // What the server does not know it cannot judge.
    if (find_syntax(syntax.oid()) == nullptr) return;
    if (rules::rule_compares_syntax(rule, syntax.oid())) return;
    const Syntax* compared = find_syntax(rule.assertion_syntax());
    warn(loaded, word,
         "'" + word.text + "' compares values of the syntax " +
             std::string(compared == nullptr ? rule.assertion_syntax() : compared->description()) +
             ", and the type's is " + std::string(syntax.description()) +
             "; filters and indexes find no value that is not both");
  }

  static const Word& rule_word(const Definition& definition, RuleKind kind) {
    switch (kind) {
      case RuleKind::kOrdering:
        return definition.ordering;
      case RuleKind::kSubstrings:
        return definition.substrings;
      case RuleKind::kEquality:
        break;
    }
    return definition.equality;
  }

  // The rule that the type, or the nearest superior that says something, names.
  const MatchingRule* effective_rule(const AttributeType& type, RuleKind kind) const {
    for (const AttributeType* at = &type; at != nullptr; at = at->superior) {
      const Word& word = rule_word(source_of(*at).definition, kind);
      if (word.text.empty()) continue;
      const MatchingRule* rule = find_matching_rule(word.text);
      return rule != nullptr && rule->kind() == kind ? rule
                                                     : substitute_rule(kind, type.syntax->oid());
    }
    return nullptr;
  }

  const LoadedDefinition& source_of(const AttributeType& type) const {
    return state_.definitions[state_.types.by_oid.at(text::to_lower(type.oid))];
  }

  Result<void> link_attributes(const LoadedDefinition& loaded, const std::vector<Word>& words,
                               std::string_view list, std::vector<const AttributeType*>* out) {
    for (const Word& word : words) {
      const AttributeType* type = registry_->attribute_type(word.text);
      if (type == nullptr) {
        return loaded.error(word, loaded.title() + ": attribute type '" + word.text + "' in " +
                                      std::string(list) + " is not defined");
      }
      if (std::find(out->begin(), out->end(), type) == out->end()) out->push_back(type);
    }
    return {};
  }

  Result<void> link_class(std::size_t i) {
    const LoadedDefinition& loaded = *class_sources_[i];
    ObjectClass& object_class = *registry_->classes[i];
    for (const Word& word : loaded.definition.superiors) {
      const ObjectClass* superior = registry_->object_class(word.text);
      if (superior == nullptr) {
        return loaded.error(word,
                            loaded.title() + ": its superior '" + word.text + "' is not defined");
      }
      if (superior == &object_class) {
        return loaded.error(word, loaded.title() + " is its own superior");
      }
      object_class.superiors.push_back(superior);
      check_kinds(loaded, word, object_class, *superior);
    }
    // Every class but top is below top (RFC 4512 section 2.4.1), whether it says so or not.
    const ObjectClass* top = registry_->object_class("2.5.6.0");
    if (object_class.superiors.empty() && top != nullptr && top != &object_class) {
      object_class.superiors.push_back(top);
    }
    KAURI_CHECK(link_attributes(loaded, loaded.definition.must, "MUST", &object_class.must));
    return link_attributes(loaded, loaded.definition.may, "MAY", &object_class.may);
  }

  // RFC 4512 section 2.4. Files in use break it, and nothing that the server does depends on it.
  void check_kinds(const LoadedDefinition& loaded, const Word& word, const ObjectClass& below,
                   const ObjectClass& above) {
    if (above.kind == ObjectClassKind::kAbstract || above.kind == below.kind) return;
    warn(loaded, word,
         "its superior '" + word.text +
             "' is of another kind (abstract, structural, auxiliary) than RFC 4512 "
             "section 2.4 allows");
  }

  // All superclasses, level by level; a circle or a very long chain has more levels than allowed.
  Result<void> close_class(std::size_t i) {
    const LoadedDefinition& loaded = *class_sources_[i];
    ObjectClass& object_class = *registry_->classes[i];
    std::vector<const ObjectClass*> level = object_class.superiors;
    std::size_t steps = 0;
    while (!level.empty()) {
      if (++steps > kInheritanceMax) {
        return loaded.error(loaded.definition.oid,
                            loaded.title() + ": its superiors form a circle, or are more than " +
                                std::to_string(kInheritanceMax) + " deep");
      }
      std::vector<const ObjectClass*> next;
      for (const ObjectClass* superior : level) {
        object_class.ancestors.push_back(superior);
        next.insert(next.end(), superior->superiors.begin(), superior->superiors.end());
      }
      std::sort(next.begin(), next.end(), std::less<>());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      level = std::move(next);
    }
    auto& all = object_class.ancestors;
    std::sort(all.begin(), all.end(), std::less<>());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return {};
  }

  const SchemaBuilder::State& state_;
  std::vector<Warning>* warnings_;
  std::shared_ptr<Registry> registry_;
  std::vector<const LoadedDefinition*> type_sources_;   // parallel to registry_->types
  std::vector<const LoadedDefinition*> class_sources_;  // parallel to registry_->classes
  std::map<std::string, const Syntax*, std::less<>> file_syntaxes_;
};

}  // namespace

Result<std::shared_ptr<const Schema>> build_registry(const SchemaBuilder::State& state,
                                                     std::vector<Warning>* warnings) {
  return RegistryBuilder(state, warnings).build();
}

}  // namespace kauri::schema
