#include "toolkit/request_template.h"

#include <array>
#include <charconv>
#include <cstring>

#include "base/assert.h"
#include "ber/reader.h"

namespace kauri::toolkit {

namespace {

Error unstable() {
  return invalid(
      "a request cannot be made into a template: it changes with the number in other places than "
      "the number's digits");
}

// Where `one` and `other`, encodings with fields of `width` octets all of which differ, differ.
Result<std::vector<std::size_t>> find_fields(std::string_view one, std::string_view other,
                                             std::size_t width) {
  if (one.size() != other.size()) return unstable();
  std::vector<std::size_t> out;
  std::size_t i = 0;
  while (i < one.size()) {
    if (one[i] == other[i]) {
      ++i;
      continue;
    }
    if (one.size() - i < width) return unstable();
    for (std::size_t k = 0; k < width; ++k) {
      if (one[i + k] != '1' || other[i + k] != '2') return unstable();
    }
    out.push_back(i);
    i += width;
  }
  return out;
}

// Where the octets of the message ID lie.
std::size_t find_id(std::string_view message) {
  const ber::Frame frame = ber::find_message(message, message.size());
  KAURI_ASSERT(frame.state == ber::Frame::State::kComplete && frame.size == message.size());
  KAURI_ASSERT(message.substr(frame.header_size, 6) == std::string_view("\x02\x04\x01\0\0\0", 6));
  return frame.header_size + 2;
}

}  // namespace

unsigned decimal_digits(std::uint64_t number) {
  unsigned digits = 1;
  while (number >= 10) {
    number /= 10;
    ++digits;
  }
  return digits;
}

Result<RequestTemplate::Variant> RequestTemplate::make_variant(const Encoder& encoder,
                                                               unsigned digits) {
  const std::string ones(digits, '1');
  const std::string twos(digits, '2');
  const std::string serial_ones(kSerialDigits, '1');
  const std::string serial_twos(kSerialDigits, '2');
  Variant out;
  KAURI_TRY(out.octets, encoder(kMessageIdFirst, {ones, serial_ones}));
  KAURI_TRY(const std::string other_number, encoder(kMessageIdFirst, {twos, serial_ones}));
  KAURI_TRY(const std::string other_serial, encoder(kMessageIdFirst, {ones, serial_twos}));
  KAURI_TRY(out.numbers_at, find_fields(out.octets, other_number, digits));
  KAURI_TRY(out.serials_at, find_fields(out.octets, other_serial, kSerialDigits));
  out.id_at = find_id(out.octets);
  return out;
}

Result<RequestTemplate::Variant> RequestTemplate::make_line(const Encoder& encoder,
                                                            const ValueLines& lines,
                                                            std::size_t index) {
  const std::string number = std::to_string(index);
  const std::string serial_ones(kSerialDigits, '1');
  const std::string serial_twos(kSerialDigits, '2');
  const std::string& line = lines.lines[index];
  Variant out;
  KAURI_TRY(out.octets, encoder(kMessageIdFirst, {number, serial_ones, line}));
  KAURI_TRY(const std::string other, encoder(kMessageIdFirst, {number, serial_twos, line}));
  KAURI_TRY(out.serials_at, find_fields(out.octets, other, kSerialDigits));
  out.id_at = find_id(out.octets);
  return out;
}

Result<RequestTemplate> RequestTemplate::make(const Encoder& encoder, std::uint64_t low,
                                              std::uint64_t high) {
  if (low > high || high > kNumberMax) {
    return invalid("the range " + std::to_string(low) + ":" + std::to_string(high) +
                   " is empty or goes beyond " + std::to_string(kNumberMax));
  }
  RequestTemplate out;
  out.first_digits_ = decimal_digits(low);
  for (unsigned digits = out.first_digits_; digits <= decimal_digits(high); ++digits) {
    KAURI_TRY(auto variant, make_variant(encoder, digits));
    out.variants_.push_back(std::move(variant));
  }
  return out;
}

Result<RequestTemplate> RequestTemplate::make_for_lines(const Encoder& encoder,
                                                        const ValueLines& lines) {
  RequestTemplate out;
  out.by_line_ = true;
  out.variants_.reserve(lines.lines.size());
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    auto variant = make_line(encoder, lines, i);
    if (!variant) {
      return variant.error().with_context("line " + std::to_string(i + 1) + " of " + lines.origin);
    }
    out.variants_.push_back(*std::move(variant));
  }
  return out;
}

const RequestTemplate::Variant& RequestTemplate::variant_of(std::uint64_t number,
                                                            unsigned& digits) const {
  if (by_line_) {
    KAURI_ASSERT(number < variants_.size());
    return variants_[static_cast<std::size_t>(number)];
  }
  digits = decimal_digits(number);
  KAURI_ASSERT(digits >= first_digits_ && digits - first_digits_ < variants_.size());
  return variants_[digits - first_digits_];
}

void RequestTemplate::append(std::string& out, ldap::MessageId id, std::uint64_t number,
                             std::uint64_t serial) const {
  KAURI_ASSERT(id >= kMessageIdFirst);
  unsigned digits = 0;
  const Variant& variant = variant_of(number, digits);
  const std::size_t start = out.size();
  out += variant.octets;
  char* message = out.data() + start;
  for (unsigned i = 0; i < 4; ++i) {
    message[variant.id_at + i] =
        static_cast<char>(static_cast<std::uint32_t>(id) >> (24U - 8U * i));
  }
  if (!variant.numbers_at.empty()) {
    std::array<char, kNumberDigitsMax + 2> text;
    std::to_chars(text.data(), text.data() + text.size(), number);
    for (const std::size_t at : variant.numbers_at) std::memcpy(message + at, text.data(), digits);
  }
  for (const std::size_t at : variant.serials_at) {
    for (std::size_t i = 0; i < kSerialDigits; ++i) {
      message[at + i] = "0123456789abcdef"[(serial >> (4 * (kSerialDigits - 1 - i))) & 15U];
    }
  }
}

}  // namespace kauri::toolkit
