// The lines that `kauri bench` shows while it runs, on standard error: one each interval, and on a
// terminal a bar below them that is rewritten. Thread safety: confined to the main thread.
#pragma once

#include <string>

#include "toolkit/load_types.h"

namespace kauri::tool {

class BenchProgress {
 public:
  // Shows nothing when standard error is no terminal, unless `always`.
  explicit BenchProgress(bool always);

  bool shows() const { return terminal_ || always_; }
  void interval(const toolkit::Interval& interval);
  // Text that must stay, on one line; a newline is added.
  void line(const std::string& text);
  // Takes the bar away.
  void finish();

 private:
  void clear_bar();

  const bool terminal_;
  const bool always_;
  bool bar_ = false;  // one is on the screen
};

}  // namespace kauri::tool
