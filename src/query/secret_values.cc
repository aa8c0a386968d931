#include "query/secret_values.h"

#include <algorithm>

namespace kauri::query {
namespace {

constexpr std::string_view kMask = "[hidden]";

}  // namespace

bool is_secret(const schema::Schema& schema, const schema::AttributeType& type) {
  if (type.is_subtype_of(*schema.well_known().user_password)) return true;
  return std::any_of(kSecretNames.begin(), kSecretNames.end(), [&](std::string_view name) {
    const schema::AttributeType* secret = schema.attribute_type(name);
    return secret != nullptr && type.is_subtype_of(*secret);
  });
}

std::string loggable_filter(const schema::Schema& schema, const ldap::Filter& filter) {
  ldap::Filter shown;
  shown.nodes = filter.nodes;
  shown.parts = filter.parts;
  for (ldap::FilterNode& node : shown.nodes) {
    if (node.kind <= ldap::FilterKind::kNot || node.kind == ldap::FilterKind::kPresent) continue;
    const std::string_view name = node.attribute.substr(0, node.attribute.find(';'));
    const schema::AttributeType* type = schema.attribute_type(name);
    if (type == nullptr || !is_secret(schema, *type)) continue;
    node.value = kMask;
    for (std::uint32_t i = node.parts_begin; i < node.parts_end; ++i) shown.parts[i].value = kMask;
  }
  return ldap::to_string(shown);
}

}  // namespace kauri::query
