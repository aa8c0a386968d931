#include "toolkit/pattern.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace kauri::toolkit {

namespace {

constexpr std::string_view kEscapedBrace = "{{";
constexpr std::string_view kPaddedHead = "{n:0";
constexpr std::size_t kShownMax = 24;  // octets of what is not understood

// `text` starts with a brace that begins no field.
Error unknown_field(std::string_view text) {
  const std::size_t close = text.find('}');
  const std::size_t size = close == std::string_view::npos ? text.size() : close + 1;
  const std::string shown(text.substr(0, std::min(size, kShownMax)));
  return invalid("the field '" + shown + "' of a pattern is not understood; {n}, {n:0WIDTH} with " +
                 "a width of 1 to " + std::to_string(kNumberDigitsMax) +
                 ", {s}, {v} and {v1} to {v9} are known, and {{ stands for one brace");
}

// The width in "{n:0WIDTH}" at the head of `text`; `size` gets the octets of the field.
Result<std::size_t> parse_width(std::string_view text, std::size_t& size) {
  const std::size_t close = text.find('}');
  if (close == std::string_view::npos || !text.starts_with(kPaddedHead)) return unknown_field(text);
  const char* begin = text.data() + kPaddedHead.size();
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + close, width);
  if (error != std::errc() || end != text.data() + close || width == 0 ||
      width > kNumberDigitsMax) {
    return unknown_field(text);
  }
  size = close + 1;
  return width;
}

}  // namespace

void Pattern::add(Piece& piece, Field field, std::size_t width) {
  has_number_ |= field == Field::kNumber;
  has_serial_ |= field == Field::kSerial;
  has_line_ |= field == Field::kLine || field == Field::kColumn;
  if (field == Field::kColumn) columns_ = std::max(columns_, width);
  piece.field = field;
  piece.width = width;
  pieces_.push_back(std::move(piece));
  piece = Piece();
}

Result<std::size_t> Pattern::add_field(Piece& piece, std::string_view text) {
  std::size_t size = 3;
  if (text.starts_with("{n}")) {
    add(piece, Field::kNumber, 1);
  } else if (text.starts_with("{s}")) {
    add(piece, Field::kSerial, kSerialDigits);
  } else if (text.starts_with("{v}")) {
    add(piece, Field::kLine, 0);
  } else if (text.starts_with("{v") && text.size() >= 4 && text[2] >= '1' && text[2] <= '9' &&
             text[3] == '}') {
    add(piece, Field::kColumn, static_cast<std::size_t>(text[2] - '0'));
    size = 4;
  } else {
    KAURI_TRY(const std::size_t width, parse_width(text, size));
    add(piece, Field::kNumber, width);
  }
  return size;
}

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern out;
  Piece piece;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    piece.literal += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    std::size_t size = kEscapedBrace.size();
    if (text.starts_with(kEscapedBrace)) {
      piece.literal += '{';
    } else {
      KAURI_TRY(size, out.add_field(piece, text));
    }
    text.remove_prefix(size);
  }
  if (!piece.literal.empty()) out.add(piece, Field::kNone, 0);
  return out;
}

std::string Pattern::expand(const Fields& fields) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    out += piece.literal;
    switch (piece.field) {
      case Field::kNone:
        break;
      case Field::kNumber:
        if (fields.number.size() < piece.width) {
          out.append(piece.width - fields.number.size(), '0');
        }
        out += fields.number;
        break;
      case Field::kSerial:
        out += fields.serial;
        break;
      case Field::kLine:
        out += fields.line;
        break;
      case Field::kColumn:
        out += column_of(fields.line, piece.width);
        break;
    }
  }
  return out;
}

std::string Pattern::expand(std::uint64_t number) const {
  const std::string digits = std::to_string(number);
  const std::string serial(kSerialDigits, '0');
  return expand(Fields{digits, serial});
}

std::string_view column_of(std::string_view line, std::size_t index) {
  for (; index > 1; --index) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

std::size_t count_columns(std::string_view line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
}

}  // namespace kauri::toolkit
