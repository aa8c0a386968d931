// Acceptor: takes connections from the listening sockets and gives them to the workers. Thread
// safety: confined to the accepting thread, but for what says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "operation/service.h"
#include "server/endpoint.h"
#include "server/poller.h"

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

// The accepting thread's loop over all listening sockets of a server.
class Acceptor {
 public:
  static Result<std::unique_ptr<Acceptor>> make(AcceptPolicy& policy);
  ~Acceptor();  // closes the sockets
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Takes the socket. False: the system refuses to watch it. REQUIRES: run() was not called yet.
  bool add(ListeningSocket socket);
  // Accepts until stop().
  void run();
  // Makes run() return. THREADS: any.
  void stop();
  // Ends listening: closes the sockets and removes socket files. REQUIRES: run() does not run.
  void close();

 private:
  class Listener;

  Acceptor(AcceptPolicy& policy, std::unique_ptr<Poller> poller);

  AcceptPolicy& policy_;
  std::unique_ptr<Poller> poller_;
  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace kauri::server
