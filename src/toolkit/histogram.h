// Histogram: counts of durations in log-linear buckets, for latencies.
//
// Values are nanoseconds (any non-negative unit works). Below 256 every value has its own bucket;
// above, each power of two is cut into 128, so a quantile is at most 0.8 % above the true value and
// never below it. minimum, maximum and mean are exact. One histogram takes 58 KiB and record()
// allocates nothing; histograms of several threads are merged. Thread safety: thread-compatible.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kauri::toolkit {

class Histogram {
 public:
  void record(std::uint64_t value, std::uint64_t times = 1) {
    counts_[bucket_of(value)] += times;
    count_ += times;
    sum_ += static_cast<double>(value) * static_cast<double>(times);
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
  }
  void merge(const Histogram& other);
  void clear();

  std::uint64_t count() const { return count_; }
  // 0 while nothing is recorded, as the next three.
  std::uint64_t minimum() const { return count_ == 0 ? 0 : minimum_; }
  std::uint64_t maximum() const { return maximum_; }
  double mean() const;
  // The value below or at which the share `quantile` (0 to 1, clamped) of all values lies: the
  // upper end of its bucket, never above the maximum.
  std::uint64_t at_quantile(double quantile) const;

 private:
  static constexpr unsigned kLinearBits = 8;  // values below 2^8 are exact
  static constexpr std::size_t kHalf = std::size_t{1} << (kLinearBits - 1);
  static constexpr std::size_t kBuckets = (64 - kLinearBits + 2) * kHalf;

  static std::size_t bucket_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= kLinearBits) return static_cast<std::size_t>(value);
    const unsigned shift = width - kLinearBits;
    return shift * kHalf + static_cast<std::size_t>(value >> shift);
  }
  // The largest value that bucket_of() puts into `bucket`.
  static std::uint64_t upper_end(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::uint64_t minimum_ = ~std::uint64_t{0};
  std::uint64_t maximum_ = 0;
};

}  // namespace kauri::toolkit
