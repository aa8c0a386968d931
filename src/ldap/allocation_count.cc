#include "ldap/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++count;
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

std::size_t kauri::ldap::allocation_count() {
  return count;
}
