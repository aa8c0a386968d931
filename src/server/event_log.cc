#include "server/event_log.h"

#include <unistd.h>

#include <string>

#include "base/clock.h"
#include "server/log_text.h"

namespace kauri::server {

void log_event(Severity severity, std::string_view message) {
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
