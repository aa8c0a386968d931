#include "toolkit/endpoint.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "ldap/url.h"

namespace kauri::toolkit {

namespace {

constexpr int kBacklog = 4096;

struct AddressListDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Error system_error(const std::string& what) {
  return {ErrorCode::kIo, what + ": " + std::strerror(errno)};
}

Result<Endpoint> resolve_host(std::string_view text, const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    return Error(ErrorCode::kNotFound,
                 "cannot find the host '" + host + "' of " + std::string(text) + ": " +
                     (status == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, AddressListDeleter> list(found);
  Endpoint out;
  out.text = text;
  std::memcpy(&out.address, found->ai_addr, found->ai_addrlen);
  out.address_size = found->ai_addrlen;
  return out;
}

Result<Endpoint> resolve_path(std::string_view text, const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return invalid("the socket path of " + std::string(text) + " has " +
                   std::to_string(path.size()) + " octets; 1 to " +
                   std::to_string(sizeof(address.sun_path) - 1) + " are possible");
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  Endpoint out;
  out.text = text;
  std::memcpy(&out.address, &address, sizeof(address));
  out.address_size = sizeof(address);
  return out;
}

}  // namespace

Result<Endpoint> resolve_uri(std::string_view uri) {
  KAURI_TRY(const ldap::LdapUrl url, ldap::parse_url(uri));
  switch (url.scheme) {
    case ldap::UrlScheme::kLdapi:
      return resolve_path(uri, url.host);
    case ldap::UrlScheme::kLdap:
      return resolve_host(uri, url.host.empty() ? "127.0.0.1" : url.host, url.port_or_default());
    case ldap::UrlScheme::kLdaps:
      break;
  }
  return invalid(std::string(uri) + " asks for TLS, which the load client does not have; use " +
                 "ldap:// or ldapi://");
}

Result<Endpoint> resolve_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  bool good = colon != std::string_view::npos && colon > 0;
  if (good) {
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data() + colon + 1, end, port);
    good = error == std::errc() && parsed == end;
  }
  if (!good) {
    return invalid("'" + std::string(text) + "' is no address; HOST:PORT is expected, with a " +
                   "port of 0 to 65535");
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return resolve_host(text, std::string(host), port);
}

Result<void> set_nonblocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return system_error("cannot make a socket non-blocking");
  }
  return {};
}

Result<void> set_blocking(int fd, std::int64_t receive_nanos) {
  const timeval timeout{static_cast<time_t>(receive_nanos / 1'000'000'000),
                        static_cast<suseconds_t>(receive_nanos % 1'000'000'000 / 1000)};
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0) {
    return system_error("cannot make a socket blocking");
  }
  return {};
}

Result<UniqueFd> connect_to(const Endpoint& endpoint, unsigned timeout_seconds) {
  UniqueFd fd(socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("cannot make a socket for " + endpoint.text);
  const timeval timeout{static_cast<time_t>(timeout_seconds), 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&endpoint.address),
              endpoint.address_size) != 0) {
    return system_error("cannot connect to " + endpoint.text);
  }
  if (endpoint.address.ss_family != AF_UNIX) {
    const int one = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  return fd;
}

Result<UniqueFd> begin_connecting(const Endpoint& endpoint) {
  UniqueFd fd(socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return system_error("cannot make a socket for " + endpoint.text);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&endpoint.address),
              endpoint.address_size) != 0 &&
      errno != EINPROGRESS) {
    const bool no_port = errno == EADDRNOTAVAIL;
    const Error error = system_error("cannot connect to " + endpoint.text);
    // The ports of closed connections stay taken for a minute.
    return no_port ? error.with_context("no port of this machine is free, see ip_local_port_range")
                   : error;
  }
  if (endpoint.address.ss_family != AF_UNIX) {
    const int one = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  return fd;
}

Result<UniqueFd> listen_on(const Endpoint& endpoint) {
  UniqueFd fd(socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return system_error("cannot make a socket for " + endpoint.text);
  const int one = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.address_size) !=
          0 ||
      listen(fd.get(), kBacklog) != 0) {
    return system_error("cannot listen on " + endpoint.text);
  }
  return fd;
}

Result<std::uint16_t> local_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return system_error("cannot read a socket's address");
  }
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace kauri::toolkit
