#include "kauri/bench_progress.h"

#include <unistd.h>

#include <cstdio>

#include "text/visible.h"
#include "toolkit/load_report.h"

namespace kauri::tool {

namespace {

constexpr std::size_t kBarWidth = 50;

}  // namespace

BenchProgress::BenchProgress(bool always)
    : terminal_(isatty(STDERR_FILENO) != 0), always_(always) {}

void BenchProgress::clear_bar() {
  if (bar_) std::fputs("\r\x1b[K", stderr);
  bar_ = false;
}

void BenchProgress::line(const std::string& text) {
  if (!shows()) return;
  clear_bar();
  std::fprintf(stderr, "%s\n", text::visible(text).c_str());
}

void BenchProgress::interval(const toolkit::Interval& interval) {
  line(toolkit::interval_line(interval));
  if (!terminal_) return;
  std::fputs(toolkit::progress_bar(interval.share, kBarWidth).c_str(), stderr);
  std::fflush(stderr);
  bar_ = true;
}

void BenchProgress::finish() {
  clear_bar();
  std::fflush(stderr);
}

}  // namespace kauri::tool
