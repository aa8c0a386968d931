// Service: the whole directory behind a connection, without sockets: octets of one message in,
// octets of answers out.
//
// Service: thread-safe, shared by all workers. Session: confined to its connection's worker thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "backend/read_session.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/random.h"
#include "security/access_policy.h"
#include "security/hash_pool.h"
#include "security/password.h"

namespace kauri::operation {

// Runs a function on the worker thread of a connection, later. Given by the server; thread-safe.
// The Session tells apart a connection that is gone by itself (weak pointers), so posting to a dead
// one is harmless.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void post(std::function<void()> job) = 0;
};

// One line of the access log, filled by the operation (docs/formats/access-log.md).
struct OperationRecord {
  std::uint64_t connection = 0;
  std::int64_t operation = 0;  // counts up on the connection
  std::int32_t message_id = 0;
  std::string_view kind;  // "BIND", "SEARCH", ...
  std::string dn;         // target
  std::string identity;   // DN of the requester
  std::uint16_t result = 0;
  std::string diagnostic;
  std::int64_t arrived_wall_micros = 0;
  std::int64_t wtime_nanos = 0;   // waiting: queues
  std::int64_t optime_nanos = 0;  // working
  std::int64_t etime_nanos = 0;   // whole
  std::uint64_t entries = 0;
  std::string scope;  // searches
  std::string filter;
  std::string attributes;
  std::string index_terms;  // "(uid=a):eq:1"
  std::string plan;         // "indexes:5 examined:5 matched:3"
  std::string notes;        // "U" unindexed, "P" paged, ...
  std::string detail;       // extended OID, mechanism, new RDN
};
class AccessLog {
 public:
  virtual ~AccessLog() = default;
  virtual bool enabled() const = 0;
  // THREADS: any; must not block.
  virtual void log(const OperationRecord& record) = 0;
};

struct ServiceLimits {
  std::uint32_t search_size_max = limits::kSearchSizeMax;
  std::uint32_t search_seconds_max = limits::kSearchSecondsMax;
  std::uint64_t look_through_max = limits::kLookThroughMax;
  std::size_t operations_in_flight_max = limits::kOperationsInFlightMax;
  std::size_t message_size_anonymous_max = limits::kMessageSizeAnonymousMax;
  std::size_t message_size_max = limits::kMessageSizeMax;
};

struct ServiceOptions {
  std::vector<backend::Database*> databases;  // at least one; outlive the service
  std::shared_ptr<const schema::Schema> schema;
  std::shared_ptr<const security::AccessPolicy> access;
  std::string admin_dn;             // above the rules
  std::string admin_password_hash;  // "{SCHEME}..."; empty: the administrator cannot bind
  security::PasswordScheme password_scheme = security::PasswordScheme::kArgon2id;
  bool allow_cleartext_bind =
      false;  // simple bind with a password on an unprotected connection from another machine
  ServiceLimits limits;
  security::HashPool* hash_pool = nullptr;
  AccessLog* access_log = nullptr;
  // Called with each failure of storage or data that an operation meets, whether the access log is
  // on or not: the client learns no details. A damaged database makes floods of them; bounding what
  // is written is the callee's business. THREADS: any; must not block.
  std::function<void(const Error&)> report_failure;
  Clock* clock = nullptr;
  Random* random = nullptr;
};

class Service;

// Where a connection comes from.
struct Peer {
  std::uint64_t connection = 0;
  std::string address;    // "127.0.0.1:41234", "ldapi:uid=0"
  bool loopback = false;  // or ldapi
  bool encrypted = false;
};

// What one worker thread keeps for its connections (read sessions, scratch buffers); make one for
// each worker.
class WorkerContext {
 public:
  virtual ~WorkerContext() = default;
};

class Session {
 public:
  virtual ~Session() = default;

  // Handles exactly one whole message (ber::find_message) and appends what can be answered now to
  // `out`. `arrived_nanos` is the monotonic time of its receipt. Views into `message` are not kept.
  virtual void handle(std::string_view message, std::int64_t arrived_nanos, std::string& out) = 0;

  // True while searches wait for a turn: call run_turn() when the output has room, before or after
  // other messages.
  virtual bool has_work() const = 0;
  // One slice of each waiting search, appended to `out`; stops early when `out` grows past
  // `out_limit` octets.
  virtual void run_turn(std::string& out, std::size_t out_limit) = 0;

  // Answers that completed elsewhere (writes, hashed binds) are collected in the session; when they
  // are there the session calls this on the worker thread, and take_output() gives them.
  virtual void set_output_ready(std::function<void()> callback) = 0;
  virtual void take_output(std::string& out) = 0;

  // True: read no further message for now (a bind waits for what is in flight, or too many
  // operations).
  virtual bool reading_paused() const = 0;
  // True: send what is there, then close (unbind, notice of disconnection).
  virtual bool closing() const = 0;
  // The largest message to accept now (grows with authentication).
  virtual std::size_t message_size_max() const = 0;
  virtual bool authenticated() const = 0;
  // Requests taken and not answered yet: writes and binds that complete elsewhere, searches between
  // turns. At 0 the server may close the connection without losing an answer (stop, half-close).
  virtual std::size_t operations_in_flight() const { return has_work() ? 1 : 0; }
  // For broken framing: appends the Notice of Disconnection (protocolError with `why`); closing()
  // is true then.
  virtual void protocol_error(std::string_view why, std::string& out) = 0;
  // The connection is gone: abandon everything.
  virtual void closed() = 0;
};

class Service {
 public:
  static Result<std::unique_ptr<Service>> make(ServiceOptions options);
  virtual ~Service() = default;
  virtual Result<std::unique_ptr<WorkerContext>> worker_context() = 0;
  // `worker` and `executor` must outlive the session; completions keep only weak pointers.
  virtual std::shared_ptr<Session> session(Peer peer, WorkerContext& worker,
                                           Executor& executor) = 0;
  // Replaces access rules, limits and the administrator's password for operations from now on
  // (SIGHUP). THREADS: any.
  virtual void reload(std::shared_ptr<const security::AccessPolicy> access,
                      const ServiceLimits& limits, std::string admin_password_hash) = 0;
};

}  // namespace kauri::operation
