#include "storage/page_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "storage/lmdb_error.h"

namespace kauri::storage {

Result<void> drop_page_cache(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return system_error(errno, "cannot examine", path);
  const std::string file = S_ISDIR(info.st_mode) ? path + "/data.mdb" : path;
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(errno, "cannot open", file);
  // Dirty pages cannot be dropped. EROFS and EINVAL mean that there is nothing to write back.
  int failure = ::fdatasync(fd) != 0 && errno != EROFS && errno != EINVAL ? errno : 0;
  if (failure == 0) failure = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
  if (failure != 0) return system_error(failure, "cannot drop the page cache of", file);
  return {};
}

}  // namespace kauri::storage
