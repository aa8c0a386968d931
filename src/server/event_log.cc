#include "server/event_log.h"

#include <unistd.h>

#include <atomic>
#include <string>

#include "base/clock.h"
#include "server/log_text.h"

namespace kauri::server {
namespace {
std::atomic<Severity> least_severe{Severity::kInfo};
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

}  // namespace kauri::server
