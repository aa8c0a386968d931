#include "security/access_policy.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "schema/schema_loader.h"

namespace kauri::security {
namespace {

using query::AccessTarget;
using query::Authorizer;
using query::Identity;
using query::Right;

constexpr Right kRights[] = {Right::kDisclose, Right::kAuth,  Right::kCompare,
                             Right::kSearch,   Right::kRead,  Right::kAdd,
                             Right::kDelete,   Right::kWrite, Right::kManage};
// In the letters of slapd.access(5); W is write, which is a and z together.
constexpr std::string_view kRightLetters = "dxcsrazWm";

std::shared_ptr<const schema::Schema> test_schema() {
  return schema::builtin_schema();
}

std::string normal(std::string_view dn) {
  Result<std::string> form = schema::normalize_dn(*test_schema(), dn);
  EXPECT_TRUE(form) << dn << ": " << form.error().message();
  return form ? *form : "";
}

Identity identity_of(std::string_view dn) {
  return {.dn = std::string(dn), .normal_dn = normal(dn), .administrator = false};
}

class TestTarget final : public AccessTarget {
 public:
  explicit TestTarget(std::string_view dn) : normal_dn_(normal(dn)) {}
  EntryId id() const override { return EntryId(1); }
  const entry::EntryView* entry() const override { return nullptr; }
  std::string_view normal_dn() override {
    ++asked;
    return normal_dn_;
  }
  int asked = 0;

