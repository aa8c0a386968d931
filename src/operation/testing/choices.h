// Choices: where a random test takes its decisions from: a seed, or the octets of a fuzzer's input.
// Thread safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/random.h"

namespace kauri::operation::testing {

class Choices {
 public:
  virtual ~Choices() = default;
  // A number in [0, limit). REQUIRES: 0 < limit.
  virtual std::uint64_t below(std::uint64_t limit) = 0;
  // True when nothing is left to decide by.
  virtual bool ended() const = 0;

  bool chance(unsigned percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
};

class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) override { return random_.next_u64() % limit; }
  bool ended() const override { return false; }

 private:
  SeededRandom random_;
};

// One octet a decision, two where it has more outcomes; 0 when the octets are used up.
class OctetChoices final : public Choices {
 public:
  explicit OctetChoices(std::string_view octets) : octets_(octets) {}
  std::uint64_t below(std::uint64_t limit) override {
    std::uint64_t number = next();
    if (limit > 256) number = number << 8U | next();
    return number % limit;
  }
  bool ended() const override { return at_ >= octets_.size(); }

 private:
  std::uint64_t next() {
    return at_ < octets_.size() ? static_cast<unsigned char>(octets_[at_++]) : 0;
  }
  std::string_view octets_;
  std::size_t at_ = 0;
};

}  // namespace kauri::operation::testing
