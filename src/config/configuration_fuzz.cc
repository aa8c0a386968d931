// Any octets as a configuration file: an answer or an error, nothing else; and what is accepted is
// accepted the same way again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "config/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = kauri::config::load_text(text, "fuzz.toml");
  const auto second = kauri::config::load_text(text, "fuzz.toml");
  KAURI_ASSERT(first.has_value() == second.has_value());
  if (first) {
    KAURI_ASSERT(*first == *second);
  } else {
    KAURI_ASSERT(!first.error().message().empty());
    KAURI_ASSERT(first.error().message() == second.error().message());
  }
  const auto uri = kauri::config::parse_listen_uri(text);
  KAURI_ASSERT(uri.has_value() || !uri.error().message().empty());
  return 0;
}
