#include "operation/worker.h"

#include "operation/search_task.h"
#include "operation/service_impl.h"

namespace kauri::operation {

Worker::Worker() = default;
Worker::~Worker() = default;

Result<std::unique_ptr<Worker>> Worker::make(ServiceImpl& service) {
  std::unique_ptr<Worker> worker(new Worker());
  for (std::size_t i = 0; i < service.database_count(); ++i) {
    KAURI_TRY(auto read, service.database(i).read_session());
    worker->reads_.push_back(std::move(read));
  }
  return worker;
}

std::unique_ptr<SearchTask> Worker::take_task() {
  if (idle_tasks_.empty()) return std::make_unique<SearchTask>();
  std::unique_ptr<SearchTask> task = std::move(idle_tasks_.back());
  idle_tasks_.pop_back();
  return task;
}

void Worker::give_back(std::unique_ptr<SearchTask> task) {
  if (idle_tasks_.size() >= kIdleTasksMax || task->memory() > kIdleTaskMemoryMax) return;
  task->reset();
  idle_tasks_.push_back(std::move(task));
}

void Worker::forget_request() {
  message = {};
  bind = {};
  search = {};
  modify = {};
  add = {};
  modify_dn = {};
  compare = {};
  extended = {};
  record = {};
}

KnownBase* Worker::known_base(std::string_view text) {
  const auto found = bases_.find(text);
  return found == bases_.end() ? nullptr : &found->second;
}

KnownBase* Worker::remember_base(std::string_view text, Name name, std::size_t database) {
  KnownBase base{std::move(name), database, EntryId(), 0};
  if (text.size() > kKnownBaseTextMax) {
    unremembered_ = std::move(base);
    return &unremembered_;
  }
  // Searches use few bases; when they are many, starting over costs less than keeping an order.
  if (bases_.size() >= kKnownBasesMax) bases_.clear();
  return &(bases_[std::string(text)] = std::move(base));
}

}  // namespace kauri::operation
