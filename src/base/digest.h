// Checksums and digests of octets. Thread safety: thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kauri {

// CRC-32C (Castagnoli), by the processor's instruction where it has one. `seed` chains calls:
// crc32c(b, crc32c(a)).
std::uint32_t crc32c(std::string_view data, std::uint32_t seed = 0);

// The first 16 octets of SHA-256: stands for a value too long for a key. Nobody can make two values
// that share it.
std::array<char, 16> digest128(std::string_view data);

// HMAC-SHA256 (RFC 2104) of `data`.
std::array<char, 32> hmac_sha256(std::string_view key, std::string_view data);

}  // namespace kauri
