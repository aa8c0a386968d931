// A filter as text: what is parsed is written and parsed again as the same text, and survives the
// wire.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "ldap/filter.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri;
  using namespace kauri::ldap;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Filter> filter = parse_filter(text);
  if (!filter) {
    KAURI_ASSERT(filter.error().code() == ErrorCode::kInvalid);
    KAURI_ASSERT(text::is_ascii(filter.error().message()));
    return 0;
  }
  const std::string written = to_string(*filter);
  KAURI_ASSERT(text::is_valid_utf8(written));
  const Result<Filter> again = parse_filter(written);
  KAURI_ASSERT(again.has_value());
  KAURI_ASSERT(to_string(*again) == written);
  KAURI_ASSERT(again->nodes.size() == filter->nodes.size());
  KAURI_ASSERT(again->parts.size() == filter->parts.size());
  std::string octets;
  ber::Writer writer(octets);
  encode_filter(writer, *filter);
  ber::Reader reader(octets);
  Filter decoded;
  const char* why = nullptr;
  KAURI_ASSERT(decode_filter(reader, decoded, why) == FilterFault::kNone);
  KAURI_ASSERT(to_string(decoded) == written);
  return 0;
}
