#include "toolkit/pattern.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace kauri::toolkit {

namespace {

constexpr std::string_view kPaddedHead = "{n:0";

// The width in "{n:0WIDTH}" at the head of `text`; `size` gets the octets of the field.
Result<std::size_t> parse_width(std::string_view text, std::size_t& size) {
  const std::size_t close = text.find('}');
  const std::string field(text.substr(0, close == std::string_view::npos ? 12 : close + 1));
  const auto broken = [&field] {
    return invalid("the field '" + field +
                   "' of a pattern is not understood; {n}, {n:0WIDTH} with a width of 1 to " +
                   std::to_string(kNumberDigitsMax) + ", and {s} are allowed");
  };
  if (close == std::string_view::npos || !text.starts_with(kPaddedHead)) return broken();
  const char* begin = text.data() + kPaddedHead.size();
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + close, width);
  if (error != std::errc() || end != text.data() + close || width == 0 ||
      width > kNumberDigitsMax) {
    return broken();
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

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern out;
  Piece piece;
  while (!text.empty()) {
    std::size_t size = 3;
    if (text.starts_with("{n}")) {
      out.add(piece, Field::kNumber, 1);
    } else if (text.starts_with("{s}")) {
      out.add(piece, Field::kSerial, kSerialDigits);
    } else if (text.starts_with("{v}")) {
      out.add(piece, Field::kLine, 0);
    } else if (text.starts_with("{v") && text.size() >= 4 && text[2] >= '1' && text[2] <= '9' &&
               text[3] == '}') {
      out.add(piece, Field::kColumn, static_cast<std::size_t>(text[2] - '0'));
      size = 4;
    } else if (text.starts_with("{n:")) {
      KAURI_TRY(const std::size_t width, parse_width(text, size));
      out.add(piece, Field::kNumber, width);
    } else {
      piece.literal += text.front();
      size = 1;
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
