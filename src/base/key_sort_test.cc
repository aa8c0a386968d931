#include "base/key_sort.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace kauri {
namespace {

// Keys of all lengths from few octets, so that many are equal, or the beginning of another, or
// differ in zeros at their end alone.
std::vector<std::string> random_keys(Random& random, std::size_t count) {
  constexpr std::string_view kOctets(
      "\0\0\x01"
      "a\x7f\x80\xff",
      7);
  static const std::vector<std::string> kStarts = {
      "", "a", "uid=user", std::string(9, '\0'), std::string(40, 'x'), std::string(300, '\xff')};
  std::vector<std::string> keys;
  while (keys.size() < count) {
    std::string key = kStarts[random.next_u64() % kStarts.size()];
    for (std::size_t left = random.next_u64() % 20; left != 0; --left)
      key += kOctets[random.next_u64() % kOctets.size()];
    keys.push_back(std::move(key));
  }
  return keys;
}

TEST(KeySort, SortsAsComparisonDoes) {
  SeededRandom random(20);
  for (std::size_t count = 0; count < 400; ++count) {
    std::vector<std::string> keys = random_keys(random, count);
    std::vector<std::string> expected = keys;
    std::sort(expected.begin(), expected.end());
    sort_keys(keys);
    ASSERT_EQ(keys, expected) << count;
  }
  std::vector<std::string> many = random_keys(random, 50'000);
  std::vector<std::string> expected = many;
  std::sort(expected.begin(), expected.end());
  sort_keys(many);
  EXPECT_EQ(many, expected);
}

TEST(KeySort, KeepsElementsWithTheirKeys) {
  SeededRandom random(21);
  struct Element {
    std::string key;
    std::string same;
  };
  std::vector<Element> elements;
  for (const std::string& key : random_keys(random, 1000)) elements.push_back({key, key});
  sort_by_key(elements, [](const Element& element) -> std::string_view { return element.key; });
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(elements[i].key, elements[i].same);
    if (i == 0) continue;
    EXPECT_LE(elements[i - 1].key, elements[i].key);
  }
}

// What all share is passed once, and equal keys do not lead into each other.
TEST(KeySort, EqualKeysOfAnyLengthEnd) {
  for (const std::size_t size : {0U, 7U, 8U, 9U, 16U, 511U, 100'000U}) {
    std::vector<std::string> keys(100, std::string(size, '\0'));
    keys.emplace_back(size + 1, '\0');
    keys.insert(keys.begin(), std::string(size + 2, '\0'));
    sort_keys(keys);
    ASSERT_EQ(keys.size(), 102U);
    EXPECT_EQ(keys[100].size(), size + 1);
    EXPECT_EQ(keys[101].size(), size + 2);
  }
}

}  // namespace
}  // namespace kauri