 private:
  std::string normal_dn_;
};

std::shared_ptr<const AccessPolicy> compiled(const std::vector<std::string>& rules) {
  Result<std::shared_ptr<const AccessPolicy>> policy = AccessPolicy::compile(rules, test_schema());
  EXPECT_TRUE(policy) << policy.error().message();
  return policy ? *policy : AccessPolicy::defaults(test_schema());
}

// Asks about `attribute` as each path of the server does; all ways must agree.
bool ask(Authorizer& authorizer, AccessTarget& target, const std::string& attribute, Right right) {
  if (attribute == "entry") return authorizer.may_entry(target, right);
  if (attribute == "children") return authorizer.may_children(target, right);
  static std::map<std::string, std::uint32_t> numbers;
  const auto number = AttributeNumber(
      numbers.emplace(attribute, static_cast<std::uint32_t>(numbers.size() + 1)).first->second);
  const schema::AttributeType* type = test_schema()->attribute_type(attribute);
  EXPECT_NE(type, nullptr) << attribute;
  if (type == nullptr) return false;
  const bool by_type = authorizer.may(target, *type, right);
  const bool by_number = authorizer.may(target, number, *type, right);
  EXPECT_EQ(by_type, by_number) << attribute;
  EXPECT_EQ(authorizer.may(target, number, *type, right), by_number) << "remembered wrongly";
  return by_number;
}

std::string granted(Authorizer& authorizer, std::string_view entry, const std::string& attribute) {
  TestTarget target(entry);
  std::string out;
  for (std::size_t i = 0; i < std::size(kRights); ++i) {
    if (ask(authorizer, target, attribute, kRights[i])) out += kRightLetters[i];
  }
  return out;
}

struct Question {
  std::string_view identity;
  std::string_view entry;
  std::string attribute;
  std::string_view expected;  // letters of kRightLetters, in its order
};
struct Case {
  std::vector<std::string> rules;
  std::vector<Question> questions;
};

constexpr std::string_view kSuffix = "dc=example,dc=com";
constexpr std::string_view kPeople = "ou=people,dc=example,dc=com";
constexpr std::string_view kAnn = "uid=ann,ou=people,dc=example,dc=com";
constexpr std::string_view kBob = "uid=bob,ou=people,dc=example,dc=com";
constexpr std::string_view kDeep = "cn=x,uid=bob,ou=people,dc=example,dc=com";
constexpr std::string_view kRead = "dxcsr";
constexpr std::string_view kWrite = "dxcsrazW";

// slapacl 2.5.13 gives the same answers, but for dn.children="", which matches nothing there, and
// for "by dn=*", which it refuses.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      // Without a rule that fits, nothing.
      {{}, {{kAnn, kBob, "cn", ""}, {"", kBob, "entry", ""}}},
      {{"to attrs=cn by * read"}, {{kAnn, kBob, "sn", ""}, {kAnn, kBob, "entry", ""}}},
      // Levels hold those below them.
      {{"to attrs=cn by * none", "to attrs=sn by * disclose", "to attrs=uid by * auth",
        "to attrs=mail by * compare", "to attrs=title by * search", "to attrs=ou by * read",
        "to attrs=l by * add", "to attrs=st by * delete", "to attrs=street by * write",
        "to attrs=description by * manage"},
       {{kAnn, kBob, "cn", ""},
        {kAnn, kBob, "sn", "d"},
        {kAnn, kBob, "uid", "dx"},
        {kAnn, kBob, "mail", "dxc"},
        {kAnn, kBob, "title", "dxcs"},
        {kAnn, kBob, "ou", "dxcsr"},
        {kAnn, kBob, "l", "dxcsra"},
        {kAnn, kBob, "st", "dxcsrz"},
        {kAnn, kBob, "street", "dxcsrazW"},
        {kAnn, kBob, "description", "dxcsrazWm"}}},
      // Exact privileges hold nothing else.
      {{"to attrs=cn by * =rscx", "to attrs=sn by * =w",
        "to attrs=uid by * =", "to attrs=l by * =0", "to attrs=ou by * =az", "to attrs=st by * =M"},
       {{kAnn, kBob, "cn", "xcsr"},
        {kAnn, kBob, "sn", "azW"},
        {kAnn, kBob, "uid", ""},
        {kAnn, kBob, "l", ""},
        {kAnn, kBob, "ou", "azW"},
        {kAnn, kBob, "st", "m"}}},
      // Who: the first that fits decides.
      {{"to * by anonymous auth by self write by dn.exact=\"" + std::string(kBob) +
        "\" search by users read"},
       {{"", kAnn, "cn", "dx"},
        {kAnn, kAnn, "cn", kWrite},
        {kAnn, kBob, "cn", kRead},
        {kBob, kAnn, "cn", "dxcs"},
        {kBob, kBob, "cn", kWrite},
        {"UID=Ann, OU=People,dc=example,dc=com", kAnn, "cn", kWrite}}},
      {{"to * by * read by self write"}, {{kAnn, kAnn, "cn", kRead}}},
      // The unwritten "by * none" ends each rule.
      {{"to attrs=cn by users read", "to * by * read"},
       {{"", kAnn, "cn", ""}, {"", kAnn, "sn", kRead}, {kBob, kAnn, "cn", kRead}}},
      // Who: styles of a DN.
      {{"to attrs=cn by dn.base=\"" + std::string(kPeople) + "\" read",
        "to attrs=sn by dn.one=\"" + std::string(kPeople) + "\" read",
        "to attrs=uid by dn.subtree=\"" + std::string(kPeople) + "\" read",
        "to attrs=ou by dn.children=\"" + std::string(kPeople) + "\" read",
        "to attrs=l by dn=\"" + std::string(kPeople) + "\" read"},
       {{kPeople, kAnn, "cn", kRead},
        {kBob, kAnn, "cn", ""},
        {kPeople, kAnn, "sn", ""},
        {kBob, kAnn, "sn", kRead},
        {kDeep, kAnn, "sn", ""},
        {kPeople, kAnn, "uid", kRead},
        {kBob, kAnn, "uid", kRead},
        {kDeep, kAnn, "uid", kRead},
        {kSuffix, kAnn, "uid", ""},
        {"", kAnn, "uid", ""},
        {kPeople, kAnn, "ou", ""},
        {kBob, kAnn, "ou", kRead},
        {kDeep, kAnn, "ou", kRead},
        {kPeople, kAnn, "l", kRead},
        {kBob, kAnn, "l", ""}}},
      // A name that only begins with the same letters is not below.
      {{"to attrs=cn by dn.subtree=\"dc=com\" read"},
       {{"dc=xcom", kAnn, "cn", ""},
        {"uid=a,dc=xcom", kAnn, "cn", ""},
        {"dc=com", kAnn, "cn", kRead}}},
      // What: styles of a DN; the first rule that fits decides.
      {{"to dn.base=\"" + std::string(kAnn) + "\" by * write",
        "to dn.one=\"" + std::string(kPeople) + "\" by * read",
        "to dn.children=\"" + std::string(kPeople) + "\" by * search",
        "to dn.subtree=\"" + std::string(kPeople) + "\" by * compare", "to * by * disclose"},
       {{"", kAnn, "cn", kWrite},
        {"", kBob, "cn", kRead},
        {"", kDeep, "cn", "dxcs"},
        {"", kPeople, "cn", "dxc"},
        {"", kSuffix, "cn", "d"},
        {"", kAnn, "entry", kWrite},
        {"", kAnn, "children", kWrite}}},
      {{"to dn.subtree=\"\" attrs=cn by * read", "to dn.base=\"\" by * search",
        "to dn.one=\"\" by * auth", "to dn.children=\"\" by * disclose"},
       {{kAnn, kBob, "cn", kRead},
        {kAnn, "", "sn", "dxcs"},
        {kAnn, "dc=com", "sn", "dx"},
        {kAnn, kBob, "sn", "d"}}},
      // What: both a name and attributes.
      {{"to dn.subtree=\"" + std::string(kPeople) + "\" attrs=cn,mail by * read",
        "to attrs=mail dn.exact=\"" + std::string(kSuffix) + "\" by * search"},
       {{"", kAnn, "mail", kRead},
        {"", kSuffix, "mail", "dxcs"},
        {"", kSuffix, "cn", ""},
        {"", kAnn, "sn", ""}}},
      // Attributes: subtypes, other names, pseudo-attributes.
      {{"to attrs=name by * read", "to attrs=entry by * disclose", "to attrs=children by * write",
        "to attrs=2.5.4.13 by * auth"},
       {{"", kAnn, "name", kRead},
        {"", kAnn, "cn", kRead},
        {"", kAnn, "sn", kRead},
        {"", kAnn, "uid", ""},
        {"", kAnn, "description", "dx"},
        {"", kAnn, "entry", "d"},
        {"", kAnn, "children", kWrite}}},
      // Attributes: of a class, with those it inherits; and all others.
      {{"to attrs=@organizationalPerson by * read", "to attrs=!inetOrgPerson by * search",
        "to * by * disclose"},
       {{"", kAnn, "title", kRead},
        {"", kAnn, "sn", kRead},
        {"", kAnn, "userPassword", kRead},
        {"", kAnn, "objectClass", kRead},
        {"", kAnn, "mail", "d"},
        {"", kAnn, "uidNumber", "dxcs"},
        {"", kAnn, "entry", "dxcs"},
        {"", kAnn, "children", "dxcs"}}},
      {{"to attrs=!extensibleObject by * write", "to attrs=@extensibleObject by * read"},
       {{"", kAnn, "cn", kRead}, {"", kAnn, "entry", kRead}}},
      // Controls. continue: the next "by" adds to it, or the unwritten one takes all.
      {{"to attrs=cn by users read continue by self +w", "to attrs=sn by users read continue",
        "to attrs=uid by users read continue by * +0", "to attrs=ou by users read continue by * -r",
        "to attrs=l by * =r continue by users =s", "to attrs=st by * write continue by * -a",
        "to attrs=street by * =az continue by users -a continue by * +a"},
       {{kAnn, kAnn, "cn", kWrite},
        {kAnn, kBob, "cn", ""},
        {kAnn, kBob, "sn", ""},
        {kAnn, kBob, "uid", kRead},
        {"", kBob, "uid", ""},
        {kAnn, kBob, "ou", "dxcs"},
        {kAnn, kBob, "l", "s"},
        {"", kBob, "l", ""},
        {kAnn, kBob, "st", kRead},
        {kAnn, kBob, "street", "azW"}}},
      // break: the next rule that fits goes on with the privileges so far; none left, nothing.
      {{"to * by self =w break by * break", "to attrs=cn by * +r", "to attrs=sn by users read",
        "to attrs=uid by * =c break"},
       {{kAnn, kAnn, "cn", "razW"},
        {kAnn, kBob, "cn", "r"},
        {kAnn, kAnn, "sn", kRead},
        {"", kAnn, "sn", ""},
        {kAnn, kAnn, "uid", ""},
        {kAnn, kAnn, "mail", ""}}},
      // No access written: what was there stays.
      {{"to attrs=cn by users read continue by *", "to attrs=sn by users",
        "to attrs=uid by users stop", "to attrs=ou by users =x break", "to attrs=ou by *"},
       {{kAnn, kBob, "cn", kRead},
        {kAnn, kBob, "sn", ""},
        {kAnn, kBob, "uid", ""},
        {kAnn, kBob, "ou", "x"}}},
      // Spelling: case, quotes, escapes, spaces, prefixes.
      {{"{0}to DN.SubTree=\"ou=a\\, b,dc=example,dc=com\" ATTRS=CN BY * READ STOP",
        "access to attrs=sn\n\tby users read", "{2} to  attr=uid   by * read",
        "to dn=ou=plain,dc=example,dc=com by * search", "to dn=* attrs=l by dn=* read"},
       {{"", "cn=x,ou=a\\2C b,dc=example,dc=com", "cn", kRead},
        {kAnn, kBob, "sn", kRead},
        {"", kBob, "uid", kRead},
        {"", "ou=plain,dc=example,dc=com", "cn", "dxcs"},
        {"", kBob, "l", kRead}}},
  };
  return kCases;
}

