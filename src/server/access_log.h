// AccessLogFile: one JSON line an operation (docs/formats/access-log.md), written by one thread of
// its own.
//
// Thread safety: thread-safe. log() formats into a buffer of the calling thread and returns; it
// never waits for the file. When the file cannot keep up or cannot be written (its volume is full),
// lines are dropped and counted, and once it can, the count is written as a line of its own. The
// file holds whole lines only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "operation/service.h"

namespace kauri::server {

class AccessLogFile final : public operation::AccessLog {
 public:
  // Appends to `path`; "-" is standard output, "" switches the log off. RETURNS: kIo naming the
  // path.
  static Result<std::unique_ptr<AccessLogFile>> open(std::string path);
  ~AccessLogFile() override;  // writes what is buffered

  bool enabled() const override { return enabled_; }
  void log(const operation::OperationRecord& record) override;
  // Opens the path again (after a rotation). RETURNS: kIo; the old file stays in use then.
  Result<void> reopen();
  // Writes what all threads have buffered and waits for it; for tests and the end.
  void flush();
  std::uint64_t dropped() const { return dropped_total_.load(std::memory_order_relaxed); }

 private:
  struct ThreadBuffer {
    std::mutex mutex;
    std::string lines;  // guarded by mutex
  };

  explicit AccessLogFile(std::string path) : path_(std::move(path)), enabled_(!path_.empty()) {}
  ThreadBuffer& buffer_of_this_thread();
  void run();
  void write_out();
  // These REQUIRE file_mutex_. append_lines() RETURNS: how many of the lines were not written; the
  // file ends with a whole line all the same.
  std::uint64_t append_lines(std::string_view lines);
  void note_failure(int error);
  void write_dropped_count();
  void count_dropped(std::uint64_t lines);

  const std::string path_;
  const bool enabled_;
  const std::uint64_t serial_ = next_serial();  // tells apart logs that share a thread
  static std::uint64_t next_serial();
  std::atomic<std::uint64_t> dropped_{0};  // and not told yet
  std::atomic<std::uint64_t> dropped_total_{0};

  std::mutex buffers_mutex_;
  std::vector<std::shared_ptr<ThreadBuffer>> buffers_;  // guarded by buffers_mutex_

  std::mutex file_mutex_;  // held while writing
  // Guarded by file_mutex_.
  int descriptor_ = -1;
  bool line_torn_ = false;  // the file ends within a line that could not be taken back
  bool failing_ = false;    // the last write failed, and the event log knows
  std::int64_t failure_noted_nanos_ = 0;

  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by wake_mutex_
  std::thread writer_;
};

// One line with its newline; at most about 12 KiB whatever the record holds.
void append_record(std::string& out, const operation::OperationRecord& record);

}  // namespace kauri::server
