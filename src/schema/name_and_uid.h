// Splitting a Name And Optional UID value (RFC 4517 section 3.3.21). Thread safety: immutable
// functions.
#pragma once

#include <string_view>

namespace kauri::schema {

struct NameAndUid {
  std::string_view name;
  std::string_view bits;  // only meaningful with has_uid: the digits between the quotes
  bool has_uid = false;
};

// '#' may stand in a DN too; only a well-formed bit string at the very end is a UID. VALID UNTIL:
// `value` changes.
inline NameAndUid split_name_and_uid(std::string_view value) {
  NameAndUid result{value, {}, false};
  if (value.size() < 4 || (value.back() != 'B' && value.back() != 'b') ||
      value[value.size() - 2] != '\'') {
    return result;
  }
  std::size_t start = value.size() - 2;
  while (start > 0 && (value[start - 1] == '0' || value[start - 1] == '1')) --start;
  if (start < 2 || value[start - 1] != '\'' || value[start - 2] != '#') return result;
  result.name = value.substr(0, start - 2);
  result.bits = value.substr(start, value.size() - 2 - start);
  result.has_uid = true;
  return result;
}

}  // namespace kauri::schema
