#include "toolkit/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace kauri::toolkit {
namespace {

TEST(Histogram, EmptyAnswersZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.minimum(), 0U);
  EXPECT_EQ(histogram.maximum(), 0U);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.at_quantile(0.5), 0U);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.at_quantile(0), 1U);
  EXPECT_EQ(histogram.at_quantile(0.5), 50U);
  EXPECT_EQ(histogram.at_quantile(0.99), 99U);
  EXPECT_EQ(histogram.at_quantile(0.991), 100U);
  EXPECT_EQ(histogram.at_quantile(1), 100U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
}

TEST(Histogram, OneValueIsEveryQuantile) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{255}, std::uint64_t{256},
                                    std::uint64_t{1'234'567'891}, ~std::uint64_t{0}}) {
    Histogram histogram;
    histogram.record(value);
    EXPECT_EQ(histogram.at_quantile(0), value);
    EXPECT_EQ(histogram.at_quantile(0.999), value);
    EXPECT_EQ(histogram.minimum(), value);
    EXPECT_EQ(histogram.maximum(), value);
  }
}

// Both neighbours of every power of two: the answer is never below the value, and within 1/128.
TEST(Histogram, BucketsMeetAtPowersOfTwo) {
  for (unsigned bit = 1; bit < 63; ++bit) {
    for (const std::int64_t delta : {-1, 0, 1}) {
      const auto value =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(std::uint64_t{1} << bit) + delta);
      Histogram histogram;
      histogram.record(value);
      histogram.record(~std::uint64_t{0});
      const std::uint64_t answer = histogram.at_quantile(0.5);
      EXPECT_GE(answer, value);
      EXPECT_LE(answer - value, value / 128) << "2^" << bit << " + " << delta;
    }
  }
}

TEST(Histogram, QuantilesAgreeWithASortedVector) {
  SeededRandom random(7);
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random.next_u64() >> (random.next_u64() % 60);
    values.push_back(value);
    histogram.record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double quantile : {0.01, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(quantile * 20'000));
    const std::uint64_t truth = values[rank - 1];
    EXPECT_GE(histogram.at_quantile(quantile), truth);
    EXPECT_LE(histogram.at_quantile(quantile), truth + truth / 128) << quantile;
  }
}

TEST(Histogram, MergeIsTheSameAsRecordingAll) {
  SeededRandom random(11);
  Histogram one;
  Histogram other;
  Histogram all;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = random.next_u64() % 1'000'000'000;
    (i % 3 == 0 ? one : other).record(value);
    all.record(value);
  }
  one.merge(other);
  EXPECT_EQ(one.count(), all.count());
  EXPECT_EQ(one.minimum(), all.minimum());
  EXPECT_EQ(one.maximum(), all.maximum());
  EXPECT_NEAR(one.mean(), all.mean(), 1.0);
  for (const double quantile : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    EXPECT_EQ(one.at_quantile(quantile), all.at_quantile(quantile));
  }
  one.clear();
  EXPECT_EQ(one.count(), 0U);
}

}  // namespace
}  // namespace kauri::toolkit
