#include "server/input_buffer.h"

#include <limits>

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

std::string InputBuffer::why_broken(std::string_view rest, std::size_t size_max,
                                    const ber::Frame& frame) {
  // One that any limit would refuse is no message.
  const ber::Frame any_size = ber::find_message(rest, std::numeric_limits<std::size_t>::max());
  if (any_size.state == ber::Frame::State::kBroken) return frame.error;
  return "a message of " + std::to_string(any_size.size) +
         " octets, the limit of this connection is " + std::to_string(size_max);
}

}  // namespace kauri::server
