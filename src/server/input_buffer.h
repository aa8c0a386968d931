// InputBuffer: cuts the octets of a connection into whole LDAPMessages, however they arrive.
//
// Keeps only what is incomplete (or what the consumer did not want yet); nothing is allocated from
// a claimed length, and an idle connection keeps nothing. Thread safety: confined to one worker.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ber/reader.h"

namespace kauri::server {

class InputBuffer {
 public:
  enum class State : unsigned char {
    kNeedMore,  // all whole messages were handed out
    kStopped,   // the consumer stopped; whole messages may be kept
    kBroken,    // the stream cannot be cut any further; error() says why
  };

  // Appends `received` to what is kept and hands out whole messages.
  // `size_max()` gives the largest message that is accepted now; it is asked for each message.
  // `message(std::string_view octets)` handles one and returns false to stop behind it. It must not
  // call consume().
  template <class SizeMax, class MessageHandler>
  State consume(std::string_view received, SizeMax&& size_max, MessageHandler&& message) {
    std::string_view rest = received;
    const bool from_kept = !kept_.empty();
    if (from_kept) {
      kept_.append(received);
      rest = kept_;
    }
    messages_ = 0;
    State state = State::kNeedMore;
    while (!rest.empty()) {
      const std::size_t most = size_max();
      const ber::Frame frame = ber::find_message(rest, most);
      if (frame.state == ber::Frame::State::kIncomplete) break;
      if (frame.state == ber::Frame::State::kBroken) {
        error_ = why_broken(rest, most, frame);
        state = State::kBroken;
        rest = {};
        break;
      }
      const std::string_view octets = rest.substr(0, frame.size);
      rest.remove_prefix(frame.size);
      ++messages_;
      if (!message(octets)) {
        state = State::kStopped;
        break;
      }
    }
    keep(rest, from_kept);
    return state;
  }

  // Octets kept: an incomplete message, or what followed a stop.
  std::size_t kept_size() const { return kept_.size(); }
  // Octets of memory held for them.
  std::size_t capacity() const { return kept_.capacity(); }
  // Messages that the last consume() handed out.
  std::size_t messages() const { return messages_; }
  // Why the stream is broken; "" before it is. VALID UNTIL: the buffer goes or takes more octets.
  const char* error() const { return error_.c_str(); }
  void clear() { std::string().swap(kept_); }

 private:
  void keep(std::string_view rest, bool from_kept);
  static std::string why_broken(std::string_view rest, std::size_t size_max,
                                const ber::Frame& frame);

  std::string kept_;
  std::size_t messages_ = 0;
  std::string error_;
};

}  // namespace kauri::server
