// The known word that a mistyped one most likely means. Thread safety: immutable functions.
#pragma once

#include <string_view>
#include <vector>

namespace kauri::config {

// Nothing (empty) when none is near: more than a third of the letters would have to change.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace kauri::config
