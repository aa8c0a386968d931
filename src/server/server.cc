#include "server/server.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "server/acceptor.h"
#include "server/event_log.h"
#include "server/worker.h"

namespace kauri::server {
namespace {

// Descriptors that are not for clients: databases, logs, listeners, event loops.
constexpr std::size_t kOwnDescriptors = 128;
constexpr std::size_t kConnectionsDefaultMax = 200'000;

// Raises the soft limit of open files to the hard one. RETURNS: the connections that it leaves.
std::size_t connections_possible() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const std::size_t files = limit.rlim_cur == RLIM_INFINITY
                                ? kConnectionsDefaultMax
                                : static_cast<std::size_t>(limit.rlim_cur);
  if (files <= 2 * kOwnDescriptors) return std::max<std::size_t>(files / 2, 1);
  return std::min(files - kOwnDescriptors, kConnectionsDefaultMax);
}

}  // namespace

struct Server::Impl {
  explicit Impl(const ServerOptions& options)
      : shared{*options.service, *options.clock, options.access_log, options.timeouts,
               options.large_buffers_max} {}

  Worker::Shared shared;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::string> uris;
  std::size_t connections_max = 0;
  std::size_t next_worker = 0;  // confined to the accepting thread

  std::unique_ptr<AcceptPolicy> policy;
  std::unique_ptr<Acceptor> acceptor;
  std::thread accept_thread;
  bool running = false;  // the threads were started
  bool stopped = false;

  Result<void> make_workers(unsigned count);
  Result<void> listen(const std::vector<Endpoint>& endpoints);
  void make_policy();
  void stop_accepting();
  bool wait_until_idle(std::chrono::milliseconds grace);
};

Result<void> Server::Impl::make_workers(unsigned count) {
  if (count == 0) count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    KAURI_TRY(auto worker, Worker::make(shared));
    workers.push_back(std::move(worker));
  }
  return {};
}

void Server::Impl::make_policy() {
  const auto admit = [this] {
    // Only the accepting thread counts up, so the check and the count cannot be torn apart.
    if (shared.connections.load(std::memory_order_relaxed) >= connections_max) return false;
    shared.connections.fetch_add(1, std::memory_order_relaxed);
    return true;
  };
  const auto deliver = [this](int descriptor, operation::Peer peer) {
    workers[next_worker]->adopt(descriptor, std::move(peer));
    next_worker = (next_worker + 1) % workers.size();
  };
  policy = std::make_unique<AcceptPolicy>(admit, deliver, connections_max);
}

Result<void> Server::Impl::listen(const std::vector<Endpoint>& endpoints) {
  for (const Endpoint& endpoint : endpoints) {
    KAURI_TRY(auto sockets, listen_on(endpoint));
    for (ListeningSocket& socket : sockets) {
      std::string uri = to_uri(socket.endpoint);
      if (!acceptor->add(std::move(socket))) {
        return Error(ErrorCode::kIo, "cannot listen on " + uri + ": the event loop refuses it");
      }
      // "localhost" has two addresses and one URI.
      if (uris.empty() || uris.back() != uri) uris.push_back(std::move(uri));
    }
  }
  return {};
}

void Server::Impl::stop_accepting() {
  if (acceptor == nullptr) return;
  acceptor->stop();
  if (accept_thread.joinable()) accept_thread.join();
  acceptor->close();
}

bool Server::Impl::wait_until_idle(std::chrono::milliseconds grace) {
  std::unique_lock lock(shared.idle_mutex);
  return shared.idle.wait_for(
      lock, grace, [this] { return shared.connections.load(std::memory_order_acquire) == 0; });
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options) {
  KAURI_ASSERT(options.service != nullptr && options.clock != nullptr);
  if (options.endpoints.empty()) return invalid("the server has no address to listen on");
  std::unique_ptr<Server> server(new Server(std::make_unique<Impl>(options)));
  Impl& impl = *server->impl_;
  const std::size_t possible = connections_possible();
  impl.connections_max =
      options.connections_max == 0 ? possible : std::min(options.connections_max, possible);
  impl.make_policy();
  KAURI_TRY(impl.acceptor, Acceptor::make(*impl.policy));
  KAURI_CHECK(impl.make_workers(options.workers));
  KAURI_CHECK(impl.listen(options.endpoints));
  for (const auto& worker : impl.workers) worker->start();
  impl.running = true;
  impl.accept_thread = std::thread([&impl] {
    (void)::pthread_setname_np(::pthread_self(), "kauri-accept");
    impl.acceptor->run();
  });
  return server;
}

Server::~Server() {
  stop();
}

const std::vector<std::string>& Server::uris() const {
  return impl_->uris;
}

std::size_t Server::connection_count() const {
  return impl_->shared.connections.load(std::memory_order_relaxed);
}

void Server::stop(std::chrono::milliseconds grace) {
  if (impl_->stopped) return;
  impl_->stopped = true;
  impl_->stop_accepting();
  if (impl_->running) {
    for (const auto& worker : impl_->workers) worker->begin_drain();
    if (!impl_->wait_until_idle(grace)) {
      log_event(Severity::kWarning,
                std::to_string(connection_count()) + " connections did not end in time");
    }
  }
  for (const auto& worker : impl_->workers) worker->stop();
}

}  // namespace kauri::server