TEST(AccessPolicy, DecidesAsTheTableSays) {
  for (const Case& c : cases()) {
    const std::shared_ptr<const AccessPolicy> policy = compiled(c.rules);
    // One authorizer for all questions of an identity, so that what it remembers is used.
    std::map<std::string_view, std::unique_ptr<Authorizer>> authorizers;
    for (int round = 0; round < 2; ++round) {
      for (const Question& question : c.questions) {
        std::unique_ptr<Authorizer>& authorizer = authorizers[question.identity];
        if (authorizer == nullptr) authorizer = policy->authorizer(identity_of(question.identity));
        EXPECT_EQ(granted(*authorizer, question.entry, question.attribute), question.expected)
            << (c.rules.empty() ? "" : c.rules[0]) << " ... by '" << question.identity << "' to '"
            << question.entry << "' " << question.attribute;
      }
    }
  }
}

TEST(AccessPolicy, DefaultsProtectPasswordsAndAnonymousSeesNothing) {
  const std::shared_ptr<const AccessPolicy> policy = AccessPolicy::defaults(test_schema());
  struct Row {
    std::string_view identity;
    std::string attribute;
    std::string_view expected;
  };
  for (const Row& row :
       {Row{"", "cn", ""}, Row{"", "entry", ""}, Row{"", "userPassword", "dx"},
        Row{kAnn, "cn", kRead}, Row{kAnn, "entry", kRead}, Row{kAnn, "children", kRead},
        Row{kAnn, "userPassword", "xazW"}, Row{kBob, "userPassword", ""},
        Row{kBob, "objectClass", kRead}, Row{kBob, "entryUUID", kRead}}) {
    const auto authorizer = policy->authorizer(identity_of(row.identity));
    EXPECT_EQ(granted(*authorizer, kAnn, row.attribute), row.expected)
        << row.identity << " " << row.attribute;
  }
}

