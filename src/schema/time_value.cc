#include "schema/time_value.h"

#include <chrono>
#include <cstdint>

#include "text/ascii.h"

namespace kauri::schema {

namespace {

// Minutes of the UTC calendar plus what a zone never changes.
struct TimeParts {
  std::int64_t minutes = 0;  // since 1970-01-01 00:00
  int seconds = 0;           // 60 in a leap second
  std::string fraction;      // digits of a fraction of a second
};

class TimeParser {
 public:
  explicit TimeParser(std::string_view text) : text_(text) {}

  bool generalized(TimeParts* out, std::string* why) {
    int year = 0;
    bool ok = number(4, 0, 9999, &year, "year") && calendar(year);
    ok = ok && number(2, 0, 23, &hour_, "hour");
    int unit_seconds = 3600;
    if (ok && next_is_digit()) {
      ok = number(2, 0, 59, &minute_, "minute");
      unit_seconds = 60;
      if (ok && next_is_digit()) {
        ok = number(2, 0, 60, &second_, "second");
        unit_seconds = 1;
      }
    }
    ok = ok && fraction(unit_seconds) && zone(false) && finish(out);
    if (!ok && why != nullptr) *why = why_;
    return ok;
  }

  bool utc(TimeParts* out, std::string* why) {
    int year = 0;
    bool ok = number(2, 0, 99, &year, "year") && calendar(year < 50 ? 2000 + year : 1900 + year);
    ok = ok && number(2, 0, 23, &hour_, "hour") && number(2, 0, 59, &minute_, "minute");
    if (ok && next_is_digit()) ok = number(2, 0, 59, &second_, "second");
    if (ok && at_ < text_.size()) ok = zone(true);
    ok = ok && finish(out);
    if (!ok && why != nullptr) *why = why_;
    return ok;
  }

 private:
  bool fail(const std::string& sentence) {
    why_ = "at offset " + std::to_string(at_) + ": " + sentence;
    return false;
  }
  bool next_is_digit() const { return at_ < text_.size() && text::is_digit(text_[at_]); }

  bool number(int digits, int low, int high, int* out, const char* what) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      const std::size_t where = at_ + static_cast<std::size_t>(i);
      if (where >= text_.size() || !text::is_digit(text_[where])) {
        return fail("expected " + std::to_string(digits) + " digits of the " + what);
      }
      value = value * 10 + (text_[where] - '0');
    }
    if (value < low || value > high) {
      return fail("the " + std::string(what) + " " + std::to_string(value) + " is not in " +
                  std::to_string(low) + " to " + std::to_string(high));
    }
    at_ += static_cast<std::size_t>(digits);
    *out = value;
    return true;
  }

  bool calendar(int year) {
    int month = 0;
    int day = 0;
    if (!number(2, 1, 12, &month, "month")) return false;
    const std::size_t day_at = at_;
    if (!number(2, 1, 31, &day, "day")) return false;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) {
      at_ = day_at;
      return fail("the month has no day " + std::to_string(day));
    }
    days_ = std::chrono::sys_days(date).time_since_epoch().count();
    return true;
  }

  // A fraction of an hour, a minute or a second: whole seconds of it are carried over, the rest
  // stays exact.
  bool fraction(int unit_seconds) {
    if (at_ >= text_.size() || (text_[at_] != '.' && text_[at_] != ',')) return true;
    ++at_;
    const std::size_t start = at_;
    while (next_is_digit()) ++at_;
    if (at_ == start) return fail("expected digits of the fraction");
    fraction_ = text_.substr(start, at_ - start);
    int carry = 0;
    for (std::size_t i = fraction_.size(); i-- > 0;) {
      carry += (fraction_[i] - '0') * unit_seconds;
      fraction_[i] = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    if (unit_seconds > 1) {
      minute_ += carry / 60;
      second_ += carry % 60;
    }
    fraction_.resize(fraction_.find_last_not_of('0') + 1);
    return true;
  }

  bool zone(bool minutes_required) {
    if (at_ >= text_.size()) return fail("expected 'Z' or a difference from UTC");
    const char sign = text_[at_];
    if (sign != 'Z' && sign != '+' && sign != '-') {
      return fail("expected 'Z' or a difference from UTC");
    }
    ++at_;
    if (sign == 'Z') return true;
    int hours = 0;
    int minutes = 0;
    if (!number(2, 0, 23, &hours, "zone's hours")) return false;
    if (minutes_required || next_is_digit()) {
      if (!number(2, 0, 59, &minutes, "zone's minutes")) return false;
    }
    const int offset = hours * 60 + minutes;
    zone_minutes_ = sign == '-' ? -offset : offset;
    return true;
  }

  bool finish(TimeParts* out) {
    if (at_ != text_.size()) return fail("expected the end of the time");
    out->minutes = days_ * 1440 + hour_ * 60 + minute_ - zone_minutes_;
    out->seconds = second_;
    out->fraction = fraction_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
  std::int64_t days_ = 0;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int zone_minutes_ = 0;
  std::string fraction_;
};

void append_digits(std::string& out, int value, int digits) {
  std::string text = std::to_string(value);
  out.append(static_cast<std::size_t>(digits) - text.size(), '0');
  out += text;
}

bool append_normal(const TimeParts& parts, std::string& out, std::string* why) {
  const std::chrono::sys_time<std::chrono::minutes> time{std::chrono::minutes(parts.minutes)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) {
    if (why != nullptr) *why = "in UTC the time is outside the years 0000 to 9999";
    return false;
  }
  const auto minute = static_cast<int>((time - day).count());
  append_digits(out, year, 4);
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  append_digits(out, minute / 60, 2);
  append_digits(out, minute % 60, 2);
  append_digits(out, parts.seconds, 2);
  out += parts.fraction;
  return true;
}

}  // namespace

bool normalize_generalized_time(std::string_view text, std::string& out, std::string* why) {
  TimeParts parts;
  return TimeParser(text).generalized(&parts, why) && append_normal(parts, out, why);
}

bool normalize_utc_time(std::string_view text, std::string& out, std::string* why) {
  TimeParts parts;
  return TimeParser(text).utc(&parts, why) && append_normal(parts, out, why);
}

}  // namespace kauri::schema
