// Character string syntaxes (RFC 4517 section 3.3).
#include <algorithm>
#include <array>

#include "schema/syntaxes/validators.h"
#include "text/ascii.h"
#include "text/hex.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::schema::syntaxes {

bool refuse(std::string* why, std::string_view sentence) {
  if (why != nullptr) *why = sentence;
  return false;
}

bool refuse_at(std::string* why, std::size_t offset, std::string_view sentence) {
  if (why != nullptr) {
    *why = "at offset " + std::to_string(offset) + ": ";
    *why += sentence;
  }
  return false;
}

bool is_printable_character(char c) {
  constexpr std::string_view kPunctuation = "'()+,-.=/:? ";
  return text::is_alpha(c) || text::is_digit(c) || kPunctuation.find(c) != std::string_view::npos;
}

namespace {

// `offset` is where `part` stands in the whole value.
bool printable_part(std::string_view part, std::size_t offset, std::string* why) {
  if (part.empty()) return refuse_at(why, offset, "a printable string may not be empty");
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (!is_printable_character(part[i])) {
      return refuse_at(
          why, offset + i,
          "a printable string holds letters, digits, spaces and ' ( ) + , - . = / : ? only");
    }
  }
  return true;
}

// Calls check(part, offset) for each part between '$'; stops at the first false.
template <class Check>
bool each_part(std::string_view value, Check check) {
  std::size_t offset = 0;
  std::size_t index = 0;
  while (true) {
    const std::size_t end = value.find('$', offset);
    if (!check(value.substr(offset, end == std::string_view::npos ? end : end - offset), offset,
               index)) {
      return false;
    }
    if (end == std::string_view::npos) return true;
    offset = end + 1;
    ++index;
  }
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [word](std::string_view candidate) {
    return text::equal_ignoring_case(word, candidate);
  });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Each backslash must be followed by one of the two-digit codes given.
bool check_escapes(std::string_view value, std::string_view first, std::string_view second,
                   std::string* why) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') continue;
    const std::string_view code = value.substr(i + 1, 2);
    if (!text::equal_ignoring_case(code, first) && !text::equal_ignoring_case(code, second)) {
      return refuse_at(
          why, i,
          "a backslash must be followed by " + std::string(first) + " or " + std::string(second));
    }
  }
  return true;
}

}  // namespace

bool utf8_string(std::string_view value, std::string* why) {
  const std::size_t offset = text::utf8_error_offset(value);
  return offset == value.size() || refuse_at(why, offset, "the octets are not UTF-8");
}

bool directory_string(std::string_view value, std::string* why) {
  if (value.empty()) return refuse(why, "a directory string may not be empty");
  return utf8_string(value, why);
}

bool ia5_string(std::string_view value, std::string* why) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (static_cast<unsigned char>(value[i]) >= 0x80) {
      return refuse_at(why, i, "an IA5 string holds ASCII characters only");
    }
  }
  return true;
}

bool printable_string(std::string_view value, std::string* why) {
  return printable_part(value, 0, why);
}

bool numeric_string(std::string_view value, std::string* why) {
  if (value.empty()) return refuse(why, "a numeric string may not be empty");
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!text::is_digit(value[i]) && value[i] != ' ') {
      return refuse_at(why, i, "a numeric string holds digits and spaces only");
    }
  }
  return true;
}

bool country_string(std::string_view value, std::string* why) {
  if (value.size() != 2) {
    return refuse(why, "a country string has exactly 2 characters, this one has " +
                           std::to_string(value.size()));
  }
  return printable_part(value, 0, why);
}

bool telephone_number(std::string_view value, std::string* why) {
  return printable_part(value, 0, why);
}

bool facsimile_number(std::string_view value, std::string* why) {
  return each_part(value, [why](std::string_view part, std::size_t offset, std::size_t index) {
    if (index == 0) return printable_part(part, offset, why);
    return is_one_of(part, {"twoDimensional", "fineResolution", "unlimitedLength", "b4Length",
                            "a3Width", "b4Width", "uncompressed"}) ||
           refuse_at(why, offset, text::quoted(part) + " is no fax parameter");
  });
}

// Lines may be empty: forms with a missing line are common, and every server accepts them.
bool postal_address(std::string_view value, std::string* why) {
  if (value.empty()) return refuse(why, "a postal address may not be empty");
  return utf8_string(value, why) && check_escapes(value, "24", "5C", why);
}

bool other_mailbox(std::string_view value, std::string* why) {
  const std::size_t dollar = value.find('$');
  if (dollar == std::string_view::npos) return refuse(why, "a '$' must follow the mailbox type");
  return printable_part(value.substr(0, dollar), 0, why) &&
         ia5_string(value.substr(dollar + 1), why);
}

bool teletex_terminal(std::string_view value, std::string* why) {
  return each_part(value, [why](std::string_view part, std::size_t offset, std::size_t index) {
    if (index == 0) return printable_part(part, offset, why);
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
      return refuse_at(why, offset, "a teletex parameter needs a ':' after its key");
    }
    const std::string_view key = part.substr(0, colon);
    if (!is_one_of(key, {"graphic", "control", "misc", "page", "private"})) {
      return refuse_at(why, offset, text::quoted(key) + " is no teletex parameter");
    }
    return check_escapes(part.substr(colon + 1), "24", "5C", why);
  });
}

bool telex_number(std::string_view value, std::string* why) {
  std::size_t parts = 0;
  return each_part(value,
                   [&](std::string_view part, std::size_t offset, std::size_t index) {
                     parts = index + 1;
                     return printable_part(part, offset, why);
                   }) &&
         (parts == 3 || refuse(why, "a telex number has 3 parts divided by '$', this one has " +
                                        std::to_string(parts)));
}

// Spaces may stand around a '$' alone (RFC 4517 section 3.3.5).
bool delivery_method(std::string_view value, std::string* why) {
  if (value.starts_with(' ')) return refuse_at(why, 0, "a space before the first delivery method");
  if (value.ends_with(' ')) {
    return refuse_at(why, value.size() - 1, "a space after the last delivery method");
  }
  return each_part(value, [why](std::string_view part, std::size_t offset, std::size_t) {
    return is_one_of(trim(part), {"any", "mhs", "physical", "telex", "teletex", "g3fax", "g4fax",
                                  "ia5", "videotex", "telephone"}) ||
           refuse_at(why, offset, text::quoted(trim(part)) + " is no delivery method");
  });
}

bool substring_assertion(std::string_view value, std::string* why) {
  if (!utf8_string(value, why) || !check_escapes(value, "2A", "5C", why)) return false;
  if (value.find('*') == std::string_view::npos) {
    return refuse(why, "a substring assertion needs at least one '*'");
  }
  const std::size_t twice = value.find("**");
  return twice == std::string_view::npos ||
         refuse_at(why, twice + 1, "a substring may not be empty");
}

}  // namespace kauri::schema::syntaxes
