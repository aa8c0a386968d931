// Writer: appends BER in definite, minimal-length form to an octet buffer owned by the caller.
//
// Thread safety: thread-compatible. The buffer must outlive the writer and not be changed by others
// between begin() and end(). begin() reserves one length octet; end() moves the contents only when
// they need more, so small elements cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ber/reader.h"

namespace kauri::ber {

// Octets that `tag, length` take for contents of `size` octets.
std::size_t header_size(std::size_t size);
// Appends tag and minimal length for contents of `size` octets that the caller appends next.
void append_header(std::string& out, Tag tag, std::size_t size);
// Octets of the minimal two's complement encoding of `value`.
std::size_t integer_size(std::int64_t value);

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // A constructed element: contents are what is written until the matching end(). Nesting at
  // most 16.
  void begin(Tag tag);
  void end();

  void octet_string(std::string_view value, Tag tag = kOctetString);
  void integer(std::int64_t value, Tag tag = kInteger);
  void enumerated(std::int64_t value) { integer(value, kEnumerated); }
  void boolean(bool value, Tag tag = kBoolean);
  void null(Tag tag = kNull);
  // Octets that are BER already.
  void raw(std::string_view encoded) { out_.append(encoded); }
  std::string& buffer() { return out_; }

 private:
  static constexpr std::size_t kDepthMax = 16;
  std::string& out_;
  std::size_t starts_[kDepthMax] = {};
  std::size_t depth_ = 0;
};

}  // namespace kauri::ber
