// Every syntax the server knows, for the subschema entry. Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "schema/syntax.h"

namespace kauri::schema {

// In the order of the table.
const std::vector<const Syntax*>& all_syntaxes();
// "( oid DESC 'description' X-NOT-HUMAN-READABLE 'TRUE' )"
std::string syntax_definition(const Syntax& syntax);

}  // namespace kauri::schema
