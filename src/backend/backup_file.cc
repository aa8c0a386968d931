#include "backend/backup_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/durable_name.h"

namespace kauri::backend {
namespace {

namespace fs = std::filesystem;

Error failure(const std::string& what, const std::string& path) {
  const int number = errno;
  ErrorCode code = ErrorCode::kIo;
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) code = ErrorCode::kNoSpace;
  if (number == ENOENT) code = ErrorCode::kNotFound;
  return {code, what + " " + path + ": " + std::strerror(number)};
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileHandle::FileHandle(FileHandle&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Result<PartialFile> PartialFile::create(const std::string& partial_path) {
  const std::string& name = partial_path;
  FileHandle file(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return failure("cannot make", name);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("cannot lock", name);
    return Error(ErrorCode::kBusy, name + " is being written by another process");
  }
  // Between opening and locking, another process may have finished and given it its name.
  struct stat info {};
  struct stat named {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot examine", name);
  if (::stat(name.c_str(), &named) != 0 || named.st_ino != info.st_ino)
    return Error(ErrorCode::kBusy, name + " was being written by another process; try again");
  if (::ftruncate(file.get(), 0) != 0) return failure("cannot empty", name);
  return PartialFile(std::move(file), name);
}

PartialFile::~PartialFile() {
  if (file_.get() >= 0) ::unlink(path_.c_str());
}

PartialFile& PartialFile::operator=(PartialFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

Result<void> PartialFile::write(std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t count = ::write(file_.get(), octets.data(), octets.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("cannot write", path_);
    octets.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> PartialFile::commit(const std::string& path) {
  if (::fsync(file_.get()) != 0) return failure("cannot sync", path_);
  const auto exists = [&path] { return Error(ErrorCode::kExists, path + " is there already"); };
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return exists();
    // Some file systems do not know the flag.
    if (errno != EINVAL) return failure("cannot give its name to", path);
    if (::access(path.c_str(), F_OK) == 0) return exists();
    if (::rename(path_.c_str(), path.c_str()) != 0) return failure("cannot give its name to", path);
  }
  file_ = FileHandle();
  const std::string directory = fs::path(path).parent_path().string();
  return storage::sync_directory(directory.empty() ? "." : directory);
}

Result<InputFile> InputFile::open(const std::string& path) {
  if (path == "-") return InputFile(FileHandle(), "standard input");
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failure("cannot open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("cannot examine", path);
  if (S_ISDIR(info.st_mode)) return invalid(path + " is a directory; name the file in it");
  return InputFile(std::move(file), path);
}

Result<std::size_t> InputFile::read(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(file_.get() < 0 ? STDIN_FILENO : file_.get(), out, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return failure("cannot read", path_);
  }
}

TemporaryDirectory::TemporaryDirectory(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kauri::backend
