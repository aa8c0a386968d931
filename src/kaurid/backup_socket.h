// The local socket on which a server gives backups: the file "backup.sock" in the directory of each
// database (docs/formats/backup.md). Both sides of it.
//
// A client sends one line and reads one stream. Only processes of the server's own user and of root
// are answered: what is given holds everything, password hashes too. Thread safety:
// BackupConnection is thread-compatible, the rest are functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "backend/backup_file.h"
#include "base/result.h"

namespace kauri::kaurid {

// What a client asks for.
struct BackupRequest {
  bool changes = false;
  std::string since;  // of changes: a CSN, or empty
};
// "backup 1\n", "changes 1 CSN\n".
std::string encode_backup_request(const BackupRequest& request);
// Nothing when the line, without its end, is no request.
std::optional<BackupRequest> decode_backup_request(std::string_view line);

// A socket that listens in the directory of a database, for its owner alone. A file that a server
// left behind is replaced. REQUIRES: this process has the database. RETURNS: kIo.
Result<backend::FileHandle> listen_for_backups(const std::string& directory);
void remove_backup_socket(const std::string& directory);

// A server's answer.
class BackupConnection {
 public:
  // Nothing when no server listens there.
  static Result<std::optional<BackupConnection>> open(const std::string& directory,
                                                      const BackupRequest& request);
  // At most `size` octets, 0 at the end.
  Result<std::size_t> read(char* out, std::size_t size);

 private:
  explicit BackupConnection(backend::FileHandle socket) : socket_(std::move(socket)) {}
  backend::FileHandle socket_;
};

}  // namespace kauri::kaurid
