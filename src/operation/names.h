// Name: a DN of a request in the three forms that operations need. Thread safety: immutable
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "ldap/dn.h"
#include "ldap/result_code.h"
#include "schema/schema.h"

namespace kauri::operation {

struct Name {
  ldap::Dn dn;
  std::vector<std::string> normal_rdns;  // leaf first
  std::string normal;                    // schema/dn_normal.h
};

// RETURNS: invalidDNSyntax with the text and the reason when it is no DN.
std::optional<ldap::OperationResult> parse_name(const schema::Schema& schema, std::string_view text,
                                                Name& out);
// The same for a new RDN: exactly one RDN, of attribute types that the schema knows.
std::optional<ldap::OperationResult> parse_new_rdn(const schema::Schema& schema,
                                                   std::string_view text, ldap::Rdn& rdn,
                                                   std::string& normal);
backend::TargetName to_target(Name&& name);

// For a diagnostic: `text` in quotes, with control characters and broken UTF-8 escaped, cut after
// 200 octets.
std::string quoted(std::string_view text);

}  // namespace kauri::operation
