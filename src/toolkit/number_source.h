// NumberSource: which entry each operation of one thread is about.
//
// Threads of a run share a range without talking: thread `index` of `stride` threads takes every
// stride-th number of a sequence, or its own stream of random ones. Thread safety:
// thread-compatible.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"

namespace kauri::toolkit {

enum class Order : std::uint8_t {
  kRandom,      // uniform, with repetitions
  kSequential,  // ascending, from the start again at the end
  kOnce,        // ascending, each number once
};

class NumberSource {
 public:
  struct Options {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  // at least low
    Order order = Order::kRandom;
    std::uint64_t seed = 1;
    unsigned index = 0;
    unsigned stride = 1;
  };
  explicit NumberSource(const Options& options)
      : options_(options),
        random_(options.seed * 0x9E3779B97F4A7C15U + options.index),
        next_(options.low + options.index) {}

  // Nothing when every number was taken (kOnce).
  std::optional<std::uint64_t> next() {
    const std::uint64_t size = options_.high - options_.low + 1;
    // The bias of the remainder is below 2^-24 for ranges of up to 2^40 numbers.
    if (options_.order == Order::kRandom) return options_.low + random_.next_u64() % size;
    if (next_ > options_.high) {
      if (options_.order == Order::kOnce) return std::nullopt;
      next_ = options_.low + (next_ - options_.low) % size;
    }
    const std::uint64_t number = next_;
    next_ += options_.stride;
    return number;
  }

  // The number that a sequence takes next.
  std::uint64_t position() const { return next_; }

 private:
  Options options_;
  SeededRandom random_;
  std::uint64_t next_;
};

}  // namespace kauri::toolkit
