// Integer, Boolean, Bit String and the two times (RFC 4517 section 3.3).
#include <algorithm>

#include "base/limit_counters.h"
#include "schema/number_value.h"
#include "schema/syntaxes/validators.h"
#include "schema/time_value.h"
#include "text/visible.h"

namespace kauri::schema::syntaxes {

using text::quoted;

bool integer(std::string_view value, std::string* why) {
  if (!is_integer(value)) {
    return refuse(why,
                  quoted(value) + " is not an integer (digits, no leading zero, '-' in front)");
  }
  if (value.size() <= kIntegerSizeMax) return true;
  limits::count(limits::Counter::kIntegerDigits);
  return refuse(why, "an integer of " + std::to_string(value.size()) + " octets, the limit is " +
                         std::to_string(kIntegerSizeMax));
}

bool boolean(std::string_view value, std::string* why) {
  return value == "TRUE" || value == "FALSE" ||
         refuse(why, quoted(value) + " is neither TRUE nor FALSE");
}

bool bit_string(std::string_view value, std::string* why) {
  if (value.size() < 3 || value[0] != '\'' || value[value.size() - 2] != '\'' ||
      (value.back() != 'B' && value.back() != 'b')) {
    return refuse(why, quoted(value) + " is not of the form '0101'B");
  }
  const std::string_view bits = value.substr(1, value.size() - 3);
  const auto* wrong =
      std::find_if(bits.begin(), bits.end(), [](char c) { return c != '0' && c != '1'; });
  return wrong == bits.end() || refuse_at(why, static_cast<std::size_t>(wrong - bits.begin()) + 1,
                                          "a bit string holds 0 and 1 only");
}

bool generalized_time(std::string_view value, std::string* why) {
  std::string normal;
  return normalize_generalized_time(value, normal, why);
}

bool utc_time(std::string_view value, std::string* why) {
  std::string normal;
  return normalize_utc_time(value, normal, why);
}

}  // namespace kauri::schema::syntaxes
