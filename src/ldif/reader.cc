#include "ldif/reader.h"

#include <algorithm>
#include <cstring>

#include "ldif/record_parser.h"

namespace kauri::ldif {

std::string_view to_string(RecordKind kind) {
  switch (kind) {
    case RecordKind::kContent:
      return "content";
    case RecordKind::kAdd:
      return "add";
    case RecordKind::kDelete:
      return "delete";
    case RecordKind::kModify:
      return "modify";
    case RecordKind::kModDn:
      return "modrdn";
  }
  return "";
}

std::string_view to_string(ModificationKind kind) {
  switch (kind) {
    case ModificationKind::kAdd:
      return "add";
    case ModificationKind::kDelete:
      return "delete";
    case ModificationKind::kReplace:
      return "replace";
    case ModificationKind::kIncrement:
      return "increment";
  }
  return "";
}

void Record::clear() {
  line = 0;
  dn = {};
  kind = RecordKind::kContent;
  controls.clear();
  attributes.clear();
  modifications.clear();
  new_rdn = {};
  delete_old_rdn = false;
  new_superior.reset();
}

Reader::Reader(Source& source, ReaderOptions options)
    : source_(source),
      options_(std::move(options)),
      capacity_(std::max<std::size_t>(options_.buffer_size, 16)) {
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

Result<void> Reader::fill() {
  if (begin_ > 0 && end_ == capacity_) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_ * 2);
    std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  }
  KAURI_TRY(const std::size_t count, source_.read(buffer_.get() + end_, capacity_ - end_));
  end_ += count;
  at_end_ = count == 0;
  return {};
}

// False when more octets are needed to tell.
bool Reader::skip_empty_lines() {
  while (begin_ < end_) {
    const char* at = buffer_.get() + begin_;
    if (*at == '\n') {
      ++begin_;
    } else if (*at == '\r' && end_ - begin_ >= 2 && at[1] == '\n') {
      begin_ += 2;
    } else {
      return *at != '\r' || end_ - begin_ >= 2;
    }
    ++line_;
  }
  return false;
}

Result<bool> Reader::find_block(Block& block) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!started_) {
    while (!at_end_ && end_ < kByteOrderMark.size()) KAURI_CHECK(fill());
    if (std::string_view(buffer_.get(), end_).starts_with(kByteOrderMark))
      begin_ = kByteOrderMark.size();
    started_ = true;
  }
  while (!skip_empty_lines()) {
    if (at_end_) return false;  // at most a lone carriage return is left
    KAURI_CHECK(fill());
  }
  std::size_t line_start = 0;  // from begin_, which fill() moves
  std::size_t searched = 0;
  std::uint64_t lines = 0;
  for (;;) {
    char* base = buffer_.get() + begin_;
    const std::size_t size = end_ - begin_;
    auto* newline = static_cast<char*>(std::memchr(base + searched, '\n', size - searched));
    if (newline == nullptr) {
      if (size > options_.record_size_max + 1)
        break;  // the carriage return of an empty line is none of it
      if (!at_end_) {
        searched = size;
        KAURI_CHECK(fill());
        continue;
      }
      // An empty line, cut inside its end.
      const bool empty_last = size == line_start + 1 && base[line_start] == '\r';
      block = {base, base + (empty_last ? line_start : size), line_};
      begin_ = end_;
      line_ += lines + 1;
      return true;
    }
    const std::size_t line_end = static_cast<std::size_t>(newline - base);
    if (line_end == line_start || (line_end == line_start + 1 && base[line_start] == '\r')) {
      if (line_start > options_.record_size_max) break;
      block = {base, base + line_start, line_};
      begin_ += line_end + 1;
      line_ += lines + 1;
      return true;
    }
    ++lines;
    searched = line_start = line_end + 1;
  }
  const std::uint64_t line = line_;
  KAURI_CHECK(skip_block());
  return line_error(options_, ErrorCode::kLimit, line,
                    "the record that begins here is longer than the limit of " +
                        std::to_string(options_.record_size_max) + " octets");
}

Result<void> Reader::skip_block() {
  bool line_empty = true;  // nothing but a carriage return since the last newline
  for (;;) {
    for (; begin_ < end_; ++begin_) {
      const char c = buffer_[begin_];
      if (c != '\n') {
        if (c != '\r') line_empty = false;
        continue;
      }
      ++line_;
      if (line_empty) {
        ++begin_;
        return {};
      }
      line_empty = true;
    }
    if (at_end_) return {};
    offset_ += begin_;
    begin_ = end_ = 0;
    KAURI_CHECK(fill());
  }
}

Result<bool> Reader::next(Record& record) {
  storage_.clear();
  for (;;) {
    record.clear();
    Block block;
    KAURI_TRY(const bool found, find_block(block));
    if (!found) return false;
    RecordParser parser(options_, storage_, block.begin, block.end, block.line);
    KAURI_TRY(const bool complete, parser.parse(record));
    if (complete) return true;
  }
}

}  // namespace kauri::ldif
