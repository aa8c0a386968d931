#include "server/access_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/clock.h"
#include "server/event_log.h"
#include "server/log_text.h"

namespace kauri::server {
namespace {

// Longest text of one field in a line; a filter may be longer than the rest.
constexpr std::size_t kFieldSizeMax = 1024;
constexpr std::size_t kFilterSizeMax = 2048;
// Octets that one thread may have waiting for the writer.
constexpr std::size_t kThreadBufferMax = 4U << 20U;
constexpr std::chrono::milliseconds kFlushInterval{100};
// A volume that is full for a moment again and again is told of this often at most.
constexpr std::int64_t kComplaintNanos = 60'000'000'000;

void append_text(std::string& out, std::string_view name, std::string_view value,
                 std::size_t size_max = kFieldSizeMax) {
  if (value.empty()) return;
  out += ",\"";
  out += name;
  out += "\":\"";
  append_escaped(out, value, size_max);
  out += '"';
}

void append_integer(std::string& out, std::string_view name, std::int64_t value) {
  out += ",\"";
  out += name;
  out += "\":";
  append_number(out, value);
}

// The descriptor, or -1 with errno set.
int open_for_append(const std::string& path) {
  if (path == "-") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

// Octets written: all, or fewer with errno set.
std::size_t write_all(int descriptor, std::string_view octets) {
  std::size_t done = 0;
  while (done < octets.size()) {
    const ssize_t written = ::write(descriptor, octets.data() + done, octets.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  return done;
}

// Cuts the last `size` octets off. False where that cannot be (a pipe, a terminal).
bool take_back(int descriptor, std::size_t size) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (status.st_size < static_cast<off_t>(size)) return false;
  return ::ftruncate(descriptor, status.st_size - static_cast<off_t>(size)) == 0;
}

}  // namespace

void append_record(std::string& out, const operation::OperationRecord& record) {
  out += "{\"time\":\"";
  append_utc_time(out, record.arrived_wall_micros, TimeDigits::kMicros);
  out += '"';
  append_integer(out, "conn", static_cast<std::int64_t>(record.connection));
  append_integer(out, "op", record.operation);
  append_text(out, "kind", record.kind);
  append_integer(out, "msgid", record.message_id);
  append_text(out, "dn", record.dn);
  append_text(out, "identity", record.identity);
  append_text(out, "scope", record.scope);
  append_text(out, "filter", record.filter, kFilterSizeMax);
  append_text(out, "attrs", record.attributes);
  append_text(out, "detail", record.detail);
  append_integer(out, "result", record.result);
  append_text(out, "diagnostic", record.diagnostic);
  append_integer(out, "entries", static_cast<std::int64_t>(record.entries));
  append_text(out, "terms", record.index_terms);
  append_text(out, "plan", record.plan);
  append_text(out, "notes", record.notes);
  append_integer(out, "wtime", record.wtime_nanos);
  append_integer(out, "optime", record.optime_nanos);
  append_integer(out, "etime", record.etime_nanos);
  out += "}\n";
}

std::uint64_t AccessLogFile::next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

Result<std::unique_ptr<AccessLogFile>> AccessLogFile::open(std::string path) {
  std::unique_ptr<AccessLogFile> log(new AccessLogFile(std::move(path)));
  if (!log->enabled_) return log;
  KAURI_CHECK(log->reopen());
  log->writer_ = std::thread([self = log.get()] { self->run(); });
  return log;
}

AccessLogFile::~AccessLogFile() {
  if (writer_.joinable()) {
    {
      const std::lock_guard lock(wake_mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    writer_.join();
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> AccessLogFile::reopen() {
  if (!enabled_) return {};
  const int fresh = open_for_append(path_);
  if (fresh < 0) {
    return Error(ErrorCode::kIo, "the access log " + path_ +
                                     " cannot be opened for appending: " + std::strerror(errno));
  }
  const std::lock_guard lock(file_mutex_);
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = fresh;
  line_torn_ = false;
  return {};
}

AccessLogFile::ThreadBuffer& AccessLogFile::buffer_of_this_thread() {
  thread_local std::uint64_t serial = 0;
  thread_local std::shared_ptr<ThreadBuffer> buffer;
  if (serial != serial_) {
    buffer = std::make_shared<ThreadBuffer>();
    serial = serial_;
    const std::lock_guard lock(buffers_mutex_);
    buffers_.push_back(buffer);
  }
  return *buffer;
}

void AccessLogFile::log(const operation::OperationRecord& record) {
  if (!enabled_) return;
  ThreadBuffer& buffer = buffer_of_this_thread();
  // Contended only for the moment in which the writer swaps the buffer away.
  const std::lock_guard lock(buffer.mutex);
  if (buffer.lines.size() >= kThreadBufferMax) {
    count_dropped(1);
    return;
  }
  append_record(buffer.lines, record);
}

void AccessLogFile::run() {
  for (;;) {
    bool last = false;
    {
      std::unique_lock lock(wake_mutex_);
      last = wake_.wait_for(lock, kFlushInterval, [this] { return stopping_; });
    }
    write_out();
    if (last) return;
  }
}

void AccessLogFile::flush() {
  if (enabled_) write_out();
}

void AccessLogFile::write_out() {
  std::vector<std::shared_ptr<ThreadBuffer>> buffers;
  {
    const std::lock_guard lock(buffers_mutex_);
    // A buffer that only this list still holds belongs to a thread that ended: its rest is written
    // below and it is forgotten.
    buffers = buffers_;
    std::erase_if(buffers_, [](const auto& buffer) { return buffer.use_count() == 2; });
  }
  const std::lock_guard file_lock(file_mutex_);
  std::string lines;
  for (const auto& buffer : buffers) {
    lines.clear();
    {
      const std::lock_guard lock(buffer->mutex);
      lines.swap(buffer->lines);
      // The thread gets room of the same size back, so that it does not grow a new one each time.
      if (!lines.empty()) buffer->lines.reserve(std::min<std::size_t>(lines.size(), 1U << 16U));
    }
    if (!lines.empty()) count_dropped(append_lines(lines));
  }
  write_dropped_count();
}

std::uint64_t AccessLogFile::append_lines(std::string_view lines) {
  const auto count = [](std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  };
  if (line_torn_ && write_all(descriptor_, "\n") != 1) {
    note_failure(errno);
    return count(lines);
  }
  line_torn_ = false;
  const std::size_t written = write_all(descriptor_, lines);
  if (written == lines.size()) {
    if (failing_) log_event(Severity::kInfo, "the access log " + path_ + " can be written again");
    failing_ = false;
    return 0;
  }
  note_failure(errno);
  const std::size_t whole = lines.substr(0, written).rfind('\n') + 1;  // 0 when there is none
  line_torn_ = whole != written && !take_back(descriptor_, written - whole);
  return count(lines.substr(whole));
}

void AccessLogFile::note_failure(int error) {
  const std::int64_t now = Clock::system().monotonic_nanos();
  const bool told_lately =
      failure_noted_nanos_ != 0 && now - failure_noted_nanos_ < kComplaintNanos;
  if (failing_ || told_lately) return;
  failing_ = true;
  failure_noted_nanos_ = now;
  log_event(Severity::kError, "the access log " + path_ + " cannot be written: " +
                                  std::strerror(error) + "; its lines are lost until that ends");
}

void AccessLogFile::count_dropped(std::uint64_t lines) {
  if (lines == 0) return;
  dropped_.fetch_add(lines, std::memory_order_relaxed);
  dropped_total_.fetch_add(lines, std::memory_order_relaxed);
}

void AccessLogFile::write_dropped_count() {
  const std::uint64_t dropped = dropped_.load(std::memory_order_relaxed);
  if (dropped == 0) return;
  std::string line = "{\"time\":\"";
  append_utc_time(line, Clock::system().wall_micros(), TimeDigits::kMicros);
  line += "\",\"kind\":\"DROPPED\",\"lines\":";
  append_number(line, static_cast<std::int64_t>(dropped));
  line += "}\n";
  if (append_lines(line) == 0) dropped_.fetch_sub(dropped, std::memory_order_relaxed);
}

}  // namespace kauri::server
