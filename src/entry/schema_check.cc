#include "entry/schema_check.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/keyed_hash.h"
#include "base/limit_counters.h"
#include "ldap/dn.h"
#include "schema/name_and_uid.h"
#include "text/stringprep.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::entry {
namespace {

using ldap::ResultCode;
using schema::AttributeType;
using schema::ObjectClass;
using schema::ObjectClassKind;
using text::quoted;

SchemaViolation violation(ResultCode code, std::string diagnostic) {
  return {code, std::move(diagnostic)};
}

// The entry's object classes and all that these inherit from, each once.
struct Classes {
  std::vector<const ObjectClass*> named;
  std::vector<const ObjectClass*> all;
  const ObjectClass* structural = nullptr;  // the most specific one
  const ObjectClass* rival = nullptr;       // a structural one outside of its chain

  bool contains(const ObjectClass& wanted) const {
    return std::find(all.begin(), all.end(), &wanted) != all.end();
  }
};

void add_with_superiors(const ObjectClass* object_class, std::vector<const ObjectClass*>& all) {
  const std::size_t start = all.size();
  if (std::find(all.begin(), all.end(), object_class) != all.end()) return;
  all.push_back(object_class);
  // The list is its own queue; schemas may nest as deep as they like.
  for (std::size_t i = start; i < all.size(); ++i) {
    for (const ObjectClass* superior : all[i]->superiors)
      if (std::find(all.begin(), all.end(), superior) == all.end()) all.push_back(superior);
  }
}

void settle_structural(Classes& classes) {
  for (const ObjectClass* named : classes.named) {
    if (named->kind != ObjectClassKind::kStructural) continue;
    if (classes.structural == nullptr || named->is_subclass_of(*classes.structural))
      classes.structural = named;
  }
  for (const ObjectClass* named : classes.named) {
    if (named->kind == ObjectClassKind::kStructural && !classes.structural->is_subclass_of(*named))
      classes.rival = named;
  }
}

// The classes that `entry` names; *unknown gets the first value that the schema does not define.
Classes collect_classes(const schema::Schema& schema, const Entry& entry,
                        const std::string** unknown) {
  Classes classes;
  const Attribute* attribute = entry.find(*schema.well_known().object_class);
  if (attribute == nullptr) return classes;
  for (const std::string& value : attribute->values) {
    const ObjectClass* object_class = schema.object_class(value);
    if (object_class == nullptr) {
      if (*unknown == nullptr) *unknown = &value;
      continue;
    }
    classes.named.push_back(object_class);
    add_with_superiors(object_class, classes.all);
  }
  settle_structural(classes);
  return classes;
}

std::string list_names(std::span<const ObjectClass* const> classes) {
  std::string text;
  for (const ObjectClass* one : classes) {
    if (!text.empty()) text += ", ";
    text += one->name();
  }
  return text;
}

std::optional<SchemaViolation> check_class_kinds(const Classes& classes) {
  if (classes.structural == nullptr)
    return violation(ResultCode::kObjectClassViolation,
                     "no structural object class: an entry needs exactly one, this one has " +
                         list_names(classes.named));
  if (classes.rival != nullptr)
    return violation(
        ResultCode::kObjectClassViolation,
        "invalid structural object class chain: " + quoted(classes.structural->name()) + " and " +
            quoted(classes.rival->name()) + " do not inherit from one another");
  for (const ObjectClass* named : classes.named) {
    if (named->kind != ObjectClassKind::kAbstract) continue;
    const auto inherits = [&](const ObjectClass* other) {
      return other->kind != ObjectClassKind::kAbstract && other->is_subclass_of(*named);
    };
    if (std::none_of(classes.named.begin(), classes.named.end(), inherits))
      return violation(
          ResultCode::kObjectClassViolation,
          "object class " + quoted(named->name()) +
              " is abstract: an entry has it only through a class that inherits from it");
  }
  return std::nullopt;
}

bool has_type(const Entry& entry, const AttributeType& type) {
  return std::any_of(
      entry.attributes.begin(), entry.attributes.end(),
      [&](const Attribute& attribute) { return attribute.description.type == &type; });
}

std::optional<SchemaViolation> check_required(const Entry& entry, const Classes& classes) {
  for (const ObjectClass* object_class : classes.all) {
    for (const AttributeType* type : object_class->must) {
      if (!has_type(entry, *type))
        return violation(ResultCode::kObjectClassViolation,
                         "object class " + quoted(object_class->name()) + " requires attribute " +
                             quoted(type->name()));
    }
  }
  return std::nullopt;
}

bool is_allowed(const AttributeType* type, const Classes& classes) {
  return std::any_of(classes.all.begin(), classes.all.end(), [&](const ObjectClass* one) {
    return std::find(one->must.begin(), one->must.end(), type) != one->must.end() ||
           std::find(one->may.begin(), one->may.end(), type) != one->may.end();
  });
}

// What concerns one attribute alone.
std::optional<SchemaViolation> check_attribute(const Attribute& attribute) {
  const AttributeType* type = attribute.description.type;
  if (type == nullptr)
    return violation(ResultCode::kUndefinedAttributeType, "an attribute of the entry has no type");
  std::size_t description_size = type->name().size();
  for (const std::string& option : attribute.description.options)
    description_size += option.size() + 1;
  if (description_size > kDescriptionSizeMax) {
    limits::count(limits::Counter::kDescriptionSize);
    return violation(ResultCode::kAdminLimitExceeded,
                     "an attribute description of type " + quoted(type->name()) + " has " +
                         std::to_string(description_size) + " octets, the limit is " +
                         std::to_string(kDescriptionSizeMax));
  }
  if (type->single_value && attribute.values.size() > 1)
    return violation(ResultCode::kConstraintViolation,
                     "attribute " + quoted(attribute.description.to_string()) +
                         " is single-valued, " + std::to_string(attribute.values.size()) +
                         " values were given");
  return std::nullopt;
}

// The normal form by the equality rule, with an octet in front that keeps it apart from values
// without one.
void comparable(const schema::Schema& schema, const AttributeType& type, const std::string& value,
                std::string& out) {
  out.assign(1, 'n');
  if (type.equality != nullptr && type.equality->normalize(schema, value, out)) return;
  out.assign(1, 'o').append(value);
}

// Two values by their places, the earlier one first.
using Pair = std::pair<std::size_t, std::size_t>;

// Two equal values among those at `places`, which all have one hash.
std::optional<Pair> equal_among(const schema::Schema& schema, const Attribute& attribute,
                                std::span<const std::pair<std::uint64_t, std::size_t>> places) {
  std::vector<std::pair<std::string, std::size_t>> normals;
  for (const auto& [hash, place] : places) {
    comparable(schema, *attribute.description.type, attribute.values[place],
               normals.emplace_back(std::string(), place).first);
    // Nearly always the first two are equal: other strings hardly ever share a hash.
    if (normals.size() == 2 && normals[0].first == normals[1].first) break;
  }
  std::sort(normals.begin(), normals.end());
  const auto twice =
      std::adjacent_find(normals.begin(), normals.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == normals.end()) return std::nullopt;
  return Pair(twice->second, std::next(twice)->second);
}

// The first value that equals an earlier one, with that. Hashes are compared, so that hundreds of
// thousands of values need neither their normal forms at once nor a sort of those.
std::optional<Pair> first_twice(const schema::Schema& schema, const Attribute& attribute) {
  const std::vector<std::string>& values = attribute.values;
  const KeyedHash hash;
  std::vector<std::pair<std::uint64_t, std::size_t>> hashes;
  hashes.reserve(values.size());
  std::string normal;
  for (std::size_t i = 0; i < values.size(); ++i) {
    comparable(schema, *attribute.description.type, values[i], normal);
    hashes.emplace_back(hash(normal), i);
  }
  std::sort(hashes.begin(), hashes.end());
  std::optional<Pair> found;
  for (std::size_t at = 0; at < hashes.size();) {
    std::size_t end = at + 1;
    while (end < hashes.size() && hashes[end].first == hashes[at].first) ++end;
    if (end - at > 1) {
      const auto pair = equal_among(schema, attribute, std::span(hashes).subspan(at, end - at));
      if (pair && (!found || pair->second < found->second)) found = pair;
    }
    at = end;
  }
  return found;
}

// Whether the equality rule of the type prepares strings, and a run of combining marks in the value
// is too long for that. REQUIRES: the value has its syntax.
bool has_excess_marks(const AttributeType& type, std::string_view value) {
  if (type.equality == nullptr) return false;
  const std::string_view form = type.equality->normal_form();
  if (form == "distinguishedName" || form == "uniqueMember") {
    if (text::is_ascii(value) && value.find('\\') == std::string_view::npos) return false;
    const auto dn =
        ldap::parse_dn(form == "uniqueMember" ? schema::split_name_and_uid(value).name : value);
    if (!dn) return false;
    const auto excess = [](const ldap::Ava& ava) { return text::has_excess_marks(ava.value); };
    return std::any_of(dn->rdns.begin(), dn->rdns.end(), [&](const ldap::Rdn& rdn) {
      return std::any_of(rdn.avas.begin(), rdn.avas.end(), excess);
    });
  }
  // The numbers and the rules for IA5 take no marks at all.
  const bool prepares =
      form == "caseIgnore" || form == "caseExact" || form == "caseIgnoreList" || form == "words";
  return prepares && text::has_excess_marks(value);
}

}  // namespace

