#include "schema/dn_normal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "text/ascii.h"
#include "text/stringprep.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

// Octets with a meaning of their own in a normal form. Inside a value each of them, and 0x03, is
// written as kEscape and the octet plus 0x10; so 0x00 and 0x01 never stand in an RDN, and no value
// can look like two.
constexpr char kRdnEnd = '\x01';
constexpr char kEscape = '\x02';
constexpr char kAvaDivider = '\x03';
constexpr unsigned char kSpecialMax = 0x03;

void escape_from(std::string& out, std::size_t start) {
  const auto special = [](char c) { return static_cast<unsigned char>(c) <= kSpecialMax; };
  const auto first =
      std::find_if(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), special);
  if (first == out.end()) return;
  const std::string tail(first, out.end());
  out.erase(first, out.end());
  for (const char c : tail) {
    if (special(c)) {
      out.push_back(kEscape);
      out.push_back(static_cast<char>(c + 0x10));
    } else {
      out.push_back(c);
    }
  }
}

// A naming attribute may itself have DN syntax, and `seeAlso=seeAlso=...` needs no escapes, so
// without a limit a name of 8 KiB would nest a thousand calls deep. Nothing in use nests at all.
constexpr int kNestedNamesMax = 4;

class NestingGuard {
 public:
  NestingGuard() { ++depth_; }
  ~NestingGuard() { --depth_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;
  bool too_deep() const { return depth_ > kNestedNamesMax; }

 private:
  static thread_local int depth_;
};
thread_local int NestingGuard::depth_ = 0;

std::string_view without_oid_prefix(std::string_view type) {
  return type.size() > 4 && text::equal_ignoring_case(type.substr(0, 4), "oid.") ? type.substr(4)
                                                                                 : type;
}

// "key=value" in normal form, at the end of `out`; `known` is null for a type that the schema does
// not have.
Result<void> append_ava(const Schema& schema, const AttributeType* known, std::string_view type,
                        std::string_view value, std::string& out) {
  if (known == nullptr) {
    for (const char c : type) out.push_back(text::to_lower(c));
  } else {
    out += known->naming_key;
  }
  out.push_back('=');
  const std::size_t start = out.size();
  if (known == nullptr) {
    if (!text::prepare_string(value, text::Letters::kFolded, text::StringPart::kWhole, out)) {
      return invalid("the value of the naming attribute " + text::quoted(type) +
                     (text::has_excess_marks(value)
                          ? " cannot be compared: " + std::string(text::kExcessMarks)
                          : " is not UTF-8 or holds a prohibited character"));
    }
  } else {
    if (known->equality == nullptr) {
      return invalid("attribute type " + text::quoted(type) +
                     " has no equality rule, so it cannot name an entry");
    }
    std::string why;
    if (!known->syntax->validate(value, &why)) {
      return invalid("the value of the naming attribute " + text::quoted(type) +
                     " is not valid: " + why);
    }
    if (!known->equality->normalize(schema, value, out)) {
      why = "the value of the naming attribute " + text::quoted(type) + " cannot be compared by " +
            std::string(known->equality->name());
      if (text::has_excess_marks(value)) why.append(": ").append(text::kExcessMarks);
      return invalid(std::move(why));
    }
  }
  escape_from(out, start);
  return {};
}

Result<void> append_rdn(const Schema& schema, const ldap::Rdn& rdn, std::string& out) {
  if (rdn.avas.size() == 1) {
    const ldap::Ava& ava = rdn.avas[0];
    const std::string_view type = without_oid_prefix(ava.type);
    return append_ava(schema, schema.attribute_type(type), type, ava.value, out);
  }
  // Sorted by key, so that the order of writing does not matter.
  std::vector<std::pair<std::string, std::string>> avas;
  for (const ldap::Ava& ava : rdn.avas) {
    const std::string_view type = without_oid_prefix(ava.type);
    const AttributeType* known = schema.attribute_type(type);
    std::string key = known != nullptr ? known->naming_key : text::to_lower(type);
    std::string normal;
    KAURI_CHECK(append_ava(schema, known, type, ava.value, normal));
    avas.emplace_back(std::move(key), std::move(normal));
  }
  std::sort(avas.begin(), avas.end());
  for (std::size_t i = 0; i < avas.size(); ++i) {
    if (i > 0 && avas[i].first == avas[i - 1].first) {
      return invalid("one attribute type appears twice in an RDN: " +
                     text::quoted(ldap::to_string(rdn)));
    }
    if (i > 0) out.push_back(kAvaDivider);
    out += avas[i].second;
  }
  return {};
}

// One RDN of a name that is written plainly: one AVA, ASCII, nothing escaped.
struct PlainRdn {
  std::string_view type;
  std::string_view value;
};

bool is_type_octet(char c) {
  return text::is_alpha(c) || text::is_digit(c) || c == '-' || c == '.';
}

// Octets that may stand in a plain value: all of printable ASCII but the specials of RFC 4514
// section 2.4.
constexpr std::array<bool, 256> make_plain_octets() {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7F; ++c) plain[c] = true;
  for (const char c : {'"', '+', ',', ';', '<', '>', '\\'})
    plain[static_cast<unsigned char>(c)] = false;
  return plain;
}
constexpr std::array<bool, 256> kPlainOctets = make_plain_octets();

