// Reader: LDIF (RFC 2849) as a stream of records, content and change records mixed as they come.
//
// Values are views into the reader's buffer: folded lines are joined and base64 is decoded in
// place. The buffer grows with the octets that have arrived and holds one record at a time.
//
// Beyond the RFC it accepts: a missing version line, one before any record (files that were put
// together), a byte order mark at the start, UTF-8 and other octets but NUL in plain values, a last
// line without an end, a missing "-" at the end of a record, spaces behind base64 and keywords,
// "increment:" (RFC 4525), "_" in attribute names. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "ldif/record.h"
#include "ldif/source.h"

namespace kauri::ldif {

struct ReaderOptions {
  std::string origin =
      {};  // the file's name for messages: "users.ldif:12: ..."; without one "line 12: ..."
  // Whether "attribute:< file:///path" may pull in a file of this machine. Never for files from
  // others.
  bool allow_file_urls = false;
  std::size_t line_size_max = 64U << 20U;     // octets of one line after joining
  std::size_t record_size_max = 128U << 20U;  // octets of one record as it stands in the file
  std::size_t url_value_size_max = 16U << 20U;
  std::size_t buffer_size = 1U << 20U;  // to begin with
};

class Reader {
 public:
  // `source` must outlive the reader.
  explicit Reader(Source& source, ReaderOptions options = {});

  // The next record, or false at the end. RETURNS: kInvalid and kLimit with the line and what is
  // wrong in it; that record is then skipped and reading can go on. kIo from the source: reading is
  // over.
  Result<bool> next(Record& record);

  // Octets of the source that lie behind: for progress.
  std::uint64_t octets_read() const { return offset_ + begin_; }
  // The line where the next record is looked for.
  std::uint64_t line() const { return line_; }

 private:
  struct Block {
    char* begin = nullptr;
    char* end = nullptr;
    std::uint64_t line = 0;
  };

  // Lines without an empty one between them. False at the end of the source.
  Result<bool> find_block(Block& block);
  // Reads past the record that begins here, without keeping it.
  Result<void> skip_block();
  // Makes room and reads more; sets at_end_ when there is no more.
  Result<void> fill();
  bool skip_empty_lines();

  Source& source_;
  ReaderOptions options_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // octets not yet handed out: [begin_, end_)
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of buffer_[0] in the source
  std::uint64_t line_ = 1;    // of begin_
  bool at_end_ = false;
  bool started_ = false;
  std::deque<std::string> storage_;  // values that came from files
};

}  // namespace kauri::ldif
