// ValueLines: the lines of a file that feeds a load test, one for each operation.
//
// A line may have columns, which tabs separate (pattern.h). Thread safety: immutable after reading;
// shared by all threads of a run.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace kauri::toolkit {

inline constexpr std::size_t kValueLinesMax = 2'000'000;
inline constexpr std::size_t kValueFileSizeMax = std::size_t{256} << 20U;

struct ValueLines {
  std::string origin;              // the file, for messages
  std::vector<std::string> lines;  // without their ends; at least one, none empty
};

// RETURNS: kNotFound, kIo; kInvalid for a file without lines or with an empty one, kLimit.
Result<std::shared_ptr<const ValueLines>> read_value_lines(const std::string& path);
// The same for a text that is there already. `origin` is for messages.
Result<std::shared_ptr<const ValueLines>> parse_value_lines(std::string_view text,
                                                            std::string origin);

}  // namespace kauri::toolkit
