#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <cstring>

#include "base/assert.h"

namespace kauri {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}
constexpr auto kTable = make_table();

std::uint32_t crc_by_table(const unsigned char* data, std::size_t size, std::uint32_t crc) {
  for (std::size_t i = 0; i < size; ++i) crc = kTable[(crc ^ data[i]) & 0xFFU] ^ (crc >> 8U);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc_by_instruction(const unsigned char* data,
                                                                   std::size_t size,
                                                                   std::uint32_t crc) {
  std::uint64_t wide = crc;
  while (size >= 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    wide = __builtin_ia32_crc32di(wide, word);
    data += 8;
    size -= 8;
  }
  crc = static_cast<std::uint32_t>(wide);
  while (size-- > 0) crc = __builtin_ia32_crc32qi(crc, *data++);
  return crc;
}
#endif

}  // namespace

std::uint32_t crc32c(std::string_view data, std::uint32_t seed) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  const std::uint32_t crc = ~seed;
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return ~crc_by_instruction(bytes, data.size(), crc);
#endif
  return ~crc_by_table(bytes, data.size(), crc);
}

std::array<char, 16> digest128(std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> full{};
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), full.data());
  std::array<char, 16> out{};
  std::memcpy(out.data(), full.data(), out.size());
  return out;
}

std::array<char, 32> hmac_sha256(std::string_view key, std::string_view data) {
  std::array<unsigned char, 32> mac{};
  unsigned size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(data.data()), data.size(), mac.data(), &size);
  KAURI_ASSERT(made != nullptr && size == mac.size());
  std::array<char, 32> out{};
  std::memcpy(out.data(), mac.data(), out.size());
  return out;
}

}  // namespace kauri
