#include "ber/writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/random.h"

namespace kauri::ber {
namespace {

using namespace std::string_literals;

TEST(WriterTest, IntegersAreMinimal) {
  const struct {
    std::int64_t value;
    std::string octets;
  } cases[] = {
      {0, "\x02\x01\x00"s},
      {127, "\x02\x01\x7f"s},
      {128, "\x02\x02\x00\x80"s},
      {255, "\x02\x02\x00\xff"s},
      {256, "\x02\x02\x01\x00"s},
      {-1, "\x02\x01\xff"s},
      {-128, "\x02\x01\x80"s},
      {-129, "\x02\x02\xff\x7f"s},
      {2147483647, "\x02\x04\x7f\xff\xff\xff"s},
      {std::numeric_limits<std::int64_t>::min(), "\x02\x08\x80\0\0\0\0\0\0\0"s},
  };
  for (const auto& c : cases) {
    std::string out;
    Writer(out).integer(c.value);
    EXPECT_EQ(out, c.octets) << c.value;
    EXPECT_EQ(integer_size(c.value), c.octets.size() - 2) << c.value;
  }
}

TEST(WriterTest, TrueIsAllOnes) {
  std::string out;
  Writer writer(out);
  writer.boolean(true);
  writer.boolean(false);
  writer.null();
  EXPECT_EQ(out, "\x01\x01\xff\x01\x01\x00\x05\x00"s);
}

TEST(WriterTest, LengthsAreMinimalAtEachBoundary) {
  const struct {
    std::size_t size;
    std::size_t header;
  } cases[] = {{0, 2},   {127, 2},   {128, 3},   {255, 3},
               {256, 4}, {65535, 4}, {65536, 5}, {1U << 24U, 6}};
  for (const auto& c : cases) {
    EXPECT_EQ(header_size(c.size), c.header) << c.size;
    std::string direct;
    append_header(direct, kOctetString, c.size);
    EXPECT_EQ(direct.size(), c.header) << c.size;
    if (c.size > 70000) continue;
    const std::string contents(c.size, 'x');
    std::string nested;
    Writer writer(nested);
    writer.begin(kOctetString);
    writer.raw(contents);
    writer.end();
    EXPECT_EQ(nested, direct + contents) << c.size;
  }
}

TEST(WriterTest, NestedElementsGrowTheirParents) {
  for (const std::size_t size : {0U, 1U, 120U, 130U, 300U, 66000U}) {
    const std::string value(size, 'v');
    std::string out = "kept";
    Writer writer(out);
    for (int i = 0; i < 16; ++i) writer.begin(kSequence);
    writer.octet_string(value);
    for (int i = 0; i < 16; ++i) writer.end();
    writer.integer(7);
    ASSERT_EQ(out.substr(0, 4), "kept");
    Reader reader(std::string_view(out).substr(4));
    Reader inner = reader;
    for (int i = 0; i < 16; ++i) {
      Reader next = inner.nested(kSequence);
      if (i == 0) reader = inner;
      inner = next;
    }
    EXPECT_EQ(inner.octet_string(), value);
    EXPECT_TRUE(inner.ok() && inner.at_end());
    EXPECT_EQ(reader.integer(), 7);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
}

TEST(WriterTest, RandomValuesAreReadBack) {
  SeededRandom random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto value = static_cast<std::int64_t>(random.next_u64() >> (random.next_u64() % 64));
    const std::string octets = random.bytes(random.next_u64() % 300);
    std::string out;
    Writer writer(out);
    writer.integer(value);
    writer.octet_string(octets, context(3));
    writer.integer(-value, context(1));
    Reader reader(out);
    EXPECT_EQ(reader.integer(), value);
    EXPECT_EQ(reader.octet_string(context(3)), octets);
    EXPECT_EQ(reader.integer(context(1)), -value);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
}

}  // namespace
}  // namespace kauri::ber
