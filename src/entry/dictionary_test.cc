#include "entry/dictionary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "entry/append_list.h"
#include "entry/test_support.h"

namespace kauri::entry {
namespace {

using testing::ElementsAre;

class DictionaryTest : public testing::Test {
 protected:
  std::vector<std::uint32_t> under(std::string_view asserted) const {
    std::vector<std::uint32_t> numbers;
    for (const AttributeNumber number : dictionary_.numbers_under(describe(asserted)))
      numbers.push_back(number.value());
    return numbers;
  }
  std::uint32_t intern(std::string_view text) { return dictionary_.intern(describe(text)).value(); }

  Dictionary dictionary_{schema::builtin_schema()};
};

TEST_F(DictionaryTest, NumbersGrowFromOneAndStay) {
  EXPECT_EQ(dictionary_.size(), 0U);
  EXPECT_FALSE(dictionary_.find(describe("cn")).has_value());
  EXPECT_EQ(intern("cn"), 1U);
  EXPECT_EQ(intern("sn;lang-en"), 2U);
  EXPECT_EQ(intern("sn"), 3U);
  EXPECT_EQ(intern("commonName"), 1U);
  EXPECT_EQ(intern("SN;LANG-EN"), 2U);
  EXPECT_EQ(dictionary_.size(), 3U);
  EXPECT_EQ(dictionary_.find(describe("sn")), AttributeNumber(3));
  EXPECT_FALSE(dictionary_.find(describe("sn;lang-fr")).has_value());
  EXPECT_EQ(dictionary_.text(AttributeNumber(2)), "sn;lang-en");
  EXPECT_EQ(dictionary_.description(AttributeNumber(3)), describe("surname"));
  EXPECT_TRUE(dictionary_.contains(AttributeNumber(3)));
  for (const std::uint32_t absent : {0U, 4U, 5U, 1000U, Dictionary::kNumberMax, UINT32_MAX})
    EXPECT_FALSE(dictionary_.contains(AttributeNumber(absent)));
}

TEST_F(DictionaryTest, NumbersUnderATypeIncludeSubtypesAndOptions) {
  intern("cn");          // 1, a subtype of name
  intern("sn;lang-en");  // 2, too
  intern("description");
  intern("cn;lang-en;x-a");  // 4
  intern("name");            // 5
  EXPECT_THAT(under("name"), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(under("cn"), ElementsAre(1, 4));
  EXPECT_THAT(under("name;lang-en"), ElementsAre(2, 4));
  EXPECT_THAT(under("name;x-a"), ElementsAre(4));
  EXPECT_THAT(under("name;x-b"), ElementsAre());
  EXPECT_THAT(under("mail"), ElementsAre());
  EXPECT_THAT(under("description"), ElementsAre(3));
  const auto numbers = dictionary_.numbers_of(*describe("cn").type);
  EXPECT_THAT(std::vector(numbers.begin(), numbers.end()),
              ElementsAre(AttributeNumber(1), AttributeNumber(4)));
}

TEST_F(DictionaryTest, RestoreGivesBackNumbers) {
  ASSERT_TRUE(dictionary_.restore(AttributeNumber(7), "cn").has_value());
  ASSERT_TRUE(dictionary_.restore(AttributeNumber(2), "sn;lang-en").has_value());
  EXPECT_EQ(dictionary_.find(describe("cn")), AttributeNumber(7));
  EXPECT_EQ(dictionary_.text(AttributeNumber(2)), "sn;lang-en");
  EXPECT_FALSE(dictionary_.contains(AttributeNumber(3)));
  EXPECT_EQ(intern("mail"), 8U);
}

TEST_F(DictionaryTest, RestoreRefusesWhatDoesNotFit) {
  ASSERT_TRUE(dictionary_.restore(AttributeNumber(1), "cn").has_value());
  const auto refused = [&](std::uint32_t number, std::string_view text, const char* why) {
    const auto result = dictionary_.restore(AttributeNumber(number), text);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
    EXPECT_THAT(result.error().message(), testing::HasSubstr(why));
  };
  refused(1, "sn", "stands for \"cn\" already");
  refused(2, "commonName", "has the number 1 already");
  refused(2, "noSuchType", "the schema does not define");
  refused(2, "", "the schema does not define");
  refused(0, "sn", "numbers go from 1 to");
  refused(Dictionary::kNumberMax + 1, "sn", "numbers go from 1 to");
  EXPECT_EQ(dictionary_.size(), 1U);
}

TEST_F(DictionaryTest, ReadersRunWhileTheWriterInterns) {
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::size_t seen = 0;
    while (!done) {
      const auto numbers = dictionary_.numbers_of(*describe("name").type);
      ASSERT_GE(numbers.size(), seen);
      seen = numbers.size();
      for (const AttributeNumber number : numbers) {
        ASSERT_TRUE(dictionary_.contains(number));
        ASSERT_EQ(dictionary_.find(dictionary_.description(number)), number);
      }
    }
  });
  for (int i = 0; i < 300; ++i) intern("cn;x-" + std::to_string(i));
  done = true;
  reader.join();
  EXPECT_EQ(under("name").size(), 300U);
}

TEST(AppendListTest, SpansTakenEarlierStayAsTheyWere) {
  AppendList<int> list;
  EXPECT_TRUE(list.span().empty());
  std::vector<std::span<const int>> spans;
  for (int i = 0; i < 100; ++i) {
    list.append(i);
    spans.push_back(list.span());
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    ASSERT_EQ(spans[i].size(), i + 1);
    for (std::size_t k = 0; k <= i; ++k) ASSERT_EQ(spans[i][k], static_cast<int>(k));
  }
}

}  // namespace
}  // namespace kauri::entry
