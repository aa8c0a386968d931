// What a server says of itself in its root DSE (RFC 4512 section 5.1, vendorName and vendorVersion
// of RFC 3045), for result records. Thread safety: immutable functions.
#pragma once

#include <string>

#include "base/result.h"
#include "toolkit/endpoint.h"

namespace kauri::toolkit {

struct ServerSoftware {
  std::string vendor;   // empty: it does not say
  std::string version;  // the same
};

// Asks anonymously over a connection of its own. RETURNS: kIo; kInvalid for an answer that is not
// one, or another result than success.
Result<ServerSoftware> probe_server(const Endpoint& endpoint, unsigned timeout_seconds);

}  // namespace kauri::toolkit
