// OperationSource: what one thread of a load test does next: which kind of operation, about which
// number.
//
// Kinds are drawn at random by their weights, and each kind has its own numbers. Two kinds keep a
// queue, so that a test may run as long as it likes and every answer can be right: modrdn gives
// each entry that it has renamed its old name again, and in a mix with adds, deletes remove what
// these have added, oldest first (while there is nothing to remove, an add takes the place of a
// delete). An entry that is being renamed is not taken again before its answers are there. But for
// these, the steady state allocates nothing. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/random.h"
#include "toolkit/number_source.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

struct NextOperation {
  std::uint32_t part = 0;  // of the mix
  bool back = false;       // a renaming back
  std::uint64_t number = 0;
};

class OperationSource {
 public:
  // `mix` must outlive it. Thread `index` of `stride` threads.
  OperationSource(const Mix& mix, std::uint64_t seed, unsigned index, unsigned stride);

  // Nothing when the numbers of the kind that was drawn are used up.
  std::optional<NextOperation> next();
  // The part whose numbers were used up when next() gave nothing.
  std::size_t used_up() const { return used_up_; }
  // Renamings back that are still due when the test is over.
  std::optional<NextOperation> next_back();
  // The answer to that operation was right.
  void succeeded(const NextOperation& operation);

  // Entries that have their new name and wait for the old one.
  std::uint64_t renamed() const { return renamed_.size(); }
  // The least number of this part that no operation of this thread has taken (Order::kOnce).
  std::uint64_t next_number(std::size_t part) const { return numbers_[part].position(); }

 private:
  // First in, first out, without an allocation for each number.
  class Queue {
   public:
    bool empty() const { return head_ == numbers_.size(); }
    std::size_t size() const { return numbers_.size() - head_; }
    void push(std::uint64_t number);
    std::uint64_t pop() { return numbers_[head_++]; }

   private:
    std::vector<std::uint64_t> numbers_;
    std::size_t head_ = 0;
  };

  std::uint32_t draw();
  std::uint64_t at_home(std::uint32_t part, std::uint64_t number);

  const Mix& mix_;
  std::deque<NumberSource> numbers_;          // by part; they cannot be moved
  std::vector<std::uint64_t> weights_up_to_;  // of the parts up to this one
  SeededRandom random_;
  Queue renamed_;
  std::unordered_set<std::uint64_t> away_;  // from the first request to the answer to the second
  Queue added_;
  std::optional<std::uint32_t> add_part_;  // when deletes remove what it adds
  std::optional<std::uint32_t> modrdn_part_;
  std::size_t used_up_ = 0;
};

}  // namespace kauri::toolkit
