// Writer: appends LDIF (RFC 2849) to a string that the caller owns and empties.
//
// Lines are folded at `line_width` columns. A value is written in base64 where the RFC demands it
// (notes 4 and 8): it begins with a space, a colon or "<", ends with a space, or holds NUL, CR, LF
// or anything but ASCII. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ldif/record.h"

namespace kauri::ldif {

struct WriterOptions {
  std::size_t line_width =
      76;  // octets of a line without its end; 0 = lines are never folded; else at least 2
};

// Whether `value` can only be written in base64.
bool needs_base64(std::string_view value);

class Writer {
 public:
  explicit Writer(std::string& out, WriterOptions options = {}) : out_(out), options_(options) {}

  // "version: 1" and an empty line; at the start of a file.
  void version();
  // One line for each line of `text`.
  void comment(std::string_view text);
  // Starts a record.
  void dn(std::string_view dn) { attribute("dn", dn); }
  // REQUIRES: `description` is an attribute description.
  void attribute(std::string_view description, std::string_view value);
  // Ends a record with an empty line.
  void end_record() { out_ += '\n'; }

  // Change records: dn(), control()..., changetype(), then what belongs to the kind. REQUIRES: not
  // kContent.
  void control(std::string_view oid, bool critical, std::optional<std::string_view> value);
  void changetype(RecordKind kind);
  void begin_modification(ModificationKind kind, std::string_view description);
  void end_modification() { out_ += "-\n"; }
  void rename(std::string_view new_rdn, bool delete_old_rdn,
              std::optional<std::string_view> new_superior);

  // A whole record.
  void record(const Record& record);

 private:
  // `head` is all of the line in front of the colons.
  void line(std::string_view head, std::string_view value);
  void fold(std::size_t start);

  std::string& out_;
  WriterOptions options_;
};

}  // namespace kauri::ldif
