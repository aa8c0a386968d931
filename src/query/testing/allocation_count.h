// Counts allocations through operator new, to prove in a test that there are none where there must
// be none. For tests only. Thread safety: thread-safe.
#pragma once

#include <cstddef>

namespace kauri::query {

std::size_t allocation_count();

}  // namespace kauri::query
