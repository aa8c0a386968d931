#include "server/event_log.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "server/log_text.h"

namespace kauri::server {
namespace {
std::atomic<Severity> least_severe{Severity::kInfo};

constexpr std::int64_t kRepeatNanos = 1'000'000'000;
// Distinct messages remembered; when so many come in a second, further ones are left out.
constexpr std::size_t kRemembered = 1024;

// When messages were written last. Thread safety: thread-safe.
class Repeats {
 public:
  // RETURNS: whether to write it now; *left_out is how often it was not since the last time.
  bool admit(const std::string& message, std::int64_t now, std::uint64_t* left_out) {
    const std::lock_guard lock(mutex_);
    auto found = seen_.find(message);
    if (found == seen_.end()) {
      if (seen_.size() >= kRemembered)
        std::erase_if(seen_,
                      [now](const auto& one) { return one.second.at + kRepeatNanos <= now; });
      if (seen_.size() >= kRemembered) return false;
      seen_.emplace(message, Seen{now, 0});
      *left_out = 0;
      return true;
    }
    if (now - found->second.at < kRepeatNanos) {
      ++found->second.left_out;
      return false;
    }
    *left_out = found->second.left_out;
    found->second = {now, 0};
    return true;
  }

 private:
  struct Seen {
    std::int64_t at = 0;
    std::uint64_t left_out = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Seen> seen_;
};

Repeats& repeats() {
  static Repeats all;
  return all;
}
}  // namespace

void set_event_log_level(Severity least) {
  least_severe.store(least, std::memory_order_relaxed);
}

void log_event(Severity severity, std::string_view message) {
  if (severity < least_severe.load(std::memory_order_relaxed)) return;
  std::string line;
  append_utc_time(line, Clock::system().wall_micros(), TimeDigits::kSeconds);
  switch (severity) {
    case Severity::kInfo:
      line += " kaurid: ";
      break;
    case Severity::kWarning:
      line += " kaurid warning: ";
      break;
    case Severity::kError:
      line += " kaurid error: ";
      break;
  }
  append_escaped(line, message, 2000);
  line += '\n';
  // A log that cannot be written has nowhere to report that to.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void log_repeated_event(Severity severity, std::string_view message) {
  if (severity < least_severe.load(std::memory_order_relaxed)) return;
  std::string text(message);
  std::uint64_t left_out = 0;
  if (!repeats().admit(text, Clock::system().monotonic_nanos(), &left_out)) return;
  if (left_out != 0) text += " (and " + std::to_string(left_out) + " times since the last line)";
  log_event(severity, text);
}

}  // namespace kauri::server
