#include "server/endpoint.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/limits.h"

namespace kauri::server {
namespace {

constexpr int kBacklog = 1024;

// Closes on every way out but release().
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

Error refused(const Endpoint& endpoint, std::string_view what, int error) {
  const ErrorCode code = error == EADDRINUSE ? ErrorCode::kBusy : ErrorCode::kIo;
  std::string message = "cannot listen on " + to_uri(endpoint) + ": ";
  message += what;
  message += ": ";
  message += std::strerror(error);
  return {code, std::move(message)};
}

std::uint16_t bound_port(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

void set_option(int descriptor, int level, int name, int value) {
  // None of these options can fail in a way that matters: without them the socket still works.
  (void)::setsockopt(descriptor, level, name, &value, sizeof(value));
}

// Options that accepted sockets inherit on Linux.
void set_options_to_inherit(int descriptor) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  // The kernel's buffer would grow to megabytes for a client that reads nothing.
  set_option(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, limits::kUnsentOctetsMax);
  // A client that went without a word would keep its connection for ever.
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, limits::kKeepAliveSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, limits::kKeepAliveAgainSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 5);
}

Result<ListeningSocket> listen_tcp(const Endpoint& endpoint, const addrinfo& address) {
  Descriptor descriptor(
      ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (descriptor.get() < 0) return refused(endpoint, "no socket", errno);
  set_option(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.ai_family == AF_INET6) {
    // "Every address" takes one socket for both families; a written IPv6 address means IPv6 alone.
    set_option(descriptor.get(), IPPROTO_IPV6, IPV6_V6ONLY, endpoint.host.empty() ? 0 : 1);
  }
  set_options_to_inherit(descriptor.get());
  if (::bind(descriptor.get(), address.ai_addr, address.ai_addrlen) != 0) {
    return refused(endpoint, "the address cannot be taken", errno);
  }
  if (::listen(descriptor.get(), kBacklog) != 0) {
    return refused(endpoint, "the system refuses to listen", errno);
  }
  ListeningSocket out;
  out.endpoint = endpoint;
  // What is announced has to be an address that a client takes.
  if (endpoint.host.empty()) out.endpoint.host = address.ai_family == AF_INET6 ? "::" : "0.0.0.0";
  out.endpoint.port = bound_port(descriptor.get());
  out.descriptor = descriptor.release();
  return out;
}

// True when a server answers on the socket file.
bool is_answered(const sockaddr_un& address) {
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (probe.get() < 0) return true;
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  // A full backlog (EAGAIN) is an answer too.
  return ::connect(probe.get(), generic, sizeof(address)) == 0 || errno == EAGAIN;
}

Result<void> remove_stale_socket(const Endpoint& endpoint, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(endpoint.path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return refused(endpoint, "the path cannot be looked at", errno);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return invalid("cannot listen on " + to_uri(endpoint) + ": " + endpoint.path +
                   " exists and is no socket");
  }
  if (is_answered(address)) {
    return Error(ErrorCode::kBusy,
                 "cannot listen on " + to_uri(endpoint) + ": another server answers on it");
  }
  if (::unlink(endpoint.path.c_str()) != 0 && errno != ENOENT) {
    return refused(endpoint, "the stale socket cannot be removed", errno);
  }
  return {};
}

Result<std::vector<ListeningSocket>> listen_unix(const Endpoint& endpoint) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.path.empty() || endpoint.path.size() >= sizeof(address.sun_path)) {
    return invalid("cannot listen on " + to_uri(endpoint) + ": the path has " +
                   std::to_string(endpoint.path.size()) + " octets, the system allows 1 to " +
                   std::to_string(sizeof(address.sun_path) - 1));
  }
  std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
  KAURI_CHECK(remove_stale_socket(endpoint, address));
  Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (descriptor.get() < 0) return refused(endpoint, "no socket", errno);
  if (::bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return refused(endpoint, "the path cannot be taken", errno);
  }
  if (::chmod(endpoint.path.c_str(), endpoint.mode) != 0) {
    return refused(endpoint, "the mode of the socket cannot be set", errno);
  }
  if (::listen(descriptor.get(), kBacklog) != 0) {
    return refused(endpoint, "the system refuses to listen", errno);
  }
  std::vector<ListeningSocket> out;
  out.push_back({descriptor.release(), endpoint});
  return out;
}

