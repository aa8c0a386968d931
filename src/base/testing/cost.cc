#include "base/testing/cost.h"

#include <malloc.h>
#include <time.h>

#include <atomic>
#include <cstdlib>
#include <new>

// Clang's sanitizers bring operators of their own, which cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define KAURI_OPERATORS_TAKEN
#define KAURI_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KAURI_SANITIZED
#endif

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::int64_t> octets{0};
std::atomic<std::int64_t> most_octets{0};

#ifndef KAURI_OPERATORS_TAKEN
void note(std::int64_t change) {
  const std::int64_t now = octets.fetch_add(change, std::memory_order_relaxed) + change;
  std::int64_t most = most_octets.load(std::memory_order_relaxed);
  while (now > most && !most_octets.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}
void give_back(void* memory) {
  if (memory != nullptr) note(-static_cast<std::int64_t>(::malloc_usable_size(memory)));
  std::free(memory);
}
#endif

}  // namespace

#ifndef KAURI_OPERATORS_TAKEN
// Replaced in a file of their own: where the compiler sees both sides it may leave them out.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  note(static_cast<std::int64_t>(::malloc_usable_size(memory)));
  return memory;
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  give_back(memory);
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

MemoryPeak::MemoryPeak() : before_(octets.load(std::memory_order_relaxed)) {
  most_octets.store(before_, std::memory_order_relaxed);
}

std::int64_t MemoryPeak::growth() const {
  return most_octets.load(std::memory_order_relaxed) - before_;
}

double processor_ms(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double before = now();
  work();
  return now() - before;
}

double build_slack() {
#if defined(__OPTIMIZE__) && !defined(KAURI_SANITIZED)
  return 1;
#else
  return 3;
#endif
}

}  // namespace kauri