std::optional<SchemaViolation> check_value(const schema::AttributeDescription& description,
                                           std::string_view value) {
  if (auto bad = check_syntax(description, value)) return bad;
  if (!has_excess_marks(*description.type, value)) return std::nullopt;
  limits::count(limits::Counter::kCombiningMarks);
  return violation(ResultCode::kInvalidAttributeSyntax,
                   "attribute " + quoted(description.to_string()) + ": value " + quoted(value) +
                       " cannot be compared by " + std::string(description.type->equality->name()) +
                       ": " + std::string(text::kExcessMarks));
}

std::optional<SchemaViolation> check_syntax(const schema::AttributeDescription& description,
                                            std::string_view value) {
  std::string why;
  const schema::Syntax* syntax = description.type->syntax;
  if (syntax == nullptr || syntax->validate(value, &why)) return std::nullopt;
  std::string text = "attribute " + quoted(description.to_string()) + ": value " + quoted(value) +
                     " is no valid " + std::string(syntax->description());
  if (!why.empty()) text += ": " + why;
  return violation(ResultCode::kInvalidAttributeSyntax, std::move(text));
}

std::optional<SchemaViolation> check_duplicates(const schema::Schema& schema,
                                                const Attribute& attribute) {
  if (attribute.values.size() < 2) return std::nullopt;
  const std::optional<Pair> twice = first_twice(schema, attribute);
  if (!twice) return std::nullopt;
  std::string text = "attribute " + quoted(attribute.description.to_string()) + ": value number " +
                     std::to_string(twice->second + 1) + " equals value number " +
                     std::to_string(twice->first + 1);
  // Passwords have an octet syntax; they are never shown.
  const schema::Syntax* syntax = attribute.description.type->syntax;
  if (syntax != nullptr && syntax->human_readable() &&
      attribute.description.type != schema.well_known().user_password)
    text += ", " + quoted(attribute.values[twice->first]);
  return violation(ResultCode::kAttributeOrValueExists, std::move(text));
}

