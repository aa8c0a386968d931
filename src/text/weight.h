// How dear it is to prepare a text for matching (stringprep.h), for limits on work: in octets of
// ASCII, which take about two nanoseconds each.
//
// Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace kauri::text {

// No octet weighs more.
inline constexpr std::size_t kPreparationWeightMax = 80;

// ASCII weighs its size. What is beyond goes through Unicode's tables: each octet weighs ten, and
// characters that unfold into many more than that, so that the preparation never takes longer than
// its weight says. The text may be anything; what is no UTF-8 is refused before it costs as much.
std::size_t preparation_weight(std::string_view text);

}  // namespace kauri::text
