// Where kauri backup writes to: a file, a directory, or standard output. Thread safety: confined to
// the main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/backup_file.h"
#include "backend/backup_stream.h"
#include "base/result.h"

namespace kauri::tool {

class BackupTarget {
 public:
  // `to` is a file that does not exist, a directory in which one gets a name, or "-". `database` is
  // the path of the database. Nothing has its final name before commit(). RETURNS: kExists, kBusy,
  // kIo, kNotFound.
  static Result<BackupTarget> open(const std::string& to, const std::string& database);

  Result<void> write(std::string_view octets);
  // On stable storage, under its name, which tells what it is. RETURNS: the path; "-".
  Result<std::string> commit(const backend::BackupHeader& header);

 private:
  BackupTarget() = default;

  std::string file_;       // empty: in directory_
  std::string directory_;  // empty and no file: standard output
  std::optional<backend::PartialFile> partial_;
};

// "dc=example,dc=com-20260131T235959.123456Z.backup", in a directory of many.
std::string backup_file_name(const backend::BackupHeader& header);

}  // namespace kauri::tool
