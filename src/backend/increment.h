// Sums of INTEGER values of any size (RFC 4525). Thread safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kauri::backend {

// a + b in decimal. Nothing when one of them is no decimal integer ("-?[0-9]+").
std::optional<std::string> add_integers(std::string_view a, std::string_view b);

}  // namespace kauri::backend
