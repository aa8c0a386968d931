// What a piece of code costs: allocations, memory, processor time. For tests that prove a bound. A
// test program that includes this gets an operator new of its own. Thread safety: thread-safe, but
// each figure is that of the whole process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kauri {

// Calls of operator new since the start.
std::size_t allocation_count();

// False where a sanitizer's own operator new is in the way: the figures of allocations and memory
// stay 0, and the builds without it prove the point.
bool counts_allocations();

// The most memory from operator new since it was made, beyond what there was then. Only one at a
// time.
class MemoryPeak {
 public:
  MemoryPeak();
  std::int64_t growth() const;

 private:
  std::int64_t before_;
};

// Processor time of all threads while `work` runs: what else the machine does leaves it alone.
double processor_ms(const std::function<void()>& work);

// How many times slower than a release build this build may be.
double build_slack();

}  // namespace kauri
