// TimerWheel: coarse deadlines for many connections, cheap to set and nearly free to move.
//
// A deadline is kept to within one tick (250 ms) and never fires early. Moving a deadline later
// costs nothing: the entry stays in its slot and asks again when the slot comes up. Thread safety:
// confined to one worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kauri::server {

class TimerWheel;

// Base of what has a deadline. Leaves its wheel when destroyed.
class TimerEntry {
 public:
  TimerEntry() = default;
  TimerEntry(const TimerEntry&) = delete;
  TimerEntry& operator=(const TimerEntry&) = delete;
  virtual ~TimerEntry();

  // The slot came up at `now_nanos`. RETURNS: the next deadline, or 0 for none. May destroy other
  // entries and may call arm(); may destroy itself when it returns 0.
  virtual std::int64_t on_timer(std::int64_t now_nanos) = 0;

 private:
  friend class TimerWheel;
  TimerWheel* wheel_ = nullptr;  // nullptr: in no slot
  TimerEntry* previous_ = nullptr;
  TimerEntry* next_ = nullptr;
  std::int64_t tick_ = 0;
};

class TimerWheel {
 public:
  static constexpr std::int64_t kTickNanos = 250'000'000;

  explicit TimerWheel(std::int64_t now_nanos) : tick_(now_nanos / kTickNanos) {}
  ~TimerWheel();
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  // Calls entry.on_timer() at `deadline_nanos` or up to a tick after it. When the entry is due
  // earlier already it stays there: its on_timer() gives the later deadline then.
  void arm(TimerEntry& entry, std::int64_t deadline_nanos);
  void disarm(TimerEntry& entry);
  // Fires what is due at `now_nanos`.
  void advance(std::int64_t now_nanos);
  bool empty() const { return count_ == 0; }
  // Milliseconds until the next tick, at least 1: how long a loop may sleep.
  int until_next_tick_ms(std::int64_t now_nanos) const;

 private:
  // A deadline further away than the wheel reaches waits in the last slot and is asked again there.
  static constexpr std::size_t kSlots = 256;

  void insert(TimerEntry& entry, std::int64_t tick);

  std::array<TimerEntry*, kSlots> slots_{};
  std::int64_t tick_;  // the newest tick that was fired
  std::size_t count_ = 0;
};

}  // namespace kauri::server