std::optional<SchemaViolation> check_entry(const schema::Schema& schema, const Entry& entry) {
  if (entry.attributes.size() > kEntryAttributesMax) {
    limits::count(limits::Counter::kEntryAttributes);
    return violation(ResultCode::kAdminLimitExceeded,
                     "the entry has " + std::to_string(entry.attributes.size()) +
                         " attributes, the limit is " + std::to_string(kEntryAttributesMax));
  }
  const std::string* unknown = nullptr;
  const Classes classes = collect_classes(schema, entry, &unknown);
  if (unknown != nullptr)
    return violation(
        ResultCode::kInvalidAttributeSyntax,
        "attribute 'objectClass': " + quoted(*unknown) + " is not a defined object class");
  if (classes.named.empty())
    return violation(ResultCode::kObjectClassViolation, "the entry has no objectClass attribute");
  if (auto found = check_class_kinds(classes)) return found;
  if (auto found = check_required(entry, classes)) return found;
  const bool extensible = classes.contains(*schema.well_known().extensible_object);
  for (const Attribute& attribute : entry.attributes) {
    if (auto found = check_attribute(attribute)) return found;
    const AttributeType* type = attribute.description.type;
    if (extensible || type->operational() || is_allowed(type, classes)) continue;
    return violation(ResultCode::kObjectClassViolation,
                     "attribute " + quoted(attribute.description.to_string()) +
                         " is not allowed by the entry's object classes " +
                         list_names(classes.named));
  }
  return std::nullopt;
}

std::optional<SchemaViolation> check_naming(const schema::Schema& schema, const Entry& entry,
                                            const ldap::Rdn& rdn) {
  for (const ldap::Ava& ava : rdn.avas) {
    const AttributeType* type = schema.attribute_type(ava.type);
    if (type == nullptr)
      return violation(ResultCode::kUndefinedAttributeType,
                       "naming attribute " + quoted(ava.type) + " is not defined by the schema");
    const std::string name = "naming attribute " + quoted(type->name());
    if (type->operational() || type->collective)
      return violation(ResultCode::kNamingViolation,
                       name + (type->collective ? " is collective" : " is operational") +
                           " and cannot be part of a name");
    if (type->equality == nullptr)
      return violation(ResultCode::kNamingViolation,
                       name + " has no equality rule and cannot be part of a name");
    std::string wanted;
    if (!type->equality->normalize(schema, ava.value, wanted))
      return violation(ResultCode::kInvalidDnSyntax,
                       name + ": value " + quoted(ava.value) + " is no valid value of its syntax");
    const Attribute* attribute = entry.find(*type);
    if (attribute == nullptr)
      return violation(ResultCode::kNamingViolation, name + " is not present in the entry");
    const auto equals = [&](const std::string& value) {
      std::string normal;
      return type->equality->normalize(schema, value, normal) && normal == wanted;
    };
    if (!attribute->values.empty() &&
        std::none_of(attribute->values.begin(), attribute->values.end(), equals))
      return violation(ResultCode::kNamingViolation, "value of " + name + ", " + quoted(ava.value) +
                                                         ", is not among the values in the entry");
  }
  return std::nullopt;
}

const ObjectClass* structural_class(const schema::Schema& schema, const Entry& entry) {
  const std::string* unknown = nullptr;
  const Classes classes = collect_classes(schema, entry, &unknown);
  return classes.rival == nullptr ? classes.structural : nullptr;
}

}  // namespace kauri::entry
