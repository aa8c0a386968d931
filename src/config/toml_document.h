// A TOML document as a tree of plain nodes with their places. The only wrapper of toml++: its
// exceptions and types stay in toml_document.cc. Thread safety: immutable values and functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/configuration.h"

namespace kauri::config {

struct TomlNode {
  enum class Kind : std::uint8_t {
    kTable,
    kArray,
    kString,
    kInteger,
    kBoolean,
    kOther  // floating-point numbers, dates and times: no option takes one
  } kind = Kind::kTable;
  Position position;
  std::string text;  // kString: the value; kOther: what it is, "a floating-point number", ...
  std::int64_t integer = 0;
  bool boolean = false;
  struct Member;
  std::vector<Member> members;  // kTable, in the order of their names
  std::vector<TomlNode> items;  // kArray
};
struct TomlNode::Member {
  std::string name;
  Position position;
  TomlNode value;
};

// RETURNS: kInvalid, "ORIGIN:LINE:COLUMN: reason".
Result<TomlNode> parse_toml(std::string_view text, const std::string& origin);

}  // namespace kauri::config
