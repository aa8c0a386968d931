// Syntax: what octets a value may be (RFC 4517 section 3). One object for each syntax, alive as
// long as the process. Thread safety: immutable.
#pragma once

#include <string>
#include <string_view>

namespace kauri::schema {

class Syntax {
 public:
  Syntax(std::string_view oid, std::string_view description, bool human_readable)
      : oid_(oid), description_(description), human_readable_(human_readable) {}
  virtual ~Syntax() = default;
  Syntax(const Syntax&) = delete;
  Syntax& operator=(const Syntax&) = delete;

  std::string_view oid() const { return oid_; }
  std::string_view description() const { return description_; }
  // False: values are binary (X-NOT-HUMAN-READABLE); tools print them in base64.
  bool human_readable() const { return human_readable_; }
  // Whether `value` is legal; else *why (if given) gets a sentence that says what is wrong with it
  // and where.
  virtual bool validate(std::string_view value, std::string* why) const = 0;

 private:
  std::string_view oid_;
  std::string_view description_;
  bool human_readable_;
};

// nullptr when unknown. `oid` without a {length}.
const Syntax* find_syntax(std::string_view oid);

}  // namespace kauri::schema
