#include "query/testing/random_filter.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kauri::query {
namespace {

using Kind = RandomSearches::Kind;

const std::vector<std::string> kWords = {"a",
                                         "ab",
                                         "abc",
                                         "abcd",
                                         "ABCD",
                                         "b",
                                         "Ba r",
                                         "foo  bar",
                                         "x y z",
                                         "jos\xc3\xa9",
                                         "Jose\xcc\x81",
                                         "zz*(",
                                         "smith",
                                         "smithson",
                                         "S",
                                         "aaa",
                                         "\xf0\x9f\x98\x80",
                                         "0",
                                         "a,b=c"};
const std::vector<std::string> kNumbers = {"0",
                                           "1",
                                           "-1",
                                           "9",
                                           "10",
                                           "-5",
                                           "255",
                                           "256",
                                           "65536",
                                           "-65536",
                                           "123456789012345678901234567890"};
const std::vector<std::string> kTimes = {"20240101120000Z", "20240101130000+0100", "2023123123Z",
                                         "20250101000000.5Z"};
const std::vector<std::string> kDigits = {"1 2 3", "123", "45", "4 5 6", "0"};
const std::vector<std::string> kPhones = {"+1 234-567", "+1234567", "555 12 34", "5"};
const std::vector<std::string> kMails = {"A@Example.com", "b@example.com", "smith@x", "a"};
const std::vector<std::string> kNames = {"cn=a,dc=example", "CN=A, dc=Example", "cn=b\\, c,dc=x",
                                         "uid=abc", ""};
const std::vector<std::string> kClasses = {"person",  "inetOrgPerson", "organizationalPerson",
                                           "kAux",    "top",           "groupOfNames",
                                           "account", "2.5.6.6",       "organizationalUnit"};

const std::vector<Kind> kKinds = {
    {"cn", &kWords, true},
    {"sn", &kWords, true},
    {"givenName", &kWords, true},
    {"givenName;lang-en", &kWords, true},
    {"cn;lang-fr", &kWords, true},
    {"description", &kWords, true},
    {"uid", &kWords, true},
    {"kInt", &kNumbers, false},
    {"kIntSub", &kNumbers, false},
    {"kTime", &kTimes, false},
    {"modifyTimestamp", &kTimes, false},
    {"kExact", &kWords, true},
    {"kNum", &kDigits, true},
    {"kOct", &kWords, false},
    {"kSingle", &kWords, false},
    {"kNoEq", &kWords, false},
    {"mail", &kMails, true},
    {"telephoneNumber", &kPhones, true},
    {"member", &kNames, false},
};

// A value around the lengths where keys are cut.
std::string long_value(Dice& dice) {
  static constexpr std::size_t kSizes[] = {218, 219, 220, 221, 438, 439, 440, 441, 442, 500, 5000};
  std::string value(dice.one_of(kSizes), dice.chance(50) ? 'a' : '\0');
  if (value[0] == '\0') value[0] = 'a';
  if (dice.chance(50)) value.back() = dice.chance(50) ? 'b' : 'c';
  if (dice.chance(30)) value[value.size() / 2] = '\0';
  return value;
}

std::string escape(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char octet : value) {
    out += '\\';
    out += kHex[static_cast<unsigned char>(octet) >> 4U];
    out += kHex[static_cast<unsigned char>(octet) & 15U];
  }
  return out;
}

std::string some_piece(Dice& dice, const std::string& value) {
  if (value.empty()) return "a";
  const std::size_t begin = dice.below(value.size());
  const std::size_t most = dice.chance(80) ? 4 : value.size();
  return value.substr(begin, 1 + dice.below(most));
}

}  // namespace

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

