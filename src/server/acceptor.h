// Acceptor: takes connections from one listening socket and gives them to the workers in turn.
// Thread safety: confined to the accepting thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>

#include "operation/service.h"
#include "server/endpoint.h"

namespace kauri::server {

// What the acceptors of a server share: numbering, the limit, the spare descriptor.
class AcceptPolicy {
 public:
  using Deliver = std::function<void(int descriptor, operation::Peer peer)>;
  // `admit` says whether one more connection is allowed, and counts it.
  AcceptPolicy(std::function<bool()> admit, Deliver deliver, std::size_t connections_max);
  ~AcceptPolicy();
  AcceptPolicy(const AcceptPolicy&) = delete;
  AcceptPolicy& operator=(const AcceptPolicy&) = delete;

  void accepted(int descriptor, Endpoint::Kind kind);
  // The process has no descriptor left: uses the spare one to take the connection and end it, so
  // that the loop does not spin on a listener that stays readable. False: that failed too.
  bool shed(int listener);

 private:
  void turn_away(int descriptor);
  void complain(std::string_view what);

  std::function<bool()> admit_;
  Deliver deliver_;
  std::size_t connections_max_;
  std::uint64_t next_connection_ = 1;
  std::int64_t complained_nanos_ = 0;
  int spare_ = -1;
};

class Acceptor {
 public:
  Acceptor(boost::asio::io_context& context, AcceptPolicy& policy)
      : policy_(policy), descriptor_(context), pause_(context) {}

  // Takes the socket. False: the event loop refused it and it is still the caller's.
  bool start(ListeningSocket socket);
  void stop();

 private:
  void wait();
  void accept_some();

  AcceptPolicy& policy_;
  boost::asio::posix::stream_descriptor descriptor_;
  boost::asio::steady_timer pause_;
  Endpoint endpoint_;
};

}  // namespace kauri::server
