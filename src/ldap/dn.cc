#include "ldap/dn.h"

#include "base/limit_counters.h"
#include "base/limits.h"
#include "ber/reader.h"
#include "ber/writer.h"
#include "ldap/name_syntax.h"
#include "ldap/quote.h"
#include "text/ascii.h"
#include "text/hex.h"
#include "text/utf8.h"

namespace kauri::ldap {
namespace {

// What may follow a backslash, and what a plain value may not hold without one (RFC 4514 section
// 3).
constexpr std::string_view kEscapable = " \"#+,;<=>\\";
constexpr std::string_view kMustEscape = "\"+,;<>\\";

// Whether a BER tag is that of a string or time type, whose contents are the value's octets as they
// are.
bool is_string_tag(ber::Tag tag) {
  constexpr ber::Tag kUtf8String = 12;
  constexpr ber::Tag kNumericString = 18;
  constexpr ber::Tag kGeneralString = 27;
  return tag == ber::kOctetString || tag == kUtf8String ||
         (tag >= kNumericString && tag <= kGeneralString);
}

// One pass from left to right; every octet is looked at a fixed number of times.
class DnParser {
 public:
  explicit DnParser(std::string_view text) : text_(text) {}

  Result<Dn> parse_all() {
    KAURI_CHECK(check_text());
    Dn dn;
    skip_spaces();
    if (at_end()) return dn;
    for (;;) {
      if (dn.rdns.size() == limits::kDnRdnsMax) {
        limits::count(limits::Counter::kDnRdns);
        return error("it has more than " + std::to_string(limits::kDnRdnsMax) + " RDNs");
      }
      KAURI_TRY(Rdn rdn, parse_rdn());
      dn.rdns.push_back(std::move(rdn));
      if (at_end()) return dn;
      ++position_;  // the separator
      skip_spaces();
      if (at_end()) return error("an RDN is expected after the last separator");
    }
  }

  Result<Rdn> parse_single() {
    KAURI_CHECK(check_text());
    skip_spaces();
    if (at_end()) return error("an RDN is expected");
    KAURI_TRY(Rdn rdn, parse_rdn());
    if (!at_end()) return error("one RDN is expected and nothing after it");
    return rdn;
  }

 private:
  bool at_end() const { return position_ == text_.size(); }
  char current() const { return text_[position_]; }
  bool at_separator() const { return current() == ',' || current() == ';'; }
  void skip_spaces() {
    while (!at_end() && current() == ' ') ++position_;
  }
  Error error(std::string_view why) const { return syntax_error_at(position_, why); }
  Error syntax_error_at(std::size_t offset, std::string_view why) const {
    return internal::syntax_error("the DN", text_, offset, why);
  }

  Result<void> check_text() const {
    if (text_.size() > limits::kDnSizeMax) {
      limits::count(limits::Counter::kDnSize);
      return syntax_error_at(limits::kDnSizeMax, "it has " + std::to_string(text_.size()) +
                                                     " octets, the limit is " +
                                                     std::to_string(limits::kDnSizeMax));
    }
    const std::size_t valid = text::utf8_error_offset(text_);
    if (valid != text_.size()) return syntax_error_at(valid, "it is not well-formed UTF-8");
    return {};
  }

  // Stops at the end or at a separator.
  Result<Rdn> parse_rdn() {
    Rdn rdn;
    for (;;) {
      if (rdn.avas.size() == limits::kRdnAvasMax) {
        limits::count(limits::Counter::kRdnAvas);
        return error("an RDN has more than " + std::to_string(limits::kRdnAvasMax) +
                     " attribute values");
      }
      Ava& ava = rdn.avas.emplace_back();
      KAURI_CHECK(parse_type(ava));
      KAURI_CHECK(parse_value(ava));
      if (at_end() || at_separator()) return rdn;
      if (current() != '+') return error("a separator (',' or '+') is expected after a value");
      ++position_;
      skip_spaces();
    }
  }

  // Type, equals sign and the spaces around them.
  Result<void> parse_type(Ava& ava) {
    const std::size_t begin = position_;
    while (!at_end() && is_type_octet(current())) ++position_;
    std::string_view type = text_.substr(begin, position_ - begin);
    // "OID.1.2.3" is how LDAPv2 wrote a dotted OID (RFC 2253 section 4).
    if (type.size() > 4 && text::equal_ignoring_case(type.substr(0, 4), "oid.")) {
      type.remove_prefix(4);
    }
    if (type.empty()) return error("an attribute type is expected");
    if (!internal::is_oid(type)) {
      return syntax_error_at(begin, "the attribute type is neither a name nor a dotted OID");
    }
    skip_spaces();
    if (at_end() || current() != '=') return error("'=' is expected after the attribute type");
    ++position_;
    skip_spaces();
    ava.type = type;
    return {};
  }

  static bool is_type_octet(char c) {
    return text::is_alpha(c) || text::is_digit(c) || c == '-' || c == '.';
  }

  Result<void> parse_value(Ava& ava) {
    const std::size_t begin = position_;
    if (!at_end() && current() == '#') {
      KAURI_CHECK(parse_hex_value(ava));
    } else if (!at_end() && current() == '"') {
      KAURI_CHECK(parse_quoted_value(ava.value));
    } else {
      KAURI_CHECK(parse_plain_value(ava.value));
    }
    if (ava.value.empty()) return syntax_error_at(begin, "the value of an attribute is empty");
    return {};
  }