TEST(AccessPolicy, TheAdministratorIsAboveTheRules) {
  const std::shared_ptr<const AccessPolicy> policy = compiled({"to * by * none"});
  Identity admin = identity_of("cn=admin,dc=example,dc=com");
  admin.administrator = true;
  const auto authorizer = policy->authorizer(admin);
  EXPECT_EQ(granted(*authorizer, kAnn, "userPassword"), kRightLetters);
  EXPECT_EQ(granted(*authorizer, kAnn, "entry"), kRightLetters);
  EXPECT_EQ(authorizer->identity().dn, "cn=admin,dc=example,dc=com");
}

TEST(AccessPolicy, GivesItsRulesAsText) {
  EXPECT_EQ(compiled({"to * by * read", "{1}to attrs=cn by self write"})->rules(),
            (std::vector<std::string>{"to * by * read", "{1}to attrs=cn by self write"}));
}

// No attribute shares its remembered decisions with a pseudo-attribute, whatever its number.
TEST(AccessPolicy, NumbersDoNotCollideWithPseudoAttributes) {
  const auto authorizer = compiled({"to attrs=entry,children by * read", "to * by * none"})
                              ->authorizer(identity_of(kAnn));
  TestTarget target(kAnn);
  const schema::AttributeType& type = *test_schema()->attribute_type("cn");
  EXPECT_TRUE(authorizer->may_entry(target, Right::kRead));
  EXPECT_TRUE(authorizer->may_children(target, Right::kRead));
  for (std::uint32_t number = 0; number < 4; ++number) {
    EXPECT_FALSE(authorizer->may(target, AttributeNumber(number), type, Right::kRead)) << number;
  }
  EXPECT_TRUE(authorizer->may_children(target, Right::kRead));
}

