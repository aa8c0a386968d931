#include "text/visible.h"

#include "text/hex.h"
#include "text/utf8.h"

namespace kauri::text {
namespace {

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7F;
}

bool is_hidden(char32_t code_point) {
  if (code_point < 0x20) return true;
  if (code_point >= 0x7F && code_point < 0xA0) return true;
  // Line and paragraph separator, and the directional formatting characters (UAX #9), with which a
  // message can be made to read as another one.
  return (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0x200E ||
         code_point == 0x200F || code_point == 0x061C;
}

// Steps over one character or one octet that starts none. RETURNS: whether it can be seen.
bool step(std::string_view text, std::size_t* at) {
  char32_t code_point = 0;
  if (!next_code_point(text, at, &code_point)) {
    ++*at;
    return false;
  }
  return !is_hidden(code_point);
}

}  // namespace

bool is_visible(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      ++at;
    } else if (!step(text, &at)) {
      return false;
    }
  }
  return true;
}

void append_visible(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    out.append(text.substr(start, at - start));
    if (at == text.size()) return;
    const std::size_t special = at;
    if (step(text, &at)) {
      out.append(text.substr(special, at - special));
      continue;
    }
    for (const char octet : text.substr(special, at - special)) {
      out += '\\';
      append_hex(out, std::string_view(&octet, 1));
    }
  }
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_visible(out, text);
  return out;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    append_visible(out, text.substr(0, end));
    out += '\n';
    text.remove_prefix(end + 1);
  }
  append_visible(out, text);
  return out;
}

std::string quoted(std::string_view text, std::size_t octets_max) {
  std::string out = "'";
  if (text.size() <= octets_max) {
    append_visible(out, text);
    return out + "'";
  }
  // A character is not cut in two; what is no character may be.
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t end = octets_max;
  for (int back = 0; back < 3 && end > 0 && continues(end); ++back) --end;
  if (continues(end)) end = octets_max;
  append_visible(out, text.substr(0, end));
  return out + "...' (" + std::to_string(text.size()) + " octets)";
}

}  // namespace kauri::text
