#include "server/input_buffer.h"

namespace kauri::server {
namespace {
// A remainder up to this size keeps its memory for the next one, so that a client whose messages
// straddle packets does not allocate each time.
constexpr std::size_t kKeptCapacity = 4096;
}  // namespace

void InputBuffer::keep(std::string_view rest, bool from_kept) {
  if (!from_kept) {
    if (!rest.empty()) kept_.assign(rest);
    return;
  }
  if (rest.size() == kept_.size()) return;
  if (kept_.capacity() > kKeptCapacity && rest.size() * 4 < kept_.capacity()) {
    std::string(rest).swap(kept_);
    return;
  }
  kept_.erase(0, kept_.size() - rest.size());
}

}  // namespace kauri::server
