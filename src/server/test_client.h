// For tests: a blocking client socket that speaks octets. Every wait ends after ten seconds.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "ber/reader.h"
#include "ldap/message.h"

namespace kauri::server {

class TestClient {
 public:
  // "ldap://127.0.0.1:port".
  explicit TestClient(const std::string& uri, int receive_buffer = 0) {
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) {
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    prepare();
    connect(uri);
  }
  // A TCP socket that is not connected yet.
  static TestClient with_descriptor(int descriptor) {
    TestClient client;
    client.descriptor_ = descriptor;
    client.prepare();
    return client;
  }
  bool connect(const std::string& uri) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(uri.substr(uri.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    return connected_;
  }
  static TestClient to_path(const std::string& path) {
    TestClient client;
    client.descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    client.prepare();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    client.connected_ =
        ::connect(client.descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    return client;
  }
  ~TestClient() { close(); }
  TestClient(TestClient&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), connected_(other.connected_) {}
  TestClient& operator=(TestClient&&) = delete;

  bool connected() const { return connected_; }
  int descriptor() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  void end_sending() const { ::shutdown(descriptor_, SHUT_WR); }

  bool send(std::string_view octets) const {
    while (!octets.empty()) {
      const ssize_t sent = ::send(descriptor_, octets.data(), octets.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      octets.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // One whole message; "" at the end of the stream, a timeout or broken octets.
  std::string read_message() {
    for (;;) {
      const ber::Frame frame = ber::find_message(received_, 64U << 20U);
      if (frame.state == ber::Frame::State::kBroken) return {};
      if (frame.state == ber::Frame::State::kComplete) {
        std::string out = received_.substr(0, frame.size);
        received_.erase(0, frame.size);
        return out;
      }
      if (!receive()) return {};
    }
  }
  // Whether the server has ended the connection, seen without waiting or reading.
  bool gone() const {
    char octet = 0;
    const ssize_t got = ::recv(descriptor_, &octet, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
  }
  // Reads to the end. True when it came in time, by FIN or reset, with nothing unread before it.
  bool ended() { return received_.empty() && !receive() && at_end_; }

 private:
  TestClient() = default;
  void prepare() const {
    const timeval wait{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  bool receive() {
    char buffer[65536];
    const ssize_t got = ::recv(descriptor_, buffer, sizeof(buffer), 0);
    if (got > 0) {
      received_.append(buffer, static_cast<std::size_t>(got));
      return true;
    }
    at_end_ = got == 0 || errno == ECONNRESET;
    return false;
  }

  int descriptor_ = -1;
  bool connected_ = false;
  bool at_end_ = false;
  std::string received_;
};

// Message ID and protocolOp tag of one message; {-1, 0} when it is none.
inline std::pair<int, int> id_and_tag(std::string_view octets) {
  ber::Reader outer(octets);
  ber::Reader message = outer.nested(ber::kSequence);
  const auto id = static_cast<int>(message.integer());
  ber::Tag tag = 0;
  message.any_element(tag);
  if (!message.ok()) return {-1, 0};
  return {id, tag};
}

}  // namespace kauri::server
