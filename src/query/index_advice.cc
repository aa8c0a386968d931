#include "query/index_advice.h"

#include <algorithm>

#include "query/index_terms.h"

namespace kauri::query {
namespace {

using index::IndexDefinition;
using index::IndexKinds;
using ldap::SubstringPartKind;

std::string quoted_name(const schema::AttributeType& type) {
  return "'" + std::string(type.name()) + "'";
}

IndexKinds merged(IndexKinds a, IndexKinds b) {
  return {a.presence || b.presence, a.equality || b.equality, a.substring || b.substring};
}

bool begins_with_octets(const CompiledNode& node) {
  return !node.parts.empty() && node.parts[0].kind == SubstringPartKind::kInitial &&
         !node.parts[0].normal.empty();
}

bool has_octets(const CompiledNode& node) {
  return std::any_of(node.parts.begin(), node.parts.end(),
                     [](const auto& part) { return !part.normal.empty(); });
}

// The kind of index that serves the comparison on values of a type; none where no kind does.
IndexKinds serving(const CompiledNode& node, const schema::AttributeType& type) {
  IndexKinds kinds;
  if (node.comparison == Comparison::kPresence) {
    kinds.presence = true;
    return kinds;
  }
  IndexDefinition imagined;
  imagined.type = &type;
  if (type.equality != nullptr) imagined.kinds.equality = true;
  imagined.kinds.substring = type.substrings != nullptr;
  if (node.comparison != Comparison::kSubstrings) {
    kinds.equality = imagined.kinds.equality && equality_serves(node, imagined);
    return kinds;
  }
  const bool begins = begins_with_octets(node);
  // A prefix alone is a range of an equality index, which costs less on every write.
  const bool prefix = begins && node.parts.size() == 1;
  const bool grams = has_octets(node) && grams_serve(node, imagined);
  kinds.equality =
      begins && (prefix || !grams) && imagined.kinds.equality && equality_serves(node, imagined);
  kinds.substring = grams && !kinds.equality;
  return kinds;
}

bool serves(const CompiledNode& node, const IndexDefinition& definition, IndexKinds wanted) {
  if (node.comparison != Comparison::kSubstrings)
    return wanted.any() && merged(definition.kinds, wanted) == definition.kinds;
  return (begins_with_octets(node) && equality_serves(node, definition)) ||
         (has_octets(node) && grams_serve(node, definition));
}

// What of the comparison no index can serve, whatever is configured; empty where one can.
std::string_view never_indexed(const CompiledNode& node) {
  if (node.description.type == nullptr)
    return "a matching rule without an attribute asks all attributes, which no index does";
  if (node.dn_attributes) return "the values of names, which ':dn' asks for, are in no index";
  if (node.numbers.empty())
    return "its values are made when they are read, so that no index has them";
  if (node.comparison == Comparison::kRule)
    return "its matching rule compares value by value, which no index serves";
  return {};
}

}  // namespace

Unindexed why_unindexed(const CompiledNode& node, const index::IndexCatalog& catalog) {
  Unindexed out;
  out.why = never_indexed(node);
  if (!out.why.empty()) return out;
  for (const schema::AttributeType* type : node.types) {
    const IndexDefinition* definition = catalog.find(*type);
    const IndexKinds has = definition == nullptr ? IndexKinds() : definition->kinds;
    const IndexKinds wanted = serving(node, *type);
    if (definition != nullptr && serves(node, *definition, wanted)) {
      if (definition->usable) continue;
      out.why = "the index of " + quoted_name(*type) + " is being built";
      out.advice.clear();
      return out;
    }
    if (!wanted.any()) {
      out.why = "no index of " + quoted_name(*type) +
                (node.rule == nullptr ? std::string(" serves this")
                                      : " serves " + std::string(node.rule->name())) +
                (node.comparison == Comparison::kSubstrings ? " with these parts" : "");
      out.advice.clear();
      return out;
    }
    if (out.why.empty()) {
      out.why = definition == nullptr
                    ? quoted_name(*type) + " has no index"
                    : "the index of " + quoted_name(*type) + " is " + index::to_string(has) +
                          ", and this needs " + index::to_string(wanted);
    }
    out.advice.push_back({type, wanted, merged(has, wanted)});
  }
  return out;
}

std::vector<std::string> index_list(const index::IndexCatalog& catalog) {
  std::vector<std::string> out;
  for (const IndexDefinition& definition : catalog.definitions())
    out.push_back(std::string(definition.type->name()) + '=' + index::to_string(definition.kinds));
  std::sort(out.begin(), out.end());
  return out;
}

bool are_default_indexes(const index::IndexCatalog& catalog, const schema::Schema& schema) {
  const std::vector<index::IndexSpec> specs = index::default_indexes(schema);
  if (specs.size() != catalog.definitions().size()) return false;
  return std::all_of(specs.begin(), specs.end(), [&](const index::IndexSpec& spec) {
    const schema::AttributeType* type = schema.attribute_type(spec.attribute);
    const IndexDefinition* definition = type == nullptr ? nullptr : catalog.find(*type);
    return definition != nullptr && definition->kinds == spec.kinds;
  });
}

std::string configuration_of(const IndexAdvice& advice) {
  std::string kinds;
  const auto add = [&](bool has, std::string_view name) {
    if (!has) return;
    if (!kinds.empty()) kinds += ", ";
    kinds += '"';
    kinds += name;
    kinds += '"';
  };
  add(advice.with.presence, "pres");
  add(advice.with.equality, "eq");
  add(advice.with.substring, "sub");
  return "[[database.index]]\nattribute = \"" + std::string(advice.type->name()) + "\"\nkinds = [" +
         kinds + "]\n";
}

}  // namespace kauri::query
