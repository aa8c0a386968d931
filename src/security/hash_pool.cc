#include "security/hash_pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kauri::security {

struct HashPool::State {
  std::size_t queue_max = 0;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;  // guarded by mutex
  bool ending = false;                        // guarded by mutex
  std::vector<std::thread> threads;           // confined to constructor and destructor

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ending || !waiting.empty(); });
      if (ending) return;
      std::function<void()> job = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      job();
      // What the job holds (a connection, a password) ends here, not under the lock.
      job = nullptr;
      lock.lock();
    }
  }
};

HashPool::HashPool(unsigned threads, std::size_t queue_max) : state_(std::make_unique<State>()) {
  state_->queue_max = queue_max;
  const unsigned count = threads == 0 ? 1 : threads;
  state_->threads.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->run(); });
  }
}

HashPool::~HashPool() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
    dropped.swap(state_->waiting);
  }
  state_->changed.notify_all();
  dropped.clear();
  for (std::thread& thread : state_->threads) thread.join();
}

bool HashPool::submit(std::function<void()> job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->ending || state_->waiting.size() >= state_->queue_max) return false;
    state_->waiting.push_back(std::move(job));
  }
  state_->changed.notify_one();
  return true;
}

std::size_t HashPool::queue_length() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting.size();
}

}  // namespace kauri::security