struct AddressListDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

Result<AddressList> resolve(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  if (endpoint.host.empty()) hints.ai_family = AF_INET6;
  addrinfo* list = nullptr;
  const char* host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
  const std::string port = std::to_string(endpoint.port);
  const int error = ::getaddrinfo(host, port.c_str(), &hints, &list);
  if (error != 0) {
    return invalid("cannot listen on " + to_uri(endpoint) + ": \"" + endpoint.host +
                   "\" is no address of this machine: " + ::gai_strerror(error));
  }
  return AddressList(list);
}

Result<std::vector<ListeningSocket>> listen_everywhere_ipv4(const Endpoint& endpoint) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(endpoint.port);
  addrinfo address{};
  address.ai_family = AF_INET;
  address.ai_addr = reinterpret_cast<sockaddr*>(&any);
  address.ai_addrlen = sizeof(any);
  KAURI_TRY(ListeningSocket socket, listen_tcp(endpoint, address));
  std::vector<ListeningSocket> out;
  out.push_back(std::move(socket));
  return out;
}

void close_all(std::vector<ListeningSocket>& sockets) {
  for (ListeningSocket& socket : sockets) ::close(socket.descriptor);
  sockets.clear();
}

std::string address_text(const sockaddr_storage& address, bool& loopback) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    loopback = (ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(&address);
  const std::uint8_t* octets = v6.sin6_addr.s6_addr;
  const std::string port = std::to_string(ntohs(v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, octets + 12, text, sizeof(text));
    loopback = octets[12] == 127;
    return std::string(text) + ":" + port;
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  return "[" + std::string(text) + "]:" + port;
}

}  // namespace

std::string to_uri(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::kUnix) {
    std::string out = "ldapi://";
    for (const char octet : endpoint.path) {
      const bool plain = (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z') ||
                         (octet >= '0' && octet <= '9') || octet == '-' || octet == '.' ||
                         octet == '_' || octet == '~';
      if (plain) {
        out += octet;
        continue;
      }
      constexpr char kDigits[] = "0123456789ABCDEF";
      out += '%';
      out += kDigits[static_cast<unsigned char>(octet) >> 4U];
      out += kDigits[static_cast<unsigned char>(octet) & 15U];
    }
    return out;
  }
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  return "ldap://" + (ipv6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" +
         std::to_string(endpoint.port);
}

Result<std::vector<ListeningSocket>> listen_on(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::kUnix) return listen_unix(endpoint);
  KAURI_TRY(const AddressList addresses, resolve(endpoint));
  std::vector<ListeningSocket> out;
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    auto socket = listen_tcp(endpoint, *at);
    if (!socket) {
      // A machine without IPv6 still has all its IPv4 addresses.
      if (endpoint.host.empty()) return listen_everywhere_ipv4(endpoint);
      // "localhost" may name ::1 on a machine whose IPv6 is off: another address of it is enough.
      // An address that is taken is an error in any case.
      const bool taken = socket.error().code() == ErrorCode::kBusy;
      if (!taken && (at->ai_next != nullptr || !out.empty())) continue;
      close_all(out);
      return std::move(socket).error();
    }
    out.push_back(std::move(*socket));
    // With port 0 a name's further addresses would get other ports: one is what was asked for.
    if (endpoint.port == 0) break;
  }
  return out;
}

operation::Peer describe_peer(int descriptor, Endpoint::Kind kind, std::uint64_t connection) {
  operation::Peer peer;
  peer.connection = connection;
  if (kind == Endpoint::Kind::kUnix) {
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    peer.loopback = true;
    peer.address = "ldapi:";
    if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
      peer.address += "uid=" + std::to_string(credentials.uid) +
                      ",gid=" + std::to_string(credentials.gid) +
                      ",pid=" + std::to_string(credentials.pid);
    }
    return peer;
  }
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    peer.address = address_text(address, peer.loopback);
  }
  return peer;
}

}  // namespace kauri::server
