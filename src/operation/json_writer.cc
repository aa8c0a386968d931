#include "operation/json_writer.h"

#include "text/visible.h"

namespace kauri::operation {

void JsonWriter::place(std::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  if (key.empty()) return;
  out_ += '"';
  out_ += key;
  out_ += "\":";
}

void JsonWriter::begin(std::string_view key, char bracket) {
  place(key);
  out_ += bracket;
  first_ = true;
}

void JsonWriter::end(char bracket) {
  out_ += bracket;
  first_ = false;
}

void JsonWriter::text(std::string_view key, std::string_view value, std::size_t octets_max) {
  place(key);
  const bool cut = value.size() > octets_max;
  if (cut) {
    // Not within a character of UTF-8.
    while (octets_max > 0 && (static_cast<unsigned char>(value[octets_max]) & 0xC0U) == 0x80U)
      --octets_max;
  }
  out_ += '"';
  // A line's end in our own text stays one.
  for (const char c : text::visible_lines(value.substr(0, octets_max))) {
    if (c == '"' || c == '\\') out_ += '\\';
    if (c == '\n') {
      out_ += "\\n";
    } else {
      out_ += c;
    }
  }
  if (cut) out_ += "...";
  out_ += '"';
}

void JsonWriter::number(std::string_view key, std::uint64_t value) {
  place(key);
  out_ += std::to_string(value);
}

void JsonWriter::boolean(std::string_view key, bool value) {
  place(key);
  out_ += value ? "true" : "false";
}

}  // namespace kauri::operation