constexpr std::size_t kPlainRdnsMax = 32;
using PlainRdns = std::array<PlainRdn, kPlainRdnsMax>;

// Splits a plain name. RETURNS: the number of RDNs, or 0 when anything about it is not plain or not
// well-formed; the full parser then decides.
std::size_t split_plain(std::string_view text, PlainRdns& out) {
  std::size_t count = 0;
  std::size_t at = 0;
  const std::size_t size = text.size();
  const auto skip_spaces = [&] {
    while (at < size && text[at] == ' ') ++at;
  };
  while (true) {
    if (count == kPlainRdnsMax) return 0;
    skip_spaces();
    const std::size_t type_start = at;
    while (at < size && is_type_octet(text[at])) ++at;
    const std::size_t type_end = at;
    skip_spaces();
    if (type_end == type_start || at >= size || text[at] != '=') return 0;
    ++at;
    skip_spaces();
    const std::size_t value_start = at;
    while (at < size && kPlainOctets[static_cast<unsigned char>(text[at])]) ++at;
    std::size_t value_end = at;
    while (value_end > value_start && text[value_end - 1] == ' ') --value_end;
    if (value_end == value_start || text[value_start] == '#') return 0;
    out[count++] = {text.substr(type_start, type_end - type_start),
                    text.substr(value_start, value_end - value_start)};
    if (at == size) return count;
    if (text[at] != ',') return 0;
    ++at;
  }
}

}  // namespace

Result<std::string> normalize_rdn(const Schema& schema, const ldap::Rdn& rdn) {
  std::string out;
  KAURI_CHECK(append_rdn(schema, rdn, out));
  return out;
}

Result<std::vector<std::string>> normalize_rdns(const Schema& schema, const ldap::Dn& dn) {
  std::vector<std::string> out;
  out.reserve(dn.rdns.size());
  for (const ldap::Rdn& rdn : dn.rdns) {
    KAURI_TRY(std::string normal, normalize_rdn(schema, rdn));
    out.push_back(std::move(normal));
  }
  return out;
}

Result<std::string> normalize_dn(const Schema& schema, const ldap::Dn& dn) {
  std::string out;
  for (auto rdn = dn.rdns.rbegin(); rdn != dn.rdns.rend(); ++rdn) {
    KAURI_CHECK(append_rdn(schema, *rdn, out));
    out.push_back(kRdnEnd);
  }
  return out;
}

Result<std::string> normalize_dn(const Schema& schema, std::string_view text) {
  if (text.empty()) return std::string();
  const NestingGuard guard;
  if (guard.too_deep()) {
    limits::count(limits::Counter::kNestedNames);
    return invalid("names inside the values of names are nested more than " +
                   std::to_string(kNestedNamesMax) + " deep");
  }
  PlainRdns rdns;
  const std::size_t count = text.size() <= limits::kDnSizeMax ? split_plain(text, rdns) : 0;
  if (count == 0) {
    KAURI_TRY(ldap::Dn dn, ldap::parse_dn(text));
    return normalize_dn(schema, dn);
  }
  std::string out;
  out.reserve(text.size() + count * 8);
  for (std::size_t i = count; i-- > 0;) {
    const std::string_view type = rdns[i].type;
    const AttributeType* known = schema.attribute_type(type);
    if (known == nullptr) {
      // The full parser knows what a type may look like.
      KAURI_TRY(ldap::Dn dn, ldap::parse_dn(text));
      return normalize_dn(schema, dn);
    }
    KAURI_CHECK(append_ava(schema, known, type, rdns[i].value, out));
    out.push_back(kRdnEnd);
  }
  return out;
}

std::string join_normal(const std::vector<std::string>& rdns_leaf_first) {
  std::string out;
  for (auto rdn = rdns_leaf_first.rbegin(); rdn != rdns_leaf_first.rend(); ++rdn) {
    out += *rdn;
    out.push_back(kRdnEnd);
  }
  return out;
}

std::string child_normal(std::string_view parent_normal, std::string_view normal_rdn) {
  std::string out;
  out.reserve(parent_normal.size() + normal_rdn.size() + 1);
  out += parent_normal;
  out += normal_rdn;
  out.push_back(kRdnEnd);
  return out;
}

std::string_view parent_normal(std::string_view normal_dn) {
  if (normal_dn.size() < 2) return {};
  const std::size_t end = normal_dn.rfind(kRdnEnd, normal_dn.size() - 2);
  return end == std::string_view::npos ? std::string_view() : normal_dn.substr(0, end + 1);
}

}  // namespace kauri::schema
