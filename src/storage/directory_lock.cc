#include "storage/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "storage/lmdb_error.h"

namespace kauri::storage {

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) ::close(fd_);  // ends the flock
}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

namespace {

std::string holder(int fd) {
  char buffer[32];
  const ssize_t count = ::pread(fd, buffer, sizeof buffer, 0);
  std::string pid;
  for (ssize_t i = 0; i < count && buffer[i] >= '0' && buffer[i] <= '9'; ++i) pid += buffer[i];
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/kauri.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    if (errno == EROFS) return DirectoryLock();
    return system_error(errno, "cannot open the lock file", path);
  }
  DirectoryLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error(errno, "cannot lock", path);
    return Error(ErrorCode::kBusy, "the database in " + directory + " is in use by " + holder(fd) +
                                       "; stop it first, or work through the running server");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return system_error(errno, "cannot write the lock file", path);
  return lock;
}

}  // namespace kauri::storage
