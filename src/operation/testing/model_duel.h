// A duel of the real directory with its model: the same requests to both, and what differs. Thread
// safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <string>

#include "operation/testing/choices.h"

namespace kauri::operation::testing {

struct DuelOptions {
  std::uint64_t steps_max = 200;
  unsigned restart_permille = 10;    // of the steps: everything is closed and opened again
  std::uint64_t compare_every = 50;  // steps between two comparisons of all there is
};

struct DuelResult {
  std::string difference;  // empty: none
  std::uint64_t steps = 0;
  std::uint64_t changes = 0;   // steps that changed the directory
  std::uint64_t refusals = 0;  // steps answered with an error
  std::uint64_t found = 0;     // entries that searches returned
};

// Until `choices` end or the steps are done.
DuelResult run_duel(Choices& choices, const DuelOptions& options);

}  // namespace kauri::operation::testing
