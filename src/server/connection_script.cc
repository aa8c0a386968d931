#include "server/connection_script.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "ber/reader.h"
#include "ldap/client.h"
#include "server/fake_service.h"
#include "server/worker.h"

namespace kauri::server {
namespace {

constexpr std::size_t kClientsMax = 4;
constexpr int kBufferSize = 4608;  // small, so that a client which does not read is soon noticed
constexpr std::int64_t kTickMicros = 250'000;
constexpr std::size_t kStepsMax = 400;

// A client's end.
struct Client {
  int descriptor = -1;
  bool garbage = false;  // it sent what is no message: answers cannot be told any more
  bool half_closed = false;
  bool server_ended = false;  // nothing more comes
  bool notice = false;
  std::string unsent;
  std::string held;  // the rest of a message, for later
  std::string received;
  std::map<ldap::MessageId, int> open;  // requests without their answer
  ldap::MessageId last_id = 0;
};

class Script {
 public:
  explicit Script(std::string_view octets)
      : octets_(octets), shared_{service_, clock_, nullptr, {}, limits::kLargeBuffersMax} {
    static constexpr std::array<std::size_t, 4> kEntries = {0, 3, 40, 300};
    service_.entries = kEntries[next() % kEntries.size()];
    auto worker = Worker::make(shared_);
    KAURI_ASSERT(worker.has_value());
    worker_ = std::move(*worker);
  }

  ~Script() {
    for (Client& client : clients_) close_client(client);
    rounds(3);
  }

  ScriptResult run() {
    connect();
    for (std::size_t i = 0; i < kStepsMax && at_ < octets_.size() && result_.fault.empty(); ++i) {
      step();
      rounds(1);
    }
    finish();
    return result_;
  }

 private:
  unsigned next() { return at_ < octets_.size() ? static_cast<unsigned char>(octets_[at_++]) : 0U; }

  void fault(std::string what) {
    if (result_.fault.empty()) result_.fault = std::move(what);
  }

  void rounds(unsigned count) {
    for (unsigned i = 0; i < count; ++i) worker_->run_round(0);
  }

  Client* current() { return clients_.empty() ? nullptr : &clients_[chosen_ % clients_.size()]; }

  void connect() {
    if (clients_.size() == kClientsMax) return;
    int ends[2];
    KAURI_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    for (const int end : ends)
      ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBufferSize, sizeof kBufferSize);
    operation::Peer peer;
    peer.connection = ++result_.connections;
    shared_.connections.fetch_add(1);
    worker_->adopt(ends[0], std::move(peer));
    clients_.emplace_back().descriptor = ends[1];
    chosen_ = clients_.size() - 1;
  }

  void step() {
    Client* client = current();
    switch (next() % 16) {
      case 0:
        return connect();
      case 1:
        chosen_ = next();
        return;
      case 2:
        clock_.advance_micros(kTickMicros * (1 + next() % 64));
        return;
      case 3:
        service_.complete_one();
        return;
      case 4:
        return rounds(1 + next() % 4);
      case 5:
        if (next() % 8 == 0) worker_->begin_drain();
        return;
      default:
        break;
    }
    if (client != nullptr) client_step(*client);
  }

  void client_step(Client& client) {
    switch (next() % 10) {
      case 0:
        if (client.descriptor >= 0) ::shutdown(client.descriptor, SHUT_WR);
        client.half_closed = true;
        client.unsent.clear();
        return;
      case 1:
        if (next() % 4 == 0) close_client(client);
        return;
      case 2: {
        const std::size_t size = next();
        client.garbage = true;
        client.unsent +=
            client.held + std::string(octets_.substr(std::min(at_, octets_.size()), size));
        client.held.clear();
        at_ += size;
        break;
      }
      case 3:
        client.unsent += client.held;
        client.held.clear();
        break;
      case 4:
      case 5:
        return read(client, (1 + next()) * 64);
      default:
        request(client);
        break;
    }
    flush(client);
  }

  // A whole message, or its first octets and the rest later.
  void request(Client& client) {
    client.unsent += client.held;
    client.held.clear();
    const ldap::MessageId id = ++client.last_id;
    std::string message;
    bool answered = true;
    switch (next() % 8) {
      case 0:
        ldap::append_simple_bind_request(message, id, "cn=x", "y");
        break;
      case 1:
      case 2: {
        const auto filter = ldap::parse_filter("(cn=x)");
        ldap::append_search_request(message, id, {}, *filter);
        break;
      }
      case 3:
      case 4:
        ldap::append_modify_request(message, id, "cn=x", {});
        break;
      case 5:
        answered = next() % 8 != 0;
        if (!answered) {
          ldap::append_unbind_request(message, id);
          // Nobody promises answers to what comes behind it, or to what it overtook.
          client.garbage = true;
          break;
        }
        [[fallthrough]];
      default:
        ldap::append_compare_request(message, id, {"cn=x", "cn", "x"});
        break;
    }
    ++result_.requests;
    if (answered) client.open[id] = 1;
    if (next() % 4 == 0) {
      const std::size_t cut = next() % message.size();
      client.held = message.substr(cut);
      message.resize(cut);
    }
    client.unsent += message;
  }

