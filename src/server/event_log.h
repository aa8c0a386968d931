// Lines about the server itself (start, stop, reload, refused connections) on standard error.
// Thread safety: thread-safe; one line is one write, so lines of threads do not mix.
#pragma once

#include <string_view>

namespace kauri::server {

enum class Severity : unsigned char { kInfo, kWarning, kError };

// The least severe events that are written; kInfo until it is set. THREADS: any.
void set_event_log_level(Severity least);

// "2026-01-02T03:04:05Z kaurid warning: message". Control characters in `message` are escaped, so
// an event is one line whatever a client sent.
void log_event(Severity severity, std::string_view message);

// The same for events that a fault can repeat endlessly: each distinct message at most once a
// second; the next line of it says how often it was left out. THREADS: any.
void log_repeated_event(Severity severity, std::string_view message);

}  // namespace kauri::server
