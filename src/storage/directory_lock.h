// DirectoryLock: one process at a time in a database directory. Env::open() takes it; so does who
// replaces the file without opening it.
//
// The lock is a kernel lock (flock) on the file "kauri.lock", which also holds the owner's pid for
// messages; it ends with the process however it ends, so a file that was left behind means nothing.
// Thread safety: thread-compatible.
#pragma once

#include <string>

#include "base/result.h"

namespace kauri::storage {

class DirectoryLock {
 public:
  DirectoryLock() = default;
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

  // RETURNS: kBusy with the holder's pid (also when the holder is this process); kIo, kNotFound,
  // kNoSpace. On a read-only file system, where nobody can write, the result holds no lock.
  static Result<DirectoryLock> take(const std::string& directory);

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace kauri::storage
