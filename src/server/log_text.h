// Text of log lines: times and escaped strings, appended without allocation of their own. Thread
// safety: immutable functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::server {

enum class TimeDigits : unsigned char { kSeconds, kMicros };
// RFC 3339 in UTC: "2026-01-02T03:04:05Z" or "2026-01-02T03:04:05.678901Z".
void append_utc_time(std::string& out, std::int64_t wall_micros, TimeDigits digits);

// `text` as the inside of a JSON string of at most about `size_max` octets. Control characters (C0,
// DEL, C1, U+2028, U+2029) become \uXXXX; an octet that is no UTF-8 becomes \\xHH, which a JSON
// reader shows as \xHH; text that was cut ends in "...(N octets)" with its whole size.
void append_escaped(std::string& out, std::string_view text, std::size_t size_max);

void append_number(std::string& out, std::int64_t value);

}  // namespace kauri::server
