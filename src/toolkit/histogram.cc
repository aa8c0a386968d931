#include "toolkit/histogram.h"

#include <cmath>

namespace kauri::toolkit {

std::uint64_t Histogram::upper_end(std::size_t bucket) {
  if (bucket < 2 * kHalf) return bucket;
  const std::size_t shift = bucket / kHalf - 1;
  const std::uint64_t mantissa = kHalf + bucket % kHalf;
  return (mantissa << shift) + ((std::uint64_t{1} << shift) - 1);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
}

void Histogram::clear() {
  *this = Histogram();
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t Histogram::at_quantile(double quantile) const {
  if (count_ == 0) return 0;
  const double wanted = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::clamp(upper_end(i), minimum_, maximum_);
  }
  return maximum_;
}

}  // namespace kauri::toolkit
