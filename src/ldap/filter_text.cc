// Filters as text (RFC 4515), both ways, in one pass and without recursion.
#include <array>

#include "base/limits.h"
#include "ldap/filter.h"
#include "ldap/name_syntax.h"
#include "ldap/quote.h"
#include "text/ascii.h"
#include "text/hex.h"

namespace kauri::ldap {
namespace {

// Octets of a value that only an escape may stand for (RFC 4515 section 3).
constexpr std::string_view kMustEscape = "()*\\";

class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : text_(text) {
    // All octets of the result come from the text, so the views into storage never move; and never
    // so few that they would lie inside the string object itself.
    filter_.storage.reserve(text.size() < 64 ? 64 : text.size());
  }

  Result<Filter> parse() {
    skip_spaces();
    if (at_end()) return error("a filter is expected");
    if (current() != '(') {
      KAURI_CHECK(parse_item());
      if (!at_end()) return error("the end of the filter is expected");
      return std::move(filter_);
    }
    do {
      KAURI_CHECK(step());
    } while (depth_ > 0);
    skip_spaces();
    if (!at_end()) return error("the end of the filter is expected");
    return std::move(filter_);
  }

 private:
  struct Level {
    std::uint32_t node;
    std::uint32_t children;
  };

  bool at_end() const { return position_ == text_.size(); }
  char current() const { return text_[position_]; }
  bool at(char c) const { return !at_end() && current() == c; }
  void skip_spaces() {
    while (!at_end() &&
           (current() == ' ' || current() == '\n' || current() == '\t' || current() == '\r')) {
      ++position_;
    }
  }
  Error error(std::string_view why) const { return error_at(position_, why); }
  Error error_at(std::size_t offset, std::string_view why) const {
    return internal::syntax_error("the filter", text_, offset, why);
  }

  // Reads up to one composite's opening, one whole item, or one composite's closing.
  Result<void> step() {
    skip_spaces();
    if (at(')') && depth_ > 0) return close();
    if (!at('(')) {
      return error(depth_ > 0 ? "'(' or ')' is expected" : "'(' is expected");
    }
    if (depth_ > 0) {
      Level& parent = levels_[depth_ - 1];
      if (filter_.nodes[parent.node].kind == FilterKind::kNot && parent.children == 1) {
        return error("a not filter contains exactly one filter");
      }
      ++parent.children;
    }
    ++position_;
    skip_spaces();
    if (at('&')) return open(FilterKind::kAnd);
    if (at('|')) return open(FilterKind::kOr);
    if (at('!')) return open(FilterKind::kNot);
    KAURI_CHECK(parse_item());
    if (!at(')'))
      return error(
          "')' is expected after the value; a parenthesis in it is written as \\28 or \\29");
    ++position_;
    return {};
  }

  Result<void> open(FilterKind kind) {
    if (depth_ == limits::kFilterDepthMax) {
      return error("it is nested deeper than " + std::to_string(limits::kFilterDepthMax));
    }
    KAURI_CHECK(add_node(kind));
    levels_[depth_++] = {static_cast<std::uint32_t>(filter_.nodes.size() - 1), 0};
    ++position_;
    return {};
  }

  Result<void> close() {
    const Level& level = levels_[depth_ - 1];
    FilterNode& node = filter_.nodes[level.node];
    if (node.kind == FilterKind::kNot && level.children != 1) {
      return error("a not filter contains exactly one filter");
    }
    node.end = static_cast<std::uint32_t>(filter_.nodes.size());
    --depth_;
    ++position_;
    return {};
  }

  Result<void> add_node(FilterKind kind) {
    if (filter_.nodes.size() == limits::kFilterNodesMax) {
      return error("it has more than " + std::to_string(limits::kFilterNodesMax) + " nodes");
    }
    FilterNode& node = filter_.nodes.emplace_back();
    node.kind = kind;
    node.end = static_cast<std::uint32_t>(filter_.nodes.size());
    return {};
  }

