// For tests: how often this program has asked for memory. Replaces the global operator new.
#pragma once

#include <cstddef>

namespace kauri::ldap {

// Calls of operator new since the start. Thread safety: for tests of one thread.
std::size_t allocation_count();

}  // namespace kauri::ldap