// The name of an entry is asked for only when a rule that matters looks at it.
TEST(AccessPolicy, DecisionsThatNoEntryChangesNeedNoEntry) {
  const auto count = [](const std::vector<std::string>& rules, std::string_view identity,
                        const std::string& attribute, Right right) {
    const auto authorizer = compiled(rules)->authorizer(identity_of(identity));
    TestTarget target(kAnn);
    const schema::AttributeType* type = test_schema()->attribute_type(attribute);
    for (int i = 0; i < 10; ++i) authorizer->may(target, AttributeNumber(7), *type, right);
    return target.asked;
  };
  const std::vector<std::string> typical = {
      "to attrs=userPassword by self =xw by anonymous auth by * none", "to * by users read"};
  EXPECT_EQ(count(typical, kAnn, "cn", Right::kRead), 0);
  EXPECT_EQ(count(typical, "", "cn", Right::kRead), 0);
  // Even self may not read, so it does not matter who is self.
  EXPECT_EQ(count(typical, kAnn, "userPassword", Right::kRead), 0);
  EXPECT_EQ(count(typical, "", "userPassword", Right::kAuth), 0);
  EXPECT_GE(count(typical, kAnn, "userPassword", Right::kWrite), 10);
  // A clause for someone else's name, a rule for other attributes: no question.
  EXPECT_EQ(count({"to attrs=sn,mail dn.subtree=\"dc=com\" by * none",
                   "to * by dn.exact=\"" + std::string(kBob) + "\" write by self read by * read"},
                  kAnn, "cn", Right::kRead),
            0);
  EXPECT_GE(
      count({"to dn.subtree=\"dc=com\" by * none", "to * by * read"}, kAnn, "cn", Right::kRead),
      10);
}

TEST(AccessPolicy, RulesWithTooManyWaysAreStillDecidedRightly) {
  std::vector<std::string> rules;
  for (int i = 0; i < 60; ++i) {
    rules.push_back("to dn.subtree=\"ou=" + std::to_string(i) + ",dc=com\" by self +" +
                    std::string(1, "dxcsraz"[i % 7]) + " break by * -r break");
  }
  rules.push_back("to * by users +s");
  const auto authorizer = compiled(rules)->authorizer(identity_of("uid=a,ou=3,dc=com"));
  EXPECT_EQ(granted(*authorizer, "uid=a,ou=3,dc=com", "cn"), "s");
  EXPECT_EQ(granted(*authorizer, "uid=b,ou=3,dc=com", "cn"), "s");
  EXPECT_EQ(granted(*compiled(rules)->authorizer(identity_of("uid=a,ou=5,dc=com")),
                    "uid=a,ou=5,dc=com", "cn"),
            "sa");
}