  std::string_view keep(std::string_view octets) {
    const std::size_t offset = filter_.storage.size();
    filter_.storage.append(octets);
    return std::string_view(filter_.storage).substr(offset);
  }

  // A name up to one of "=~<>:" or a parenthesis.
  std::string_view read_name() {
    const std::size_t begin = position_;
    while (!at_end() && std::string_view("=~<>:()").find(current()) == std::string_view::npos) {
      ++position_;
    }
    return text_.substr(begin, position_ - begin);
  }

  Result<void> parse_item() {
    KAURI_CHECK(add_node(FilterKind::kEquality));
    const std::size_t begin = position_;
    const std::string_view attribute = read_name();
    const bool extensible = at(':');
    if (attribute.empty() && !extensible) return error("an attribute description is expected");
    if (!attribute.empty() && !internal::is_attribute_description(attribute)) {
      return error_at(begin, internal::quote(attribute) + " is not an attribute description");
    }
    filter_.nodes.back().attribute = keep(attribute);
    if (extensible) return parse_extensible();
    if (at_end()) return error("'=' and a value are expected after the attribute");
    FilterNode& node = filter_.nodes.back();
    switch (current()) {
      case '=':
        ++position_;
        return parse_equality_like();
      case '~':
        node.kind = FilterKind::kApprox;
        break;
      case '>':
        node.kind = FilterKind::kGreaterOrEqual;
        break;
      case '<':
        node.kind = FilterKind::kLessOrEqual;
        break;
      default:
        return error("'=' and a value are expected after the attribute");
    }
    ++position_;
    if (!at('=')) return error("'=' is expected");
    ++position_;
    return parse_value_to(node.value);
  }

  // After the attribute: [":dn"] [":" rule] ":=" value.
  Result<void> parse_extensible() {
    FilterNode& node = filter_.nodes.back();
    node.kind = FilterKind::kExtensible;
    for (;;) {
      ++position_;  // the colon
      if (at('=')) break;
      const std::size_t begin = position_;
      const std::string_view name = read_name();
      if (!at(':')) return error("':=' is expected");
      if (node.matching_rule.empty() && !node.dn_attributes &&
          text::equal_ignoring_case(name, "dn")) {
        node.dn_attributes = true;
      } else if (!node.matching_rule.empty()) {
        return error_at(begin, "':=' is expected after the matching rule");
      } else if (!internal::is_oid(name)) {
        return error_at(begin,
                        internal::quote(name) + " is not the name or OID of a matching rule");
      } else {
        node.matching_rule = keep(name);
      }
    }
    ++position_;
    if (node.attribute.empty() && node.matching_rule.empty()) {
      return error("an extensible filter names an attribute or a matching rule");
    }
    return parse_value_to(node.value);
  }

  // After '=': a value, a presence test or parts around asterisks.
  Result<void> parse_equality_like() {
    FilterNode& node = filter_.nodes.back();
    std::string_view value;
    KAURI_CHECK(read_value(value));
    if (!at('*')) {
      node.value = value;
      return {};
    }
    const auto parts_begin = static_cast<std::uint32_t>(filter_.parts.size());
    KAURI_CHECK(add_part(SubstringPartKind::kInitial, value, parts_begin));
    while (at('*')) {
      ++position_;
      KAURI_CHECK(read_value(value));
      KAURI_CHECK(add_part(at('*') ? SubstringPartKind::kAny : SubstringPartKind::kFinal, value,
                           parts_begin));
    }
    node.kind = FilterKind::kPresent;
    if (filter_.parts.size() == parts_begin) return {};
    node.kind = FilterKind::kSubstrings;
    node.parts_begin = parts_begin;
    node.parts_end = static_cast<std::uint32_t>(filter_.parts.size());
    return {};
  }

  // An empty part says nothing: "a**b" is "a*b".
  Result<void> add_part(SubstringPartKind kind, std::string_view value, std::uint32_t parts_begin) {
    if (value.empty()) return {};
    if (filter_.parts.size() - parts_begin == limits::kSubstringPartsMax) {
      return error("a substrings filter has more than " +
                   std::to_string(limits::kSubstringPartsMax) + " parts");
    }
    filter_.parts.push_back({kind, value});
    return {};
  }

