// The state machine of connections: scripts of octets in, reads, timers, half-closes, closes and
// drains against one worker (server/connection_script.h).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/assert.h"
#include "server/connection_script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const kauri::server::ScriptResult result = kauri::server::play_script(input);
  if (!result.fault.empty()) std::fprintf(stderr, "%s\n", result.fault.c_str());
  KAURI_ASSERT(result.fault.empty());
  return 0;
}
