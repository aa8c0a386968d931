// Single filters with the answer that the standards give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/filter_work.h"
#include "query/secret_values.h"
#include "query/testing/test_world.h"

namespace kauri::query {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Values = std::vector<std::pair<std::string, std::string>>;

std::vector<index::IndexSpec> no_indexes() {
  return {};
}
std::vector<index::IndexSpec> all_indexes() {
  std::vector<index::IndexSpec> specs;
  for (const char* name : {"cn", "sn", "givenName", "description", "mail", "telephoneNumber",
                           "kExact", "kNum", "uid", "ou", "dc"})
    specs.push_back({name, {true, true, true}});
  for (const char* name : {"objectClass", "kInt", "kIntSub", "kTime", "kBool", "kOct", "seeAlso"})
    specs.push_back({name, {true, true, false}});
  return specs;
}

// The fixture, and values that its filters look for.
void fill(TestWorld& world) {
  world.put_fixture();
  const auto more = [&](std::uint64_t id, const Values& values) {
    entry::Entry entry = world.entries().at(EntryId(id));
    for (const auto& [name, value] : values)
      entry.find_or_add(*world.schema().attribute_description(name)).values.push_back(value);
    world.put(EntryId(id), entry);
  };
  more(3, {{"kOct", std::string("\x5c\x30\x31\xff\x00", 5)},
           {"kNoEq", "there"},
           {"seeAlso", "cn=Smith\\, J,dc=example,dc=com"}});
  more(4, {{"description", "Jose\xcc\x81"}});
  more(5, {{"description", "\xef\xac\x81ne \xef\xbc\xa1"}});
}

// Each filter is asked of a world without indexes and of one with all of them.
class FilterTest : public ::testing::TestWithParam<bool> {
 protected:
  FilterTest() : world_(GetParam() ? all_indexes() : no_indexes()) { fill(world_); }
  std::set<std::uint64_t> search(std::string_view filter) { return world_.search(filter); }

