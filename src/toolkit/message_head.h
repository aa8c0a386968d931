// The head of one LDAPMessage in a stream, read with the least work that counting answers needs:
// message ID, tag and, in results, the result code. Shared by the load client and the null
// responder.
//
// Nothing is allocated; views point into the stream. RFC 4511 sections 4.1.1 and 5.1.
// Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ber/reader.h"
#include "ldap/message.h"

namespace kauri::toolkit {

enum class HeadState : std::uint8_t {
  kIncomplete,  // `size` is the whole message's size once its header has arrived, else 0
  kComplete,
  kBroken,
};

struct MessageHead {
  std::size_t size = 0;  // octets of the whole message
  ldap::MessageId id = 0;
  ber::Tag tag = 0;
  std::string_view body;  // contents of the protocolOp
};

// Octets of one message that is taken; a larger one is kBroken.
inline constexpr std::size_t kMessageSizeTakenMax = std::size_t{64} << 20U;

HeadState read_message_head(std::string_view stream, MessageHead& out);

// The resultCode at the head of an LDAPResult, or a negative number when it is broken.
inline int read_result_code(std::string_view body) {
  if (body.size() < 3 || body[0] != 0x0A) return -1;
  const auto low = [&body](std::size_t i) { return static_cast<unsigned char>(body[i]); };
  if (body[1] == 1) return low(2) < 0x80 ? low(2) : -1;
  if (body[1] == 2 && body.size() >= 4 && low(2) < 0x80) return low(2) * 256 + low(3);
  return -1;
}

}  // namespace kauri::toolkit
