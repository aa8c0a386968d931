#include "toolkit/operation_source.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace kauri::toolkit {
namespace {

Mix::Part part(WorkloadKind kind, std::uint32_t weight, std::uint64_t high = 999,
               Order order = Order::kRandom) {
  return {*make_workload({.kind = kind, .high = high, .order = order}), weight};
}

TEST(OperationSource, KindsComeByTheirWeights) {
  Mix mix;
  mix.parts = {part(WorkloadKind::kSearch, 70), part(WorkloadKind::kModify, 25),
               part(WorkloadKind::kCompare, 5)};
  OperationSource source(mix, 1, 0, 1);
  std::map<std::uint32_t, unsigned> seen;
  for (int i = 0; i < 100'000; ++i) ++seen[source.next()->part];
  EXPECT_NEAR(seen[0], 70'000, 1000);
  EXPECT_NEAR(seen[1], 25'000, 1000);
  EXPECT_NEAR(seen[2], 5'000, 500);
}

TEST(OperationSource, ASeedRepeatsEverything) {
  Mix mix;
  mix.parts = {part(WorkloadKind::kSearch, 1), part(WorkloadKind::kModify, 1)};
  OperationSource one(mix, 7, 1, 2);
  OperationSource other(mix, 7, 1, 2);
  OperationSource third(mix, 8, 1, 2);
  unsigned same = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto first = *one.next();
    const auto second = *other.next();
    EXPECT_EQ(first.part, second.part);
    EXPECT_EQ(first.number, second.number);
    same += first.number == third.next()->number ? 1 : 0;
  }
  EXPECT_LT(same, 50U);
}

TEST(OperationSource, RenamedEntriesGetTheirNamesBack) {
  const Mix mix = mix_of(
      *make_workload({.kind = WorkloadKind::kModrdn, .high = 99, .order = Order::kSequential}));
  OperationSource source(mix, 1, 0, 1);
  const auto first = *source.next();
  const auto second = *source.next();  // before the first answer
  EXPECT_FALSE(first.back);
  EXPECT_FALSE(second.back);
  EXPECT_NE(first.number, second.number);
  source.succeeded(second);
  source.succeeded(first);
  EXPECT_EQ(source.renamed(), 2U);
  const auto third = *source.next();
  EXPECT_TRUE(third.back);
  EXPECT_EQ(third.number, second.number);
  source.succeeded(third);
  const auto fourth = source.next_back();
  ASSERT_TRUE(fourth);
  EXPECT_TRUE(fourth->back);
  EXPECT_EQ(fourth->number, first.number);
  EXPECT_FALSE(source.next_back());
  EXPECT_EQ(source.renamed(), 0U);
}

// A server that leaves one request waiting while it answers all others must not be asked about that
// entry again.
TEST(OperationSource, AnEntryWithoutAnAnswerIsNotTakenAgain) {
  const Mix mix = mix_of(
      *make_workload({.kind = WorkloadKind::kModrdn, .high = 9, .order = Order::kSequential}));
  OperationSource source(mix, 1, 0, 1);
  const auto waits = *source.next();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const auto other = *source.next();
    EXPECT_NE(other.number, waits.number) << i;
    seen.insert(other.number);
    source.succeeded(other);
  }
  EXPECT_EQ(seen.size(), 9U);
  source.succeeded(waits);
  const auto back = *source.next();
  EXPECT_TRUE(back.back);
  EXPECT_EQ(back.number, waits.number);
  source.succeeded(back);
  seen.clear();
  for (int i = 0; i < 20; ++i) {
    const auto any = *source.next();
    seen.insert(any.number);
    source.succeeded(any);
  }
  EXPECT_TRUE(seen.contains(waits.number));
  // When none has had its answer, the test goes on all the same.
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(source.next());
}

TEST(OperationSource, KeptNamesAreNotGivenBack) {
  const Mix mix = mix_of(*make_workload(
      {.kind = WorkloadKind::kModrdn, .high = 1, .order = Order::kOnce, .keep_name = true}));
  OperationSource source(mix, 1, 0, 1);
  for (int i = 0; i < 2; ++i) source.succeeded(*source.next());
  EXPECT_FALSE(source.next());
  EXPECT_FALSE(source.next_back());
  EXPECT_EQ(source.next_number(0), 2U);
}

TEST(OperationSource, DeletesRemoveWhatWasAddedOldestFirst) {
  Mix mix;
  mix.parts = {part(WorkloadKind::kAdd, 1, 999'999, Order::kOnce),
               part(WorkloadKind::kDelete, 1, 999'999, Order::kOnce)};
  OperationSource source(mix, 3, 0, 1);
  std::set<std::uint64_t> there;
  std::uint64_t removed = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto operation = *source.next();
    if (operation.part == 0) {
      EXPECT_TRUE(there.insert(operation.number).second);
    } else {
      ASSERT_TRUE(there.contains(operation.number));
      EXPECT_EQ(operation.number, *there.begin());
      there.erase(operation.number);
      ++removed;
    }
    source.succeeded(operation);
  }
  EXPECT_GT(removed, 4000U);
}

TEST(OperationSource, DeletesWithoutAddsTakeTheirOwnNumbers) {
  const Mix mix =
      mix_of(*make_workload({.kind = WorkloadKind::kDelete, .high = 2, .order = Order::kOnce}));
  OperationSource source(mix, 1, 0, 1);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(source.next()->number, i);
  EXPECT_FALSE(source.next());
}

}  // namespace
}  // namespace kauri::toolkit
