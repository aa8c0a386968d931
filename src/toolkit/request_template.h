// RequestTemplate: an LDAP request encoded once, of which each operation gets a copy with its own
// message ID, number and serial patched in. Appending one is a memcpy and a few digits.
//
// A number changes the lengths of the elements around it, so there is one encoding for each count
// of digits that the range of numbers needs. Where the fields lie in an encoding is found by
// encoding twice with other digits and comparing, so any request can be a template, and what goes
// out is by construction what the encoder makes. Message IDs are kMessageIdFirst and more, which
// take 4 octets in the minimal form that BER wants. Requests that are fed by the lines of a file
// are encoded one by one beforehand. Thread safety: immutable after make().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ldap/message.h"
#include "toolkit/pattern.h"
#include "toolkit/value_lines.h"

namespace kauri::toolkit {

inline constexpr ldap::MessageId kMessageIdFirst = 0x01000000;

// The digits of `number` in decimal.
unsigned decimal_digits(std::uint64_t number);

class RequestTemplate {
 public:
  // Makes one whole LDAPMessage with this message ID. May fail when the fields make a name or
  // filter that is broken.
  using Encoder = std::function<Result<std::string>(ldap::MessageId id, const Fields& fields)>;

  // Encodings for all numbers in [low, high]. RETURNS: the encoder's error; kInvalid when low >
  // high, high > kNumberMax, or a request changes with the number in other places than its digits.
  static Result<RequestTemplate> make(const Encoder& encoder, std::uint64_t low,
                                      std::uint64_t high);

  // One encoding for each line; an operation's number is its line, from 0. RETURNS: the encoder's
  // error with the line that it is about.
  static Result<RequestTemplate> make_for_lines(const Encoder& encoder, const ValueLines& lines);

  // Whether requests differ by their number at all.
  bool uses_number() const {
    return by_line_ || (!variants_.empty() && !variants_[0].numbers_at.empty());
  }

  // REQUIRES: id >= kMessageIdFirst and number within the range of make(), or a line.
  void append(std::string& out, ldap::MessageId id, std::uint64_t number,
              std::uint64_t serial) const;

 private:
  struct Variant {  // for numbers of one count of digits
    std::string octets;
    std::size_t id_at = 0;
    std::vector<std::size_t> numbers_at;
    std::vector<std::size_t> serials_at;
  };
  static Result<Variant> make_variant(const Encoder& encoder, unsigned digits);
  static Result<Variant> make_line(const Encoder& encoder, const ValueLines& lines,
                                   std::size_t index);
  const Variant& variant_of(std::uint64_t number, unsigned& digits) const;

  bool by_line_ = false;  // variants_ has one for each line
  unsigned first_digits_ = 1;
  std::vector<Variant> variants_;
};

}  // namespace kauri::toolkit
