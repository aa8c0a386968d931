// Pattern: text with fields that get a value for each operation, as "uid=user.{n},ou=People".
//
//   {n}       the operation's number in decimal
//   {n:08}    the same, padded with zeros to at least 8 digits (1 to 18)
//   {s}       16 hexadecimal digits that differ for every operation of a run, whatever its number
//   {v}       the operation's line of a file; {v1} to {v9}: the columns of it, which tabs separate
//   {{        one opening brace, as "{{SSHA}..." for a stored password
// Any other opening brace is an error, since it is a slip more often than it is meant; a closing
// brace outside a field stands for itself. Thread safety: immutable after parse().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kauri::toolkit {

inline constexpr std::size_t kNumberDigitsMax = 18;
inline constexpr std::uint64_t kNumberMax = 999'999'999'999'999'999;
inline constexpr std::size_t kSerialDigits = 16;

// What the fields of a pattern stand for in one operation.
struct Fields {
  std::string_view number;  // decimal digits
  std::string_view serial;  // put in as it is, as the line is
  std::string_view line = {};
};

class Pattern {
 public:
  Pattern() = default;
  // RETURNS: kInvalid for an unknown or broken field, with its text and what is known.
  static Result<Pattern> parse(std::string_view text);

  // A column that the line does not have is empty: see columns().
  std::string expand(const Fields& fields) const;
  std::string expand(std::uint64_t number) const;

  bool has_number() const { return has_number_; }
  bool has_serial() const { return has_serial_; }
  bool has_line() const { return has_line_; }
  // Columns that a line must have.
  std::size_t columns() const { return columns_; }

 private:
  enum class Field : std::uint8_t { kNone, kNumber, kSerial, kLine, kColumn };
  struct Piece {
    std::string literal;  // in front of the field
    Field field = Field::kNone;
    std::size_t width = 0;  // least digits of a number; of a column which one, from 1
  };
  void add(Piece& piece, Field field, std::size_t width);
  // The field at the head of `text`. RETURNS: its octets.
  Result<std::size_t> add_field(Piece& piece, std::string_view text);

  std::vector<Piece> pieces_;
  bool has_number_ = false;
  bool has_serial_ = false;
  bool has_line_ = false;
  std::size_t columns_ = 0;
};

// The column `index`, from 1, of a line; empty when the line has fewer.
std::string_view column_of(std::string_view line, std::size_t index);
std::size_t count_columns(std::string_view line);

}  // namespace kauri::toolkit
