// Pattern: text with fields that get a number for each operation, as "uid=user.{n},ou=People".
//
//   {n}       the operation's number in decimal
//   {n:08}    the same, padded with zeros to at least 8 digits (1 to 18)
//   {s}       16 hexadecimal digits that differ for every operation of a run, whatever its number
// Any other brace stands for itself ("{SSHA}..."), but a field that starts with "{n:" must be
// whole. Thread safety: immutable after parse().
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

class Pattern {
 public:
  Pattern() = default;
  // RETURNS: kInvalid for a broken field, with its text and what is allowed.
  static Result<Pattern> parse(std::string_view text);

  // `number` is decimal digits, `serial` is put in as it is.
  std::string expand(std::string_view number, std::string_view serial) const;
  std::string expand(std::uint64_t number) const;

  bool has_number() const { return has_number_; }

 private:
  enum class Field : std::uint8_t { kNone, kNumber, kSerial };
  struct Piece {
    std::string literal;  // in front of the field
    Field field = Field::kNone;
    std::size_t width = 0;  // least digits of a number
  };
  std::vector<Piece> pieces_;
  bool has_number_ = false;
};

}  // namespace kauri::toolkit
