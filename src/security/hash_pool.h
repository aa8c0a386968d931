// HashPool: threads that do slow password work, with a bounded queue, so that logins cannot starve
// searches. Thread safety: thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/limits.h"

namespace kauri::security {

class HashPool {
 public:
  explicit HashPool(unsigned threads, std::size_t queue_max = limits::kHashQueueMax);
  ~HashPool();  // finishes what runs, drops what waits without running it
  HashPool(const HashPool&) = delete;
  HashPool& operator=(const HashPool&) = delete;

  // Runs `job` on a thread of the pool. False when the queue is full (answer `busy`).
  bool submit(std::function<void()> job);
  std::size_t queue_length() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kauri::security
