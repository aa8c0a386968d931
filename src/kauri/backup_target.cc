#include "kauri/backup_target.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "backend/csn.h"

namespace kauri::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameSizeMax = 150;  // of 255 that a file name may have

// Letters, digits and what is harmless in a file name stay.
std::string file_name_of(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kNameSizeMax)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("=,.-_").find(c) != std::string_view::npos;
    out += plain ? c : '_';
  }
  return out;
}

// One for each database, so that what a backup that was killed left behind is used again.
std::string partial_name(const std::string& database) {
  std::error_code error;
  std::string path = fs::absolute(database, error).lexically_normal().string();
  if (error) path = database;
  if (path.size() > kNameSizeMax) path.erase(0, path.size() - kNameSizeMax);
  return "kauri-" + file_name_of(path) + ".partial";
}

}  // namespace

std::string backup_file_name(const backend::BackupHeader& header) {
  std::string time = backend::generalized_time(header.made_micros);
  time.insert(8, "T");
  char micros[16];
  std::snprintf(micros, sizeof(micros), ".%06d", static_cast<int>(header.made_micros % 1'000'000));
  time.insert(time.size() - 1, micros);
  const bool whole = header.content == backend::BackupContent::kDatabase;
  return file_name_of(header.suffix) + "-" + time + (whole ? ".backup" : ".changes");
}

Result<BackupTarget> BackupTarget::open(const std::string& to, const std::string& database) {
  BackupTarget out;
  if (to == "-") return out;
  struct stat info {};
  const bool exists = ::stat(to.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    out.directory_ = to;
    KAURI_TRY(out.partial_, backend::PartialFile::create(to + "/" + partial_name(database)));
    return out;
  }
  if (exists)
    return Error(
        ErrorCode::kExists,
        to + " is there already: name another file, or a directory in which it gets a name");
  out.file_ = to;
  KAURI_TRY(out.partial_, backend::PartialFile::create(to + ".partial"));
  return out;
}

Result<void> BackupTarget::write(std::string_view octets) {
  if (partial_) return partial_->write(octets);
  if (std::fwrite(octets.data(), 1, octets.size(), stdout) == octets.size()) return {};
  return Error(ErrorCode::kIo,
               std::string("cannot write standard output: ") + std::strerror(errno));
}

Result<std::string> BackupTarget::commit(const backend::BackupHeader& header) {
  if (!partial_) {
    if (std::fflush(stdout) != 0)
      return Error(ErrorCode::kIo,
                   std::string("cannot write standard output: ") + std::strerror(errno));
    return std::string("-");
  }
  std::string path = file_.empty() ? directory_ + "/" + backup_file_name(header) : file_;
  KAURI_CHECK(partial_->commit(path));
  return path;
}

}  // namespace kauri::tool
