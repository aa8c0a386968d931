// Server: listeners, workers and the two-phase stop around an operation::Service.
//
// Thread safety: thread-compatible; start(), stop() and the destructor belong to one thread. The
// service, clock and access log outlive the server. After stop() no session exists, but the
// executors that completions may still name do until the server is destroyed: stop the server, then
// the databases and the hash pool, then destroy the server, then the service.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "operation/service.h"
#include "server/endpoint.h"

namespace kauri::server {

// Seconds; see base/limits.h for what each means.
struct Timeouts {
  std::uint32_t first_request = limits::kFirstRequestSecondsMax;
  std::uint32_t message = limits::kMessageSecondsMax;
  std::uint32_t output_stall = limits::kOutputStallSecondsMax;
};

struct ServerOptions {
  std::vector<Endpoint> endpoints = {};
  unsigned workers = 0;             // 0 = one for each core
  std::size_t connections_max = 0;  // 0 = what the limit of open files allows
  operation::Service* service = nullptr;
  operation::AccessLog* access_log = nullptr;  // CONNECT and DISCONNECT lines; may be nullptr
  Clock* clock = nullptr;
  Timeouts timeouts = {};
  std::size_t large_buffers_max = limits::kLargeBuffersMax;  // octets, for each worker
};

class Server {
 public:
  // Listens on all endpoints and serves them. RETURNS: why an endpoint cannot be listened on.
  static Result<std::unique_ptr<Server>> start(ServerOptions options);
  ~Server();  // stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // One for each endpoint socket, with real ports, in the order of the options.
  const std::vector<std::string>& uris() const;
  std::size_t connection_count() const;

  // Stops accepting, tells idle clients (Notice of Disconnection, unavailable), lets what is in
  // flight end, and after `grace` drops what is left. Idempotent.
  void stop(std::chrono::milliseconds grace = std::chrono::seconds(10));

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kauri::server