  // A value that holds no asterisk.
  Result<void> parse_value_to(std::string_view& value) {
    KAURI_CHECK(read_value(value));
    if (at('*')) return error("an asterisk must be written as \\2a here");
    return {};
  }

  // Reads and unescapes up to the end, a parenthesis or an asterisk.
  Result<void> read_value(std::string_view& value) {
    std::string& storage = filter_.storage;
    const std::size_t begin = storage.size();
    for (; !at_end(); ++position_) {
      const char c = current();
      if (c == '\\') {
        const int high = position_ + 2 < text_.size() ? text::hex_digit(text_[position_ + 1]) : -1;
        const int low = position_ + 2 < text_.size() ? text::hex_digit(text_[position_ + 2]) : -1;
        if (high < 0 || low < 0)
          return error("a backslash must be followed by two hexadecimal digits");
        storage.push_back(static_cast<char>(high * 16 + low));
        position_ += 2;
        continue;
      }
      if (c == '\0') return error("a NUL octet must be written as \\00");
      if (kMustEscape.find(c) != std::string_view::npos) break;
      storage.push_back(c);
    }
    value = std::string_view(storage).substr(begin);
    return {};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  Filter filter_;
  std::size_t depth_ = 0;
  std::array<Level, limits::kFilterDepthMax> levels_ = {};
};

// Octets that a well-formed description or rule never holds, so that those that came over the wire
// stay readable.
constexpr std::string_view kNotInNames = "()*\\=~<>: &|!\"";

void append_name(std::string& out, std::string_view name) {
  internal::append_escaped(out, name, kNotInNames);
}

void append_value(std::string& out, std::string_view value) {
  internal::append_escaped(out, value, kMustEscape);
}

std::string_view comparison(FilterKind kind) {
  switch (kind) {
    case FilterKind::kGreaterOrEqual:
      return ">=";
    case FilterKind::kLessOrEqual:
      return "<=";
    case FilterKind::kApprox:
      return "~=";
    default:
      return "=";
  }
}

void append_leaf(std::string& out, const Filter& filter, const FilterNode& node) {
  append_name(out, node.attribute);
  switch (node.kind) {
    case FilterKind::kPresent:
      out.append("=*");
      return;
    case FilterKind::kSubstrings:
      out.push_back('=');
      for (std::uint32_t i = node.parts_begin; i < node.parts_end; ++i) {
        const SubstringPart& part = filter.parts[i];
        if (part.kind != SubstringPartKind::kInitial) out.push_back('*');
        append_value(out, part.value);
      }
      if (filter.parts[node.parts_end - 1].kind != SubstringPartKind::kFinal) out.push_back('*');
      return;
    case FilterKind::kExtensible:
      if (node.dn_attributes) out.append(":dn");
      if (!node.matching_rule.empty()) {
        out.push_back(':');
        append_name(out, node.matching_rule);
      }
      out.append(":=");
      append_value(out, node.value);
      return;
    default:
      out.append(comparison(node.kind));
      append_value(out, node.value);
  }
}

}  // namespace

Result<Filter> parse_filter(std::string_view text) {
  return FilterParser(text).parse();
}

std::string to_string(const Filter& filter) {
  std::string out;
  std::vector<std::uint32_t> open;  // ends of the composites around the current node
  for (std::uint32_t i = 0; i < filter.nodes.size(); ++i) {
    const FilterNode& node = filter.nodes[i];
    out.push_back('(');
    switch (node.kind) {
      case FilterKind::kAnd:
        out.push_back('&');
        break;
      case FilterKind::kOr:
        out.push_back('|');
        break;
      case FilterKind::kNot:
        out.push_back('!');
        break;
      default:
        append_leaf(out, filter, node);
    }
    open.push_back(node.end);
    while (!open.empty() && open.back() == i + 1) {
      out.push_back(')');
      open.pop_back();
    }
  }
  return out;
}

}  // namespace kauri::ldap
