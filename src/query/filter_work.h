// The prices of evaluating a filter, in steps of about a nanosecond (limits::kFilterWorkMax): set
// so that the dearest values of each kind take no longer than they say. tests/cost measures them.
//
// Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schema/matching_rule.h"
#include "text/weight.h"

namespace kauri::query {

// A leaf of the filter, and each attribute that it looks for in the entry.
inline constexpr std::uint64_t kLookWork = 50;
// Each value, besides its octets.
inline constexpr std::uint64_t kValueWork = 100;
// An octet that is searched for a part of a substrings assertion.
inline constexpr std::uint64_t kSearchWork = 2;
// An octet of the entry's name that is put together and taken apart.
inline constexpr std::uint64_t kNameWork = 10;

// The normal form of a value by a rule.
inline std::uint64_t normal_form_work(const schema::MatchingRule& rule, std::string_view value) {
  const std::string_view form = rule.normal_form();
  if (form == "octetString") return value.size();
  if (form == "caseIgnore" || form == "caseExact") return 2 * text::preparation_weight(value);
  // Numbers, names, times: read character by character, or put together from parts.
  return 10 * text::preparation_weight(value);
}

}  // namespace kauri::query
