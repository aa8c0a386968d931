#include "toolkit/pattern.h"

#include <gtest/gtest.h>

namespace kauri::toolkit {
namespace {

std::string expand(std::string_view text, std::uint64_t number) {
  const auto pattern = Pattern::parse(text);
  return pattern ? pattern->expand(number) : "error: " + pattern.error().message();
}

TEST(Pattern, PutsNumbersIn) {
  EXPECT_EQ(expand("", 7), "");
  EXPECT_EQ(expand("uid=user.1", 7), "uid=user.1");
  EXPECT_EQ(expand("uid=user.{n},ou=People", 7), "uid=user.7,ou=People");
  EXPECT_EQ(expand("{n:08}", 123), "00000123");
  EXPECT_EQ(expand("{n:02}{n}", 12345), "1234512345");
  EXPECT_EQ(expand("{n}-{s}", 3), "3-0000000000000000");
  EXPECT_EQ(expand("{n:018}", kNumberMax), "999999999999999999");
}

TEST(Pattern, OtherBracesStandForThemselves) {
  EXPECT_EQ(expand("{SSHA}abc{n", 1), "{SSHA}abc{n");
  EXPECT_EQ(expand("{{n}}", 5), "{5}");
}

TEST(Pattern, BrokenFieldsAreNamed) {
  for (const char* text : {"{n:8}", "{n:0}", "{n:00}", "{n:019}", "{n:0x}", "{n:04", "{n:}"}) {
    const auto pattern = Pattern::parse(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_NE(pattern.error().message().find("'" + std::string(text) + "'"), std::string::npos)
        << pattern.error().message();
  }
}

TEST(Pattern, KnowsWhetherItHasANumber) {
  EXPECT_TRUE(Pattern::parse("a{n:03}")->has_number());
  EXPECT_FALSE(Pattern::parse("a{s}")->has_number());
}

TEST(Pattern, TakesLinesAndTheirColumns) {
  const auto pattern = Pattern::parse("<{v}> {v1}|{v3}{v0}{v");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->has_line());
  EXPECT_FALSE(pattern->has_number());
  EXPECT_EQ(pattern->columns(), 3U);
  EXPECT_EQ(pattern->expand({"1", "0", "a\tb\tc\td"}), "<a\tb\tc\td> a|c{v0}{v");
  EXPECT_EQ(pattern->expand({"1", "0", "a"}), "<a> a|{v0}{v");
  EXPECT_FALSE(Pattern::parse("{n}{s}")->has_line());
  EXPECT_TRUE(Pattern::parse("{n}{s}")->has_serial());
}

TEST(Pattern, ColumnsOfALine) {
  EXPECT_EQ(column_of("a\t\tc", 1), "a");
  EXPECT_EQ(column_of("a\t\tc", 2), "");
  EXPECT_EQ(column_of("a\t\tc", 3), "c");
  EXPECT_EQ(column_of("a\t\tc", 4), "");
  EXPECT_EQ(count_columns(""), 1U);
  EXPECT_EQ(count_columns("a\t\tc"), 3U);
}

}  // namespace
}  // namespace kauri::toolkit
