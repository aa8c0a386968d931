#include "log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "format.h"

namespace kauri::write_log {
namespace {

std::optional<RecordKind> kind_of(std::uint32_t kind) {
  switch (kind) {
    case KAURI_RECORD_WRITE:
      return RecordKind::kWrite;
    case KAURI_RECORD_DURABLE_WRITE:
      return RecordKind::kDurableWrite;
    case KAURI_RECORD_SYNC:
      return RecordKind::kSync;
    case KAURI_RECORD_TRUNCATE:
      return RecordKind::kTruncate;
    case KAURI_RECORD_PLACED:
      return RecordKind::kPlaced;
    case KAURI_RECORD_PLACE_SYNC:
      return RecordKind::kPlaceSync;
    default:
      return std::nullopt;
  }
}

Error bad(std::uint64_t at, const std::string& why) {
  return invalid("write log, octet " + std::to_string(at) + ": " + why);
}

}  // namespace

Result<std::vector<Record>> parse_log(std::string_view octets) {
  std::vector<Record> records;
  for (std::uint64_t at = 0; at < octets.size();) {
    kauri_write_record header{};
    if (octets.size() - at < sizeof(header)) return bad(at, "the header of a record is cut");
    std::memcpy(&header, octets.data() + at, sizeof(header));
    if (header.magic != KAURI_RECORD_MAGIC) return bad(at, "no record begins here");
    if (header.kind == KAURI_RECORD_MAPPED)
      return bad(at, "the process writes through a map, and this log cannot see that");
    const std::optional<RecordKind> kind = kind_of(header.kind);
    if (!kind) return bad(at, "the kind " + std::to_string(header.kind) + " is unknown");
    if (header.size > octets.size() - at - sizeof(header))
      return bad(at, "the data of a record are cut");
    records.push_back({*kind, header.offset, octets.substr(at + sizeof(header), header.size), at});
    at += sizeof(header) + header.size;
  }
  return records;
}

Result<std::string_view> map_file(const std::string& path) {
  const auto failed = [&] {
    return Error(ErrorCode::kIo, "cannot read " + path + ": " + std::strerror(errno));
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) return failed();
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::string_view();
  void* const place = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (place == MAP_FAILED) return failed();
  return std::string_view(static_cast<const char*>(place), size);
}

}  // namespace kauri::write_log
