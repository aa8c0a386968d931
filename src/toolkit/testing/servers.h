// Servers on threads of the test itself: a null responder, and ones that misbehave on purpose.
// Thread safety: confined to the test's thread.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "toolkit/endpoint.h"
#include "toolkit/load_types.h"
#include "toolkit/null_responder.h"
#include "toolkit/workload.h"

namespace kauri::toolkit::testing {

class Responder {
 public:
  explicit Responder(const NullResponderOptions& options = {}) {
    responder_ = *NullResponder::listen(*resolve_host_port("127.0.0.1:0"), options);
    thread_ = std::thread([this] { EXPECT_TRUE(responder_->run()); });
  }
  ~Responder() {
    responder_->stop();
    thread_.join();
  }
  Endpoint endpoint() const {
    return *resolve_uri("ldap://127.0.0.1:" + std::to_string(responder_->port()));
  }
  LoadOptions load() const {
    LoadOptions out;
    out.endpoint = endpoint();
    return out;
  }

 private:
  std::unique_ptr<NullResponder> responder_;
  std::thread thread_;
};

// Accepts one connection, waits for a first request, and says `answer` to it. Then it closes, or
// goes on reading until the client closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer, bool close_then = false) {
    listener_ = *listen_on(*resolve_host_port("127.0.0.1:0"));
    port_ = *local_port(listener_.get());
    thread_ = std::thread([this, answer = std::move(answer), close_then] {
      pollfd wait{listener_.get(), POLLIN, 0};
      poll(&wait, 1, 10'000);
      const UniqueFd peer(accept(listener_.get(), nullptr, nullptr));
      char octets[4096];
      if (recv(peer.get(), octets, sizeof(octets), 0) <= 0) return;
      send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
      while (!close_then && recv(peer.get(), octets, sizeof(octets), 0) > 0) continue;
    });
  }
  ~OneAnswer() { thread_.join(); }
  Endpoint endpoint() const { return *resolve_uri("ldap://127.0.0.1:" + std::to_string(port_)); }
  LoadOptions load() const {
    LoadOptions out;
    out.endpoint = endpoint();
    out.count = 1;
    return out;
  }

 private:
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// The workload with 1,000 entries, or once each for adds and deletes.
inline Mix mix_for(WorkloadKind kind, Order order = Order::kRandom) {
  return mix_of(*make_workload({.kind = kind,
                                .high = 999,
                                .order = order,
                                .filter = "(uid=user.{n})",
                                .password = kind == WorkloadKind::kBind ? "secret" : ""}));
}

}  // namespace kauri::toolkit::testing
