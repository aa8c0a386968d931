// Endpoint: the address of a server, from a URI, and connecting and listening there.
// Thread safety: immutable values and functions.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "toolkit/unique_fd.h"

namespace kauri::toolkit {

struct Endpoint {
  std::string text;  // as the caller wrote it, for messages
  sockaddr_storage address = {};
  socklen_t address_size = 0;
};

// "ldap://host:port" or "ldapi://%2Fpath". Looks the host up. RETURNS: kInvalid for another scheme
// (ldaps needs TLS, which this client does not have), a broken URI, a socket path that is too long;
// kNotFound for a host that is not known.
Result<Endpoint> resolve_uri(std::string_view uri);

// "host:port" or "[v6]:port" for listening. RETURNS: as above.
Result<Endpoint> resolve_host_port(std::string_view text);

// Blocking, for at most `timeout_seconds` for each of connecting, sending and receiving.
// RETURNS: kIo with the address and the system's reason.
Result<UniqueFd> connect_to(const Endpoint& endpoint, unsigned timeout_seconds);

// Non-blocking: the connection may still be on its way, and be refused later. RETURNS: kIo.
Result<UniqueFd> begin_connecting(const Endpoint& endpoint);

Result<void> set_nonblocking(int fd);
// Blocking again; recv() waits for at most this long. RETURNS: kIo.
Result<void> set_blocking(int fd, std::int64_t receive_nanos);

// A non-blocking listening socket; port 0 takes any free one. RETURNS: kIo.
Result<UniqueFd> listen_on(const Endpoint& endpoint);
// The TCP port that a listening socket has. RETURNS: kIo.
Result<std::uint16_t> local_port(int fd);

}  // namespace kauri::toolkit
