// Any octets as a change record, with a checksum that fits: an error, or a record that encodes to
// the same octets.
#include <cstdint>
#include <cstring>
#include <string>

#include "backend/change_log.h"
#include "base/assert.h"
#include "base/digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string octets(reinterpret_cast<const char*>(data), size);
  (void)kauri::backend::decode_change(octets);
  if (octets.size() < 4) return 0;
  const std::uint32_t sum = kauri::crc32c(std::string_view(octets).substr(4));
  std::memcpy(octets.data(), &sum, sizeof sum);
  const auto record = kauri::backend::decode_change(octets);
  if (record) KAURI_ASSERT(kauri::backend::encode_change(*record) == octets);
  return 0;
}
