#include "operation/completion_queue.h"

#include <algorithm>
#include <utility>

#include "operation/session_impl.h"

namespace kauri::operation {

bool CompletionQueue::push(const std::weak_ptr<SessionImpl>& session, Executor& executor, Job job) {
  // The executor is touched under the lock only while the session lives: its destructor waits for
  // this lock, and the executor outlives it.
  const std::lock_guard lock(mutex_);
  if (session.expired()) return false;
  items_.push_back({session, std::move(job)});
  if (!posted_) {
    posted_ = true;
    executor.post([self = shared_from_this()] { self->drain(); });
  }
  return true;
}

void CompletionQueue::drain() {
  std::vector<Item> items;
  {
    const std::lock_guard lock(mutex_);
    posted_ = false;
    items.swap(items_);
  }
  std::vector<std::shared_ptr<SessionImpl>> touched;
  for (Item& item : items) {
    std::shared_ptr<SessionImpl> session = item.session.lock();
    if (session == nullptr) continue;
    item.job(*session);
    if (std::find(touched.begin(), touched.end(), session) == touched.end()) {
      touched.push_back(std::move(session));
    }
  }
  for (const auto& session : touched) session->completions_drained();
}

}  // namespace kauri::operation
