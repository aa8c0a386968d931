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
  KAURI_TRY(out.octets, encoder(kMessageIdFirst, ones, serial_ones));
  KAURI_TRY(const std::string other_number, encoder(kMessageIdFirst, twos, serial_ones));
  KAURI_TRY(const std::string other_serial, encoder(kMessageIdFirst, ones, serial_twos));
  KAURI_TRY(out.numbers_at, find_fields(out.octets, other_number, digits));
  KAURI_TRY(out.serials_at, find_fields(out.octets, other_serial, kSerialDigits));
  const ber::Frame frame = ber::find_message(out.octets, out.octets.size());
  KAURI_ASSERT(frame.state == ber::Frame::State::kComplete && frame.size == out.octets.size());
  out.id_at = frame.header_size + 2;
  KAURI_ASSERT(out.octets.substr(frame.header_size, 6) == std::string("\x02\x04\x01\0\0\0", 6));
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

void RequestTemplate::append(std::string& out, ldap::MessageId id, std::uint64_t number,
                             std::uint64_t serial) const {
  const unsigned digits = decimal_digits(number);
  KAURI_ASSERT(id >= kMessageIdFirst && digits >= first_digits_ &&
               digits - first_digits_ < variants_.size());
  const Variant& variant = variants_[digits - first_digits_];
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
