#include "storage/durable_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "storage/lmdb_error.h"

namespace kauri::storage {

namespace fs = std::filesystem;

Result<void> sync_directory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error(errno, "cannot open the directory", path);
  // Some file systems have no flush for directories, and say so with EINVAL.
  const int failure = ::fsync(fd) != 0 && errno != EINVAL ? errno : 0;
  ::close(fd);
  if (failure != 0) return system_error(failure, "cannot flush the directory", path);
  return {};
}

Result<void> make_directories(const std::string& path) {
  std::vector<fs::path> parents;  // of what will be made
  std::error_code error;
  for (fs::path at = fs::absolute(path, error); !error && !fs::exists(at, error) && !error;
       at = at.parent_path())
    parents.push_back(at.parent_path());
  if (!error) fs::create_directories(path, error);
  if (error) return system_error(error.value(), "cannot make the directory", path);
  for (const fs::path& parent : parents) KAURI_CHECK(sync_directory(parent.string()));
  return {};
}

Result<void> put_in_place(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return system_error(errno, "cannot rename " + from + " to", to);
  const std::string parent = fs::path(to).parent_path().string();
  return sync_directory(parent.empty() ? "." : parent);
}

}  // namespace kauri::storage
