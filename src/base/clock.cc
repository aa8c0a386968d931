#include "base/clock.h"

#include <ctime>

namespace kauri {
namespace {

std::int64_t read_nanos(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  std::int64_t wall_micros() override { return read_nanos(CLOCK_REALTIME) / 1000; }
  std::int64_t monotonic_nanos() override { return read_nanos(CLOCK_MONOTONIC); }
};

}  // namespace

Clock& Clock::system() {
  static SystemClock clock;
  return clock;
}

}  // namespace kauri
