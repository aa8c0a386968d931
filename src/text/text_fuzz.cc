// Properties of the text layer over arbitrary octets: UTF-8 checks agree with stepping, codecs
// round trip, string preparation is all or nothing, its output is UTF-8, parts of a string are
// found in the whole, and what is shown can be seen.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "text/base64.h"
#include "text/hex.h"
#include "text/stringprep.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace {

using kauri::text::Letters;
using kauri::text::StringPart;

void check_utf8(std::string_view in) {
  std::size_t offset = 0;
  char32_t c = 0;
  std::string copy;
  while (kauri::text::next_code_point(in, &offset, &c)) kauri::text::append_utf8(copy, c);
  KAURI_ASSERT(offset == kauri::text::utf8_error_offset(in));
  KAURI_ASSERT(copy == in.substr(0, offset));
}

void check_codecs(std::string_view in) {
  KAURI_ASSERT(kauri::text::decode_base64(kauri::text::encode_base64(in)) == in);
  KAURI_ASSERT(kauri::text::decode_hex(kauri::text::encode_hex(in)) == in);
  if (const auto octets = kauri::text::decode_base64(in)) {
    KAURI_ASSERT(kauri::text::encode_base64(*octets) == in);
  }
}

void check_preparation(std::string_view in) {
  for (const Letters letters : {Letters::kAsTheyAre, Letters::kFolded}) {
    std::string whole = "x";
    if (!kauri::text::prepare_string(in, letters, StringPart::kWhole, whole)) {
      KAURI_ASSERT(whole == "x");
      continue;
    }
    KAURI_ASSERT(kauri::text::is_valid_utf8(in));
    KAURI_ASSERT(kauri::text::is_valid_utf8(whole));
    KAURI_ASSERT(whole.size() >= 3 && whole[1] == ' ' && whole.back() == ' ');
    std::string part;
    KAURI_ASSERT(kauri::text::prepare_string(in, letters, StringPart::kInitial, part));
    KAURI_ASSERT(whole.substr(1).starts_with(part));
    part.clear();
    KAURI_ASSERT(kauri::text::prepare_string(in, letters, StringPart::kFinal, part));
    KAURI_ASSERT(whole.ends_with(part));
  }
  std::string digits;
  if (kauri::text::prepare_numeric(in, digits)) KAURI_ASSERT(kauri::text::is_valid_utf8(digits));
  digits.clear();
  if (kauri::text::prepare_telephone(in, digits)) KAURI_ASSERT(kauri::text::is_valid_utf8(digits));
}

void check_visible(std::string_view in) {
  const std::string shown = kauri::text::visible(in);
  KAURI_ASSERT(kauri::text::is_visible(shown));
  KAURI_ASSERT((shown == in) == kauri::text::is_visible(in));
  KAURI_ASSERT(kauri::text::is_visible(kauri::text::quoted(in, in.size() / 2)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  check_utf8(in);
  check_codecs(in);
  check_preparation(in);
  check_visible(in);
  return 0;
}
