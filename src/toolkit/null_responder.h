// NullResponder: a server without a directory. It answers every request with octets prepared
// beforehand, so that a load test against it shows what the client itself can do.
//
// Bind, modify, modifyDN, add, delete and extended requests get success, compare compareTrue, a
// search `entries` entries and success; abandon nothing; unbind and broken messages close the
// connection. Answers that the peer does not read stop the reading of its requests.
// Thread safety: run() and what it calls are confined to one thread; stop() may be called from any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolkit/endpoint.h"
#include "toolkit/message_head.h"
#include "toolkit/unique_fd.h"

namespace kauri::toolkit {

struct NullResponderOptions {
  std::size_t entries = 1;       // for each search
  std::size_t entry_size = 600;  // octets of one entry's message, 100 and more
  int result_code = 0;           // of every answer but compare's
};

class NullResponder {
 public:
  // Listens already when it returns. RETURNS: kInvalid for options out of range, kIo.
  static Result<std::unique_ptr<NullResponder>> listen(const Endpoint& endpoint,
                                                       const NullResponderOptions& options);

  std::uint16_t port() const { return port_; }
  // Serves until stop(). RETURNS: kIo when epoll fails.
  Result<void> run();
  void stop();

 private:
  // One answer, cut where the message ID goes.
  struct Canned {
    std::string octets;
    std::vector<std::size_t> ids_at;
  };
  struct Connection {
    UniqueFd fd;
    std::string carry;  // the start of a message that has not arrived whole
    std::string out;    // answers not yet sent
    std::size_t sent = 0;
    bool wants_write = false;
  };

  explicit NullResponder(const NullResponderOptions& options);
  Result<void> open(const Endpoint& endpoint);
  void accept_all();
  void serve(int fd, std::uint32_t events);
  bool read_requests(Connection& connection);
  bool answer_all(Connection& connection, std::string_view stream);
  void answer(const MessageHead& head, std::string& out) const;
  bool flush(Connection& connection);
  void watch(Connection& connection, bool write);
  static void add_canned(Canned& canned, std::string_view message);

  NullResponderOptions options_;
  Canned search_;
  Canned results_[32];  // by the number of the request's tag; empty: no answer
  std::vector<std::unique_ptr<Connection>> connections_;  // by descriptor
  std::string input_;
  UniqueFd listener_;
  UniqueFd epoll_;
  UniqueFd wake_;
  std::uint16_t port_ = 0;
};

}  // namespace kauri::toolkit
