// What a model of a directory knows of the schema: a few types and classes, written down by hand
// from RFC 4519, 4524, 2798 and fixture F, so that it shares nothing with src/schema. ASCII only.
// Thread safety: immutable. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kauri::operation::testing {

// How values of a type compare.
enum class Form : std::uint8_t {
  kIgnoreCase,
  kExact,
  kInteger,
  kName,    // a DN
  kOctets,  // a password
  kClass,   // an object class
  kTime,    // only the server writes it
  kNoRule,  // no equality rule
};

struct TypeFacts {
  std::string_view name;
  Form form = Form::kIgnoreCase;
  std::string_view superior = {};
  bool single = false;
  bool ordered = false;
  bool substrings = false;
};

enum class ClassKind : std::uint8_t { kAbstract, kStructural, kAuxiliary };

struct ClassFacts {
  std::string_view name;
  ClassKind kind = ClassKind::kStructural;
  std::string_view superior = {};
  std::vector<std::string_view> must = {};
  std::vector<std::string_view> may = {};
};

std::string lower(std::string_view text);
// nullptr for what the model does not know.
const TypeFacts* type_named(std::string_view name);
const ClassFacts* class_named(std::string_view name);
bool is_same_or_under(const TypeFacts& type, const TypeFacts& superior);
bool is_same_or_under(const ClassFacts& one, const ClassFacts& superior);
// Nothing for a value that its syntax refuses.
std::optional<std::string> normal_value(const TypeFacts& type, std::string_view value);
// Signed decimals without leading zeros: below, equal (0) or above.
int compare_integers(std::string_view a, std::string_view b);
std::string add_to_integer(std::string_view a, std::string_view b);

// "givenName;lang-en".
struct Description {
  const TypeFacts* type = nullptr;
  std::vector<std::string> options;  // lower case, sorted
  std::string text() const;          // as entries show it
  // Whether values under this description are values of `wanted` (RFC 4512 section 2.5.2).
  bool is_under(const Description& wanted) const;
};
// Nothing when the type is unknown.
std::optional<Description> describe(std::string_view text);

}  // namespace kauri::operation::testing
