#include "kaurid/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "server/event_log.h"

namespace kauri::kaurid {
namespace {

constexpr int kStartGraceMs = 2000;

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// False when the time was over first.
bool wait_for(pollfd* descriptors, nfds_t count, int timeout_ms) {
  int ready = 0;
  do {
    ready = ::poll(descriptors, count, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

sigset_t awaited_signals() {
  return set_of({SIGTERM, SIGINT, SIGHUP, SIGUSR1});
}

void take_signals() {
  const sigset_t set = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

StartWatch::StartWatch() {
  const sigset_t stopping = set_of({SIGTERM, SIGINT});
  signals_ = ::signalfd(-1, &stopping, SFD_CLOEXEC | SFD_NONBLOCK);
  over_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ >= 0 && over_ >= 0) thread_ = std::thread([this] { watch(); });
}

StartWatch::~StartWatch() {
  if (thread_.joinable()) {
    eventfd_write(over_, 1);
    thread_.join();
  }
  if (signals_ >= 0) ::close(signals_);
  if (over_ >= 0) ::close(over_);
}

void StartWatch::watch() const {
  pollfd both[] = {{over_, POLLIN, 0}, {signals_, POLLIN, 0}};
  if (!wait_for(both, 2, -1) || both[0].revents != 0) return;
  pollfd over = both[0];
  if (wait_for(&over, 1, kStartGraceMs)) return;
  server::log_event(server::Severity::kInfo, "stopped while it was starting");
  ::_exit(0);
}

}  // namespace kauri::kaurid
