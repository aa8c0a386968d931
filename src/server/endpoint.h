// Where the server listens, and the sockets for it. Thread safety: immutable values and functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "operation/service.h"

namespace kauri::server {

struct Endpoint {
  enum class Kind : std::uint8_t { kTcp, kUnix } kind = Kind::kTcp;
  std::string host = {};   // kTcp: name or address; empty = every address of the machine
  std::uint16_t port = 0;  // kTcp: 0 = any free port
  std::string path = {};   // kUnix
  unsigned mode = 0777;    // kUnix: who may connect; the access rules decide about the rest
};

// "ldap://host:port" or "ldapi://%2Fpath".
std::string to_uri(const Endpoint& endpoint);

// A listening, non-blocking socket.
struct ListeningSocket {
  int descriptor = -1;
  Endpoint endpoint;  // with the real port
};

// One socket for each address of the name. A stale ldapi socket file is replaced; one that a server
// answers on is not. RETURNS: kBusy, kInvalid or kIo naming the endpoint and the reason.
Result<std::vector<ListeningSocket>> listen_on(const Endpoint& endpoint);

// What the accepted socket's other side is.
operation::Peer describe_peer(int descriptor, Endpoint::Kind kind, std::uint64_t connection);

}  // namespace kauri::server
