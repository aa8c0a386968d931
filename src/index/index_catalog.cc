#include "index/index_catalog.h"

#include <algorithm>
#include <array>
#include <functional>

namespace kauri::index {
namespace {

struct Default {
  std::string_view attribute;
  bool substring;
};

// Equality for all; substrings where people type parts of a value.
constexpr std::array kDefaults = {Default{"objectClass", false},
                                  Default{"uid", true},
                                  Default{"cn", true},
                                  Default{"sn", true},
                                  Default{"givenName", true},
                                  Default{"displayName", true},
                                  Default{"mail", true},
                                  Default{"telephoneNumber", true},
                                  Default{"ou", false},
                                  Default{"o", false},
                                  Default{"dc", false},
                                  Default{"employeeNumber", false},
                                  Default{"member", false},
                                  Default{"uniqueMember", false},
                                  Default{"memberUid", false},
                                  Default{"owner", false},
                                  Default{"manager", false},
                                  Default{"seeAlso", false},
                                  Default{"uidNumber", false},
                                  Default{"gidNumber", false},
                                  Default{"ipHostNumber", false},
                                  Default{"krbPrincipalName", false},
                                  Default{"sudoUser", false},
                                  Default{"automountKey", false},
                                  Default{"entryUUID", false},
                                  Default{"entryCSN", false},
                                  Default{"aliasedObjectName", false}};

// Types whose values exist only while they are read: no entry stores them, so no index has them.
bool is_computed(const schema::WellKnown& known, const schema::AttributeType* type) {
  return type == known.entry_dn || type == known.has_subordinates ||
         type == known.num_subordinates || type == known.subschema_subentry;
}

Result<void> check(const schema::Schema& schema, const schema::AttributeType& type,
                   IndexKinds kinds) {
  const std::string name(type.name());
  if (!kinds.any()) return invalid("index of attribute '" + name + "': no kind is given");
  if (is_computed(schema.well_known(), &type))
    return invalid("index of attribute '" + name +
                   "': its values are computed when they are read, so it cannot be indexed");
  if (kinds.equality && type.equality == nullptr)
    return invalid("index of attribute '" + name +
                   "': kind 'eq' needs an equality rule, and the type has none");
  if (kinds.equality && !type.equality->is_octet_equality())
    return invalid("index of attribute '" + name + "': its equality rule " +
                   std::string(type.equality->name()) + " does not compare octets");
  if (kinds.substring && type.substrings == nullptr)
    return invalid("index of attribute '" + name +
                   "': kind 'sub' needs a substrings rule, and the type has none");
  return {};
}

struct ByType {
  bool operator()(const IndexDefinition& definition, const schema::AttributeType* type) const {
    return std::less<>()(definition.type, type);
  }
};

}  // namespace

std::vector<IndexSpec> default_indexes(const schema::Schema& schema) {
  std::vector<IndexSpec> specs;
  for (const Default& candidate : kDefaults) {
    const schema::AttributeType* type = schema.attribute_type(candidate.attribute);
    if (type == nullptr || type->equality == nullptr) continue;
    IndexKinds kinds;
    kinds.equality = true;
    kinds.substring = candidate.substring && type->substrings != nullptr;
    specs.push_back({std::string(candidate.attribute), kinds});
  }
  return specs;
}

Result<IndexKinds> parse_kinds(std::string_view text) {
  IndexKinds kinds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (word == "pres")
      kinds.presence = true;
    else if (word == "eq")
      kinds.equality = true;
    else if (word == "sub")
      kinds.substring = true;
    else
      return invalid("index kind '" + std::string(word) + "' is not one of pres, eq, sub");
  }
  return kinds;
}

std::string to_string(IndexKinds kinds) {
  std::string text;
  const auto add = [&text](bool is_set, std::string_view word) {
    if (!is_set) return;
    if (!text.empty()) text += ',';
    text += word;
  };
  add(kinds.presence, "pres");
  add(kinds.equality, "eq");
  add(kinds.substring, "sub");
  return text;
}

Result<IndexCatalog> IndexCatalog::make(const std::vector<IndexSpec>& specs,
                                        entry::Dictionary& dictionary) {
  const schema::Schema& schema = dictionary.schema();
  IndexCatalog catalog;
  for (const IndexSpec& spec : specs) {
    const schema::AttributeType* type = schema.attribute_type(spec.attribute);
    if (type == nullptr)
      return invalid("index of attribute '" + spec.attribute + "': the schema has no such type");
    KAURI_CHECK(check(schema, *type, spec.kinds));
    auto at =
        std::lower_bound(catalog.definitions_.begin(), catalog.definitions_.end(), type, ByType());
    if (at != catalog.definitions_.end() && at->type == type)
      return invalid("index of attribute '" + spec.attribute + "': it is defined twice");
    IndexDefinition definition;
    definition.type = type;
    definition.number = dictionary.intern({type, {}});
    definition.kinds = spec.kinds;
    catalog.definitions_.insert(at, definition);
  }
  return catalog;
}

const IndexDefinition* IndexCatalog::find(const schema::AttributeType& type) const {
  const auto at = std::lower_bound(definitions_.begin(), definitions_.end(), &type, ByType());
  return at != definitions_.end() && at->type == &type ? &*at : nullptr;
}

void IndexCatalog::set_usable(const schema::AttributeType& type, bool usable) {
  const auto at = std::lower_bound(definitions_.begin(), definitions_.end(), &type, ByType());
  if (at != definitions_.end() && at->type == &type) at->usable = usable;
}

}  // namespace kauri::index
