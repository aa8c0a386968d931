// KAURI_ASSERT: on in every build; for our own bugs only, never for bytes from a client, a file or
// the disk.
#pragma once

namespace kauri {
// Prints the expression and where it stands on standard error, then aborts.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace kauri

#define KAURI_ASSERT(expression)                                  \
  do {                                                            \
    if (!(expression)) [[unlikely]]                               \
      ::kauri::assertion_failed(#expression, __FILE__, __LINE__); \
  } while (false)
