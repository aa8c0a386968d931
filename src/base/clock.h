// Clock: the only source of time. Thread safety: thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

namespace kauri {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since 1970-01-01 00:00 UTC. May jump when the machine's time is set.
  virtual std::int64_t wall_micros() = 0;
  // Nanoseconds that only ever grow; the origin means nothing.
  virtual std::int64_t monotonic_nanos() = 0;

  // The machine's clocks; lives as long as the process.
  static Clock& system();
};

// A clock that stands still until a test moves it. Thread safety: thread-compatible.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t wall_micros = 1'700'000'000'000'000)
      : wall_micros_(wall_micros) {}
  std::int64_t wall_micros() override { return wall_micros_; }
  std::int64_t monotonic_nanos() override { return monotonic_nanos_; }
  void advance_micros(std::int64_t micros) {
    wall_micros_ += micros;
    monotonic_nanos_ += micros * 1000;
  }
  void set_wall_micros(std::int64_t micros) { wall_micros_ = micros; }

 private:
  std::int64_t wall_micros_;
  std::int64_t monotonic_nanos_ = 0;
};

}  // namespace kauri