  void flush(Client& client) {
    if (client.descriptor < 0 || client.half_closed) client.unsent.clear();
    while (!client.unsent.empty()) {
      const ssize_t sent =
          ::send(client.descriptor, client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK) client.unsent.clear();
        return;
      }
      client.unsent.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void read(Client& client, std::size_t most) {
    std::array<char, 4096> buffer;
    while (client.descriptor >= 0 && !client.server_ended && most > 0) {
      const ssize_t got =
          ::recv(client.descriptor, buffer.data(), std::min(most, buffer.size()), 0);
      if (got > 0) {
        client.received.append(buffer.data(), static_cast<std::size_t>(got));
        most -= static_cast<std::size_t>(got);
        continue;
      }
      // A reset tells the client of octets that the server never read.
      if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) client.server_ended = true;
      break;
    }
    take_answers(client);
  }

  void take_answers(Client& client) {
    while (!client.received.empty()) {
      const ber::Frame frame = ber::find_message(client.received, std::size_t{1} << 30U);
      if (frame.state == ber::Frame::State::kIncomplete) {
        if (client.server_ended && !client.garbage && client.notice)
          fault("octets come behind a Notice of Disconnection");
        return;
      }
      if (frame.state == ber::Frame::State::kBroken) return fault("the server sent no message");
      ber::Reader reader(std::string_view(client.received).substr(0, frame.size));
      ber::Reader fields = reader.nested(ber::kSequence);
      const std::int64_t id = fields.integer();
      const ber::Tag tag = fields.peek();
      if (client.notice) fault("a message comes behind a Notice of Disconnection");
      answer(client, id, tag);
      client.received.erase(0, frame.size);
    }
  }

  void answer(Client& client, std::int64_t id, ber::Tag tag) {
    ++result_.answers;
    if (id == 0) {
      client.notice = true;
      return;
    }
    if (client.garbage) return;
    const auto found = client.open.find(static_cast<ldap::MessageId>(id));
    if (found == client.open.end())
      return fault("an answer to request " + std::to_string(id) + ", which has none to come");
    if (tag != ber::application_constructed(4)) client.open.erase(found);
  }

  void close_client(Client& client) {
    if (client.descriptor >= 0) ::close(std::exchange(client.descriptor, -1));
    client.server_ended = true;
    client.garbage = true;
  }

  // Until nothing moves any more.
  void settle() {
    std::uint64_t before = ~std::uint64_t{0};
    for (int quiet = 0; quiet < 3 && result_.fault.empty();) {
      while (service_.complete_one()) rounds(1);
      for (Client& client : clients_) {
        flush(client);
        rounds(1);
        read(client, std::size_t{1} << 30U);
      }
      std::uint64_t now = result_.answers + static_cast<std::uint64_t>(service_.turns.load());
      for (const Client& client : clients_) now += client.unsent.size() << 32U;
      quiet = now == before ? quiet + 1 : 0;
      before = now;
    }
  }

  void finish() {
    for (Client& client : clients_) {
      client.unsent += client.held;
      client.held.clear();
    }
    settle();
    for (const Client& client : clients_) {
      if (client.server_ended && client.descriptor >= 0) ++result_.timeouts;
      if (client.garbage || client.server_ended || client.half_closed) continue;
      if (!client.open.empty())
        fault("request " + std::to_string(client.open.begin()->first) + " was never answered");
    }
    // Half-closed clients get what they asked for, and then their end.
    for (const Client& client : clients_) {
      if (client.half_closed && !client.server_ended && client.descriptor >= 0)
        fault("a client that ended its half was not let go");
    }
    for (Client& client : clients_) close_client(client);
    rounds(3);
    if (shared_.connections.load() != 0) fault("connections are left when all clients are gone");
    const std::size_t sessions = service_.peers().size();
    if (static_cast<std::size_t>(service_.closed.load()) != sessions)
      fault("of " + std::to_string(sessions) + " sessions " +
            std::to_string(service_.closed.load()) + " were closed");
  }

  std::string_view octets_;
  std::size_t at_ = 0;
  FakeService service_;
  ManualClock clock_;
  Worker::Shared shared_;
  std::unique_ptr<Worker> worker_;
  std::vector<Client> clients_;
  std::size_t chosen_ = 0;
  ScriptResult result_;
};

}  // namespace

ScriptResult play_script(std::string_view octets) {
  return Script(octets).run();
}

}  // namespace kauri::server
