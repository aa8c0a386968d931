// The write log of preload.c (format.h), as records. Thread safety: immutable once read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kauri::write_log {

enum class RecordKind : std::uint8_t {
  kWrite,
  kDurableWrite,
  kSync,
  kTruncate,
  kPlaced,     // the file is where it is looked for, though perhaps not on the disk
  kPlaceSync,  // and on the disk
};

struct Record {
  RecordKind kind = RecordKind::kWrite;
  std::uint64_t offset = 0;  // of a truncation: the size of the file after it
  std::string_view data;     // VALID UNTIL: the octets of the log go
  std::uint64_t begin = 0;   // where it stands in the log
};

// RETURNS: kInvalid with the place of a record that is none, that is cut, or that tells of writes
// through a map, which no log can see.
Result<std::vector<Record>> parse_log(std::string_view octets);

// A whole file; VALID UNTIL: the process ends.
Result<std::string_view> map_file(const std::string& path);

}  // namespace kauri::write_log
