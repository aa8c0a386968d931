#include "toolkit/request_template.h"

#include <gtest/gtest.h>

#include "ldap/client.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {
namespace {

// A modify request with number and serial in several places.
Result<std::string> encode(ldap::MessageId id, const Fields& fields) {
  const auto dn = Pattern::parse("uid=user.{n},cn={n:04}{n},dc=x");
  const auto value = Pattern::parse("{s} of {n} {s}");
  const std::string text = value->expand(fields);
  std::string out;
  ldap::append_modify_request(out, id, dn->expand(fields),
                              {{ldap::ModifyOperation::kReplace, {"description", {text}}}});
  return out;
}

TEST(RequestTemplate, IsWhatTheEncoderMakes) {
  const auto made = RequestTemplate::make(encode, 0, 2'000'000);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->uses_number());
  std::string all;
  std::string expected;
  ldap::MessageId id = kMessageIdFirst;
  for (const std::uint64_t number : {0U, 1U, 9U, 10U, 99U, 100U, 12'345U, 999'999U, 2'000'000U}) {
    made->append(all, id, number, 0x0123456789ABCDEFU);
    expected += *encode(id, {std::to_string(number), "0123456789abcdef"});
    EXPECT_EQ(all, expected) << number;
    id += 0x01020304;
  }
  made->append(all, ldap::kMessageIdMax, 5, 0);
  EXPECT_EQ(all, expected + *encode(ldap::kMessageIdMax, {"5", "0000000000000000"}));
}

TEST(RequestTemplate, LengthsThatGrowWithTheNumberAreRight) {
  // 120 octets of other text: the elements cross from one length octet to two within the range.
  const auto encoder = [](ldap::MessageId id, const Fields& fields) {
    std::string out;
    ldap::append_delete_request(out, id, std::string(120, 'x') + std::string(fields.number));
    return Result<std::string>(out);
  };
  const auto made = RequestTemplate::make(encoder, 1, kNumberMax);
  ASSERT_TRUE(made);
  for (std::uint64_t number = 1; number < kNumberMax / 10; number *= 10) {
    std::string out;
    made->append(out, kMessageIdFirst, number, 0);
    EXPECT_EQ(out, *encoder(kMessageIdFirst, {std::to_string(number), ""}));
  }
}

TEST(RequestTemplate, BadRangesAndUnstableEncodersAreErrors) {
  EXPECT_FALSE(RequestTemplate::make(encode, 2, 1));
  EXPECT_FALSE(RequestTemplate::make(encode, 0, kNumberMax + 1));
  const auto hash = [](ldap::MessageId id, const Fields& fields) {
    std::string out;
    ldap::append_delete_request(out, id, fields.number == "1" ? "cn=a" : "cn=b");
    return Result<std::string>(out);
  };
  const auto made = RequestTemplate::make(hash, 1, 5);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("template"), std::string::npos);
}

TEST(RequestTemplate, LinesAreEncodedOneByOne) {
  const auto pattern = Pattern::parse("cn={v2} {v1} {n} {s},dc=x");
  const auto encoder = [&](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
    if (fields.line == "bad") return invalid("a bad name");
    std::string out;
    ldap::append_delete_request(out, id, pattern->expand(fields));
    return out;
  };
  const auto lines = parse_value_lines("a\tb\nlonger\t" + std::string(200, 'c') + "\n", "file");
  const auto made = RequestTemplate::make_for_lines(encoder, **lines);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->uses_number());
  for (const std::size_t line : {1U, 0U, 1U}) {
    std::string out;
    made->append(out, kMessageIdFirst + 9, line, 0xABCD);
    EXPECT_EQ(out, *encoder(kMessageIdFirst + 9,
                            {std::to_string(line), "000000000000abcd", (*lines)->lines[line]}));
  }
  const auto broken = RequestTemplate::make_for_lines(encoder, **parse_value_lines("a\nbad", "f"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message(), "line 2 of f: a bad name");
}

TEST(RequestTemplate, DigitsOfANumber) {
  EXPECT_EQ(decimal_digits(0), 1U);
  EXPECT_EQ(decimal_digits(9), 1U);
  EXPECT_EQ(decimal_digits(10), 2U);
  EXPECT_EQ(decimal_digits(kNumberMax), 18U);
}

}  // namespace
}  // namespace kauri::toolkit
