// Fixture F of the cases (docs/cases.md): the schema and the entries on which the tests of every
// layer stand, read from tests/fixture/. For tests. Thread safety: immutable once read; any thread
// may call. VALID UNTIL: the end of the process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schema/schema.h"

namespace kauri::schema::testing {

// The built-in schema, the types kInt, kIntSub, kTime, kBool, kExact, kNum, kOct, kSingle, kNoEq
// and kBits, and the auxiliary class kAux that allows them all. One snapshot for the whole process,
// since it takes a while to build.
std::shared_ptr<const Schema> fixture_schema();

struct FixtureEntry {
  std::string dn;
  // Each description once, with its values.
  std::vector<std::pair<std::string, std::vector<std::string>>> attributes;
};
// dc=example,dc=com, ou=p below it, and below that uid=a, uid=b and uid=c; in this order.
const std::vector<FixtureEntry>& fixture_entries();

}  // namespace kauri::schema::testing
