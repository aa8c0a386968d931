#include "kaurid/backup_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kauri::kaurid {
namespace {

using backend::FileHandle;

constexpr std::string_view kName = "/backup.sock";
constexpr std::string_view kBackupLine = "backup 1";
constexpr std::string_view kChangesLine = "changes 1 ";
constexpr int kBacklog = 16;

std::string socket_path(const std::string& directory) {
  return directory + std::string(kName);
}

Error failure(const std::string& what, const std::string& path) {
  return {ErrorCode::kIo, what + " " + path + ": " + std::strerror(errno)};
}

// The address of the socket. The system allows 107 octets; a longer path goes by way of the open
// directory, which the address needs for as long as it is used.
struct Address {
  sockaddr_un generic{};
  FileHandle directory;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&generic); }
};

Result<Address> address_of(const std::string& directory) {
  Address address;
  address.generic.sun_family = AF_UNIX;
  std::string path = socket_path(directory);
  if (path.size() >= sizeof(address.generic.sun_path)) {
    address.directory = FileHandle(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (address.directory.get() < 0) return failure("cannot open the directory", directory);
    path = socket_path("/proc/self/fd/" + std::to_string(address.directory.get()));
  }
  std::memcpy(address.generic.sun_path, path.data(), path.size());
  return address;
}

}  // namespace

std::string encode_backup_request(const BackupRequest& request) {
  if (!request.changes) return std::string(kBackupLine) + "\n";
  return std::string(kChangesLine) + request.since + "\n";
}

std::optional<BackupRequest> decode_backup_request(std::string_view line) {
  if (line == kBackupLine) return BackupRequest{};
  if (!line.starts_with(kChangesLine)) return std::nullopt;
  return BackupRequest{true, std::string(line.substr(kChangesLine.size()))};
}

Result<FileHandle> listen_for_backups(const std::string& directory) {
  KAURI_TRY(const Address address, address_of(directory));
  const std::string path = socket_path(directory);
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && !S_ISSOCK(info.st_mode))
    return Error(ErrorCode::kExists, path + " is there and no socket");
  remove_backup_socket(directory);
  FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return failure("no socket for", path);
  // Before the name is there: it then never has a wider mode.
  if (::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), address.get(), sizeof(address.generic)) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return failure("cannot listen on", path);
  return socket;
}

void remove_backup_socket(const std::string& directory) {
  ::unlink(socket_path(directory).c_str());
}

Result<std::optional<BackupConnection>> BackupConnection::open(const std::string& directory,
                                                               const BackupRequest& request) {
  std::optional<BackupConnection> none;
  const std::string path = socket_path(directory);
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return none;
  KAURI_TRY(const Address address, address_of(directory));
  FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return failure("no socket for", path);
  if (::connect(socket.get(), address.get(), sizeof(address.generic)) != 0) {
    // What a server that was killed left behind.
    if (errno == ECONNREFUSED || errno == ENOENT) return none;
    return failure("cannot connect to the server on", path);
  }
  const std::string line = encode_backup_request(request);
  // A line fits into a fresh socket.
  if (::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size()))
    return failure("cannot ask the server on", path);
  return std::optional<BackupConnection>(BackupConnection(std::move(socket)));
}

Result<std::size_t> BackupConnection::read(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), out, size, 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR)
      return Error(ErrorCode::kIo,
                   std::string("the connection to the server broke: ") + std::strerror(errno));
  }
}

}  // namespace kauri::kaurid
