#include "ldap/quote.h"

#include "text/utf8.h"

namespace kauri::ldap::internal {
namespace {

constexpr std::size_t kQuotedMax = 80;

void append_hex_pair(std::string& out, unsigned char octet) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.push_back('\\');
  out.push_back(kDigits[octet >> 4U]);
  out.push_back(kDigits[octet & 0xFU]);
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kQuotedMax)) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet < 0x20 || octet > 0x7E) {
      append_hex_pair(out, octet);
    } else {
      out.push_back(c);
    }
  }
  if (text.size() > kQuotedMax) out.append("...");
  out.push_back('"');
  return out;
}

Error syntax_error(std::string_view what, std::string_view text, std::size_t offset,
                   std::string_view why) {
  std::string message(what);
  message.append(" ").append(quote(text)).append(" is not valid at octet ");
  message.append(std::to_string(offset + 1)).append(": ").append(why);
  return invalid(std::move(message));
}

void append_escaped(std::string& out, std::string_view value, std::string_view special) {
  const bool keep_high = text::is_valid_utf8(value);
  for (const char c : value) {
    const auto octet = static_cast<unsigned char>(c);
    const bool high = octet >= 0x80;
    const bool control = octet < 0x20 || octet == 0x7F;
    if (control || (high && !keep_high) || special.find(c) != std::string_view::npos) {
      append_hex_pair(out, octet);
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace kauri::ldap::internal
