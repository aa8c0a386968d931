// Why no index covers a leaf of a filter, and which one would. For explain and logs.
//
// Thread safety: immutable functions. What is returned views the schema and the index catalog.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "index/index_catalog.h"
#include "query/compiled_filter.h"

namespace kauri::query {

// An index that an administrator could configure.
struct IndexAdvice {
  const schema::AttributeType* type = nullptr;
  index::IndexKinds missing;
  index::IndexKinds with;  // what its index has already, and what is missing
};

struct Unindexed {
  std::string why;                  // "'description' has no index"
  std::vector<IndexAdvice> advice;  // all of them are needed; empty: no index would help
};

// REQUIRES: a leaf that the planner found to have no index (PlanTerm::index is "none" and its fate
// TermFate::kNoIndex).
Unindexed why_unindexed(const CompiledNode& node, const index::IndexCatalog& catalog);

// All indexes of the catalog, "uid=eq,sub", by name.
std::vector<std::string> index_list(const index::IndexCatalog& catalog);
// Whether they are those of a database without [[database.index]], all of which the first such
// table of a configuration file replaces.
bool are_default_indexes(const index::IndexCatalog& catalog, const schema::Schema& schema);

// The lines of a configuration file that make the index (docs/reference/configuration.md).
std::string configuration_of(const IndexAdvice& advice);

}  // namespace kauri::query
