#include "toolkit/message_head.h"

namespace kauri::toolkit {

namespace {

// Reads a definite length at `at`, which moves behind it. False when it is broken or not all there.
bool read_length(std::string_view octets, std::size_t& at, std::size_t& length) {
  if (at >= octets.size()) return false;
  const auto first = static_cast<unsigned char>(octets[at++]);
  if (first < 0x80) {
    length = first;
    return true;
  }
  const unsigned count = first & 0x7FU;
  if (count == 0 || count > 8 || octets.size() - at < count) return false;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) {
    value = value << 8U | static_cast<unsigned char>(octets[at++]);
  }
  length = static_cast<std::size_t>(value);
  return true;
}

}  // namespace

HeadState read_message_head(std::string_view stream, MessageHead& out) {
  const ber::Frame frame = ber::find_message(stream, kMessageSizeTakenMax);
  out.size = frame.size;
  if (frame.state == ber::Frame::State::kIncomplete) return HeadState::kIncomplete;
  if (frame.state == ber::Frame::State::kBroken) return HeadState::kBroken;
  const std::string_view message = stream.substr(0, frame.size);
  std::size_t at = frame.header_size;
  if (at >= message.size() || message[at] != 0x02) return HeadState::kBroken;
  ++at;
  std::size_t length = 0;
  if (!read_length(message, at, length) || length == 0 || length > 4 ||
      message.size() - at < length || static_cast<unsigned char>(message[at]) >= 0x80) {
    return HeadState::kBroken;
  }
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < length; ++i) {
    id = id << 8U | static_cast<unsigned char>(message[at++]);
  }
  out.id = static_cast<ldap::MessageId>(id);
  if (at >= message.size()) return HeadState::kBroken;
  out.tag = static_cast<ber::Tag>(message[at++]);
  if (!read_length(message, at, length) || message.size() - at < length) return HeadState::kBroken;
  out.body = message.substr(at, length);
  return HeadState::kComplete;
}

}  // namespace kauri::toolkit
