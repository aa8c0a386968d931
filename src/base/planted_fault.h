// Faults planted on purpose, which the campaigns of tests/ have to find: one that misses its fault
// has shown nothing (docs/STYLE.md, "Tests").
//
// Only programs made with KAURI_PLANTED_FAULTS hold any (kaurid-planted, tests/fault). Everywhere
// else the macro is a constant and the code behind it is not compiled into the program. Thread
// safety: thread-safe.
#pragma once

#ifdef KAURI_PLANTED_FAULTS

#include <cstdlib>
#include <string_view>

namespace kauri {

// The environment variable KAURI_PLANTED_FAULT names the one fault that is on.
inline bool planted_fault(std::string_view name) {
  static const char* const chosen = std::getenv("KAURI_PLANTED_FAULT");
  return chosen != nullptr && name == chosen;
}

}  // namespace kauri

#define KAURI_PLANTED_FAULT(name) (::kauri::planted_fault(name))

#else

#define KAURI_PLANTED_FAULT(name) false

#endif
