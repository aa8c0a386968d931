// The JSON of an Explanation, schema version 1 (docs/reference/explain.md). Internal to operation/.
// Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>

#include "ldap/result_code.h"
#include "query/compiled_filter.h"
#include "query/planner.h"

namespace kauri::operation {

class Explanation;

// Where candidates come from, as plan and log name it.
std::string_view source_name(query::CandidateSource source);

// Bounded whatever the filter is: long text is cut, and of many parts only the first are told.
std::string explanation_text(const Explanation& explanation, const query::CompiledFilter& filter,
                             const ldap::OperationResult& result);

}  // namespace kauri::operation
