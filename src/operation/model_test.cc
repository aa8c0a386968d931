// The directory and a plain model of it answer random sequences of operations alike: every kind of
// write, comparisons, searches, binds, as the administrator and as others, with values that leave
// their entry's record and with restarts in between. KAURI_DUELS sets how many sequences are
// played, KAURI_DUEL_STEPS how long they are, KAURI_SEED repeats a failure.
#include <gtest/gtest.h>

#include <cstdlib>

#include "operation/testing/model_duel.h"

namespace kauri::operation::testing {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Model, DirectoryAnswersAsTheModelDoes) {
  DuelOptions options;
  options.steps_max = from_environment("KAURI_DUEL_STEPS", 150);
  const std::uint64_t duels = from_environment("KAURI_DUELS", 40);
  const std::uint64_t first = from_environment("KAURI_SEED", 1);
  DuelResult sum;
  for (std::uint64_t seed = first; seed < first + duels; ++seed) {
    SeededChoices choices(seed);
    const DuelResult one = run_duel(choices, options);
    ASSERT_EQ(one.difference, "") << "KAURI_SEED=" << seed;
    sum.steps += one.steps;
    sum.changes += one.changes;
    sum.refusals += one.refusals;
    sum.found += one.found;
  }
  // What only ever fails, or never does, would show little.
  EXPECT_GT(sum.changes, sum.steps / 8);
  EXPECT_GT(sum.refusals, sum.steps / 20);
  EXPECT_GT(sum.found, sum.steps / 20);
  RecordProperty("steps", std::to_string(sum.steps));
  RecordProperty("changes", std::to_string(sum.changes));
}

}  // namespace
}  // namespace kauri::operation::testing
