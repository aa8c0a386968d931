#include "server/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "base/clock.h"
#include "ldap/message.h"
#include "server/event_log.h"

namespace kauri::server {
namespace {

constexpr int kAcceptsMax = 64;  // in one go, before the other listeners have their turn
constexpr std::int64_t kComplaintNanos = 1'000'000'000;
constexpr std::chrono::milliseconds kPause{100};

int open_spare() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

AcceptPolicy::AcceptPolicy(std::function<bool()> admit, Deliver deliver,
                           std::size_t connections_max)
    : admit_(std::move(admit)),
      deliver_(std::move(deliver)),
      connections_max_(connections_max),
      spare_(open_spare()) {}

AcceptPolicy::~AcceptPolicy() {
  if (spare_ >= 0) ::close(spare_);
}

void AcceptPolicy::complain(std::string_view what) {
  const std::int64_t now = Clock::system().monotonic_nanos();
  if (complained_nanos_ != 0 && now - complained_nanos_ < kComplaintNanos) return;
  complained_nanos_ = now;
  log_event(Severity::kWarning, what);
}

void AcceptPolicy::accepted(int descriptor, Endpoint::Kind kind) {
  if (!admit_()) {
    turn_away(descriptor);
    return;
  }
  deliver_(descriptor, describe_peer(descriptor, kind, next_connection_++));
}

void AcceptPolicy::turn_away(int descriptor) {
  const std::string limit = std::to_string(connections_max_);
  std::string notice;
  ldap::append_notice_of_disconnection(
      notice, ldap::ResultCode::kBusy,
      "the server has as many connections as it may have: " + limit);
  // A fresh socket has room for this; a client that is gone already does not matter.
  (void)::send(descriptor, notice.data(), notice.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(descriptor);
  complain("a connection was turned away: the limit of " + limit + " connections is reached");
}

bool AcceptPolicy::shed(int listener) {
  complain("a connection was turned away: the process has no file descriptor left");
  if (spare_ >= 0) ::close(std::exchange(spare_, -1));
  const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) ::close(descriptor);
  spare_ = open_spare();
  return descriptor >= 0;
}

bool Acceptor::start(ListeningSocket socket) {
  boost::system::error_code error;
  descriptor_.assign(socket.descriptor, error);
  if (error) return false;
  endpoint_ = std::move(socket.endpoint);
  wait();
  return true;
}

void Acceptor::stop() {
  if (!descriptor_.is_open()) return;
  boost::system::error_code ignored;
  descriptor_.close(ignored);
  pause_.cancel();
  if (endpoint_.kind == Endpoint::Kind::kUnix) ::unlink(endpoint_.path.c_str());
}

void Acceptor::wait() {
  descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                           if (!error) accept_some();
                         });
}

void Acceptor::accept_some() {
  for (int count = 0; count < kAcceptsMax; ++count) {
    const int descriptor =
        ::accept4(descriptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      policy_.accepted(descriptor, endpoint_.kind);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    const bool no_descriptor = errno == EMFILE || errno == ENFILE;
    if (no_descriptor && policy_.shed(descriptor_.native_handle())) continue;
    if (no_descriptor || errno == ENOBUFS || errno == ENOMEM) {
      // Nothing can be accepted for now; trying at once again would only burn the processor.
      pause_.expires_after(kPause);
      pause_.async_wait([this](const boost::system::error_code& error) {
        if (!error) wait();
      });
      return;
    }
    // ECONNABORTED and the network errors of accept(2) concern that one connection alone.
  }
  wait();
}

}  // namespace kauri::server
