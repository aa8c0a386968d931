#include "toolkit/value_lines.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace kauri::toolkit {
namespace {

TEST(ValueLines, LinesWithAnyEnd) {
  const auto lines = parse_value_lines("a\tb\r\nc\nd", "here");
  ASSERT_TRUE(lines) << lines.error().message();
  EXPECT_EQ((*lines)->origin, "here");
  EXPECT_EQ((*lines)->lines, (std::vector<std::string>{"a\tb", "c", "d"}));
}

TEST(ValueLines, MistakesAreNamed) {
  const std::pair<std::string, const char*> table[] = {
      {"", "has no line"},
      {"\n", "line 1 of here is empty"},
      {"a\n\nb\n", "line 2 of here is empty"},
      {"a\n\r\n", "line 2 of here is empty"},
  };
  for (const auto& [text, expected] : table) {
    const auto lines = parse_value_lines(text, "here");
    ASSERT_FALSE(lines) << expected;
    EXPECT_NE(lines.error().message().find(expected), std::string::npos) << lines.error().message();
  }
  std::string many;
  for (std::size_t i = 0; i <= kValueLinesMax; ++i) many += "x\n";
  const auto lines = parse_value_lines(many, "here");
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code(), ErrorCode::kLimit);
}

TEST(ValueLines, AFileIsReadWhole) {
  const std::string path = testing::TempDir() + "value_lines_test.txt";
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line number " + std::to_string(i) + "\n";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(text.c_str(), file);
  std::fclose(file);
  const auto lines = read_value_lines(path);
  std::remove(path.c_str());
  ASSERT_TRUE(lines) << lines.error().message();
  ASSERT_EQ((*lines)->lines.size(), 20'000U);
  EXPECT_EQ((*lines)->lines.back(), "line number 19999");
  EXPECT_FALSE(read_value_lines(path));
}

}  // namespace
}  // namespace kauri::toolkit
