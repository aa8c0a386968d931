#include "backend/working_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/durable_name.h"
#include "storage/page_cache.h"

namespace kauri::backend {
namespace {

constexpr const char* kFile = "/data.mdb";

Error failure(const std::string& what, const std::string& path) {
  const int number = errno;
  return {number == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo,
          what + " " + path + ": " + std::strerror(number)};
}

}  // namespace

Result<std::unique_ptr<WorkingCopy>> WorkingCopy::make(const std::string& path,
                                                       std::string_view name) {
  storage::EnvOptions options;
  options.path = path;
  options.read_only = true;
  options.page_extent = storage::PageExtent::kWhole;  // all of them are about to be read
  KAURI_TRY(std::unique_ptr<storage::Env> original, storage::Env::open(options));
  std::unique_ptr<WorkingCopy> copy(
      new WorkingCopy(std::move(original), path + "/" + std::string(name)));
  if (const Result<void> done = copy->copy(); !done)
    return done.error().with_context("cannot make a copy of the database to work on");
  return copy;
}

Result<void> WorkingCopy::copy() {
  KAURI_CHECK(storage::make_directories(path()));
  const std::string file = path() + kFile;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failure("cannot make", file);
  const Result<void> done = original_->copy_to(fd);
  if (::close(fd) != 0 && done) return failure("cannot write", file);
  return done;
}

Result<void> WorkingCopy::put_in_place() {
  const std::string file = path() + kFile;
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failure("cannot open", file);
  const bool flushed = ::fdatasync(fd) == 0;
  const Error unflushed = failure("cannot flush", file);
  ::close(fd);
  if (!flushed) return unflushed;
  const std::string& directory = original_->path();
  KAURI_CHECK(storage::put_in_place(file, directory + kFile));
  // Best effort: it only spares later writes the cost of large folios in the cache.
  [[maybe_unused]] const Result<void> dropped = storage::drop_page_cache(directory);
  return {};
}

}  // namespace kauri::backend
