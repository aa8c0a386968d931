// JsonWriter: JSON on one line, appended to a string. Internal to operation/.
//
// Text of clients becomes visible UTF-8 on the way (text/visible.h), so that the result is JSON
// whatever it holds. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::operation {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  // An empty key: an element of an array, or the whole.
  void begin_object(std::string_view key = {}) { begin(key, '{'); }
  void end_object() { end('}'); }
  void begin_array(std::string_view key) { begin(key, '['); }
  void end_array() { end(']'); }
  // Text past `octets_max` is cut, with "..." behind it.
  void text(std::string_view key, std::string_view value, std::size_t octets_max = kTextMax);
  void number(std::string_view key, std::uint64_t value);
  void boolean(std::string_view key, bool value);

  static constexpr std::size_t kTextMax = 400;

 private:
  void begin(std::string_view key, char bracket);
  void end(char bracket);
  void place(std::string_view key);

  std::string& out_;
  bool first_ = true;  // nothing stands yet in the object or array at hand
};

}  // namespace kauri::operation
