#include <gtest/gtest.h>

#include <string_view>

#include "base/clock.h"
#include "base/digest.h"
#include "base/endian.h"
#include "base/random.h"
#include "base/result.h"

namespace kauri {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid("the number " + std::to_string(n) + " is odd");
  return n / 2;
}

Result<int> quarter(int n) {
  KAURI_TRY(const int h, half(n));
  return half(h);
}

Result<void> check_even(int n) {
  KAURI_TRY([[maybe_unused]] const int h, half(n));
  return {};
}

TEST(Result, PassesValuesAndErrors) {
  EXPECT_EQ(*quarter(8), 2);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().message(), "the number 3 is odd");
  EXPECT_EQ(quarter(6).error().code(), ErrorCode::kInvalid);
  EXPECT_TRUE(check_even(4));
  EXPECT_FALSE(check_even(5));
}

TEST(Crc32c, KnownAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c("56789", crc32c("1234")), crc32c("123456789"));
}

// Every length around the lanes of the fast path, against the definition bit by bit.
TEST(Crc32c, EveryLengthByTheDefinition) {
  std::string data;
  std::uint32_t expected = 0xFFFFFFFFU;  // of what is in `data`, before the final inversion
  for (std::size_t size = 0; size < 1600; ++size) {
    ASSERT_EQ(crc32c(data), ~expected) << size;
    ASSERT_EQ(crc32c(std::string_view(data).substr(size / 3), crc32c(data.substr(0, size / 3))),
              ~expected)
        << size;
    data += static_cast<char>(size * 131 + size / 7);
    expected ^= static_cast<unsigned char>(data.back());
    for (int bit = 0; bit < 8; ++bit)
      expected = (expected >> 1U) ^ ((expected & 1U) != 0 ? 0x82F63B78U : 0U);
  }
}

TEST(Digest128, IsTheHeadOfSha256) {
  const auto digest = digest128("abc");
  EXPECT_EQ(static_cast<unsigned char>(digest[0]), 0xBA);
  EXPECT_EQ(static_cast<unsigned char>(digest[15]), 0x23);
}

// RFC 4231 test case 2.
TEST(HmacSha256, KnownAnswer) {
  const auto mac = hmac_sha256("Jefe", "what do ya want for nothing?");
  EXPECT_EQ(static_cast<unsigned char>(mac[0]), 0x5B);
  EXPECT_EQ(static_cast<unsigned char>(mac[1]), 0xDC);
  EXPECT_EQ(static_cast<unsigned char>(mac[31]), 0x43);
}

TEST(Endian, SortsAsNumbers) {
  std::string a;
  std::string b;
  append_big_endian<std::uint64_t>(a, 255);
  append_big_endian<std::uint64_t>(b, 256);
  EXPECT_LT(a, b);
  EXPECT_EQ(load_big_endian<std::uint64_t>(b), 256U);
}

TEST(Random, SeedRepeatsAndUuidIsVersion4) {
  SeededRandom one(7);
  SeededRandom two(7);
  EXPECT_EQ(one.bytes(13), two.bytes(13));
  const std::string text = format_uuid(one.uuid());
  EXPECT_EQ(text.size(), 36U);
  EXPECT_EQ(text[14], '4');
  EXPECT_NE(Random::system().next_u64(), Random::system().next_u64());
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock(1000);
  clock.advance_micros(5);
  EXPECT_EQ(clock.wall_micros(), 1005);
  EXPECT_EQ(clock.monotonic_nanos(), 5000);
}

}  // namespace
}  // namespace kauri
