#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace kauri {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "kauri: assertion failed: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace kauri
