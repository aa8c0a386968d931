// The plan of a search as a tree for people, with advice (docs/reference/explain.md has the JSON).
//
// Whatever the JSON holds the text is fit for a terminal, and nothing throws: what is missing or of
// another type shows as nothing. Thread safety: immutable functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kauri::tool {

std::string print_plan(const nlohmann::json& plan);

}  // namespace kauri::tool
