// RecordParser: the lines of one record to a Record. Inside ldif/ only; used by Reader.
// Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ldif/reader.h"

namespace kauri::ldif {

// "origin:12: what" or "line 12: what".
Error line_error(const ReaderOptions& options, ErrorCode code, std::uint64_t line,
                 std::string_view what);

class RecordParser {
 public:
  // Lines [begin, end), the first of which has the number `line`. They are changed: views point
  // into them or into `storage`.
  RecordParser(const ReaderOptions& options, std::deque<std::string>& storage, char* begin,
               char* end, std::uint64_t line)
      : options_(options), storage_(storage), at_(begin), end_(end), next_line_(line) {}

  // False when there are only comments. RETURNS: kInvalid, kLimit.
  Result<bool> parse(Record& record);

 private:
  enum class Form : std::uint8_t { kPlain, kBase64, kUrl };
  // A line cut at its colon.
  struct Line {
    std::string_view key;
    Form form = Form::kPlain;
    char* value = nullptr;  // behind the fill
    char* end = nullptr;
    std::uint64_t number = 0;
    bool dash = false;  // the line is "-"; nothing else is set
    std::string_view text() const { return {value, static_cast<std::size_t>(end - value)}; }
    bool is(std::string_view keyword) const;
  };

  // Steps to the next line that is no comment, joined and cut; false at the end of the record.
  Result<bool> advance();
  Result<void> cut(char* begin, char* end);
  // The value of the current line.
  Result<std::string_view> value();
  Result<std::string_view> decode_base64();
  Result<std::string_view> read_url();
  // The same as UTF-8 without NUL, not from a URL: dn, newrdn, newsuperior.
  Result<std::string_view> name_value();
  // The value of a keyword line, without spaces at its end.
  Result<std::string_view> word();

  Result<void> parse_version();
  Result<void> parse_control(Record& record);
  Result<void> parse_attributes(Record& record);
  Result<void> add_attribute(Record& record);
  Result<void> parse_change(Record& record);
  Result<void> parse_modify(Record& record);
  Result<void> parse_modification(Record& record);
  Result<void> parse_moddn(Record& record);
  Error error(std::string_view what) const {
    return line_error(options_, ErrorCode::kInvalid, line_.number, what);
  }

  const ReaderOptions& options_;
  std::deque<std::string>& storage_;
  char* at_;
  char* end_;
  std::uint64_t next_line_;
  Line line_;
  bool have_line_ = false;  // line_ is a line, not the end
};

}  // namespace kauri::ldif
