// Generalized Time and UTC Time (RFC 4517 sections 3.3.13, 3.3.34) and their one normal form:
// fourteen digits YYYYMMDDHHMMSS in UTC, then the fraction of a second without trailing zeros. It
// sorts as time does. Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>

namespace kauri::schema {

// Both append to `out`. RETURNS: false, with `out` unchanged and a sentence in *why if given, when
// `text` breaks the grammar, names no real date, or falls outside the years 0000 to 9999 in UTC.
bool normalize_generalized_time(std::string_view text, std::string& out, std::string* why);
// A year of two digits is 1950 to 2049 (RFC 5280 section 4.1.2.5.1); without a zone the time is
// taken as UTC.
bool normalize_utc_time(std::string_view text, std::string& out, std::string* why);

}  // namespace kauri::schema
