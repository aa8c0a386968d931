#include "toolkit/message_head.h"

#include <gtest/gtest.h>

#include "ldap/message.h"

namespace kauri::toolkit {
namespace {

using std::string_literals::operator""s;

TEST(MessageHead, ReadsAResultAtEveryCut) {
  std::string message;
  ldap::append_result(message, 0x01234567, ldap::Operation::kSearchResultDone,
                      ldap::failure(ldap::ResultCode::kNoSuchObject, "gone", "dc=x"));
  const std::string stream = message + "more";
  for (std::size_t size = 0; size < message.size(); ++size) {
    MessageHead head;
    EXPECT_EQ(read_message_head(std::string_view(stream).substr(0, size), head),
              HeadState::kIncomplete)
        << size;
  }
  MessageHead head;
  ASSERT_EQ(read_message_head(stream, head), HeadState::kComplete);
  EXPECT_EQ(head.size, message.size());
  EXPECT_EQ(head.id, 0x01234567);
  EXPECT_EQ(head.tag, ber::application_constructed(5));
  EXPECT_EQ(read_result_code(head.body), 32);
}

TEST(MessageHead, AcceptsPaddedLengthsAndIds) {
  MessageHead head;
  const std::string message = "\x30\x84\0\0\0\x0F\x02\x04\0\0\0\x07\x65\x84\0\0\0\x03\x0A\x01\x31"s;
  ASSERT_EQ(read_message_head(message, head), HeadState::kComplete);
  EXPECT_EQ(head.id, 7);
  EXPECT_EQ(read_result_code(head.body), 49);
}

struct Malformed {
  const char* name;
  std::string octets;
};

TEST(MessageHead, MalformedMessagesAreBroken) {
  const Malformed table[] = {
      {"not a sequence", "\x31\x03\x02\x01\x01"s},
      {"indefinite length", "\x30\x80\x02\x01\x01\0\0"s},
      {"length larger than the limit", "\x30\x84\x7F\xFF\xFF\xFF"s},
      {"empty", "\x30\0"s},
      {"no message ID", "\x30\x03\x04\x01\x01"s},
      {"message ID without contents", "\x30\x02\x02\0"s},
      {"message ID of five octets", "\x30\x09\x02\x05\0\0\0\0\x01\x42\0"s},
      {"negative message ID", "\x30\x05\x02\x01\x80\x42\0"s},
      {"message ID past the end", "\x30\x03\x02\x02\x01"s},
      {"nothing behind the message ID", "\x30\x03\x02\x01\x01"s},
      {"operation without a length", "\x30\x04\x02\x01\x01\x65"s},
      {"operation past the end", "\x30\x06\x02\x01\x01\x65\x05\x0A"s},
      {"operation of indefinite length", "\x30\x07\x02\x01\x01\x65\x80\0\0"s},
      {"operation with a cut length", "\x30\x06\x02\x01\x01\x65\x82\x01"s},
      {"operation with a huge length",
       "\x30\x0D\x02\x01\x01\x65\x88\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s},
  };
  for (const Malformed& each : table) {
    MessageHead head;
    EXPECT_EQ(read_message_head(each.octets, head), HeadState::kBroken) << each.name;
  }
}

TEST(MessageHead, ResultCodes) {
  EXPECT_EQ(read_result_code("\x0A\x01\0"s), 0);
  EXPECT_EQ(read_result_code("\x0A\x02\x10\x01"s), 4097);
  EXPECT_EQ(read_result_code("\x0A\x01"s), -1);
  EXPECT_EQ(read_result_code("\x0A\x01\x80"s), -1);
  EXPECT_EQ(read_result_code("\x0A\x02\x01"s), -1);
  EXPECT_EQ(read_result_code("\x02\x01\x01"s), -1);
  EXPECT_EQ(read_result_code(""), -1);
}

}  // namespace
}  // namespace kauri::toolkit
