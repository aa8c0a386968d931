#include "server/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kauri::server {
namespace {

Transport::Outcome failed(int error) {
  if (error == EAGAIN || error == EWOULDBLOCK) return {Transport::State::kWouldBlock, 0, error};
  return {Transport::State::kError, 0, error};
}

std::uint32_t events_of(Transport::Interest interest) {
  return (interest.readable ? static_cast<std::uint32_t>(EPOLLIN) : 0U) |
         (interest.writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
}

}  // namespace

bool Transport::adopt(int descriptor) {
  if (!poller_.add(descriptor, target_, events_of(interest_))) return false;
  descriptor_ = descriptor;
  return true;
}

Transport::Outcome Transport::read(char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t got = ::recv(descriptor_, buffer, size, 0);
    if (got > 0) return {State::kDone, static_cast<std::size_t>(got), 0};
    if (got == 0) return {State::kEnd, 0, 0};
    if (errno != EINTR) return failed(errno);
  }
}

Transport::Outcome Transport::write(std::string_view octets) {
  for (;;) {
    const ssize_t sent = ::send(descriptor_, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (sent >= 0) return {State::kDone, static_cast<std::size_t>(sent), 0};
    if (errno != EINTR) return failed(errno);
  }
}

void Transport::set_interest(Interest interest) {
  if (!is_open() || interest == interest_) return;
  interest_ = interest;
  poller_.modify(descriptor_, target_, events_of(interest));
}

void Transport::shutdown_write() {
  if (is_open()) ::shutdown(descriptor_, SHUT_WR);
}

void Transport::close() {
  if (!is_open()) return;
  // Closing alone would do unless a child process had a copy; being explicit costs nothing here.
  poller_.remove(descriptor_);
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace kauri::server
