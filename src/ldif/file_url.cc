#include "ldif/file_url.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "ldif/record_parser.h"
#include "text/ascii.h"
#include "text/hex.h"
#include "text/visible.h"

namespace kauri::ldif {
namespace {

Result<std::string> path_of(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  constexpr std::string_view kLocalhost = "localhost";
  const Error refused =
      invalid("the URL " + text::quoted(url) + " is none of the form file:///absolute/path");
  if (url.size() < kScheme.size() ||
      !text::equal_ignoring_case(url.substr(0, kScheme.size()), kScheme))
    return refused;
  std::string_view rest = url.substr(kScheme.size());
  if (text::equal_ignoring_case(rest.substr(0, kLocalhost.size()), kLocalhost))
    rest.remove_prefix(kLocalhost.size());
  if (rest.empty() || rest[0] != '/') return refused;
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path += rest[i];
      continue;
    }
    const int high = i + 1 < rest.size() ? text::hex_digit(rest[i + 1]) : -1;
    const int low = i + 2 < rest.size() ? text::hex_digit(rest[i + 2]) : -1;
    if (high < 0 || low < 0 || high + low == 0) return refused;
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return path;
}

Error system_error(const std::string& path) {
  return {
      errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
      "cannot read the file " + text::quoted(path) + ": " + std::generic_category().message(errno)};
}

Result<std::string> read_all(int fd, const std::string& path, std::size_t size_max) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error(path);
  if (!S_ISREG(info.st_mode))
    return invalid("the file " + text::quoted(path) + " is not a regular file");
  std::string contents;
  char chunk[65536];
  for (;;) {
    const ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path);
    if (count == 0) return contents;
    contents.append(chunk, static_cast<std::size_t>(count));
    if (contents.size() > size_max)
      return limit_exceeded("the file " + text::quoted(path) + " is longer than the limit of " +
                            std::to_string(size_max) + " octets");
  }
}

}  // namespace

Result<std::string> read_file_url(std::string_view url, std::size_t size_max) {
  KAURI_TRY(const std::string path, path_of(url));
  // Not blocking: the name may be that of a pipe.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error(path);
  auto contents = read_all(fd, path, size_max);
  ::close(fd);
  return contents;
}

}  // namespace kauri::ldif