// An attribute type of another snapshot of the schema is the same by its OID; one that the rules'
// schema lacks is under no rule.
TEST(AccessPolicy, AttributesOfAnotherSchema) {
  schema::SchemaBuilder builder;
  builder.add_builtin();
  ASSERT_TRUE(
      builder.add_text("attributetype ( 1.3.6.1.4.1.32473.1.1 NAME 'novel' SUP name )\n", "test"));
  Result<std::shared_ptr<const schema::Schema>> other = builder.build();
  ASSERT_TRUE(other) << other.error().message();
  const auto authorizer =
      compiled({"to attrs=cn by * read", "to * by * search"})->authorizer(identity_of(""));
  TestTarget target(kAnn);
  EXPECT_TRUE(authorizer->may(target, *(*other)->attribute_type("cn"), Right::kRead));
  EXPECT_FALSE(authorizer->may(target, *(*other)->attribute_type("sn"), Right::kRead));
  EXPECT_FALSE(authorizer->may(target, *(*other)->attribute_type("novel"), Right::kDisclose));
}

// --- Against a second, slow evaluator over random rules, identities and entries ---

using Path = std::vector<std::string>;  // RDNs from the root

std::string text_of(const Path& path) {
  std::string out;
  for (auto rdn = path.rbegin(); rdn != path.rend(); ++rdn) {
    out += (out.empty() ? "" : ",") + *rdn;
  }
  return out;
}

struct ModelWho {
  std::string kind;  // "*", "anonymous", "users", "self", or a style of a DN
  Path dn;
  char sign;  // '=', '+', '-'
  std::string letters;
  std::string control;
};
struct ModelRule {
  std::string style;  // "" = every entry
  Path dn;
  std::string attribute;  // "" = all
  std::vector<ModelWho> who;
};

bool starts_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

bool fits(const std::string& style, const Path& pattern, const Path& path) {
  if (style == "exact") return path == pattern;
  if (style == "one") return starts_with(path, pattern) && path.size() == pattern.size() + 1;
  if (style == "subtree") return starts_with(path, pattern);
  return starts_with(path, pattern) && path.size() > pattern.size();
}

std::string model_granted(const std::vector<ModelRule>& rules, const Path& identity,
                          const Path& entry, const std::string& attribute) {
  std::string have;
  bool decided = false;
  for (const ModelRule& rule : rules) {
    if (!rule.style.empty() && !fits(rule.style, rule.dn, entry)) continue;
    const bool covers = rule.attribute.empty() || rule.attribute == attribute ||
                        (rule.attribute == "name" && (attribute == "cn" || attribute == "sn"));
    if (!covers) continue;
    std::string end = "none";
    for (const ModelWho& who : rule.who) {
      const bool anonymous = identity.empty();
      const bool is = who.kind == "*"           ? true
                      : who.kind == "anonymous" ? anonymous
                      : who.kind == "users"     ? !anonymous
                      : who.kind == "self"      ? !anonymous && identity == entry
                                                : !anonymous && fits(who.kind, who.dn, identity);
      if (!is) continue;
      std::string next;
      // Adding and deleting stand on a common privilege, here "_".
      for (const char letter : std::string("dxcsrazm_")) {
        const bool in = who.letters.find_first_of(letter == '_' ? "az" : std::string(1, letter)) !=
                        std::string::npos;
        const bool had = have.find(letter) != std::string::npos;
        if (who.sign == '=' ? in : who.sign == '+' ? had || in : had && !in) next += letter;
      }
      have = next;
      end = who.control;
      if (end != "continue") break;
      end = "none";
    }
    if (end == "none") have.clear();
    if (end == "break") continue;
    decided = true;
    break;
  }
  if (!decided) have.clear();
  const auto has = [&](char letter) { return have.find(letter) != std::string::npos; };
  std::string out;
  for (const char letter : kRightLetters) {
    const bool is_write = letter == 'a' || letter == 'z' || letter == 'W';
    if (is_write && !has('_')) continue;
    if (letter == 'W' ? has('a') && has('z') : has(letter)) out += letter;
  }
  return out;
}

