// Checks of an entry against the schema (RFC 4511 sections 4.6, 4.7; RFC 4512 sections 2.4, 4.1).
// Thread safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "entry/entry.h"
#include "ldap/dn.h"
#include "ldap/result_code.h"
#include "schema/schema.h"

namespace kauri::entry {

using limits::kDescriptionSizeMax;
using limits::kEntryAttributesMax;

struct SchemaViolation {
  ldap::ResultCode code;
  std::string diagnostic;
};

// One value to be stored, its syntax and that it can be prepared for comparison:
// invalidAttributeSyntax with the type and what is wrong.
std::optional<SchemaViolation> check_value(const schema::AttributeDescription& description,
                                           std::string_view value);
// Its syntax alone: of a value that is named and not stored.
std::optional<SchemaViolation> check_syntax(const schema::AttributeDescription& description,
                                            std::string_view value);
// Two equal values (by the equality rule; by octets where there is none): attributeOrValueExists.
std::optional<SchemaViolation> check_duplicates(const schema::Schema& schema,
                                                const Attribute& attribute);
// The whole entry, operational attributes exempt from the class rules: object classes known (else
// invalidAttributeSyntax), one structural chain, no abstract class alone, required attributes
// present, all attributes allowed (extensibleObject allows any): objectClassViolation. Single
// value: constraintViolation. An attribute without values is an external one (entry_view.h), so
// present.
std::optional<SchemaViolation> check_entry(const schema::Schema& schema, const Entry& entry);
// The values of the RDN are among the entry's, and each naming type is a user attribute with an
// equality rule: namingViolation. undefinedAttributeType, invalidDNSyntax for what has no meaning.
std::optional<SchemaViolation> check_naming(const schema::Schema& schema, const Entry& entry,
                                            const ldap::Rdn& rdn);
// The most specific structural class: the value of structuralObjectClass. nullptr when there is
// none.
const schema::ObjectClass* structural_class(const schema::Schema& schema, const Entry& entry);

}  // namespace kauri::entry
