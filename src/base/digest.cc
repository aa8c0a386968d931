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
// The instruction starts every cycle but takes three, so one chain uses a third of the processor.
// Three neighbouring lanes run at once; shifting a checksum over a lane's octets joins them.
constexpr std::size_t kLane = 128;

// The checksum of `crc` followed by kLane zero octets is linear in crc: four look-ups.
using LaneShift = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr LaneShift make_lane_shift() {
  std::array<std::uint32_t, 32> basis{};
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    std::uint32_t crc = 1U << bit;
    for (std::size_t i = 0; i < kLane; ++i) crc = kTable[crc & 0xFFU] ^ (crc >> 8U);
    basis[bit] = crc;
  }
  LaneShift shift{};
  for (std::uint32_t octet = 0; octet < 4; ++octet) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      for (std::uint32_t bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1U) != 0) shift[octet][value] ^= basis[octet * 8 + bit];
      }
    }
  }
  return shift;
}
constexpr LaneShift kLaneShift = make_lane_shift();

std::uint32_t over_a_lane(std::uint32_t crc) {
  return kLaneShift[0][crc & 0xFFU] ^ kLaneShift[1][crc >> 8U & 0xFFU] ^
         kLaneShift[2][crc >> 16U & 0xFFU] ^ kLaneShift[3][crc >> 24U];
}

template <class Word = std::uint64_t>
Word word_at(const unsigned char* data) {
  Word word;
  std::memcpy(&word, data, sizeof(word));
  return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crc_by_instruction(const unsigned char* data,
                                                                   std::size_t size,
                                                                   std::uint32_t crc) {
  std::uint64_t first = crc;
  for (; size >= 3 * kLane; data += 3 * kLane, size -= 3 * kLane) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t at = 0; at < kLane; at += 8) {
      first = __builtin_ia32_crc32di(first, word_at(data + at));
      second = __builtin_ia32_crc32di(second, word_at(data + kLane + at));
      third = __builtin_ia32_crc32di(third, word_at(data + 2 * kLane + at));
    }
    const std::uint32_t joined =
        over_a_lane(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
    first = over_a_lane(joined) ^ static_cast<std::uint32_t>(third);
  }
  for (; size >= 8; data += 8, size -= 8) first = __builtin_ia32_crc32di(first, word_at(data));
  crc = static_cast<std::uint32_t>(first);
  // At most seven octets are left; of a short record that is most of the work.
  if ((size & 4U) != 0) {
    crc = __builtin_ia32_crc32si(crc, word_at<std::uint32_t>(data));
    data += 4;
  }
  if ((size & 2U) != 0) {
    crc = __builtin_ia32_crc32hi(crc, word_at<std::uint16_t>(data));
    data += 2;
  }
  if ((size & 1U) != 0) crc = __builtin_ia32_crc32qi(crc, *data);
  return crc;
}
#endif

// OpenSSL looks a digest up by its name, under a lock, at each call of SHA256(); short values cost
// four times as much that way.
class Sha256 {
 public:
  Sha256() : method_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    KAURI_ASSERT(method_ != nullptr && context_ != nullptr);
  }
  ~Sha256() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(method_);
  }
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  std::array<unsigned char, SHA256_DIGEST_LENGTH> of(std::string_view data) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> full{};
    const bool done = EVP_DigestInit_ex2(context_, method_, nullptr) == 1 &&
                      EVP_DigestUpdate(context_, data.data(), data.size()) == 1 &&
                      EVP_DigestFinal_ex(context_, full.data(), nullptr) == 1;
    KAURI_ASSERT(done);
    return full;
  }

 private:
  EVP_MD* method_;
  EVP_MD_CTX* context_;
};

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
  thread_local Sha256 sha256;
  const std::array<unsigned char, SHA256_DIGEST_LENGTH> full = sha256.of(data);
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
