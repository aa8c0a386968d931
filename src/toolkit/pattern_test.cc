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

TEST(Pattern, TwoOpeningBracesAreOne) {
  EXPECT_EQ(expand("{{SSHA}abc", 1), "{SSHA}abc");
  EXPECT_EQ(expand("{{n}", 5), "{n}");
  EXPECT_EQ(expand("{{{n}}", 5), "{5}");
  EXPECT_EQ(expand("{{{{", 5), "{{");
  EXPECT_EQ(expand("a}b", 5), "a}b");
}

TEST(Pattern, BrokenFieldsAreNamed) {
  const std::pair<const char*, const char*> table[] = {{"{n:8}", "{n:8}"},
                                                       {"{n:0}", "{n:0}"},
                                                       {"{n:00}", "{n:00}"},
                                                       {"{n:019}", "{n:019}"},
                                                       {"{n:0x}", "{n:0x}"},
                                                       {"{n:04", "{n:04"},
                                                       {"{n:}", "{n:}"},
                                                       {"{q}", "{q}"},
                                                       {"{N}", "{N}"},
                                                       {"{}", "{}"},
                                                       {"a{n", "{n"},
                                                       {"uid={n,ou=x", "{n,ou=x"},
                                                       {"{SSHA}abc", "{SSHA}"},
                                                       {"{v0}", "{v0}"},
                                                       {"{v10}", "{v10}"},
                                                       {"{v", "{v"},
                                                       {"{", "{"},
                                                       {"{n}{s}{ n}", "{ n}"},
                                                       {"{nn}{n}", "{nn}"},
                                                       {"{s {n}", "{s {n}"}};
  for (const auto& [text, named] : table) {
    const auto pattern = Pattern::parse(text);
    ASSERT_FALSE(pattern) << text;
    const std::string& message = pattern.error().message();
    EXPECT_NE(message.find("'" + std::string(named) + "'"), std::string::npos) << message;
    for (const char* known : {"{n}", "{n:0WIDTH}", "{s}", "{v}", "{v1} to {v9}", "{{"}) {
      EXPECT_NE(message.find(known), std::string::npos) << message;
    }
  }
}

TEST(Pattern, ALongTextAfterABraceIsCutOff) {
  const auto pattern = Pattern::parse("{" + std::string(100'000, 'x'));
  ASSERT_FALSE(pattern);
  EXPECT_LT(pattern.error().message().size(), 300U);
}

TEST(Pattern, KnowsWhetherItHasANumber) {
  EXPECT_TRUE(Pattern::parse("a{n:03}")->has_number());
  EXPECT_FALSE(Pattern::parse("a{s}")->has_number());
}

TEST(Pattern, TakesLinesAndTheirColumns) {
  const auto pattern = Pattern::parse("<{v}> {v1}|{v3}");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->has_line());
  EXPECT_FALSE(pattern->has_number());
  EXPECT_EQ(pattern->columns(), 3U);
  EXPECT_EQ(pattern->expand({"1", "0", "a\tb\tc\td"}), "<a\tb\tc\td> a|c");
  EXPECT_EQ(pattern->expand({"1", "0", "a"}), "<a> a|");
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
