// What one write costs: what clients could make dear is bounded, and what stays is not written.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/change_log.h"
#include "backend/testing/world.h"
#include "backend/write_context.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "base/testing/colliding.h"
#include "base/testing/cost.h"

namespace kauri::backend {
namespace {

using Values = std::vector<std::string>;

std::string member(int number) {
  return "uid=m" + std::to_string(number) + "," + kPeople;
}

Values members(int first, int last) {
  Values out;
  for (int i = first; i < last; ++i) out.push_back(member(i));
  return out;
}

class WriteCost : public ::testing::Test {
 protected:
  void SetUp() override { world.add_fixture(); }

  ChangeRecord last_change() {
    const auto txn = world.database().env().begin_read();
    const auto position = read_change_position(**txn);
    return **read_change(**txn, position->next - 1);
  }
  // The change of one attribute in the last record of the log.
  AttributeChange last_change_of(const std::string& attribute) {
    for (AttributeChange& change : last_change().attributes)
      if (change.description == attribute) return std::move(change);
    return {};
  }

  World world;
};

TEST_F(WriteCost, ReplacingManyValuesWritesTheDifference) {
  ASSERT_EQ(world.modify(kA, {added("seeAlso", members(0, 400))}), 0);
  Values values = members(1, 401);
  values[7] = "UID=M8," + kPeople;  // the same name, spelled differently
  ASSERT_EQ(world.modify(kA, {replaced("seeAlso", values)}), 0);
  EXPECT_EQ(world.values(kA, "seeAlso"), std::multiset<std::string>(values.begin(), values.end()));
  AttributeChange change = last_change_of("seeAlso");
  std::sort(change.removed.begin(), change.removed.end());
  EXPECT_EQ(change.removed, (Values{member(0), member(8)}));
  EXPECT_EQ(change.added, (Values{values[7], member(400)}));
  EXPECT_EQ(world.verify_text(), "");

  ASSERT_EQ(world.modify(kA, {replaced("seeAlso", values)}), 0);
  EXPECT_EQ(last_change_of("seeAlso").description, "") << "nothing has changed";
  ASSERT_EQ(world.modify(kA, {replaced("seeAlso", members(390, 395))}), 0);
  EXPECT_EQ(world.values(kA, "seeAlso").size(), 5U);
  EXPECT_EQ(world.verify_text(), "");
}

// Values that collide in the standard library's hash, which whoever may write can compute, took the
// square of their number.
TEST_F(WriteCost, ValuesThatCollideCostNoMoreThanOthers) {
  constexpr std::size_t kCount = 16'384;
  const Values colliding = kauri::testing::colliding_strings(kCount);
  SeededRandom random(1);
  Values others;
  for (const std::string& value : colliding) others.push_back(random.bytes(value.size()));
  const auto cost = [&](const Values& values) {
    return processor_ms([&] {
      ASSERT_EQ(world.modify(kA, {added("kOct", values)}), 0) << world.last().diagnostic;
      ASSERT_EQ(world.modify(kA, {deleted("kOct", values)}), 0) << world.last().diagnostic;
    });
  };
  const double ordinary = cost(others);
  EXPECT_LT(cost(colliding), 3 * ordinary + 50);
}

TEST_F(WriteCost, LongNumbersCountMoreWhenTheyAreIncremented) {
  ASSERT_EQ(world.modify(kA, {replaced("kIntSub", {std::string(4000, '8')})}), 0);
  // Each counts as 126 of the 100,000.
  EXPECT_EQ(world.modify(kA, std::vector<Change>(794, incremented("kIntSub", "1"))), 11);
  EXPECT_NE(world.last().diagnostic.find("100000"), std::string::npos) << world.last().diagnostic;
  EXPECT_EQ(world.modify(kA, std::vector<Change>(793, incremented("kIntSub", "1"))), 0);
  ASSERT_EQ(world.modify(kA, {replaced("kIntSub", {"1"})}), 0);
  EXPECT_EQ(world.modify(kA, std::vector<Change>(10'000, incremented("kIntSub", "1"))), 0);
  EXPECT_EQ(world.values(kA, "kIntSub"), std::multiset<std::string>{"10001"});
}

// Random text: nearly every run of three octets is another one.
Values random_texts(std::size_t count) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  Values out(count);
  SeededRandom random(3);
  for (std::string& value : out) {
    for (int letter = 0; letter < 4000; ++letter)
      value += kLetters[random.next_u64() % kLetters.size()];
  }
  return out;
}

TEST_F(WriteCost, TrigramsOfOneRequestAreBounded) {
  const Values five = random_texts(5);  // 17,000 or so, of the 46,656 there are
  const Values eight = random_texts(8);
  EXPECT_EQ(world.modify(kA, {added("cn", eight)}), 11);
  EXPECT_NE(world.last().diagnostic.find(std::to_string(limits::kNewGramsMax)), std::string::npos)
      << world.last().diagnostic;
  EXPECT_EQ(world.values(kA, "cn"), std::multiset<std::string>{"A"});
  EXPECT_EQ(world.modify(kA, {added("cn", five)}), 0) << world.last().diagnostic;
  // What is there does not count: a small change of a large entry is one.
  EXPECT_EQ(world.modify(kA, {added("cn", {eight.back()})}), 0) << world.last().diagnostic;

  Attributes content = person("g");
  for (auto& [attribute, values] : content)
    if (attribute == "cn") values = eight;
  EXPECT_EQ(world.add("uid=g," + kPeople, content), 11);
  for (auto& [attribute, values] : content)
    if (attribute == "cn") values = five;
  EXPECT_EQ(world.add("uid=g," + kPeople, content), 0) << world.last().diagnostic;
  EXPECT_EQ(world.verify_text(), "");
}

// Short random values: each of them has few trigrams, all of them together nearly all that there
// are.
Values random_words(std::size_t count, std::size_t size, std::string_view letters) {
  Values out(count);
  SeededRandom random(4);
  for (std::string& value : out)
    for (std::size_t i = 0; i < size; ++i) value += letters[random.next_u64() % letters.size()];
  return out;
}

// What was refused before: a group of 8,000 random logins, an entry with 5,000 random names.
TEST_F(WriteCost, ManyValuesBringMoreTrigrams) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const std::uint64_t before = limits::counted(limits::Counter::kNewGrams);
  EXPECT_EQ(world.modify(kA, {added("cn", random_words(8000, 8, kLetters))}), 0)
      << world.last().diagnostic;
  Attributes content = person("g");
  for (auto& [attribute, values] : content)
    if (attribute == "cn") values = random_words(5000, 20, kLetters);
  EXPECT_EQ(world.add("uid=g," + kPeople, content), 0) << world.last().diagnostic;
  EXPECT_EQ(limits::counted(limits::Counter::kNewGrams), before);
  EXPECT_EQ(world.verify_text(), "");

  // Some 270,000.
  const std::string letters = std::string(kLetters) + R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";
  EXPECT_EQ(world.modify(kA, {added("cn", random_words(30'000, 30, letters))}), 11);
  EXPECT_NE(world.last().diagnostic.find("250000 in all"), std::string::npos)
      << world.last().diagnostic;
  EXPECT_EQ(limits::counted(limits::Counter::kNewGrams), before + 1);
}

// A trigram that only the deleted value had is looked for in all others, which costs a look at
// each and not the keys of each.
TEST_F(WriteCost, OneOfManyValuesWithTrigramsOfItsOwnGoesAway) {
  Values values;
  for (int i = 0; i < 3000; ++i) values.push_back("value " + std::to_string(i));
  values.emplace_back("qzx");
  values.emplace_back("qzxy");
  ASSERT_EQ(world.modify(kA, {added("cn", values)}), 0);
  ASSERT_EQ(world.modify(kA, {deleted("cn", {"qzxy"})}), 0);
  EXPECT_EQ(world.verify_text(), "");
  ASSERT_EQ(world.modify(kA, {deleted("cn", {"qzx"})}), 0);
  EXPECT_EQ(world.verify_text(), "");
}

}  // namespace
}  // namespace kauri::backend
