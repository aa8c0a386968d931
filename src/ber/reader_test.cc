#include "ber/reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "base/random.h"
#include "ber/writer.h"

namespace kauri::ber {
namespace {

using namespace std::string_view_literals;

// Reads everything that can be read, as deep as it goes; touches every octet that a decoder would.
void read_all(std::string_view octets) {
  std::vector<Reader> open = {Reader(octets)};
  while (!open.empty()) {
    if (open.back().at_end()) {
      open.pop_back();
      continue;
    }
    const Tag tag = open.back().peek();
    if ((tag & 0x20U) != 0) {
      Reader inner = open.back().nested(tag);
      open.push_back(inner);
    } else {
      open.back().whole_element();
    }
  }
}

enum class Read { kAny, kInteger, kBoolean, kNull, kOctetString, kSequence };

struct Malformed {
  const char* name;
  std::string_view octets;
  Read read;
  const char* error;  // part of the sentence
};

// RELIABILITY T1 to T8 as far as BER alone decides.
const Malformed kMalformed[] = {
    {"nothing", ""sv, Read::kAny, "missing"},
    {"tag alone", "\x04"sv, Read::kAny, "inside its tag and length"},
    {"long form without its octets", "\x04\x82\x01"sv, Read::kAny, "inside its tag and length"},
    {"indefinite length", "\x30\x80\x00\x00"sv, Read::kAny, "indefinite"},
    {"length octet FF", "\x04\xff\x00"sv, Read::kAny, "more than 8 octets"},
    {"nine length octets", "\x04\x89\0\0\0\0\0\0\0\0\1a"sv, Read::kAny, "more than 8 octets"},
    {"eight length octets, near 2^63", "\x04\x88\x7f\xff\xff\xff\xff\xff\xff\xff"sv, Read::kAny,
     "past the end"},
    {"eight length octets, all ones", "\x04\x88\xff\xff\xff\xff\xff\xff\xff\xff"sv, Read::kAny,
     "past the end"},
    {"length one past the end",
     "\x04\x03"
     "ab"sv,
     Read::kAny, "past the end"},
    {"inner length past outer",
     "\x30\x03\x04\x02"
     "a"sv,
     Read::kSequence, "past the end"},
    {"multi-octet tag", "\x1f\x81\x00\x00"sv, Read::kAny, "more than one octet"},
    {"wrong tag",
     "\x04\x01"
     "a"sv,
     Read::kInteger, "another tag"},
    {"constructed octet string",
     "\x24\x03\x04\x01"
     "a"sv,
     Read::kOctetString, "another tag"},
    {"integer without octets", "\x02\x00"sv, Read::kInteger, "no octets or more than 8"},
    {"integer of nine octets", "\x02\x09\0\0\0\0\0\0\0\0\1"sv, Read::kInteger,
     "no octets or more than 8"},
    {"boolean without octets", "\x01\x00"sv, Read::kBoolean, "not one octet"},
    {"boolean of two octets", "\x01\x02\xff\xff"sv, Read::kBoolean, "not one octet"},
    {"null with contents", "\x05\x01\x00"sv, Read::kNull, "has contents"},
};

TEST(ReaderTest, NamedMalformedInputsAreRefused) {
  for (const Malformed& c : kMalformed) {
    SCOPED_TRACE(c.name);
    const std::string exact(c.octets);  // its own allocation, so that the sanitizer sees its end
    Reader reader(exact);
    switch (c.read) {
      case Read::kAny:
        reader.whole_element();
        break;
      case Read::kInteger:
        EXPECT_EQ(reader.integer(), 0);
        break;
      case Read::kBoolean:
        EXPECT_FALSE(reader.boolean());
        break;
      case Read::kNull:
        reader.null();
        break;
      case Read::kOctetString:
        EXPECT_EQ(reader.octet_string(), "");
        break;
      case Read::kSequence: {
        reader = reader.nested(kSequence);
        reader.octet_string();
        break;
      }
    }
    ASSERT_FALSE(reader.ok());
    EXPECT_NE(std::string_view(reader.error()).find(c.error), std::string_view::npos)
        << reader.error();
    EXPECT_TRUE(reader.at_end());
    // The first fault stays, and nothing is read after it.
    const char* first = reader.error();
    EXPECT_EQ(reader.octet_string(), "");
    EXPECT_EQ(reader.peek(), 0);
    reader.fail("another");
    EXPECT_EQ(reader.error(), first);
    read_all(exact);
  }
}

TEST(ReaderTest, LongFormLengthsWithLeadingZerosAreAccepted) {
  for (std::size_t count = 1; count <= 8; ++count) {
    std::string octets = "\x04";
    octets.push_back(static_cast<char>(0x80 + count));
    octets.append(count - 1, '\0');
    octets.append(
        "\x02"
        "ab");
    Reader reader(octets);
    EXPECT_EQ(reader.octet_string(), "ab") << count;
    EXPECT_TRUE(reader.ok() && reader.at_end()) << count;
  }
}

TEST(ReaderTest, IntegersAreSignedAndMayBePadded) {
  const struct {
    std::string_view octets;
    std::int64_t value;
  } cases[] = {
      {"\x02\x01\x00"sv, 0},
      {"\x02\x01\x7f"sv, 127},
      {"\x02\x02\x00\x80"sv, 128},
      {"\x02\x01\x80"sv, -128},
      {"\x02\x01\xff"sv, -1},
      {"\x02\x04\x00\x00\x00\x05"sv, 5},
      {"\x02\x03\xff\xff\xfe"sv, -2},
      {"\x02\x08\x7f\xff\xff\xff\xff\xff\xff\xff"sv, std::numeric_limits<std::int64_t>::max()},
      {"\x02\x08\x80\x00\x00\x00\x00\x00\x00\x00"sv, std::numeric_limits<std::int64_t>::min()},
  };
  for (const auto& c : cases) {
    Reader reader(c.octets);
    EXPECT_EQ(reader.integer(), c.value);
    EXPECT_TRUE(reader.ok());
  }
}

TEST(ReaderTest, IntegerRangeIsInclusive) {
  for (const std::int64_t value : {-1, 0, 3, 4}) {
    std::string octets;
    Writer(octets).enumerated(value);
    Reader reader(octets);
    reader.integer_in(0, 3, kEnumerated);
    EXPECT_EQ(reader.ok(), value >= 0 && value <= 3) << value;
  }
}

TEST(ReaderTest, AnyNonZeroOctetIsTrue) {
  EXPECT_TRUE(Reader("\x01\x01\x01"sv).boolean());
  EXPECT_TRUE(Reader("\x01\x01\xff"sv).boolean());
  EXPECT_FALSE(Reader("\x01\x01\x00"sv).boolean());
}

TEST(ReaderTest, OptionalReadsOnlyItsOwnTag) {
  Reader reader(
      "\x04\x01"
      "a\x80\x01"
      "b"sv);
  std::string_view value;
  EXPECT_FALSE(reader.optional(context(0), value));
  EXPECT_EQ(reader.octet_string(), "a");
  EXPECT_TRUE(reader.optional(context(0), value));
  EXPECT_EQ(value, "b");
  EXPECT_FALSE(reader.optional(context(0), value));
  EXPECT_TRUE(reader.ok());
}

TEST(ReaderTest, NestingStopsAtTheLimit) {
  std::string octets;
  for (std::size_t i = 0; i < limits::kBerDepthMax + 1; ++i) {
    std::string outer;
    append_header(outer, kSequence, octets.size());
    octets.insert(0, outer);
  }
  Reader reader(octets);
  for (std::size_t i = 0; i < limits::kBerDepthMax; ++i) reader = reader.nested(kSequence);
  EXPECT_TRUE(reader.ok());
  const std::uint64_t before = limits::counted(limits::Counter::kBerDepth);
  Reader too_deep = reader.nested(kSequence);
  EXPECT_FALSE(reader.ok());
  EXPECT_FALSE(too_deep.ok());
  EXPECT_NE(std::string_view(reader.error()).find(std::to_string(limits::kBerDepthMax)),
            std::string_view::npos);
  EXPECT_EQ(limits::counted(limits::Counter::kBerDepth), before + 1);
}

TEST(ReaderTest, EveryPrefixOfRandomElementsIsReadWithoutOverrun) {
  SeededRandom random(42);
  for (int round = 0; round < 300; ++round) {
    const std::string octets = random.bytes(random.next_u64() % 40);
    for (std::size_t size = 0; size <= octets.size(); ++size) {
      read_all(std::string(octets.substr(0, size)));
    }
  }
}

std::string message_of(std::size_t contents) {
  std::string message;
  append_header(message, kSequence, contents);
  message.append(contents, 'x');
  return message;
}

TEST(FindMessageTest, EverySplitPointGivesTheSameFrame) {
  for (const std::size_t contents : {0U, 1U, 127U, 128U, 255U, 256U, 70000U}) {
    const std::string message = message_of(contents);
    const std::size_t header = message.size() - contents;
    const std::string stream = message + message_of(5);
    for (std::size_t arrived = 0; arrived <= stream.size(); ++arrived) {
      const Frame frame = find_message(std::string_view(stream).substr(0, arrived), 1U << 20U);
      EXPECT_EQ(frame.header_size, arrived >= header ? header : 0);
      EXPECT_EQ(frame.size, arrived >= header ? message.size() : 0);
      ASSERT_EQ(frame.state,
                arrived >= message.size() ? Frame::State::kComplete : Frame::State::kIncomplete);
    }
  }
}

TEST(FindMessageTest, SizeLimitIsJudgedFromTheHeaderAlone) {
  const std::string message = message_of(1000);
  const std::string_view header = std::string_view(message).substr(0, 4);
  EXPECT_EQ(find_message(header, message.size()).state, Frame::State::kIncomplete);
  EXPECT_EQ(find_message(header, message.size() - 1).state, Frame::State::kBroken);
  EXPECT_EQ(find_message(message, message.size()).state, Frame::State::kComplete);
}

TEST(FindMessageTest, StreamsThatAreNotLdapAreBroken) {
  const struct {
    const char* name;
    std::string_view octets;
  } cases[] = {
      {"HTTP", "G"sv},
      {"TLS hello", "\x16\x03\x01"sv},
      {"NUL", "\0"sv},
      {"SET", "\x31\x00"sv},
      {"indefinite length", "\x30\x80"sv},
      {"nine length octets", "\x30\x89"sv},
      {"length octet FF", "\x30\xff"sv},
      {"near 2^63", "\x30\x88\x7f\xff\xff\xff\xff\xff\xff\xff"sv},
      {"near 2^64", "\x30\x88\xff\xff\xff\xff\xff\xff\xff\xff"sv},
      {"near 2^32", "\x30\x84\xff\xff\xff\xff"sv},
  };
  for (const auto& c : cases) {
    const Frame frame = find_message(c.octets, 16U << 20U);
    EXPECT_EQ(frame.state, Frame::State::kBroken) << c.name;
    EXPECT_NE(frame.error, nullptr) << c.name;
  }
}

TEST(FindMessageTest, LongFormWithLeadingZerosIsAccepted) {
  const Frame frame = find_message("\x30\x84\x00\x00\x00\x02xy"sv, 100);
  EXPECT_EQ(frame.state, Frame::State::kComplete);
  EXPECT_EQ(frame.size, 8U);
}

}  // namespace
}  // namespace kauri::ber