RandomSearches::RandomSearches(Dice& dice) : dice_(dice) {
  // The even mix, now and then, for what needs many kinds at once.
  static constexpr std::array<unsigned, kLeaves> kEven = {4, 1, 1, 1, 3, 1, 1, 1, 1, 1};
  const bool even = dice_.chance(25);
  for (std::size_t i = 0; i < kLeaves; ++i)
    weights_[i] = even ? kEven[i] : dice_.chance(40) ? 0 : 1 + dice_.below(6);
  if (std::accumulate(weights_.begin(), weights_.end(), 0U) == 0) weights_[0] = 1;
  const unsigned share = even || dice_.chance(40) ? 100 : 20 + dice_.below(60);
  for (const Kind& kind : kKinds)
    if (dice_.chance(share)) kinds_.push_back(&kind);
  if (kinds_.empty()) kinds_.push_back(&kKinds.front());
  if (even) return;
  and_percent_ = 10 + static_cast<unsigned>(dice_.below(85));
  not_percent_ = dice_.chance(25) ? 0 : static_cast<unsigned>(dice_.below(50));
}

const std::vector<std::string>& RandomSearches::class_names() {
  return kClasses;
}

const Kind& RandomSearches::kind() {
  return *dice_.one_of(kinds_);
}

std::string RandomSearches::value_of(const Kind& kind) {
  const bool is_octets = std::string_view(kind.name) == "kOct";
  if (is_octets && dice_.chance(50)) return long_value(dice_);
  std::string value = dice_.one_of(*kind.values);
  if (kind.values == &kWords && !is_octets && dice_.chance(8)) {
    value = long_value(dice_);
    for (char& octet : value)
      if (octet == '\0') octet = 'a';
  }
  return value;
}

std::vector<index::IndexSpec> RandomSearches::indexes() {
  std::vector<index::IndexSpec> specs;
  const unsigned share = dice_.chance(75) ? 95 : static_cast<unsigned>(dice_.below(101));
  const auto add = [&](const char* name, bool equality, bool grams) {
    if (!dice_.chance(share)) return;
    index::IndexKinds kinds;
    kinds.presence = dice_.chance(40);
    kinds.equality = equality && dice_.chance(80);
    kinds.substring = grams && dice_.chance(60);
    if (kinds.any()) specs.push_back({name, kinds});
  };
  for (const Kind& kind : kKinds) {
    const std::string_view name = kind.name;
    if (name.find(';') == std::string_view::npos) add(kind.name, name != "kNoEq", kind.grams);
  }
  add("objectClass", true, false);
  add("ou", true, true);
  add("dc", true, true);
  return specs;
}

std::vector<std::pair<std::string, std::string>> RandomSearches::values(bool lawful) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::size_t count = dice_.below(18);
  for (std::size_t i = 0; i < count; ++i) {
    const Kind& one = kind();
    // Only an import brings a time of change; members of a name without values are none.
    if (lawful && std::string_view(one.name) == "modifyTimestamp") continue;
    out.emplace_back(one.name, value_of(one));
    // A value that its own rule cannot normalise, as an import without checks might bring it.
    if (!lawful && dice_.chance(2)) out.emplace_back("kInt", "not a number");
    if (!lawful && dice_.chance(2)) out.emplace_back("description", "\xee\x80\x80");
  }
  return out;
}

std::string RandomSearches::substring(const std::string& name, const std::string& value) {
  std::string text = "(" + name + "=";
  const bool initial = dice_.chance(50);
  const bool final = dice_.chance(30);
  const std::size_t any = dice_.below(initial || final ? 2 : 3);
  if (initial) text += escape(value.substr(0, 1 + dice_.below(value.size() + 1)));
  text += '*';
  for (std::size_t i = 0; i < any; ++i) text += escape(some_piece(dice_, value)) + "*";
  if (final && !value.empty()) text += escape(value.substr(dice_.below(value.size())));
  return text + ")";
}

std::string RandomSearches::name_of(const Kind& kind) {
  if (dice_.chance(4)) return "nosuch";
  if (dice_.chance(8)) return "name";
  if (dice_.chance(4)) return std::string(kind.name) + ";lang-fr";
  return kind.name;
}

