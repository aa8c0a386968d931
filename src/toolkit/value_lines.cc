#include "toolkit/value_lines.h"

#include <algorithm>
#include <utility>

#include "ldif/source.h"

namespace kauri::toolkit {

Result<std::shared_ptr<const ValueLines>> parse_value_lines(std::string_view text,
                                                            std::string origin) {
  auto out = std::make_shared<ValueLines>();
  out->origin = std::move(origin);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      return invalid("line " + std::to_string(out->lines.size() + 1) + " of " + out->origin +
                     " is empty; each line is the value of one operation");
    }
    if (out->lines.size() == kValueLinesMax) {
      return limit_exceeded(out->origin + " has more than " + std::to_string(kValueLinesMax) +
                            " lines");
    }
    out->lines.emplace_back(line);
  }
  if (out->lines.empty()) return invalid(out->origin + " has no line");
  return std::shared_ptr<const ValueLines>(std::move(out));
}

Result<std::shared_ptr<const ValueLines>> read_value_lines(const std::string& path) {
  KAURI_TRY(const auto source, ldif::open_file(path));
  std::string text;
  std::string block(std::size_t{64} << 10U, '\0');
  for (;;) {
    KAURI_TRY(const std::size_t size, source->read(block.data(), block.size()));
    if (size == 0) return parse_value_lines(text, path);
    text.append(block, 0, size);
    if (text.size() > kValueFileSizeMax) {
      return limit_exceeded(path + " is larger than " + std::to_string(kValueFileSizeMax) +
                            " octets");
    }
  }
}

}  // namespace kauri::toolkit
