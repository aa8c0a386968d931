#include "server/input_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ldap/message.h"

namespace kauri::server {
namespace {

std::string message(char fill, std::size_t size) {
  std::string out;
  ber::append_header(out, ber::kSequence, size);
  out.append(size, fill);
  return out;
}

struct Collector {
  InputBuffer input;
  std::vector<std::string> messages;
  std::size_t size_max = 1 << 20;
  std::size_t stop_behind = 0;  // stop behind every message once this many came; 0 = never

  InputBuffer::State feed(std::string_view octets) {
    return input.consume(
        octets, [this] { return size_max; },
        [this](std::string_view octets_of_one) {
          messages.emplace_back(octets_of_one);
          return stop_behind == 0 || messages.size() < stop_behind;
        });
  }
};

// Case T3: however the stream is cut, the same messages come out.
TEST(InputBuffer, EverySplitPointGivesTheSameMessages) {
  const std::vector<std::string> expected = {message('a', 5), message('b', 0), message('c', 300),
                                             message('d', 127)};
  std::string stream;
  for (const std::string& one : expected) stream += one;
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (const std::size_t second : {first, (first + stream.size()) / 2, stream.size()}) {
      Collector collector;
      EXPECT_EQ(collector.feed(stream.substr(0, first)), InputBuffer::State::kNeedMore);
      EXPECT_EQ(collector.feed(stream.substr(first, second - first)),
                InputBuffer::State::kNeedMore);
      EXPECT_EQ(collector.feed(stream.substr(second)), InputBuffer::State::kNeedMore);
      ASSERT_EQ(collector.messages, expected) << "cut at " << first << " and " << second;
      EXPECT_EQ(collector.input.kept_size(), 0U);
    }
  }
}

TEST(InputBuffer, OneOctetAtATime) {
  const std::string stream = message('a', 200) + message('b', 3);
  Collector collector;
  for (const char octet : stream) {
    EXPECT_EQ(collector.feed({&octet, 1}), InputBuffer::State::kNeedMore);
  }
  EXPECT_EQ(collector.messages, (std::vector<std::string>{message('a', 200), message('b', 3)}));
}

TEST(InputBuffer, NothingIsAllocatedFromAClaimedLength) {
  Collector collector;
  collector.size_max = 16 << 20;
  const std::string header("\x30\x84\x00\xF0\x00\x00", 6);
  EXPECT_EQ(collector.feed(header), InputBuffer::State::kNeedMore);
  EXPECT_EQ(collector.input.kept_size(), header.size());
  EXPECT_LE(collector.input.capacity(), 64U);
}

TEST(InputBuffer, AMessageTooLargeIsToldFromItsHeader) {
  Collector collector;
  collector.size_max = 1000;
  const std::string stream = message('a', 10) + std::string("\x30\x82\x04\x00", 4);
  EXPECT_EQ(collector.feed(stream), InputBuffer::State::kBroken);
  EXPECT_EQ(collector.messages.size(), 1U);
  const std::string error = collector.input.error();
  EXPECT_NE(error.find("1028 octets, the limit of this connection is 1000"), std::string::npos)
      << error;
  EXPECT_EQ(collector.input.kept_size(), 0U);
}

// Cases T2 and T4.
TEST(InputBuffer, StreamsThatAreNoLdap) {
  const std::vector<std::string> streams = {
      "GET / HTTP/1.1\r\n",  // a browser
      "\x16\x03\x01\x02",    // a TLS hello on the clear port
      std::string(1, '\0'),  //
      "\x30\x80",            // indefinite length
      "\x30\xFF",            // reserved length
      "\x30\x88\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
  };
  for (const std::string& stream : streams) {
    Collector collector;
    EXPECT_EQ(collector.feed(stream), InputBuffer::State::kBroken) << stream;
    EXPECT_TRUE(collector.messages.empty());
  }
}

TEST(InputBuffer, AStopKeepsWhatFollowsUntilItIsAskedFor) {
  Collector collector;
  collector.stop_behind = 1;
  EXPECT_EQ(collector.feed(message('a', 5) + message('b', 6) + message('c', 7).substr(0, 4)),
            InputBuffer::State::kStopped);
  EXPECT_EQ(collector.messages.size(), 1U);
  EXPECT_EQ(collector.feed({}), InputBuffer::State::kStopped);
  EXPECT_EQ(collector.messages.size(), 2U);
  collector.stop_behind = 0;
  EXPECT_EQ(collector.feed({}), InputBuffer::State::kNeedMore);
  EXPECT_EQ(collector.input.kept_size(), 4U);
  EXPECT_EQ(collector.feed(message('c', 7).substr(4)), InputBuffer::State::kNeedMore);
  EXPECT_EQ(collector.messages.back(), message('c', 7));
}

TEST(InputBuffer, ALargeMessageLeavesNoMemoryBehind) {
  Collector collector;
  collector.size_max = 4 << 20;
  const std::string large = message('x', 3 << 20);
  for (std::size_t at = 0; at < large.size(); at += 65536) {
    EXPECT_EQ(collector.feed(std::string_view(large).substr(at, 65536)),
              InputBuffer::State::kNeedMore);
  }
  ASSERT_EQ(collector.messages.size(), 1U);
  EXPECT_EQ(collector.messages[0], large);
  EXPECT_LE(collector.input.capacity(), 4096U);
}

}  // namespace
}  // namespace kauri::server