std::string RandomSearches::extensible(const std::string& name, const std::string& value) {
  static const std::vector<std::string> kRules = {
      "caseExactMatch",           "caseIgnoreMatch",  "caseExactMatch",       "integerMatch",
      "1.2.840.113556.1.4.803",   "octetStringMatch", "integerOrderingMatch", "noMatch",
      "caseIgnoreSubstringsMatch"};
  const std::string rule = dice_.one_of(kRules);
  const std::string dn = dice_.chance(30) ? ":dn" : "";
  switch (dice_.below(4)) {
    case 0:
      return "(" + name + dn + ":=" + escape(value) + ")";
    case 1:
      return "(" + dn + ":" + rule + ":=" + escape(value) + ")";
    case 2:
      return "(ou:dn:=" + std::to_string(dice_.below(60)) + ")";
    default:
      return "(" + name + dn + ":" + rule + ":=" + escape(value) + ")";
  }
}

std::string RandomSearches::special() {
  switch (dice_.below(3)) {
    case 0:
      return "(objectClass=*)";
    case 1:
      return "(hasSubordinates=TRUE)";
    default:
      return "(objectClass:objectIdentifierMatch:=person)";
  }
}

std::string RandomSearches::bounds() {
  const std::string low = dice_.one_of(kTimes);
  const std::string high = dice_.one_of(kTimes);
  return "(&(modifyTimestamp>=" + low + ")(modifyTimestamp<=" + high + "))";
}

RandomSearches::Leaf RandomSearches::leaf_kind() {
  std::uint64_t at = dice_.below(std::accumulate(weights_.begin(), weights_.end(), 0U));
  for (std::size_t i = 0; i < kLeaves; ++i) {
    if (at < weights_[i]) return static_cast<Leaf>(i);
    at -= weights_[i];
  }
  return Leaf::kEquality;
}

std::string RandomSearches::leaf() {
  const Kind& of = kind();
  const std::string name = name_of(of);
  const std::string value = dice_.chance(90) ? value_of(of) : dice_.one_of(kWords);
  switch (leaf_kind()) {
    case Leaf::kEquality:
      break;
    case Leaf::kPresence:
      return "(" + name + "=*)";
    case Leaf::kAtLeast:
      return "(" + name + ">=" + escape(value) + ")";
    case Leaf::kAtMost:
      return "(" + name + "<=" + escape(value) + ")";
    case Leaf::kSubstring:
      return substring(name, value);
    case Leaf::kObjectClass:
      return "(objectClass=" + dice_.one_of(kClasses) + ")";
    case Leaf::kApprox:
      return "(" + name + "~=" + escape(value) + ")";
    case Leaf::kExtensible:
      return extensible(name, value);
    case Leaf::kSpecial:
      return special();
    case Leaf::kBounds:
      return bounds();
  }
  return "(" + name + "=" + escape(value) + ")";
}

std::string RandomSearches::filter(int depth) {
  if (depth == 0 || dice_.chance(30)) return leaf();
  if (dice_.chance(not_percent_)) return "(!" + filter(depth - 1) + ")";
  std::string text = dice_.chance(and_percent_) ? "(&" : "(|";
  const std::size_t count = dice_.chance(3) ? 0 : 1 + dice_.below(4);
  for (std::size_t i = 0; i < count; ++i) text += filter(depth - 1);
  return text + ")";
}

Authorizer::Verdict HashedRights::decide(AccessTarget& target, const AccessAttribute& attribute,
                                         Right) {
  const std::uint64_t hash = attribute.type == nullptr
                                 ? seed_
                                 : seed_ + std::hash<std::string_view>()(attribute.type->name());
  SeededRandom whole(hash);
  const std::uint64_t sort = whole.next_u64() % 100;
  if (sort < denied_percent_) return Verdict::kNever;
  if (sort > 2 * denied_percent_) return Verdict::kAlways;
  SeededRandom single(hash + target.id().value() * 7919);
  return single.next_u64() % 2 == 0 ? Verdict::kAllow : Verdict::kDeny;
}

}  // namespace kauri::query
