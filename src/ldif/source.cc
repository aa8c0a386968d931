#include "ldif/source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace kauri::ldif {
namespace {

Error system_error(int number, std::string what) {
  return {number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          std::move(what) + ": " + std::generic_category().message(number)};
}

}  // namespace

Result<std::size_t> StringSource::read(char* out, std::size_t size) {
  const std::size_t count = std::min(size, rest_.size());
  if (count != 0) std::memcpy(out, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

FdSource::~FdSource() {
  if (own_) ::close(fd_);
}

Result<std::size_t> FdSource::read(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(fd_, out, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return system_error(errno, "cannot read " + name_);
  }
}

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(errno, "cannot open " + path);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice only; pipes refuse it
  return std::unique_ptr<Source>(std::make_unique<FdSource>(fd, path, true));
}

}  // namespace kauri::ldif