  Result<void> parse_plain_value(std::string& out) {
    std::size_t kept = 0;  // trailing spaces count only when escaped
    while (!at_end() && current() != '+' && !at_separator()) {
      if (current() == '\\') {
        KAURI_CHECK(parse_escape(out));
        kept = out.size();
        continue;
      }
      if (current() == '\0') return error("a NUL octet must be written as \\00");
      if (kMustEscape.find(current()) != std::string_view::npos) {
        return error("this character must be escaped with a backslash");
      }
      out.push_back(current());
      if (current() != ' ') kept = out.size();
      ++position_;
    }
    out.resize(kept);
    return {};
  }

  // RFC 2253 section 4: inside quotation marks only these and the backslash need an escape.
  Result<void> parse_quoted_value(std::string& out) {
    ++position_;
    for (;;) {
      if (at_end()) return error("the closing quotation mark is missing");
      const char c = current();
      if (c == '\\') {
        KAURI_CHECK(parse_escape(out));
        continue;
      }
      ++position_;
      if (c == '"') break;
      if (c == '\0') {
        --position_;
        return error("a NUL octet must be written as \\00");
      }
      out.push_back(c);
    }
    skip_spaces();
    return {};
  }

  Result<void> parse_escape(std::string& out) {
    const std::string_view rest = text_.substr(position_ + 1);
    if (rest.empty()) return error("a backslash ends the name");
    if (kEscapable.find(rest[0]) != std::string_view::npos) {
      out.push_back(rest[0]);
      position_ += 2;
      return {};
    }
    const int high = text::hex_digit(rest[0]);
    const int low = rest.size() > 1 ? text::hex_digit(rest[1]) : -1;
    if (high < 0 || low < 0) {
      return error(
          "a backslash is followed by neither two hexadecimal digits nor an escapable character");
    }
    out.push_back(static_cast<char>(high * 16 + low));
    position_ += 3;
    return {};
  }

  // "#" and the hexadecimal form of one BER element of a string type.
  Result<void> parse_hex_value(Ava& ava) {
    const std::size_t begin = ++position_;
    std::string encoded;
    while (!at_end() && text::hex_digit(current()) >= 0) {
      const int low = position_ + 1 < text_.size() ? text::hex_digit(text_[position_ + 1]) : -1;
      if (low < 0) return error("a hexadecimal value has an odd number of digits");
      encoded.push_back(static_cast<char>(text::hex_digit(current()) * 16 + low));
      position_ += 2;
    }
    if (encoded.empty()) return error("hexadecimal digits are expected after '#'");
    ber::Reader reader(encoded);
    ber::Tag tag = 0;
    const std::string_view contents = reader.any_element(tag);
    if (!reader.ok() || !reader.at_end()) {
      return syntax_error_at(begin, "a hexadecimal value is not one whole BER element");
    }
    if (!is_string_tag(tag)) {
      return syntax_error_at(begin, "a hexadecimal value is not of a BER string type");
    }
    ava.value = contents;
    ava.hex = true;
    skip_spaces();
    return {};
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

void append_value(std::string& out, std::string_view value) {
  const bool keep_high = text::is_valid_utf8(value);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const auto octet = static_cast<unsigned char>(c);
    const bool edge_space = c == ' ' && (i == 0 || i + 1 == value.size());
    const bool control = octet < 0x20 || octet == 0x7F;
    if (edge_space || control || (octet >= 0x80 && !keep_high)) {
      out.push_back('\\');
      out.push_back(kDigits[octet >> 4U]);
      out.push_back(kDigits[octet & 0xFU]);
      continue;
    }
    if (kMustEscape.find(c) != std::string_view::npos || (c == '#' && i == 0)) out.push_back('\\');
    out.push_back(c);
  }
}

void append_rdn(std::string& out, const Rdn& rdn) {
  bool first = true;
  for (const Ava& ava : rdn.avas) {
    if (!first) out.push_back('+');
    first = false;
    out.append(ava.type).push_back('=');
    if (ava.hex) {
      std::string encoded;
      ber::Writer(encoded).octet_string(ava.value);
      out.push_back('#');
      text::append_hex(out, encoded);
    } else {
      append_value(out, ava.value);
    }
  }
}

}  // namespace

Result<Dn> parse_dn(std::string_view text) {
  return DnParser(text).parse_all();
}

Result<Rdn> parse_rdn(std::string_view text) {
  return DnParser(text).parse_single();
}

std::string to_string(const Rdn& rdn) {
  std::string out;
  append_rdn(out, rdn);
  return out;
}

std::string to_string(const Dn& dn) {
  std::string out;
  bool first = true;
  for (const Rdn& rdn : dn.rdns) {
    if (!first) out.push_back(',');
    first = false;
    append_rdn(out, rdn);
  }
  return out;
}

std::string escape_value(std::string_view value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string join_dn(std::string_view rdn, std::string_view parent) {
  std::string out(rdn);
  if (!parent.empty()) out.append(",").append(parent);
  return out;
}

}  // namespace kauri::ldap
