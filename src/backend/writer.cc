#include "backend/writer.h"

#include <pthread.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "base/planted_fault.h"

namespace kauri::backend {
namespace {

using ldap::ResultCode;

// What a client is told of a failure of ours: nothing of paths and keys, which the log gets.
WriteOutcome failed(const Error& error, bool in_commit) {
  const auto outcome = [&error](ResultCode code, const char* why) {
    WriteOutcome out = refused(code, std::string("nothing was changed: ") + why);
    out.failure = error;
    return out;
  };
  switch (error.code()) {
    case ErrorCode::kNoSpace:
      return outcome(ResultCode::kUnwillingToPerform, "the server's disk is full");
    case ErrorCode::kBusy:
      return outcome(ResultCode::kBusy, "the server's storage is busy; try again");
    case ErrorCode::kLimit:
      return outcome(ResultCode::kAdminLimitExceeded,
                     "the server's storage has reached a limit; its log has the details");
    default:
      if (!in_commit)
        return outcome(ResultCode::kOther, "the server's storage failed; its log has the details");
      break;
  }
  // A flush that failed may have done its work all the same: the next start will tell.
  WriteOutcome out = refused(ResultCode::kOther,
                             "it is not known whether the change was made: the server's storage "
                             "failed while it was written; its log has the details");
  out.failure = error;
  return out;
}

Result<WriteOutcome> apply(WriteContext& context, const WriteRequest& request) {
  query::Authorizer& who = *request.authorizer;
  if (const auto* add = std::get_if<AddOperation>(&request.operation))
    return apply_add(context, *add, who);
  if (const auto* erase = std::get_if<DeleteOperation>(&request.operation))
    return apply_delete(context, *erase, who);
  if (const auto* modify = std::get_if<ModifyOperationRequest>(&request.operation))
    return apply_modify(context, *modify, who);
  return apply_modify_dn(context, std::get<ModifyDnOperation>(request.operation), who);
}

}  // namespace

Writer::Writer(Core& core, BatchState state)
    : core_(core), csns_(*core.clock, 0), state_(std::move(state)), context_csn_(state_.last_csn) {
  if (const std::optional<Csn> last = parse_csn(state_.last_csn)) csns_.observe(*last);
}

void Writer::start() {
  const std::lock_guard join_lock(join_mutex_);
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  thread_ = std::thread([this] {
    (void)::pthread_setname_np(::pthread_self(), "kauri-writer");
    run();
  });
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  const std::lock_guard join_lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

Database::Submitted Writer::submit(std::unique_ptr<WriteRequest>& request) {
  KAURI_ASSERT(request != nullptr && request->authorizer != nullptr);
  {
    const std::lock_guard lock(mutex_);
    if (!running_ || stopping_) return Database::Submitted::kStopped;
    if (queue_.size() >= limits::kWriteQueueMax || queue_octets_ > limits::kWriteQueueBytesMax) {
      limits::count(limits::Counter::kWriteQueue);
      return Database::Submitted::kQueueFull;
    }
    queue_octets_ += request->size_bytes;
    queue_.push_back(std::move(request));
  }
  wake_.notify_one();
  return Database::Submitted::kYes;
}

WriterStats Writer::stats() const {
  WriterStats stats;
  stats.commits = commits_.load(std::memory_order_relaxed);
  stats.operations = operations_.load(std::memory_order_relaxed);
  stats.refused = refused_.load(std::memory_order_relaxed);
  stats.largest_batch = largest_batch_.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  stats.queue_length = queue_.size();
  return stats;
}

std::string Writer::context_csn() const {
  const std::lock_guard lock(mutex_);
  return context_csn_;
}

void Writer::run() {
  for (;;) {
    std::vector<Job> batch = take_batch();
    if (batch.empty()) return;
    process(batch);
    complete(batch);
  }
}

// Empty when the writer is to end and nothing waits.
std::vector<Writer::Job> Writer::take_batch() {
  std::vector<Job> batch;
  std::size_t octets = 0;
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  while (!queue_.empty() && batch.size() < limits::kCommitOperationsMax) {
    octets += queue_.front()->size_bytes;
    if (!batch.empty() && octets > limits::kCommitBytesMax) break;
    queue_octets_ -= queue_.front()->size_bytes;
    batch.push_back({std::move(queue_.front()), {}});
    queue_.pop_front();
  }
  return batch;
}

void Writer::process(std::vector<Job>& batch) {
  const std::int64_t now = core_.clock->monotonic_nanos();
  const Result<void> together = apply_in_one(batch, 0, batch.size());
  if (!together && (commit_failed_ || batch.size() == 1)) {
    for (Job& job : batch) job.outcome = failed(together.error(), commit_failed_);
  } else if (!together) {
    // One of them has met an unexpected failure; alone, only that one fails.
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (const Result<void> alone = apply_in_one(batch, i, 1); !alone)
        batch[i].outcome = failed(alone.error(), commit_failed_);
    }
  }
  for (Job& job : batch) job.outcome.queued_nanos = now - job.request->submitted_nanos;
}

Result<void> Writer::apply_in_one(std::vector<Job>& batch, std::size_t first, std::size_t count) {
  commit_failed_ = false;
  const BatchState before = state_;
  state_.renamed = false;
  state_.cached_names_changed = false;
  const Result<void> done = [&]() -> Result<void> {
    KAURI_TRY(const std::unique_ptr<storage::WriteTxn> txn, core_.env->begin_write());
    WriteContext context(core_, *txn, csns_, state_);
    Result<bool> changed = apply_jobs(context, batch, first, count);
    if (!changed || !*changed) {
      txn->abort();
      if (!changed) return changed.error();
      return {};
    }
    KAURI_CHECK(context.postings().flush(*txn));
    // What the crash campaigns must find: answers that leave before their change is kept.
    // However fast the disk is, a kill meets such answers.
    if (KAURI_PLANTED_FAULT("answer-before-commit")) {
      complete(batch);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return commit(*txn);
  }();
  if (!done) {
    state_ = before;
    return done;
  }
  std::uint64_t largest = largest_batch_.load(std::memory_order_relaxed);
  if (count > largest) largest_batch_.store(count, std::memory_order_relaxed);
  return {};
}

Result<bool> Writer::apply_jobs(WriteContext& context, std::vector<Job>& batch, std::size_t first,
                                std::size_t count) {
  bool changed = false;
  for (std::size_t i = first; i < first + count; ++i) {
    KAURI_TRY(batch[i].outcome, apply(context, *batch[i].request));
    changed = changed || batch[i].outcome.result.ok();
  }
  return changed;
}

Result<void> Writer::commit(storage::WriteTxn& txn) {
  KAURI_CHECK(write_batch_state(core_, txn, state_));
  // Before the commit: whoever sees it has then been told.
  const std::uint64_t id = txn.id();
  if (state_.renamed) core_.names.last_rename.store(id);
  if (state_.cached_names_changed) core_.names.last_cached_change.store(id);
  const Result<void> done = txn.commit();
  if (!done) {
    commit_failed_ = true;
    return done;
  }
  commits_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  context_csn_ = state_.last_csn;
  return {};
}

void Writer::complete(std::vector<Job>& batch) {
  for (Job& job : batch) {
    auto& counter = job.outcome.result.ok() ? operations_ : refused_;
    counter.fetch_add(1, std::memory_order_relaxed);
    // Once, also where a planted fault has answered before.
    if (const auto completion = std::exchange(job.request->completion, nullptr); completion)
      completion(std::move(job.outcome));
  }
}

}  // namespace kauri::backend
