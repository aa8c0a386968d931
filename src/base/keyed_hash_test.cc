#include "base/keyed_hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/testing/colliding.h"

namespace kauri {
namespace {

TEST(KeyedHash, TellsShortStringsApart) {
  SeededRandom random(1);
  const KeyedHash hash(random);
  std::unordered_set<std::size_t> seen;
  for (std::size_t size = 0; size < 64; ++size) {
    EXPECT_TRUE(seen.insert(hash(std::string(size, '\0'))).second) << size;
    EXPECT_TRUE(seen.insert(hash(std::string(size, 'a') + '\1')).second) << size;
  }
}

TEST(KeyedHash, DependsOnTheKey) {
  SeededRandom random(1);
  EXPECT_NE(KeyedHash(random)("value"), KeyedHash(random)("value"));
  EXPECT_EQ(KeyedHash()("value"), KeyedHash()("value"));
}

TEST(KeyedHash, StringsThatCollideInTheStandardHashDoNotHere) {
  const std::vector<std::string> strings = testing::colliding_strings(1024);
  std::unordered_set<std::size_t> standard;
  std::unordered_set<std::size_t> keyed;
  for (const std::string& text : strings) {
    standard.insert(std::hash<std::string>()(text));
    keyed.insert(KeyedHash()(text));
  }
  EXPECT_EQ(standard.size(), 1U) << "they would prove nothing";
  EXPECT_EQ(keyed.size(), strings.size());
}

}  // namespace
}  // namespace kauri
