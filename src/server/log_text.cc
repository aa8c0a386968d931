#include "server/log_text.h"

#include <charconv>
#include <ctime>

#include "text/hex.h"
#include "text/utf8.h"

namespace kauri::server {
namespace {

void append_padded(std::string& out, std::int64_t value, int digits) {
  char buffer[20];
  for (int at = digits - 1; at >= 0; --at) {
    buffer[at] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  out.append(buffer, static_cast<std::size_t>(digits));
}

constexpr bool is_plain(unsigned char octet) {
  return octet >= 0x20 && octet < 0x7F && octet != '"' && octet != '\\';
}

void append_unicode_escape(std::string& out, char32_t code_point) {
  const char octets[2] = {static_cast<char>(code_point >> 8U), static_cast<char>(code_point)};
  out += "\\u";
  text::append_hex(out, {octets, 2});
}

// Appends what stands for the character or octet at *offset and steps over it.
void append_special(std::string& out, std::string_view text, std::size_t* offset) {
  const std::size_t start = *offset;
  char32_t code_point = 0;
  if (!text::next_code_point(text, offset, &code_point)) {
    out += "\\\\x";
    text::append_hex(out, text.substr(start, 1));
    *offset = start + 1;
    return;
  }
  if (code_point == '"' || code_point == '\\') {
    out += '\\';
    out += static_cast<char>(code_point);
    return;
  }
  const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
                       code_point == 0x2028 || code_point == 0x2029;
  if (control) {
    append_unicode_escape(out, code_point);
    return;
  }
  out.append(text.substr(start, *offset - start));
}

}  // namespace

void append_utc_time(std::string& out, std::int64_t wall_micros, TimeDigits digits) {
  const std::int64_t seconds = wall_micros / 1'000'000;
  // The calendar of a second is worked out once a thread and second; a busy log has many lines in
  // one.
  thread_local std::int64_t known_seconds = -1;
  thread_local std::tm calendar{};
  if (seconds != known_seconds) {
    const std::time_t time = static_cast<std::time_t>(seconds);
    if (::gmtime_r(&time, &calendar) == nullptr) calendar = {};
    known_seconds = seconds;
  }
  append_padded(out, calendar.tm_year + 1900, 4);
  out += '-';
  append_padded(out, calendar.tm_mon + 1, 2);
  out += '-';
  append_padded(out, calendar.tm_mday, 2);
  out += 'T';
  append_padded(out, calendar.tm_hour, 2);
  out += ':';
  append_padded(out, calendar.tm_min, 2);
  out += ':';
  append_padded(out, calendar.tm_sec, 2);
  if (digits == TimeDigits::kMicros) {
    out += '.';
    append_padded(out, wall_micros % 1'000'000, 6);
  }
  out += 'Z';
}

void append_escaped(std::string& out, std::string_view text, std::size_t size_max) {
  const std::size_t limit = out.size() + size_max;
  std::size_t offset = 0;
  while (offset < text.size() && out.size() < limit) {
    const std::size_t start = offset;
    const std::size_t end = std::min(text.size(), start + (limit - out.size()));
    while (offset < end && is_plain(static_cast<unsigned char>(text[offset]))) ++offset;
    out.append(text.substr(start, offset - start));
    if (offset < text.size() && out.size() < limit) append_special(out, text, &offset);
  }
  if (offset == text.size()) return;
  out += "...(";
  append_number(out, static_cast<std::int64_t>(text.size()));
  out += " octets)";
}

void append_number(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

}  // namespace kauri::server
