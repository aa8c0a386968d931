// How the requests of each kind of workload are made from their patterns (workload.h).
// Thread safety: functions without state; an encoder is immutable.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "toolkit/pattern.h"
#include "toolkit/request_template.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// What the patterns of a workload need.
struct PatternUse {
  bool has_line = false;
  std::size_t columns = 0;
};

// RETURNS: the pattern's error with `what` it is in front; notes what it needs in `use`.
Result<Pattern> parse_part(std::string_view what, std::string_view text, PatternUse& use);

// RETURNS: kInvalid for a broken pattern.
Result<RequestTemplate::Encoder> make_encoder(const WorkloadOptions& options, PatternUse& use);
// Of modrdn: the renaming back. RETURNS: kInvalid when it cannot know the name.
Result<RequestTemplate::Encoder> make_back_encoder(const WorkloadOptions& options, PatternUse& use);

}  // namespace kauri::toolkit
