// CompletionQueue: carries what finished on other threads (commits, password hashes) back to a
// worker. However many finish before the worker looks, it is woken once.
//
// Thread safety: thread-safe. One queue for each worker, shared by whatever may still complete.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "operation/service.h"

namespace kauri::operation {

class SessionImpl;

class CompletionQueue : public std::enable_shared_from_this<CompletionQueue> {
 public:
  // Runs on the session's worker thread.
  using Job = std::function<void(SessionImpl&)>;

  // RETURNS: false when the session is gone; `job` is dropped then. THREADS: any.
  bool push(const std::weak_ptr<SessionImpl>& session, Executor& executor, Job job);
  // A session that is being destroyed calls this first, so that no push() still uses its executor.
  void wait_for_push() { const std::lock_guard lock(mutex_); }

 private:
  struct Item {
    std::weak_ptr<SessionImpl> session;
    Job job;
  };
  void drain();

  std::mutex mutex_;
  std::vector<Item> items_;  // guarded by mutex_
  bool posted_ = false;      // guarded by mutex_; a drain() is on its way
};

// Everything that a completion needs to find its session again. Thread safety: immutable, copied
// freely.
struct SessionHandle {
  std::weak_ptr<SessionImpl> session;
  Executor* executor = nullptr;
  std::shared_ptr<CompletionQueue> queue;

  bool run(CompletionQueue::Job job) const {
    return queue->push(session, *executor, std::move(job));
  }
};

}  // namespace kauri::operation
