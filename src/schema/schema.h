// Schema: the attribute types, object classes and rules that a server knows (RFC 4512 section 4),
// as one immutable snapshot. Loading of files: schema/schema_loader.h.
//
// Thread safety: immutable after build; shared by std::shared_ptr<const Schema>. Pointers to
// definitions live as long as their Schema.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "schema/matching_rule.h"
#include "schema/syntax.h"

namespace kauri::schema {

enum class Usage : std::uint8_t {
  kUserApplications,
  kDirectoryOperation,
  kDistributedOperation,
  kDsaOperation
};

// X- extensions, in the order written: name and quoted strings.
using Extensions = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct AttributeType {
  std::string oid;
  std::vector<std::string> names;  // as written; the first is the canonical one; may be empty
  std::string description;
  bool obsolete = false;
  const AttributeType* superior = nullptr;
  // Effective values: own or inherited. nullptr = none.
  const MatchingRule* equality = nullptr;
  const MatchingRule* ordering = nullptr;
  const MatchingRule* substrings = nullptr;
  const Syntax* syntax = nullptr;
  std::uint32_t syntax_length_max =
      0;  // the {n} bound; 0 = none. Informative, never enforced (RFC 4512 4.1.2)
  bool single_value = false;
  bool collective = false;
  bool no_user_modification = false;
  Usage usage = Usage::kUserApplications;
  Extensions extensions;
  std::string definition;  // the parenthesised text as it is shown in the subschema entry
  std::string origin;      // "built-in core" or "file:line"
  std::string naming_key;  // stands for the type in normal forms of names (schema/dn_normal.h);
                           // made from the OID

  bool operational() const { return usage != Usage::kUserApplications; }
  // First name, or the OID.
  std::string_view name() const {
    return names.empty() ? std::string_view(oid) : std::string_view(names[0]);
  }
  // Whether this is `other` or one of its subtypes.
  bool is_subtype_of(const AttributeType& other) const;
};

enum class ObjectClassKind : std::uint8_t { kAbstract, kStructural, kAuxiliary };

struct ObjectClass {
  std::string oid;
  std::vector<std::string> names;
  std::string description;
  bool obsolete = false;
  ObjectClassKind kind = ObjectClassKind::kStructural;
  std::vector<const ObjectClass*> superiors;
  std::vector<const ObjectClass*> ancestors;  // all superclasses, each once, sorted by address
  std::vector<const AttributeType*> must;     // own only
  std::vector<const AttributeType*> may;      // own only
  Extensions extensions;
  std::string definition;
  std::string origin;

  std::string_view name() const {
    return names.empty() ? std::string_view(oid) : std::string_view(names[0]);
  }
  bool is_subclass_of(const ObjectClass& other) const;  // or is the same
};

// An attribute type with options (RFC 4512 section 2.5).
struct AttributeDescription {
  const AttributeType* type = nullptr;
  std::vector<std::string> options;  // lower case, sorted, no duplicates
  // "givenName;lang-en": the type's canonical name and the options.
  std::string to_string() const;
  // Whether a value under `this` is also one under `asserted`: the type is a subtype, options are a
  // superset.
  bool is_subtype_of(const AttributeDescription& asserted) const;
  friend bool operator==(const AttributeDescription&, const AttributeDescription&) = default;
};

// Types that the server itself maintains or tests; never null in a built Schema.
struct WellKnown {
  const AttributeType* object_class;
  const AttributeType* structural_object_class;
  const AttributeType* creators_name;
  const AttributeType* create_timestamp;
  const AttributeType* modifiers_name;
  const AttributeType* modify_timestamp;
  const AttributeType* entry_uuid;
  const AttributeType* entry_csn;
  const AttributeType* entry_dn;
  const AttributeType* subschema_subentry;
  const AttributeType* has_subordinates;
  const AttributeType* num_subordinates;
  const AttributeType* user_password;
  const AttributeType* aliased_object_name;
  const AttributeType* ref;
  const ObjectClass* top;
  const ObjectClass* alias;
  const ObjectClass* referral;
  const ObjectClass* extensible_object;
  const ObjectClass* subschema;
};

class Schema {
 public:
  virtual ~Schema() = default;
  // By name (case-insensitive) or numeric OID; nullptr when unknown.
  virtual const AttributeType* attribute_type(std::string_view name_or_oid) const = 0;
  virtual const ObjectClass* object_class(std::string_view name_or_oid) const = 0;
  virtual const WellKnown& well_known() const = 0;
  // In the order of loading.
  virtual const std::vector<const AttributeType*>& attribute_types() const = 0;
  virtual const std::vector<const ObjectClass*>& object_classes() const = 0;
  // Values of the subschema entry's attribute `name` (attributeTypes, objectClasses, ldapSyntaxes,
  // matchingRules, matchingRuleUse, dITContentRules, dITStructureRules, nameForms), each a
  // definition in RFC 4512 text.
  virtual std::vector<std::string> subschema_values(std::string_view name) const = 0;

  // RFC 4512 section 2.5: nothing for an unknown type, an empty or malformed option, or ";binary"
  // where the type may not have it (RFC 4522 section 3).
  std::optional<AttributeDescription> attribute_description(std::string_view text) const;
};

// What an AttributeDescription's text breaks, for a diagnostic: "attribute type 'x' is not
// defined", ...
std::string explain_bad_description(const Schema& schema, std::string_view text);

}  // namespace kauri::schema
