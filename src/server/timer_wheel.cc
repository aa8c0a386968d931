#include "server/timer_wheel.h"

#include <algorithm>

namespace kauri::server {

TimerEntry::~TimerEntry() {
  if (wheel_ != nullptr) wheel_->disarm(*this);
}

TimerWheel::~TimerWheel() {
  for (TimerEntry*& slot : slots_) {
    while (slot != nullptr) disarm(*slot);
  }
}

void TimerWheel::insert(TimerEntry& entry, std::int64_t tick) {
  TimerEntry*& slot = slots_[static_cast<std::size_t>(tick) % kSlots];
  entry.wheel_ = this;
  entry.tick_ = tick;
  entry.previous_ = nullptr;
  entry.next_ = slot;
  if (slot != nullptr) slot->previous_ = &entry;
  slot = &entry;
  ++count_;
}

void TimerWheel::arm(TimerEntry& entry, std::int64_t deadline_nanos) {
  const std::int64_t wanted = deadline_nanos / kTickNanos + 1;  // rounded up: never early
  const std::int64_t furthest = tick_ + static_cast<std::int64_t>(kSlots) - 1;
  const std::int64_t tick = std::clamp(wanted, tick_ + 1, furthest);
  if (entry.wheel_ == this) {
    if (entry.tick_ <= tick) return;
    disarm(entry);
  }
  insert(entry, tick);
}

void TimerWheel::disarm(TimerEntry& entry) {
  if (entry.wheel_ != this) return;
  TimerEntry*& slot = slots_[static_cast<std::size_t>(entry.tick_) % kSlots];
  if (entry.previous_ != nullptr) entry.previous_->next_ = entry.next_;
  if (entry.next_ != nullptr) entry.next_->previous_ = entry.previous_;
  if (slot == &entry) slot = entry.next_;
  entry.wheel_ = nullptr;
  entry.previous_ = nullptr;
  entry.next_ = nullptr;
  --count_;
}

int TimerWheel::until_next_tick_ms(std::int64_t now_nanos) const {
  const std::int64_t next = (tick_ + 1) * kTickNanos;
  const std::int64_t millis = (next - now_nanos + 999'999) / 1'000'000;
  return static_cast<int>(std::clamp<std::int64_t>(millis, 1, kTickNanos / 1'000'000));
}

void TimerWheel::advance(std::int64_t now_nanos) {
  const std::int64_t now_tick = now_nanos / kTickNanos;
  if (count_ == 0) {
    tick_ = std::max(tick_, now_tick);
    return;
  }
  // After a long sleep one round over all slots has seen every entry.
  const std::int64_t reach = static_cast<std::int64_t>(kSlots);
  if (now_tick - tick_ > reach) tick_ = now_tick - reach;
  while (tick_ < now_tick) {
    ++tick_;
    TimerEntry*& slot = slots_[static_cast<std::size_t>(tick_) % kSlots];
    while (slot != nullptr) {
      TimerEntry& entry = *slot;
      disarm(entry);
      const std::int64_t next = entry.on_timer(now_nanos);
      // arm() puts it into a later slot, so this loop ends.
      if (next != 0) arm(entry, next);
    }
  }
}

}  // namespace kauri::server
