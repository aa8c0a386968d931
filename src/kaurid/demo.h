// The demonstration tree: a small company with people, groups and services. Thread safety:
// functions without state.
#pragma once

#include <memory>
#include <string>

#include "backend/database.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "schema/schema.h"

namespace kauri::kaurid {

// The tree as LDIF below `suffix`. Everyone's password is "<uid>-demo", stored as {SSHA512}.
// RETURNS: kInvalid when the suffix is no DN or begins with a type that names no top entry (dc, o,
// ou, c).
Result<std::string> demo_ldif(const std::string& suffix, Random& random);

// Loads the tree when the database is missing or has no entry; otherwise does nothing. The database
// must not be open. RETURNS: whether it was loaded; errors of the import.
Result<bool> load_demo(const backend::DatabaseOptions& database,
                       const std::shared_ptr<const schema::Schema>& schema, Clock& clock,
                       Random& random);

}  // namespace kauri::kaurid
