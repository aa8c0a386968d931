// Transport: the octets of one connection over Boost.Asio in readiness mode: Asio only tells when
// the descriptor can be read or written; the system calls are ours, so one receive takes all that
// came and one send carries all answers.
//
// Thread safety: confined to one worker. Encryption has its place here: read() and write() are the
// only calls that touch the descriptor.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

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

  explicit Transport(boost::asio::io_context& context) : descriptor_(context) {}
  ~Transport() { close(); }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Takes the descriptor, which must be non-blocking already. False: the event loop refused it and
  // it is still the caller's.
  bool adopt(int descriptor);

  Outcome read(char* buffer, std::size_t size);
  Outcome write(std::string_view octets);
  // Tells the peer that nothing more will come.
  void shutdown_write();
  // Cancels what waits (its handlers run with an error) and closes. Idempotent.
  void close();
  bool is_open() const { return descriptor_.is_open(); }

  // Handler: void(const boost::system::error_code&), run once, on the worker.
  template <class Handler>
  void wait_readable(Handler&& handler) {
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           std::forward<Handler>(handler));
  }
  template <class Handler>
  void wait_writable(Handler&& handler) {
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                           std::forward<Handler>(handler));
  }

 private:
  boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace kauri::server
