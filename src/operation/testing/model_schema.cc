#include "operation/testing/model_schema.h"

#include <algorithm>

namespace kauri::operation::testing {
namespace {

const std::vector<TypeFacts> kTypes = {
    {"objectClass", Form::kClass},
    {"name", Form::kIgnoreCase, {}, false, false, true},
    {"cn", Form::kIgnoreCase, "name", false, false, true},
    {"sn", Form::kIgnoreCase, "name", false, false, true},
    {"givenName", Form::kIgnoreCase, "name", false, false, true},
    {"ou", Form::kIgnoreCase, "name", false, false, true},
    {"dc", Form::kIgnoreCase, {}, true, false, true},
    {"uid", Form::kIgnoreCase, {}, false, false, true},
    {"description", Form::kIgnoreCase, {}, false, false, true},
    {"member", Form::kName, "distinguishedName"},
    {"userPassword", Form::kOctets},
    {"kInt", Form::kInteger, {}, false, true},
    {"kIntSub", Form::kInteger, "kInt", false, true},
    {"kExact", Form::kExact, {}, false, true, true},
    {"kSingle", Form::kIgnoreCase, {}, true},
    {"kNoEq", Form::kNoRule},
    {"modifyTimestamp", Form::kTime, {}, true, true},
};

const std::vector<ClassFacts> kClasses = {
    {"top", ClassKind::kAbstract, {}, {"objectClass"}},
    {"domain", ClassKind::kStructural, "top", {"dc"}, {"description", "userPassword"}},
    {"organizationalUnit", ClassKind::kStructural, "top", {"ou"}, {"description", "userPassword"}},
    {"person", ClassKind::kStructural, "top", {"sn", "cn"}, {"description", "userPassword"}},
    {"organizationalPerson", ClassKind::kStructural, "person", {}, {"ou"}},
    {"inetOrgPerson", ClassKind::kStructural, "organizationalPerson", {}, {"givenName", "uid"}},
    {"groupOfNames", ClassKind::kStructural, "top", {"member", "cn"}, {"ou", "description"}},
    {"account", ClassKind::kStructural, "top", {"uid"}, {"description", "ou"}},
    {"dcObject", ClassKind::kAuxiliary, "top", {"dc"}},
    {"kAux", ClassKind::kAuxiliary, "top", {}, {"kInt", "kIntSub", "kExact", "kSingle", "kNoEq"}},
    {"extensibleObject", ClassKind::kAuxiliary, "top"},
};

template <class Facts>
const Facts* find_named(const std::vector<Facts>& all, std::string_view name) {
  const std::string wanted = lower(name);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Facts& one) { return lower(one.name) == wanted; });
  return found == all.end() ? nullptr : &*found;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Spaces around are nothing, and several are one.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out += c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// Of names without escapes.
std::optional<std::string> normal_name(std::string_view text) {
  std::string out;
  if (text.empty()) return out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string rdn = squeezed(lower(text.substr(0, comma)));
    const std::size_t equals = rdn.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == rdn.size()) return std::nullopt;
    out += rdn + ',';
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

// Of the magnitudes.
int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

std::string add_digits(std::string_view a, std::string_view b) {
  std::string out;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    int sum = carry;
    if (i < a.size()) sum += a[a.size() - 1 - i] - '0';
    if (i < b.size()) sum += b[b.size() - 1 - i] - '0';
    out += static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// REQUIRES: a >= b.
std::string subtract_digits(std::string_view a, std::string_view b) {
  std::string out;
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    int left = a[a.size() - 1 - i] - '0' - borrow;
    if (i < b.size()) left -= b[b.size() - 1 - i] - '0';
    borrow = left < 0 ? 1 : 0;
    out += static_cast<char>('0' + left + 10 * borrow);
  }
  while (out.size() > 1 && out.back() == '0') out.pop_back();
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

const TypeFacts* type_named(std::string_view name) {
  return find_named(kTypes, name);
}

const ClassFacts* class_named(std::string_view name) {
  return find_named(kClasses, name);
}

bool is_same_or_under(const TypeFacts& type, const TypeFacts& superior) {
  for (const TypeFacts* at = &type; at != nullptr; at = type_named(at->superior))
    if (at == &superior) return true;
  return false;
}

bool is_same_or_under(const ClassFacts& one, const ClassFacts& superior) {
  for (const ClassFacts* at = &one; at != nullptr; at = class_named(at->superior))
    if (at == &superior) return true;
  return false;
}

std::optional<std::string> normal_value(const TypeFacts& type, std::string_view value) {
  switch (type.form) {
    case Form::kIgnoreCase:
      if (value.empty()) return std::nullopt;
      return squeezed(lower(value));
    case Form::kExact:
      if (value.empty()) return std::nullopt;
      return squeezed(value);
    case Form::kInteger:
      if (!is_integer(value) || value == "-0") return std::nullopt;
      return std::string(value);
    case Form::kName:
      return normal_name(value);
    case Form::kClass:
      if (class_named(value) == nullptr) return std::nullopt;
      return lower(value);
    case Form::kNoRule:
      if (value.empty()) return std::nullopt;
      return std::string(value);
    case Form::kOctets:
    case Form::kTime:
      break;
  }
  return std::string(value);
}

int compare_integers(std::string_view a, std::string_view b) {
  const bool a_below = a.starts_with('-');
  const bool b_below = b.starts_with('-');
  if (a_below != b_below) return a_below ? -1 : 1;
  return a_below ? compare_digits(b.substr(1), a.substr(1)) : compare_digits(a, b);
}

std::string add_to_integer(std::string_view a, std::string_view b) {
  const bool a_below = a.starts_with('-');
  const bool b_below = b.starts_with('-');
  if (a_below) a.remove_prefix(1);
  if (b_below) b.remove_prefix(1);
  if (a_below == b_below) return (a_below ? "-" : "") + add_digits(a, b);
  const bool a_larger = compare_digits(a, b) >= 0;
  const std::string out = a_larger ? subtract_digits(a, b) : subtract_digits(b, a);
  return out != "0" && (a_larger ? a_below : b_below) ? "-" + out : out;
}

std::string Description::text() const {
  std::string out(type->name);
  for (const std::string& option : options) out += ";" + option;
  return out;
}

bool Description::is_under(const Description& wanted) const {
  return is_same_or_under(*type, *wanted.type) &&
         std::includes(options.begin(), options.end(), wanted.options.begin(),
                       wanted.options.end());
}

std::optional<Description> describe(std::string_view text) {
  Description out;
  std::size_t semicolon = text.find(';');
  out.type = type_named(text.substr(0, semicolon));
  if (out.type == nullptr) return std::nullopt;
  while (semicolon != std::string_view::npos) {
    text.remove_prefix(semicolon + 1);
    semicolon = text.find(';');
    out.options.push_back(lower(text.substr(0, semicolon)));
  }
  std::sort(out.options.begin(), out.options.end());
  return out;
}

}  // namespace kauri::operation::testing
