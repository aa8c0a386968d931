#include "base/testing/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Clang's sanitizers bring operators of their own, which cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define KAURI_OPERATORS_TAKEN
#endif
#endif

#ifndef KAURI_OPERATORS_TAKEN
// Replaced in a file of their own: where the compiler sees both sides it may leave them out.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
#endif

namespace kauri {

std::size_t allocation_count() {
  return allocations.load(std::memory_order_relaxed);
}

bool counts_allocations() {
#ifdef KAURI_OPERATORS_TAKEN
  return false;
#else
  return true;
#endif
}

}  // namespace kauri
