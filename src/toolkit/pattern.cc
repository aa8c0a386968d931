#include "toolkit/pattern.h"

#include <charconv>

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

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern out;
  Piece piece;
  const auto finish = [&out, &piece](Field field, std::size_t width) {
    piece.field = field;
    piece.width = width;
    out.pieces_.push_back(std::move(piece));
    piece = Piece();
  };
  while (!text.empty()) {
    if (text.starts_with("{n}")) {
      finish(Field::kNumber, 1);
      text.remove_prefix(3);
    } else if (text.starts_with("{s}")) {
      finish(Field::kSerial, kSerialDigits);
      text.remove_prefix(3);
    } else if (text.starts_with("{n:")) {
      std::size_t size = 0;
      KAURI_TRY(const std::size_t width, parse_width(text, size));
      finish(Field::kNumber, width);
      text.remove_prefix(size);
    } else {
      piece.literal += text.front();
      text.remove_prefix(1);
    }
  }
  if (!piece.literal.empty()) finish(Field::kNone, 0);
  for (const Piece& each : out.pieces_) out.has_number_ |= each.field == Field::kNumber;
  return out;
}

std::string Pattern::expand(std::string_view number, std::string_view serial) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    out += piece.literal;
    if (piece.field == Field::kSerial) out += serial;
    if (piece.field != Field::kNumber) continue;
    if (number.size() < piece.width) out.append(piece.width - number.size(), '0');
    out += number;
  }
  return out;
}

std::string Pattern::expand(std::uint64_t number) const {
  return expand(std::to_string(number), std::string(kSerialDigits, '0'));
}

}  // namespace kauri::toolkit
