#include "config/toml_document.h"

#include <toml++/toml.h>
#include <algorithm>
#include <exception>

#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::config {
namespace {

// toml++ bounds the nesting of values, but not the parts of a dotted name, each of which is a table
// in a table: a line of a million dots would end in a recursion of a million calls.
constexpr std::size_t kDotsMax = 16;

Position position_of(const toml::source_region& source) {
  return {static_cast<std::uint32_t>(source.begin.line),
          static_cast<std::uint32_t>(source.begin.column)};
}

Error error_at(const std::string& origin, Position position, std::string_view what) {
  return invalid(origin + ":" + std::to_string(position.line) + ":" +
                 std::to_string(position.column) + ": " + std::string(what));
}

// Walks over the text outside of strings and comments and finds a name of too many parts.
class DottedNames {
 public:
  explicit DottedNames(std::string_view text) : text_(text) {}

  bool find_deep(Position& where) {
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_to("\n", false);
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '.') {
        if (++dots > kDotsMax) {
          where = position();
          return true;
        }
      } else if (c == '\n' || c == '=' || c == ',' || c == ']') {
        dots = 0;
      }
      ++at_;
    }
    return false;
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool multi_line = text_.substr(at_).starts_with(three);
    at_ += multi_line ? 3 : 1;
    skip_to(multi_line ? three : std::string(1, quote), quote == '"');
  }

  // To the octet after the next `end`.
  void skip_to(std::string_view end, bool escapes) {
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
      at_ += escapes && text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(text_.size(), at_ + end.size());
  }

  Position position() const {
    Position out{1, 1};
    for (const char c : text_.substr(0, at_)) {
      ++out.column;
      if (c == '\n') out = {out.line + 1, 1};
    }
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

TomlNode convert(const toml::node& node) {
  TomlNode out;
  out.position = position_of(node.source());
  if (const toml::table* table = node.as_table()) {
    for (const auto& [name, value] : *table) {
      out.members.push_back({std::string(name.str()), position_of(name.source()), convert(value)});
    }
  } else if (const toml::array* array = node.as_array()) {
    out.kind = TomlNode::Kind::kArray;
    for (const toml::node& item : *array) out.items.push_back(convert(item));
  } else if (const toml::value<std::string>* string = node.as_string()) {
    out.kind = TomlNode::Kind::kString;
    out.text = string->get();
  } else if (const toml::value<std::int64_t>* integer = node.as_integer()) {
    out.kind = TomlNode::Kind::kInteger;
    out.integer = integer->get();
  } else if (const toml::value<bool>* boolean = node.as_boolean()) {
    out.kind = TomlNode::Kind::kBoolean;
    out.boolean = boolean->get();
  } else {
    out.kind = TomlNode::Kind::kOther;
    out.text = node.is_floating_point() ? "a floating-point number" : "a date or time";
  }
  return out;
}

}  // namespace

Result<TomlNode> parse_toml(std::string_view text, const std::string& origin) {
  if (const std::size_t bad = text::utf8_error_offset(text); bad != text.size()) {
    std::uint32_t line = 1;
    for (const char c : text.substr(0, bad)) line += c == '\n' ? 1 : 0;
    return error_at(origin, {line, 1}, "this line is not UTF-8");
  }
  if (Position where; DottedNames(text).find_deep(where)) {
    return error_at(origin, where, "more than " + std::to_string(kDotsMax) + " dots in one name");
  }
  try {
    return convert(toml::parse(text, std::string_view()));
  } catch (const toml::parse_error& error) {
    return error_at(origin, position_of(error.source()), text::visible(error.description()));
  } catch (const std::exception& error) {
    return invalid(origin + ": " + error.what());
  }
}

}  // namespace kauri::config
