#include "backend/csn.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace kauri::backend {
namespace {

constexpr std::uint32_t kCountMax = 0xffffff;
constexpr std::int64_t kSecondMicros = 1'000'000;
// 9999-12-31 23:59:59.999999: the last time that four digits of a year can name.
constexpr std::int64_t kMicrosMax = 253'402'300'799'999'999;

struct Parts {
  int year;
  unsigned month;
  unsigned day;
  unsigned hour;
  unsigned minute;
  unsigned second;
  unsigned micros;
};

Parts split(std::int64_t micros) {
  if (micros < 0) micros = 0;
  if (micros > kMicrosMax) micros = kMicrosMax;
  const std::int64_t seconds = micros / kSecondMicros;
  const std::chrono::sys_days day{std::chrono::days(seconds / 86400)};
  const std::chrono::year_month_day date{day};
  const auto rest = static_cast<unsigned>(seconds % 86400);
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          rest / 3600,
          rest / 60 % 60,
          rest % 60,
          static_cast<unsigned>(micros % kSecondMicros)};
}

bool parse_number(std::string_view text, int base, std::uint32_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  std::array<std::uint32_t, 7> part{};
  constexpr std::array<std::size_t, 7> kAt = {0, 4, 6, 8, 10, 12, 15};
  constexpr std::array<std::size_t, 7> kSize = {4, 2, 2, 2, 2, 2, 6};
  if (text[14] != '.' || text[21] != 'Z') return std::nullopt;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (!parse_number(text.substr(kAt[i], kSize[i]), 10, &part[i])) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(part[0])),
                                         std::chrono::month(part[1]), std::chrono::day(part[2])};
  if (!date.ok() || part[0] < 1970 || part[3] > 23 || part[4] > 59 || part[5] > 59)
    return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + part[3]) * 3600 + part[4] * 60 + part[5]) * kSecondMicros + part[6];
}

}  // namespace

std::string to_string(const Csn& csn) {
  const Parts p = split(csn.micros);
  std::array<char, 64> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%04d%02u%02u%02u%02u%02u.%06uZ#%06x#%03x#%06x",
                    p.year, p.month, p.day, p.hour, p.minute, p.second, p.micros,
                    csn.count & kCountMax, csn.replica & 0xfffU, csn.modification & kCountMax);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<Csn> parse_csn(std::string_view text) {
  if (text.size() != kCsnSize || text[22] != '#' || text[29] != '#' || text[33] != '#')
    return std::nullopt;
  Csn csn;
  const std::optional<std::int64_t> micros = parse_time(text);
  if (!micros || !parse_number(text.substr(23, 6), 16, &csn.count) ||
      !parse_number(text.substr(30, 3), 16, &csn.replica) ||
      !parse_number(text.substr(34, 6), 16, &csn.modification))
    return std::nullopt;
  csn.micros = *micros;
  return csn;
}

std::string generalized_time(std::int64_t micros) {
  const Parts p = split(micros);
  std::array<char, 48> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d%02u%02u%02u%02u%02uZ", p.year,
                                 p.month, p.day, p.hour, p.minute, p.second);
  return {text.data(), static_cast<std::size_t>(size)};
}

void CsnGenerator::observe(const Csn& csn) {
  if (used_ && (csn.micros < micros_ || (csn.micros == micros_ && csn.count <= count_))) return;
  used_ = true;
  micros_ = csn.micros;
  count_ = csn.count;
}

Csn CsnGenerator::next() {
  const std::int64_t now = clock_.wall_micros();
  if (!used_ || now > micros_) {
    micros_ = now;
    count_ = 0;
    used_ = true;
  } else if (count_ < kCountMax) {
    ++count_;
  } else {
    ++micros_;
    count_ = 0;
  }
  return {micros_, count_, replica_, 0};
}

}  // namespace kauri::backend
