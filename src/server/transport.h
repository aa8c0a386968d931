// Transport: the octets of one connection in readiness mode: the poller only tells when the
// descriptor can be read or written; the system calls are ours, so one receive takes all that came
// and one send carries all answers.
//
// Thread safety: confined to one worker. Encryption has its place here: read() and write() are the
// only calls that touch the descriptor's octets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/poller.h"

namespace kauri::server {

class Transport {
 public:
  enum class State : std::uint8_t {
    kDone,        // `size` octets were moved
    kWouldBlock,  // nothing can be moved now
    kEnd,         // the peer sends no more
    kError,       // the connection is gone; `error` is errno
  };
  struct Outcome {
    State state = State::kDone;
    std::size_t size = 0;
    int error = 0;
  };
  struct Interest {
    bool readable = false;
    bool writable = false;
    friend bool operator==(const Interest&, const Interest&) = default;
  };

  // `target` is told what the interest asks for, and of errors and hang-ups always. Both outlive
  // the transport or close() comes first.
  Transport(Poller& poller, Poller::Target& target) : poller_(poller), target_(target) {}
  ~Transport() { close(); }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Takes the descriptor, which must be non-blocking already. False: the poller refused it and it
  // is still the caller's.
  bool adopt(int descriptor);

  Outcome read(char* buffer, std::size_t size);
  Outcome write(std::string_view octets);
  // Costs a system call only when it changes.
  void set_interest(Interest interest);
  // Tells the peer that nothing more will come.
  void shutdown_write();
  // Idempotent.
  void close();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  Poller& poller_;
  Poller::Target& target_;
  int descriptor_ = -1;
  Interest interest_;
};

}  // namespace kauri::server
