// Counts allocations through operator new, to prove in a test that there are none where there must
// be none. A test program that asks gets an operator new of its own. For tests only. Thread safety:
// thread-safe.
#pragma once

#include <cstddef>

namespace kauri {

// Calls of operator new since the start.
std::size_t allocation_count();

// False where a sanitizer's own operator new is in the way: the count stays 0, and the builds
// without it prove the point.
bool counts_allocations();

}  // namespace kauri
