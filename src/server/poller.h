// Poller: readiness of many descriptors through epoll, level-triggered, for one thread.
//
// Why not a library: docs/decisions/0007-epoll-reactor.md. Thread safety: confined to one thread,
// but for wake().
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/result.h"

namespace kauri::server {

class Poller {
 public:
  // What is told when its descriptor is ready.
  class Target {
   public:
    virtual ~Target() = default;
    // `events` are EPOLLIN, EPOLLOUT as asked for, and EPOLLERR, EPOLLHUP whether asked for or not.
    virtual void on_events(std::uint32_t events) = 0;
  };

  // RETURNS: kIo when the process has no descriptor left.
  static Result<std::unique_ptr<Poller>> make();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // False: the system refused. `target` stays until remove() or until the descriptor is closed.
  bool add(int descriptor, Target& target, std::uint32_t events);
  void modify(int descriptor, Target& target, std::uint32_t events);
  void remove(int descriptor);

  // Waits for at most `timeout_ms` (-1: for ever) and tells the targets that are ready.
  // `woken()` runs first, once, when there is something to tell or the time is over. A target that
  // goes away while others of the same round are told must stay in memory until the round ends.
  template <class Woken>
  void run_once(int timeout_ms, Woken&& woken) {
    const int count = wait(timeout_ms);
    std::forward<Woken>(woken)();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events_[static_cast<std::size_t>(i)];
      if (event.data.ptr == nullptr) {
        drain_wakes();
      } else {
        static_cast<Target*>(event.data.ptr)->on_events(event.events);
      }
    }
  }

  // Ends a wait that runs, or the next one. THREADS: any.
  void wake();

 private:
  static constexpr std::size_t kEventsMax = 128;  // told in one round

  Poller(int epoll, int wake) : epoll_(epoll), wake_(wake) {}
  int wait(int timeout_ms);
  void drain_wakes();

  const int epoll_;
  const int wake_;
  std::array<epoll_event, kEventsMax> events_{};
};

}  // namespace kauri::server
