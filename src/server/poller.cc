#include "server/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kauri::server {

Result<std::unique_ptr<Poller>> Poller::make() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int wake = epoll < 0 ? -1 : ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (wake < 0 || ::epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) != 0) {
    const int error = errno;
    if (wake >= 0) ::close(wake);
    if (epoll >= 0) ::close(epoll);
    return Error(ErrorCode::kIo,
                 std::string("the event loop cannot be made: ") + std::strerror(error));
  }
  return std::unique_ptr<Poller>(new Poller(epoll, wake));
}

Poller::~Poller() {
  ::close(wake_);
  ::close(epoll_);
}

bool Poller::add(int descriptor, Target& target, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &target;
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Poller::modify(int descriptor, Target& target, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &target;
  // Cannot fail for a descriptor that was added.
  (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event);
}

void Poller::remove(int descriptor) {
  (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

int Poller::wait(int timeout_ms) {
  const int count =
      ::epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
  // An interrupted wait is a short one: the caller comes back.
  return count < 0 ? 0 : count;
}

void Poller::wake() {
  const std::uint64_t one = 1;
  // A counter that is full wakes just as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

void Poller::drain_wakes() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_, &count, sizeof(count));
}

}  // namespace kauri::server
