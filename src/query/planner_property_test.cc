// The planner's answer is the brute-force answer: random trees, entries, indexes, rights and
// filters of every kind. KAURI_PAIRS sets how many filters are tried, KAURI_SEED where to begin.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random.h"
#include "query/testing/test_world.h"

namespace kauri::query {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_.next_u64() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  SeededRandom random_;
};

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

// The attributes that entries have, and where their values come from.
struct Kind {
  const char* name;
  const std::vector<std::string>* values;
  bool grams;
};
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

// Now and then a value around the lengths where keys are cut.
std::string long_value(Dice& dice) {
  static constexpr std::size_t kSizes[] = {218, 219, 220, 221, 438, 439, 440, 441, 442, 500, 5000};
  std::string value(dice.one_of(kSizes), dice.chance(50) ? 'a' : '\0');
  if (value[0] == '\0') value[0] = 'a';
  if (dice.chance(50)) value.back() = dice.chance(50) ? 'b' : 'c';
  if (dice.chance(30)) value[value.size() / 2] = '\0';
  return value;
}

std::string value_of(Dice& dice, const Kind& kind) {
  const bool is_octets = std::string_view(kind.name) == "kOct";
  if (is_octets && dice.chance(50)) return long_value(dice);
  std::string value = dice.one_of(*kind.values);
  if (kind.values == &kWords && !is_octets && dice.chance(8)) {
    value = long_value(dice);
    for (char& octet : value)
      if (octet == '\0') octet = 'a';
  }
  return value;
}

