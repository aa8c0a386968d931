#include "server/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/limit_counters.h"
#include "ldap/message.h"
#include "server/event_log.h"

namespace kauri::server {
namespace {

constexpr int kAcceptsMax = 64;  // in one go, before the other listeners have their turn
constexpr std::int64_t kComplaintNanos = 1'000'000'000;
constexpr std::int64_t kPauseNanos = 100'000'000;

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
  limits::count(limits::Counter::kConnections);
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
  limits::count(limits::Counter::kDescriptors);
  complain("a connection was turned away: the process has no file descriptor left");
  if (spare_ >= 0) ::close(std::exchange(spare_, -1));
  const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) ::close(descriptor);
  spare_ = open_spare();
  return descriptor >= 0;
}

// One listening socket.
class Acceptor::Listener final : public Poller::Target {
 public:
  Listener(Poller& poller, AcceptPolicy& policy, ListeningSocket socket)
      : poller_(poller), policy_(policy), socket_(std::move(socket)) {}
  ~Listener() override { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  bool listen() { return poller_.add(socket_.descriptor, *this, EPOLLIN); }
  void close() {
    if (socket_.descriptor < 0) return;
    poller_.remove(socket_.descriptor);
    ::close(std::exchange(socket_.descriptor, -1));
    if (socket_.endpoint.kind == Endpoint::Kind::kUnix) ::unlink(socket_.endpoint.path.c_str());
  }
  void on_events(std::uint32_t) override;
  // When accepting may be tried again; 0 = it was not paused.
  std::int64_t paused_until() const { return paused_until_; }
  void resume() {
    paused_until_ = 0;
    poller_.modify(socket_.descriptor, *this, EPOLLIN);
  }

 private:
  Poller& poller_;
  AcceptPolicy& policy_;
  ListeningSocket socket_;
  std::int64_t paused_until_ = 0;
};

void Acceptor::Listener::on_events(std::uint32_t) {
  for (int count = 0; count < kAcceptsMax; ++count) {
    const int descriptor =
        ::accept4(socket_.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      policy_.accepted(descriptor, socket_.endpoint.kind);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    const bool no_descriptor = errno == EMFILE || errno == ENFILE;
    if (no_descriptor && policy_.shed(socket_.descriptor)) continue;
    if (no_descriptor || errno == ENOBUFS || errno == ENOMEM) {
      // Nothing can be accepted for now; trying at once again would only burn the processor.
      paused_until_ = Clock::system().monotonic_nanos() + kPauseNanos;
      poller_.modify(socket_.descriptor, *this, 0);
      return;
    }
    // ECONNABORTED and the network errors of accept(2) concern that one connection alone.
  }
}

Acceptor::Acceptor(AcceptPolicy& policy, std::unique_ptr<Poller> poller)
    : policy_(policy), poller_(std::move(poller)) {}

Acceptor::~Acceptor() = default;

Result<std::unique_ptr<Acceptor>> Acceptor::make(AcceptPolicy& policy) {
  KAURI_TRY(auto poller, Poller::make());
  return std::unique_ptr<Acceptor>(new Acceptor(policy, std::move(poller)));
}

bool Acceptor::add(ListeningSocket socket) {
  listeners_.push_back(std::make_unique<Listener>(*poller_, policy_, std::move(socket)));
  return listeners_.back()->listen();
}

void Acceptor::run() {
  bool paused = false;
  while (!stopping_.load(std::memory_order_acquire)) {
    poller_->run_once(paused ? static_cast<int>(kPauseNanos / 1'000'000) : -1, [] {});
    paused = false;
    for (const auto& listener : listeners_) {
      if (listener->paused_until() == 0) continue;
      if (listener->paused_until() <= Clock::system().monotonic_nanos()) {
        listener->resume();
      } else {
        paused = true;
      }
    }
  }
}

void Acceptor::stop() {
  stopping_.store(true, std::memory_order_release);
  poller_->wake();
}

void Acceptor::close() {
  for (const auto& listener : listeners_) listener->close();
}

}  // namespace kauri::server
