#include "kaurid/backup_service.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "backend/backup.h"
#include "base/clock.h"
#include "kaurid/backup_socket.h"
#include "server/event_log.h"

namespace kauri::kaurid {
namespace {

using backend::FileHandle;
using server::log_event;
using server::Severity;

constexpr std::size_t kRequestSizeMax = 256;
constexpr int kPauseMillis = 100;  // when nothing can be accepted

struct Peer {
  bool allowed = false;
  std::string text;
};

Peer peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {false, "an unknown process"};
  return {
      credentials.uid == 0 || credentials.uid == ::geteuid(),
      "process " + std::to_string(credentials.pid) + " of user " + std::to_string(credentials.uid)};
}

void set_timeout(int socket, int option, int seconds) {
  const timeval time{seconds, 0};
  // Without it a client that stalls would only be noticed when it goes.
  (void)::setsockopt(socket, SOL_SOCKET, option, &time, sizeof(time));
}

// The line that the client sends first; nothing when it sends none in time.
std::optional<BackupRequest> read_request(int socket) {
  std::string line;
  char octet = 0;
  while (line.size() < kRequestSizeMax) {
    const ssize_t count = ::recv(socket, &octet, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    if (octet == '\n') return decode_backup_request(line);
    line.push_back(octet);
  }
  return std::nullopt;
}

Result<void> send_all(int socket, std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t count = ::send(socket, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return Error(ErrorCode::kIo, "the client took nothing for " +
                                       std::to_string(kBackupStallSeconds) + " seconds");
    if (count < 0)
      return Error(ErrorCode::kIo, std::string("the client is gone: ") + std::strerror(errno));
    octets.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

std::string seconds_since(std::int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s",
                static_cast<double>(Clock::system().monotonic_nanos() - nanos) / 1e9);
  return text;
}

}  // namespace

Result<std::unique_ptr<BackupService>> BackupService::start(
    const std::vector<std::unique_ptr<backend::Database>>& databases) {
  std::unique_ptr<BackupService> out(new BackupService);
  out->wake_ = FileHandle(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (out->wake_.get() < 0)
    return Error(ErrorCode::kIo, std::string("no eventfd for backups: ") + std::strerror(errno));
  for (const auto& database : databases) {
    auto socket = listen_for_backups(database->env().path());
    if (!socket) {
      log_event(Severity::kWarning, "no backups of " + database->suffix() +
                                        " while the server runs: " + socket.error().message());
      continue;
    }
    out->listeners_.push_back({database.get(), std::move(*socket)});
  }
  out->thread_ = std::thread([service = out.get()] {
    (void)::pthread_setname_np(::pthread_self(), "kauri-backup");
    service->run();
  });
  return out;
}

void BackupService::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
  {
    const std::lock_guard lock(mutex_);
    if (client_ >= 0) ::shutdown(client_, SHUT_RDWR);
  }
  thread_.join();
  for (const Listener& listener : listeners_) remove_backup_socket(listener.database->env().path());
  listeners_.clear();
}

bool BackupService::set_client(int socket) {
  const std::lock_guard lock(mutex_);
  client_ = socket;
  return !stopping_;
}

void BackupService::run() {
  std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}};
  for (const Listener& listener : listeners_) polled.push_back({listener.socket.get(), POLLIN, 0});
  while (!stopping_) {
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < listeners_.size() && !stopping_; ++i) {
      if (polled[i + 1].revents == 0) continue;
      const FileHandle client(
          ::accept4(listeners_[i].socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client.get() >= 0) {
        if (set_client(client.get())) serve(*listeners_[i].database, client.get());
        set_client(-1);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // Nothing can be accepted for now; trying at once again would only burn the processor.
        (void)::poll(polled.data(), 1, kPauseMillis);
      }
    }
  }
}

void BackupService::serve(backend::Database& database, int socket) {
  const Peer peer = peer_of(socket);
  set_timeout(socket, SO_RCVTIMEO, kBackupRequestSeconds);
  set_timeout(socket, SO_SNDTIMEO, kBackupStallSeconds);
  const backend::OctetSink sink = [socket](std::string_view octets) {
    return send_all(socket, octets);
  };
  const auto refuse = [&sink](const std::string& why) { backend::BackupWriter(sink).give_up(why); };
  if (!peer.allowed) {
    log_event(Severity::kWarning, "a backup was refused to " + peer.text);
    return refuse("backups are for the user whom the server runs as, and for root");
  }
  const std::optional<BackupRequest> request = read_request(socket);
  if (!request)
    return refuse("the server did not understand the request; are both of one version?");
  const std::int64_t began = Clock::system().monotonic_nanos();
  const backend::BackupOptions options = {KAURI_VERSION, {}};
  const std::string what =
      request->changes ? "the changes of " + database.suffix() : "a backup of " + database.suffix();
  const auto done = request->changes
                        ? backend::write_changes(database, request->since, options, sink)
                        : backend::write_backup(database, options, sink);
  if (done) {
    log_event(Severity::kInfo, what + " up to CSN " + done->csn + " was given to " + peer.text +
                                   ": " + std::to_string(done->records) + " records in " +
                                   seconds_since(began));
    return;
  }
  log_event(Severity::kWarning,
            what + " for " + peer.text + " ended early: " + done.error().message());
}

}  // namespace kauri::kaurid