  TestWorld world_;
};

INSTANTIATE_TEST_SUITE_P(Indexes, FilterTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Indexed" : "Unindexed"; });

TEST_P(FilterTest, B08Options) {
  EXPECT_THAT(search("(givenName=cee)"), ElementsAre(5));
  EXPECT_THAT(search("(givenName;lang-en=cee)"), ElementsAre(5));
  EXPECT_THAT(search("(givenName;lang-fr=cee)"), IsEmpty());
  EXPECT_THAT(search("(givenName;lang-en=*)"), ElementsAre(5));
  EXPECT_THAT(search("(name=cee)"), ElementsAre(5));
}

TEST_P(FilterTest, B11MatchDoesNotNeedSelection) {
  EXPECT_THAT(search("(kInt=9)"), ElementsAre(3));
}

TEST_P(FilterTest, C01BooleanAlgebra) {
  EXPECT_THAT(search("(|(uid=a)(&(objectClass=inetOrgPerson)(!(|(uid=a)(uid=b)))))"),
              ElementsAre(3, 5));
}

TEST_P(FilterTest, C02Presence) {
  EXPECT_THAT(search("(givenName=*)"), ElementsAre(4, 5));
  EXPECT_THAT(search("(&(objectClass=person)(!(mail=*)))"), ElementsAre(4, 5));
  EXPECT_THAT(search("(kNoEq=*)"), ElementsAre(3));
}

TEST_P(FilterTest, C05DnAssertionIsNormalised) {
  EXPECT_THAT(search("(seeAlso=CN=smith\\5c2c  j, DC=Example,dc=com)"), ElementsAre(3));
}

TEST_P(FilterTest, C06UnknownAttributeIsUndefined) {
  EXPECT_THAT(search("(nosuch=x)"), IsEmpty());
  EXPECT_THAT(search("(!(nosuch=x))"), IsEmpty());
  EXPECT_THAT(search("(|(nosuch=x)(uid=a))"), ElementsAre(3));
  EXPECT_THAT(search("(&(!(nosuch=x))(uid=a))"), IsEmpty());
  EXPECT_THAT(search("(nosuch=*)"), IsEmpty());
  EXPECT_THAT(search("(!(nosuch=*))"), IsEmpty());
}

TEST_P(FilterTest, C09InsignificantSpaces) {
  EXPECT_THAT(search("(description=  babs is a BIG fan )"), ElementsAre(3));
  EXPECT_THAT(search("(description=*is a big*)"), ElementsAre(3));
  EXPECT_THAT(search("(description=*is  a  big*)"), ElementsAre(3));
}

TEST_P(FilterTest, C10Telephone) {
  EXPECT_THAT(search("(telephoneNumber=+1-234 567)"), ElementsAre(3));
  EXPECT_THAT(search("(telephoneNumber= - )"), IsEmpty());
  EXPECT_THAT(search("(telephoneNumber=*4-5*)"), ElementsAre(3));
}

TEST_P(FilterTest, C13IntegerOrder) {
  EXPECT_THAT(search("(kInt>=9)"), ElementsAre(3, 4));
  EXPECT_THAT(search("(kInt<=9)"), ElementsAre(3, 5));
  EXPECT_THAT(search("(kInt>=abc)"), IsEmpty());
  EXPECT_THAT(search("(!(kInt>=abc))"), IsEmpty());
}

TEST_P(FilterTest, C18TimesWithZones) {
  EXPECT_THAT(search("(kTime=20240101120000Z)"), ElementsAre(3, 4));
  EXPECT_THAT(search("(kTime>=20240101120001Z)"), IsEmpty());
}

TEST_P(FilterTest, C20BitRules) {
  EXPECT_THAT(search("(kInt:1.2.840.113556.1.4.803:=2)"), ElementsAre(4, 5));
  EXPECT_THAT(search("(kInt:1.2.840.113556.1.4.804:=2)"), ElementsAre(4, 5));
}

TEST_P(FilterTest, C22NamedRule) {
  EXPECT_THAT(search("(cn:caseExactMatch:=a)"), IsEmpty());
  EXPECT_THAT(search("(cn:2.5.13.5:=A)"), ElementsAre(3));
  EXPECT_THAT(search("(cn:=a)"), ElementsAre(3));
  EXPECT_THAT(search("(cn:nosuchMatch:=a)"), IsEmpty());
  EXPECT_THAT(search("(!(cn:integerMatch:=1))"), IsEmpty());
  EXPECT_THAT(search("(kInt:integerOrderingMatch:=9)"), ElementsAre(5));
  EXPECT_THAT(search("(description:caseIgnoreSubstringsMatch:=babs\\2afan)"), ElementsAre(3));
  EXPECT_THAT(search("(description:caseIgnoreSubstringsMatch:=babs)"), IsEmpty());
}

TEST_P(FilterTest, C24RuleWithoutType) {
  EXPECT_THAT(search("(:caseIgnoreMatch:=a)"), ElementsAre(3));
  EXPECT_THAT(search("(:integerMatch:=10)"), ElementsAre(4));
  ldap::Filter filter;
  ldap::FilterNode node;
  node.kind = ldap::FilterKind::kExtensible;
  node.end = 1;
  node.value = "a";
  filter.nodes.push_back(node);
  AllowAll everyone((Identity()));
  const auto compiled = CompiledFilter::compile(filter, world_.dictionary());
  EXPECT_EQ(world_.evaluate(compiled, EntryId(3), everyone), Tri::kUndefined);
}

TEST_P(FilterTest, NamesInTheDn) {
  EXPECT_THAT(search("(ou:dn:=p)"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(search("(ou:dn:caseExactMatch:=P)"), IsEmpty());
  EXPECT_THAT(search("(&(uid=b)(dc:dn:=COM))"), ElementsAre(4));
  EXPECT_THAT(search("(:dn:caseIgnoreMatch:=p)"), ElementsAre(2, 3, 4, 5));
}

TEST_P(FilterTest, C28ComposedAndWideForms) {
  EXPECT_THAT(search("(description=jos\xc3\xa9)"), ElementsAre(4));
  EXPECT_THAT(search("(description=fine a)"), ElementsAre(5));
}

TEST_P(FilterTest, C30Octets) {
  EXPECT_THAT(search("(kOct=\\5c01\\ff\\00)"), ElementsAre(3));
  EXPECT_THAT(search("(kOct=\\5c01\\ff)"), IsEmpty());
}

TEST_P(FilterTest, C33ParityOfNestedNots) {
  std::string filter = "(uid=a)";
  for (int i = 0; i < 10; ++i) filter = "(!" + filter + ")";
  EXPECT_THAT(search(filter), ElementsAre(3));
  EXPECT_THAT(search("(!" + filter + ")"), ElementsAre(1, 2, 4, 5));
}

TEST_P(FilterTest, AbsoluteTrueAndFalse) {
  EXPECT_THAT(search("(&)"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(search("(|)"), IsEmpty());
  EXPECT_THAT(search("(!(&))"), IsEmpty());
  EXPECT_THAT(search("(!(|))"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(search("(|(&)(uid=a))"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(FilterTest, SuperclassesMatchWhetherStoredOrNot) {
  EXPECT_THAT(search("(objectClass=person)"), ElementsAre(3, 4, 5));
  EXPECT_THAT(search("(objectClass=2.5.6.7)"), ElementsAre(3, 4, 5));
  EXPECT_THAT(search("(objectClass=TOP)"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(search("(objectClass=residentialPerson)"), IsEmpty());
  EXPECT_THAT(search("(objectClass=nosuch)"), IsEmpty());
  EXPECT_THAT(search("(!(objectClass=person))"), ElementsAre(1, 2));
  EXPECT_THAT(search("(!(objectClass=nosuch))"), IsEmpty());
  EXPECT_THAT(search("(objectClass:objectIdentifierMatch:=person)"), IsEmpty());
  EXPECT_THAT(search("(objectClass=*)"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(FilterTest, ApproxIsEqualityAndTypesHaveOids) {
  EXPECT_THAT(search("(cn~=a)"), ElementsAre(3));
  EXPECT_THAT(search("(2.5.4.3=a)"), ElementsAre(3));
  EXPECT_THAT(search("(CN=a)"), ElementsAre(3));
}

TEST_P(FilterTest, ComputedAttributes) {
  EXPECT_THAT(search("(entryDN=UID=b, OU=p,dc=example,dc=com)"), ElementsAre(4));
  EXPECT_THAT(search("(hasSubordinates=TRUE)"), ElementsAre(1, 2));
  EXPECT_THAT(search("(entryDN=*)"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(FilterTest, SupertypesTakeSubtypesIn) {
  EXPECT_THAT(search("(name=a)"), ElementsAre(3));
  EXPECT_THAT(search("(name=s*)"), ElementsAre(3, 4, 5));
  EXPECT_THAT(search("(name=*)"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(FilterTest, TypesWithoutTheRuleAreUndefined) {
  EXPECT_THAT(search("(kNoEq=there)"), IsEmpty());
  EXPECT_THAT(search("(!(kNoEq=there))"), IsEmpty());
  EXPECT_THAT(search("(kBool>=TRUE)"), IsEmpty());
  EXPECT_THAT(search("(!(kBool=T*))"), IsEmpty());
  EXPECT_THAT(search("(!(kInt:integerFirstComponentMatch:=1))"), IsEmpty());
}

TEST_P(FilterTest, DescribesItselfAsSent) {
  for (const char* text :
       {"(uid=a)", "(cn=a*b*c)", "(&(a=b)(!(kInt>=9))(|(x=*)(cn:dn:2.5.13.5:=q)))", "(cn~=\\2a)",
        "(:caseIgnoreMatch:=x)", "(nosuch=a*)"}) {
    EXPECT_EQ(world_.compile(text).describe(0), text);
  }
  EXPECT_EQ(world_.compile("(&(uid=a)(!(cn=b)))").describe(2), "(!(cn=b))");
}

TEST(FilterReuse, AssignTakesTheNewFilterWhole) {
  TestWorld world(no_indexes());
  fill(world);
  AllowAll everyone((Identity()));
  CompiledFilter filter = world.compile("(&(cn=a*b*c)(objectClass=*)(uid:dn:=a))");
  for (const char* text : {"(uid=a)", "(objectClass=person)", "(cn=*a*)", "(&(uid=a)(sn=Sa))"}) {
    const auto parsed = ldap::parse_filter(text);
    ASSERT_TRUE(parsed);
    filter.assign(*parsed, world.dictionary());
    EXPECT_EQ(filter.describe(0), text);
    EXPECT_EQ(world.evaluate(filter, EntryId(3), everyone), Tri::kTrue) << text;
    EXPECT_EQ(world.evaluate(filter, EntryId(2), everyone), Tri::kFalse) << text;
  }
}

// Denies what a test says.
class DenySome final : public Authorizer {
 public:
  explicit DenySome(std::set<std::string> names) : names_(std::move(names)) {}
  const Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(AccessTarget&, const AccessAttribute& attribute, Right) override {
    return names_.contains(std::string(attribute.type->name())) ? Verdict::kNever
                                                                : Verdict::kAlways;
  }

 private:
  std::set<std::string> names_;
  Identity identity_;
};

TEST(FilterAccess, UnreadableIsUndefinedWhetherThereOrNot) {
  TestWorld world(no_indexes());
  fill(world);
  DenySome authorizer({"mail", "givenName", "entryDN", "kSingle"});
  const auto ask = [&](const char* text, std::uint64_t id) {
    return world.evaluate(world.compile(text), EntryId(id), authorizer);
  };
  for (const std::uint64_t id : {3U, 4U}) {
    EXPECT_EQ(ask("(mail=*)", id), Tri::kUndefined);
    EXPECT_EQ(ask("(!(mail=a@example.com))", id), Tri::kUndefined);
    EXPECT_EQ(ask("(entryDN=*)", id), Tri::kUndefined);
    EXPECT_EQ(ask("(kSingle=x)", id), Tri::kUndefined);  // stored nowhere
    EXPECT_EQ(ask("(!(name=zzz))", id), Tri::kUndefined);
    EXPECT_EQ(ask("(|(mail=*)(uid=*))", id), Tri::kTrue);
    EXPECT_EQ(ask("(:caseIgnoreIA5Match:=a@example.com)", id), Tri::kFalse);
  }
  EXPECT_EQ(ask("(name=a)", 3), Tri::kTrue);
}

// A large value and many substrings: the work for one entry has a limit, whatever was asked.
TEST(FilterWork, IsLimitedForOneEntry) {
  TestWorld world(no_indexes());
  fill(world);
  std::string large;
  for (int i = 0; i < 200'000; ++i) large += "\u00E9";
  world.put(EntryId(9), make_entry(world.schema(), EntryId(2), "uid=large",
                                   {{"objectClass", "inetOrgPerson"},
                                    {"uid", "large"},
                                    {"cn", "L"},
                                    {"sn", "L"},
                                    {"description", large}}));
  AllowAll authorizer{Identity()};
  const auto ask = [&](int substrings) {
    std::string text = "(|";
    for (int i = 0; i < substrings; ++i) text += "(description=*zz" + std::to_string(i) + "*)";
    return world.try_evaluate(world.compile(text + ")"), EntryId(9), authorizer);
  };
  EXPECT_EQ(ask(3), Tri::kFalse);
  const auto refused = ask(50);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
  EXPECT_NE(refused.error().message().find("40000000"), std::string::npos);
}

// At the limit and one step past it: the price of the last comparison decides.
TEST(FilterWork, EndsAtItsLimit) {
  TestWorld world(no_indexes());
  fill(world);
  // Ten values; an equality that none has looks at all of them.
  std::vector<std::pair<std::string, std::string>> attributes = {
      {"objectClass", "inetOrgPerson"}, {"uid", "limit"}, {"cn", "L"}, {"sn", "L"}};
  constexpr std::size_t kValues = 10;
  constexpr std::size_t kSize =
      (limits::kFilterWorkMax - 2 * kLookWork - kValues * kValueWork) / kValues / 2;
  static_assert(2 * kLookWork + kValues * (kValueWork + 2 * kSize) == limits::kFilterWorkMax);
  for (std::size_t i = 0; i < kValues; ++i) {
    std::string value(kSize, 'a');
    value.replace(0, 2, std::to_string(10 + i));
    attributes.emplace_back("description", value);
  }
  AllowAll authorizer{Identity()};
  for (const bool past : {false, true}) {
    if (past) attributes.back().second += 'a';
    world.put(EntryId(9), make_entry(world.schema(), EntryId(2), "uid=limit", attributes));
    const auto found =
        world.try_evaluate(world.compile("(description=none)"), EntryId(9), authorizer);
    ASSERT_EQ(found.has_value(), !past);
    if (past) {
      EXPECT_EQ(found.error().code(), ErrorCode::kLimit);
    } else {
      EXPECT_EQ(*found, Tri::kFalse);
    }
  }
}

TEST(FilterText, HidesSecretValues) {
  TestWorld world(no_indexes());
  fill(world);
  for (const auto& [text, shown] : std::map<std::string, std::string>{
           {"(userPassword=secret)", "(userPassword=[hidden])"},
           {"(2.5.4.35;x-a=secret)", "(2.5.4.35;x-a=[hidden])"},
           {"(&(uid=a)(userPassword=*))", "(&(uid=a)(userPassword=*))"},
           {"(userPassword:octetStringMatch:=secret)",
            "(userPassword:octetStringMatch:=[hidden])"}}) {
    const auto filter = ldap::parse_filter(text);
    ASSERT_TRUE(filter);
    EXPECT_EQ(loggable_filter(world.schema(), *filter), shown);
    EXPECT_EQ(world.compile(text).describe(0), shown);
  }
}

}  // namespace
}  // namespace kauri::query
