#include "index/id_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "base/random.h"
#include "index/posting_format.h"

namespace kauri::index {
namespace {

using Model = std::set<std::uint64_t>;

Model to_model(const IdSet& set) {
  Model model;
  for (auto id = set.at_or_after(EntryId(0)); id; id = set.at_or_after(EntryId(id->value() + 1))) {
    model.insert(id->value());
    if (id->value() == UINT64_MAX) break;
  }
  return model;
}

// Ids near each other, near the borders of 2^32 and of blocks, and far apart.
std::uint64_t some_id(SeededRandom& random) {
  switch (random.next_u64() % 4) {
    case 0:
      return random.next_u64() % 20;
    case 1:
      return random.next_u64() % 30000;
    case 2:
      return (std::uint64_t{1} << 32U) - 10 + random.next_u64() % 20;
    default:
      return (random.next_u64() % 5) << 32U | random.next_u64() % 100;
  }
}

void fill(SeededRandom& random, IdSet& set, Model& model) {
  const std::size_t count = random.next_u64() % (random.next_u64() % 2 == 0 ? 12 : 400);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t id = some_id(random);
    if (random.next_u64() % 30 == 0) {
      const std::uint64_t last = id + random.next_u64() % 50;
      set.add_range(EntryId(id), EntryId(last));
      for (std::uint64_t each = id; each <= last; ++each) model.insert(each);
      continue;
    }
    set.add(EntryId(id));
    model.insert(id);
  }
}

Model combine(const Model& a, const Model& b, int operation) {
  Model out;
  auto into = std::inserter(out, out.end());
  if (operation == 0) std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), into);
  if (operation == 1) std::set_union(a.begin(), a.end(), b.begin(), b.end(), into);
  if (operation == 2) std::set_difference(a.begin(), a.end(), b.begin(), b.end(), into);
  return out;
}

TEST(IdSet, AgreesWithAStandardSet) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    IdSet a;
    IdSet b;
    Model model_a;
    Model model_b;
    fill(random, a, model_a);
    fill(random, b, model_b);
    for (int step = 0; step < 4; ++step) {
      const int operation = static_cast<int>(random.next_u64() % 3);
      const Model expected = combine(model_a, model_b, operation);
      IdSet result = a;
      if (operation == 0) result &= b;
      if (operation == 1) result |= b;
      if (operation == 2) result -= b;
      ASSERT_EQ(to_model(result), expected);
      ASSERT_EQ(result.size(), expected.size());
      ASSERT_EQ(result.empty(), expected.empty());
      IdSet rebuilt;
      for (const std::uint64_t id : expected) rebuilt.add(EntryId(id));
      ASSERT_TRUE(result == rebuilt);
      for (int probe = 0; probe < 20; ++probe) {
        const std::uint64_t id = some_id(random);
        ASSERT_EQ(result.contains(EntryId(id)), expected.contains(id)) << id;
      }
      a = std::move(result);
      model_a = expected;
    }
  }
}

TEST(IdSet, CombinesWithItself) {
  IdSet set;
  set.add_range(EntryId(1), EntryId(100));
  set &= set;
  set |= set;
  EXPECT_EQ(set.size(), 100U);
  set -= set;
  EXPECT_TRUE(set.empty());
}

TEST(IdSet, MovedAndClearedSetsAreEmpty) {
  IdSet set;
  set.add_range(EntryId(1), EntryId(100));
  IdSet other = std::move(set);
  EXPECT_EQ(other.size(), 100U);
  EXPECT_TRUE(set.empty());  // NOLINT(bugprone-use-after-move): the state is promised
  other.clear();
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(other.at_or_after(EntryId(0)), std::nullopt);
}

TEST(IdSet, AddsSortedIds) {
  for (const std::uint64_t step : {1ULL, 1000ULL, 1ULL << 30U}) {
    for (const std::size_t count : {0U, 1U, 8U, 9U, 500U}) {
      std::vector<std::uint64_t> ids;
      IdSet expected = IdSet::single(EntryId(5));
      for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(3 + i * step);
        expected.add(EntryId(ids.back()));
      }
      IdSet set = IdSet::single(EntryId(5));
      set.add_sorted(ids);
      EXPECT_TRUE(set == expected) << step << " " << count;
    }
  }
}

TEST(IdSet, AddsBlocks) {
  for (const std::size_t count : {1U, 8U, 9U, 512U, 513U, 8191U, 8192U}) {
    SCOPED_TRACE(count);
    std::vector<std::uint16_t> offsets;
    for (std::size_t i = 0; i < count; ++i)
      offsets.push_back(static_cast<std::uint16_t>(i * (kBlockIds / count)));
    const std::string payload = encode_block(offsets.data(), offsets.size());
    IdSet set;
    set.add_block(3, payload);
    set.add_block(3, payload);
    EXPECT_EQ(set.size(), count);
    for (const std::uint16_t offset : offsets)
      ASSERT_TRUE(set.contains(EntryId(3 * kBlockIds + offset)));
    IdSet one_by_one;
    for (const std::uint16_t offset : offsets) one_by_one.add(EntryId(3 * kBlockIds + offset));
    EXPECT_TRUE(set == one_by_one);
  }
}

}  // namespace
}  // namespace kauri::index
