#include "operation/names.h"

#include <utility>

#include "schema/dn_normal.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::operation {

std::string quoted(std::string_view text) {
  constexpr std::size_t kQuotedMax = 200;
  return text::quoted(text, kQuotedMax);
}

namespace {

// As names are written out (RFC 4514 sections 2.3 and 2.4): a type that the schema knows by its
// name, and its value, which is of its syntax, as text. REQUIRES: the RDN could be normalised.
void write_usually(const schema::Schema& schema, ldap::Rdn& rdn) {
  for (ldap::Ava& ava : rdn.avas) {
    const schema::AttributeType* type = schema.attribute_type(ava.type);
    if (type == nullptr) continue;
    ava.hex = false;
    if (!text::equal_ignoring_case(ava.type, type->name())) ava.type = type->name();
  }
}

}  // namespace

std::optional<ldap::OperationResult> parse_name(const schema::Schema& schema, std::string_view text,
                                                Name& out) {
  auto dn = ldap::parse_dn(text);
  if (!dn) {
    return ldap::failure(ldap::ResultCode::kInvalidDnSyntax,
                         "the name " + quoted(text) + " is not a DN: " + dn.error().message());
  }
  auto rdns = schema::normalize_rdns(schema, *dn);
  if (!rdns) {
    return ldap::failure(ldap::ResultCode::kInvalidDnSyntax,
                         "the name " + quoted(text) + " is not valid: " + rdns.error().message());
  }
  for (ldap::Rdn& rdn : dn->rdns) write_usually(schema, rdn);
  out.dn = std::move(*dn);
  out.normal_rdns = std::move(*rdns);
  out.normal = schema::join_normal(out.normal_rdns);
  return std::nullopt;
}

std::optional<ldap::OperationResult> parse_new_rdn(const schema::Schema& schema,
                                                   std::string_view text, ldap::Rdn& rdn,
                                                   std::string& normal) {
  auto parsed = ldap::parse_rdn(text);
  if (!parsed) {
    return ldap::failure(
        ldap::ResultCode::kInvalidDnSyntax,
        "the new RDN " + quoted(text) + " is not one RDN: " + parsed.error().message());
  }
  for (const ldap::Ava& ava : parsed->avas) {
    if (schema.attribute_type(ava.type) == nullptr) {
      return ldap::failure(ldap::ResultCode::kUndefinedAttributeType,
                           "the new RDN " + quoted(text) + " names the attribute type " +
                               quoted(ava.type) + ", which the schema does not define");
    }
  }
  auto normalized = schema::normalize_rdn(schema, *parsed);
  if (!normalized) {
    return ldap::failure(
        ldap::ResultCode::kInvalidDnSyntax,
        "the new RDN " + quoted(text) + " is not valid: " + normalized.error().message());
  }
  write_usually(schema, *parsed);
  rdn = std::move(*parsed);
  normal = std::move(*normalized);
  return std::nullopt;
}

backend::TargetName to_target(Name&& name) {
  return {std::move(name.dn), std::move(name.normal_rdns)};
}

}  // namespace kauri::operation
