// Writer: the one thread that changes a database, in group commits (DESIGN section 4). Inside
// backend/ only.
//
// It takes all that waits (limits::kCommitOperationsMax, kCommitBytesMax), applies it in one
// transaction, commits once and only then calls the completions. There is no timer: while one
// commit is on its way to the disk, the next batch gathers. Thread safety: thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/core.h"
#include "backend/write_context.h"

namespace kauri::backend {

class Writer {
 public:
  Writer(Core& core, BatchState state);
  ~Writer() { stop(); }

  void start();
  void stop();
  Database::Submitted submit(std::unique_ptr<WriteRequest>& request);
  WriterStats stats() const;
  std::string context_csn() const;

 private:
  struct Job {
    std::unique_ptr<WriteRequest> request;
    WriteOutcome outcome;
  };

  void run();
  std::vector<Job> take_batch();
  void process(std::vector<Job>& batch);
  // One transaction for the jobs [first, first + count). RETURNS: an Error when nothing of it was
  // kept.
  Result<void> apply_in_one(std::vector<Job>& batch, std::size_t first, std::size_t count);
  Result<bool> apply_jobs(WriteContext& context, std::vector<Job>& batch, std::size_t first,
                          std::size_t count);
  Result<void> commit(storage::WriteTxn& txn);
  void complete(std::vector<Job>& batch);

  Core& core_;
  CsnGenerator csns_;
  BatchState state_;  // of the last commit; the writer thread's
  bool commit_failed_ = false;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::deque<std::unique_ptr<WriteRequest>> queue_;
  std::size_t queue_octets_ = 0;
  bool running_ = false;
  bool stopping_ = false;
  std::string context_csn_;

  std::mutex join_mutex_;
  std::thread thread_;  // guarded by join_mutex_

  std::atomic<std::uint64_t> commits_{0};
  std::atomic<std::uint64_t> operations_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> largest_batch_{0};
};

}  // namespace kauri::backend
