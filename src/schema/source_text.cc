#include "schema/source_text.h"

#include <algorithm>

#include "base/assert.h"

namespace kauri::schema {

SourceFile::SourceFile(std::string_view text, std::string_view origin)
    : text_(text), origin_(origin) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::size_t SourceFile::line_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin());
}

std::string SourceFile::place(std::size_t offset) const {
  const std::size_t line = line_of(offset);
  return origin_ + ":" + std::to_string(line) + ":" +
         std::to_string(offset - line_starts_[line - 1] + 1);
}

std::string SourceFile::line_place(std::size_t offset) const {
  return origin_ + ":" + std::to_string(line_of(offset));
}

Error SourceFile::error(std::size_t offset, std::string_view reason) const {
  return invalid(place(offset) + ": " + std::string(reason));
}

void SourceText::append(std::string_view piece, std::size_t file_offset) {
  pieces_.push_back({text.size(), file_offset});
  text += piece;
}

std::size_t SourceText::file_offset(std::size_t offset) const {
  if (pieces_.empty()) return 0;
  auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                       [](std::size_t value, const Piece& piece) { return value < piece.offset; });
  KAURI_ASSERT(after != pieces_.begin());
  --after;
  return after->file_offset + (offset - after->offset);
}

Result<std::vector<SourceItem>> read_schema_source(const SourceFile& file) {
  // The first line that is neither empty nor a comment tells the format.
  const std::string_view text = file.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') {
      const std::size_t word_end = line.find_first_of(" \t:(=", first);
      if (word_end != std::string_view::npos && line[word_end] == ':') {
        return read_schema_ldif(file);
      }
      return read_directives(file);
    }
    at = end + 1;
  }
  return std::vector<SourceItem>();
}

}  // namespace kauri::schema
