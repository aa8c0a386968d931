// Gate: work on other threads holds a pass while it may touch the service; the service's end waits
// until all are given back. Internal to operation/. Thread safety: thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace kauri::operation {

class Gate {
 public:
  // Given back when the last copy goes.
  using Pass = std::shared_ptr<void>;

  Pass pass() {
    {
      const std::lock_guard lock(mutex_);
      ++inside_;
    }
    return {this, [](void* gate) { static_cast<Gate*>(gate)->leave(); }};
  }
  void wait_until_empty() {
    std::unique_lock lock(mutex_);
    empty_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  void leave() {
    // Told under the lock: the gate may go as soon as the waiter has it.
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) empty_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t inside_ = 0;  // guarded by mutex_
};

}  // namespace kauri::operation