class RandomRules {
 public:
  explicit RandomRules(std::uint64_t seed) : random_(seed) {}

  Path path() {
    Path out = {"dc=com"};
    static const std::vector<std::string> kMore = {"dc=a", "ou=b", "uid=c"};
    const std::uint64_t depth = random_.next_u64() % 4;
    for (std::uint64_t i = 0; i < depth; ++i) out.push_back(pick(kMore));
    return out;
  }
  std::string pick(const std::vector<std::string>& from) {
    return from[random_.next_u64() % from.size()];
  }

  ModelRule rule() {
    ModelRule out;
    if (random_.next_u64() % 2 == 0) {
      out.style = pick({"exact", "one", "subtree", "children"});
      out.dn = path();
    }
    out.attribute = pick({"", "", "cn", "sn", "name", "entry", "children"});
    const std::uint64_t count = 1 + random_.next_u64() % 4;
    for (std::uint64_t i = 0; i < count; ++i) {
      ModelWho who;
      who.kind =
          pick({"*", "anonymous", "users", "self", "self", "exact", "one", "subtree", "children"});
      who.dn = path();
      who.sign = pick({"=", "+", "-"})[0];
      for (const char letter : std::string("dxcsrazm")) {
        if (random_.next_u64() % 2 == 0) who.letters += letter;
      }
      who.control = pick({"stop", "stop", "continue", "break"});
      out.who.push_back(std::move(who));
    }
    return out;
  }

 private:
  SeededRandom random_;
};

std::string text_of(const ModelRule& rule) {
  std::string out = "to ";
  if (rule.style.empty() && rule.attribute.empty()) out += "* ";
  if (!rule.style.empty()) out += "dn." + rule.style + "=\"" + text_of(rule.dn) + "\" ";
  if (!rule.attribute.empty()) out += "attrs=" + rule.attribute + " ";
  for (const ModelWho& who : rule.who) {
    const bool word =
        who.kind == "*" || who.kind == "anonymous" || who.kind == "users" || who.kind == "self";
    out += "by " + (word ? who.kind : "dn." + who.kind + "=\"" + text_of(who.dn) + "\"") + " " +
           who.sign + who.letters + " " + who.control + " ";
  }
  return out;
}

TEST(AccessPolicy, RememberedDecisionsAgreeWithASlowEvaluatorOnRandomRules) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    RandomRules random(seed);
    std::vector<ModelRule> model;
    std::vector<std::string> rules;
    for (std::uint64_t i = 0; i < 1 + seed % 6; ++i) {
      model.push_back(random.rule());
      rules.push_back(text_of(model.back()));
    }
    const std::shared_ptr<const AccessPolicy> policy = compiled(rules);
    for (int who = 0; who < 3; ++who) {
      const Path identity = who == 0 ? Path{} : random.path();
      const auto authorizer = policy->authorizer(identity_of(text_of(identity)));
      for (int i = 0; i < 12; ++i) {
        const Path entry = i == 0 && who > 0 ? identity : random.path();
        for (const std::string& attribute : {std::string("cn"), std::string("mail"),
                                             std::string("entry"), std::string("children")}) {
          ASSERT_EQ(granted(*authorizer, text_of(entry), attribute),
                    model_granted(model, identity, entry, attribute))
              << "seed " << seed << ": " << ::testing::PrintToString(rules) << " by '"
              << text_of(identity) << "' to '" << text_of(entry) << "' " << attribute;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kauri::security
