// Change sequence numbers: "20240101120000.000000Z#000000#000#000000" (draft-chu-ldap-csn): time
// with microseconds, count, replica id and modification, the last three in hexadecimal. Text order
// is order of change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace kauri::backend {

struct Csn {
  std::int64_t micros = 0;         // since 1970-01-01 00:00 UTC
  std::uint32_t count = 0;         // of changes in one microsecond; 24 bits
  std::uint32_t replica = 0;       // 12 bits
  std::uint32_t modification = 0;  // 24 bits
  friend auto operator<=>(const Csn&, const Csn&) = default;
};

inline constexpr std::size_t kCsnSize = 40;

std::string to_string(const Csn& csn);
// Nothing when the text has another form or its time is no date.
std::optional<Csn> parse_csn(std::string_view text);
// "20240101120000Z" (RFC 4517 section 3.3.13); years 0 to 9999.
std::string generalized_time(std::int64_t micros);

// Gives rising CSNs whatever the clock does: when it steps back, the last time is kept and counted
// on. Thread safety: thread-compatible.
class CsnGenerator {
 public:
  CsnGenerator(Clock& clock, std::uint32_t replica) : clock_(clock), replica_(replica) {}
  // Everything from now on is later than `csn`.
  void observe(const Csn& csn);
  Csn next();

 private:
  Clock& clock_;
  std::uint32_t replica_;
  std::int64_t micros_ = 0;
  std::uint32_t count_ = 0;
  bool used_ = false;
};

}  // namespace kauri::backend
