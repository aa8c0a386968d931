#include "server/transport.h"

#include <sys/socket.h>

#include <cerrno>

namespace kauri::server {
namespace {

Transport::Outcome failed(int error) {
  if (error == EAGAIN || error == EWOULDBLOCK) return {Transport::State::kWouldBlock, 0, error};
  return {Transport::State::kError, 0, error};
}

}  // namespace

bool Transport::adopt(int descriptor) {
  boost::system::error_code error;
  descriptor_.assign(descriptor, error);
  return !error;
}

Transport::Outcome Transport::read(char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t got = ::recv(descriptor_.native_handle(), buffer, size, 0);
    if (got > 0) return {State::kDone, static_cast<std::size_t>(got), 0};
    if (got == 0) return {State::kEnd, 0, 0};
    if (errno != EINTR) return failed(errno);
  }
}

Transport::Outcome Transport::write(std::string_view octets) {
  for (;;) {
    const ssize_t sent =
        ::send(descriptor_.native_handle(), octets.data(), octets.size(), MSG_NOSIGNAL);
    if (sent >= 0) return {State::kDone, static_cast<std::size_t>(sent), 0};
    if (errno != EINTR) return failed(errno);
  }
}

void Transport::shutdown_write() {
  if (is_open()) ::shutdown(descriptor_.native_handle(), SHUT_WR);
}

void Transport::close() {
  if (!is_open()) return;
  boost::system::error_code ignored;
  descriptor_.close(ignored);
}

}  // namespace kauri::server
