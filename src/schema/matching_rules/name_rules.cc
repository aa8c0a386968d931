// distinguishedNameMatch, uniqueMemberMatch, objectIdentifierMatch and
// objectIdentifierFirstComponentMatch (RFC 4517 sections 4.2.15, 4.2.25, 4.2.26, 4.2.31).
#include "schema/dn_normal.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/name_and_uid.h"
#include "schema/schema.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"

namespace kauri::schema::rules {

namespace {

bool name(const Schema& schema, std::string_view value, std::string& out) {
  auto normal = normalize_dn(schema, value);
  if (!normal) return false;
  out += *normal;
  return true;
}

// The DN's normal form; with a UID, 0x00 (which never stands in it) and the bits.
bool name_and_uid(const Schema& schema, std::string_view value, std::string& out) {
  const NameAndUid parts = split_name_and_uid(value);
  if (!name(schema, parts.name, out)) return false;
  if (parts.has_uid) {
    out.push_back('\0');
    out += parts.bits;
  }
  return true;
}

// The dotted OID a descriptor stands for: object classes first, since objectClass is the attribute
// that matters.
std::string_view resolve(const Schema& schema, std::string_view descriptor) {
  if (const ObjectClass* object_class = schema.object_class(descriptor)) return object_class->oid;
  if (const AttributeType* type = schema.attribute_type(descriptor)) return type->oid;
  if (const MatchingRule* rule = find_matching_rule(descriptor)) return rule->oid();
  return {};
}

void append_lower(std::string& out, std::string_view text) {
  for (const char c : text) out.push_back(text::to_lower(c));
}

bool identifier(const Schema& schema, std::string_view value, std::string& out) {
  if (syntaxes::is_numeric_oid(value)) {
    out += value;
    return true;
  }
  if (!syntaxes::is_descriptor(value)) return false;
  const std::string_view oid = resolve(schema, value);
  append_lower(out, oid.empty() ? value : oid);
  return true;
}

// A descriptor that nobody knows makes the assertion Undefined.
bool identifier_assertion(const Schema& schema, std::string_view value, std::string& out) {
  if (!syntaxes::is_numeric_oid(value) && resolve(schema, value).empty()) return false;
  return identifier(schema, value, out);
}

// The OID behind "( " of a schema definition.
bool first_identifier(const Schema& schema, std::string_view value, std::string& out) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (!value.starts_with('(')) return false;
  value.remove_prefix(1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return identifier(schema, value.substr(0, value.find_first_of(" ')")), out);
}

}  // namespace

void add_name_rules(RuleList& list) {
  constexpr RuleKind kEq = RuleKind::kEquality;
  add_rule(list, {"2.5.13.1", "distinguishedNameMatch", kEq, kDn, "distinguishedName", name});
  add_rule(list, {"2.5.13.23", "uniqueMemberMatch", kEq, kNameAndOptionalUid, "uniqueMember",
                  name_and_uid});
  add_rule(list, {"2.5.13.0", "objectIdentifierMatch", kEq, kOid, "objectIdentifier", identifier,
                  identifier_assertion});
  add_rule(list, {"2.5.13.30", "objectIdentifierFirstComponentMatch", kEq, kOid,
                  "firstObjectIdentifier", first_identifier, identifier_assertion});
}

}  // namespace kauri::schema::rules
