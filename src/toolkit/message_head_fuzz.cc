// Any octets as the head of a stream: what is reported lies within them.
#include <cstdint>

#include "base/assert.h"
#include "toolkit/message_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kauri::toolkit::HeadState;
  std::string_view stream(reinterpret_cast<const char*>(data), size);
  while (!stream.empty()) {
    kauri::toolkit::MessageHead head;
    if (read_message_head(stream, head) != HeadState::kComplete) break;
    KAURI_ASSERT(head.size > 0 && head.size <= stream.size() && head.id >= 0);
    KAURI_ASSERT(head.body.data() >= stream.data() &&
                 head.body.data() + head.body.size() <= stream.data() + head.size);
    KAURI_ASSERT(kauri::toolkit::read_result_code(head.body) >= -1);
    stream.remove_prefix(head.size);
  }
  return 0;
}