// Attributes worth an index, with the most that their rules allow.
std::vector<index::IndexSpec> some_indexes(Dice& dice) {
  std::vector<index::IndexSpec> specs;
  const unsigned share = dice.chance(75) ? 95 : static_cast<unsigned>(dice.below(101));
  const auto add = [&](const char* name, bool equality, bool grams) {
    if (!dice.chance(share)) return;
    index::IndexKinds kinds;
    kinds.presence = dice.chance(40);
    kinds.equality = equality && dice.chance(80);
    kinds.substring = grams && dice.chance(60);
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

entry::Entry some_entry(Dice& dice, const schema::Schema& schema, EntryId parent,
                        std::uint64_t id) {
  const std::string rdn = parent.value() == 0 ? "dc=example,dc=com" : "ou=" + std::to_string(id);
  entry::Entry entry = make_entry(schema, parent, rdn, {});
  const auto add = [&](std::string_view name, std::string value) {
    const auto description = schema.attribute_description(name);
    auto& values = entry.find_or_add(*description).values;
    if (description->type->single_value && !values.empty()) return;
    if (std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(std::move(value));
  };
  const std::size_t classes = 1 + dice.below(3);
  for (std::size_t i = 0; i < classes; ++i) add("objectClass", dice.one_of(kClasses));
  const std::size_t count = dice.below(18);
  for (std::size_t i = 0; i < count; ++i) {
    const Kind& kind = dice.one_of(kKinds);
    add(kind.name, value_of(dice, kind));
    // A value that its own rule cannot normalise, as an import without checks might bring it.
    if (dice.chance(2)) add("kInt", "not a number");
    if (dice.chance(2)) add("description", "\xee\x80\x80");
  }
  return entry;
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

std::string some_substring(Dice& dice, const std::string& name, const std::string& value) {
  std::string text = "(" + name + "=";
  const bool initial = dice.chance(50);
  const bool final = dice.chance(30);
  const std::size_t any = dice.below(initial || final ? 2 : 3);
  if (initial) text += escape(value.substr(0, 1 + dice.below(value.size() + 1)));
  text += '*';
  for (std::size_t i = 0; i < any; ++i) text += escape(some_piece(dice, value)) + "*";
  if (final && !value.empty()) text += escape(value.substr(dice.below(value.size())));
  return text + ")";
}

std::string some_name(Dice& dice, const Kind& kind) {
  if (dice.chance(4)) return "nosuch";
  if (dice.chance(8)) return "name";
  if (dice.chance(4)) return std::string(kind.name) + ";lang-fr";
  return kind.name;
}

std::string some_extensible(Dice& dice, const std::string& name, const std::string& value) {
  static const std::vector<std::string> kRules = {
      "caseExactMatch",           "caseIgnoreMatch",  "caseExactMatch",       "integerMatch",
      "1.2.840.113556.1.4.803",   "octetStringMatch", "integerOrderingMatch", "noMatch",
      "caseIgnoreSubstringsMatch"};
  const std::string rule = dice.one_of(kRules);
  const std::string dn = dice.chance(30) ? ":dn" : "";
  switch (dice.below(4)) {
    case 0:
      return "(" + name + dn + ":=" + escape(value) + ")";
    case 1:
      return "(" + dn + ":" + rule + ":=" + escape(value) + ")";
    case 2:
      return "(ou:dn:=" + std::to_string(dice.below(60)) + ")";
    default:
      return "(" + name + dn + ":" + rule + ":=" + escape(value) + ")";
  }
}

std::string some_bounds(Dice& dice) {
  const std::string low = dice.one_of(kTimes);
  const std::string high = dice.one_of(kTimes);
  return "(&(modifyTimestamp>=" + low + ")(modifyTimestamp<=" + high + "))";
}

std::string some_leaf(Dice& dice) {
  if (dice.chance(3)) return some_bounds(dice);
  const Kind& kind = dice.one_of(kKinds);
  const std::string name = some_name(dice, kind);
  const std::string value = dice.chance(90) ? value_of(dice, kind) : dice.one_of(kWords);
  switch (dice.below(14)) {
    case 0:
      return "(" + name + "=*)";
    case 1:
      return "(" + name + ">=" + escape(value) + ")";
    case 2:
      return "(" + name + "<=" + escape(value) + ")";
    case 3:
    case 4:
    case 5:
      return some_substring(dice, name, value);
    case 6:
      return "(objectClass=" + dice.one_of(kClasses) + ")";
    case 7:
      return "(" + name + "~=" + escape(value) + ")";
    case 8:
      return some_extensible(dice, name, value);
    case 9:
      if (dice.chance(30)) return "(objectClass=*)";
      if (dice.chance(30)) return "(hasSubordinates=TRUE)";
      if (dice.chance(30)) return "(objectClass:objectIdentifierMatch:=person)";
      [[fallthrough]];
    default:
      return "(" + name + "=" + escape(value) + ")";
  }
}

std::string some_filter(Dice& dice, int depth) {
  if (depth == 0 || dice.chance(30)) return some_leaf(dice);
  if (dice.chance(20)) return "(!" + some_filter(dice, depth - 1) + ")";
  std::string text = dice.chance(55) ? "(&" : "(|";
  const std::size_t count = dice.chance(3) ? 0 : 1 + dice.below(4);
  for (std::size_t i = 0; i < count; ++i) text += some_filter(dice, depth - 1);
  return text + ")";
}

// Rights by a hash of entry and attribute, so that planned and brute-force search ask the same.
class HashedRights final : public Authorizer {
 public:
  HashedRights(std::uint64_t seed, unsigned denied_percent)
      : seed_(seed), denied_percent_(denied_percent) {}
  const Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(AccessTarget& target, const AccessAttribute& attribute, Right) override {
    std::uint64_t hash = seed_ + std::hash<std::string_view>()(attribute.type->name());
    SeededRandom whole(hash);
    const std::uint64_t sort = whole.next_u64() % 100;
    if (sort < denied_percent_) return Verdict::kNever;
    if (sort > 2 * denied_percent_) return Verdict::kAlways;
    SeededRandom single(hash + target.id().value() * 7919);
    return single.next_u64() % 2 == 0 ? Verdict::kAllow : Verdict::kDeny;
  }

 private:
  std::uint64_t seed_;
  unsigned denied_percent_;
  Identity identity_;
};

// A tree whose ids lie in several blocks, with entries changed and taken away after they were put.
void grow(Dice& dice, TestWorld& world) {
  std::vector<EntryId> ids;
  const std::size_t count = dice.chance(25) ? 100 + dice.below(200) : 5 + dice.below(70);
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const EntryId parent = ids.empty() ? EntryId() : dice.one_of(ids);
    world.put(EntryId(next), some_entry(dice, world.schema(), parent, next), dice.below(4) + 1);
    ids.emplace_back(next);
    next += dice.chance(10) ? 1 + dice.below(9000) : 1;
  }
  for (std::size_t i = 0; i < count / 4; ++i) {
    const EntryId id = dice.one_of(ids);
    const EntryId parent = world.entries().at(id).parent;
    world.put(id, some_entry(dice, world.schema(), parent, id.value()), dice.below(4) + 1);
  }
  for (std::size_t i = 0; i < count / 6; ++i) {
    const std::size_t at = dice.below(ids.size());
    const bool is_leaf =
        std::none_of(world.entries().begin(), world.entries().end(),
                     [&](const auto& each) { return each.second.parent == ids[at]; });
    if (!is_leaf || ids.size() == 1) continue;
    world.erase(ids[at]);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

ScopeQuery some_scope(Dice& dice, const TestWorld& world) {
  ScopeQuery scope;
  auto base = world.entries().begin();
  if (dice.chance(35)) std::advance(base, dice.below(world.entries().size()));
  scope.base = base->first;
  scope.scope = dice.chance(60) ? ldap::Scope::kSubtree : static_cast<ldap::Scope>(dice.below(4));
  scope.base_is_suffix = base->second.parent.value() == 0;
  return scope;
}

void expect_equal(std::uint64_t seed, TestWorld& world, const std::string& text,
                  const ScopeQuery& scope, Authorizer& authorizer, bool all_searchable) {
  const CompiledFilter filter = world.compile(text);
  const Plan plan = world.plan(filter, scope);
  const std::set<EntryId> expected = world.brute_force(filter, scope, authorizer);
  const std::set<EntryId> found = world.execute(plan, filter, scope, authorizer, all_searchable);
  if (found == expected) return;
  std::string message = "KAURI_SEED=" + std::to_string(seed) + " " + text + " base " +
                        std::to_string(scope.base.value()) + " scope " +
                        std::to_string(static_cast<int>(scope.scope)) + " source " +
                        std::to_string(static_cast<int>(plan.source)) +
                        (plan.filter_exact ? " exact" : "") + "\nmissing:";
  for (const EntryId id : expected)
    if (!found.contains(id)) message += " " + std::to_string(id.value());
  message += "\ntoo many:";
  for (const EntryId id : found)
    if (!expected.contains(id)) message += " " + std::to_string(id.value());
  for (const PlanTerm& term : world.plan(filter, scope, true).terms)
    message += "\n" + term.term + " " + term.index + " " + std::to_string(term.cardinality) +
               (term.used ? " used" : "");
  FAIL() << message;
}

TEST(PlannerProperty, PlannedSearchFindsWhatBruteForceFinds) {
  const std::uint64_t pairs = from_environment("KAURI_PAIRS", 6000);
  std::uint64_t done = 0;
  for (std::uint64_t seed = from_environment("KAURI_SEED", 1); done < pairs; ++seed) {
    Dice dice(seed);
    TestWorld world(some_indexes(dice));
    for (const index::IndexDefinition& definition : world.catalog().definitions())
      if (dice.chance(5)) world.catalog().set_usable(*definition.type, false);
    grow(dice, world);
    const bool everyone = dice.chance(60);
    AllowAll all((Identity()));
    HashedRights some(seed, static_cast<unsigned>(dice.below(40)));
    Authorizer& authorizer = everyone ? static_cast<Authorizer&>(all) : some;
    for (int i = 0; i < 120 && done < pairs; ++i, ++done) {
      const std::string text = some_filter(dice, static_cast<int>(dice.below(5)));
      expect_equal(seed, world, text, some_scope(dice, world), authorizer, everyone);
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << "at KAURI_SEED=" << seed << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace kauri::query
