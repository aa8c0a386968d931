// The answers of Add, Delete, Modify and ModifyDN, one by one.
#include <gtest/gtest.h>

#include "backend/csn.h"
#include "backend/increment.h"
#include "backend/testing/world.h"
#include "schema/number_value.h"

namespace kauri::backend {
namespace {

using Values = std::multiset<std::string>;

class OperationsTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.add_fixture(); }
  void TearDown() override { EXPECT_EQ(world_.verify_text(), ""); }
  World world_;
};

// --- E: Modify ---

TEST_F(OperationsTest, E01DeletingWhatIsNotThere) {
  EXPECT_EQ(world_.modify(kA, {deleted("description", {"zzz"})}), 16);
  EXPECT_EQ(world_.modify(kA, {deleted("pager")}), 16);
  EXPECT_EQ(world_.modify(kA, {deleted("description", {"zzz"})}, true), 0);
  EXPECT_EQ(world_.modify(kA, {deleted("pager")}, true), 0);
  EXPECT_EQ(world_.values(kA, "description"), Values{"Babs   is a   big  fan"});
}

TEST_F(OperationsTest, PermissiveAddsWhatIsThere) {
  EXPECT_EQ(world_.modify(kA, {added("mail", {"a@EXAMPLE.com"})}), 20);
  EXPECT_EQ(world_.modify(kA, {added("mail", {"a@EXAMPLE.com", "new@x"})}, true), 0);
  EXPECT_EQ(world_.values(kA, "mail"), (Values{"A@Example.com", "new@x"}));
}

TEST_F(OperationsTest, E02ReplaceWithoutValues) {
  EXPECT_EQ(world_.modify(kA, {replaced("pager")}), 0);
  EXPECT_EQ(world_.modify(kA, {added("pager", {"1"})}), 0);
  EXPECT_EQ(world_.modify(kA, {replaced("pager")}), 0);
  EXPECT_TRUE(world_.values(kA, "pager").empty());
}

// Of several faults the one of the attribute that stands first in the entry is told, in whatever
// order the request names them.
TEST_F(OperationsTest, OfTwoFaultsTheSameOneIsTold) {
  ASSERT_EQ(world_.modify(kA, {added("displayName", {"one"})}), 0);
  const auto two = added("displayName", {"two"});
  EXPECT_EQ(world_.modify(kA, {added("c", {"de"}), two}), 19);
  EXPECT_EQ(world_.modify(kA, {two, added("c", {"de"})}), 19);
}

TEST_F(OperationsTest, E04IncrementOfAnInheritedSyntax) {
  EXPECT_EQ(world_.modify(kA, {added("kIntSub", {"5"})}), 0);
  EXPECT_EQ(world_.modify(kA, {incremented("kIntSub", "1")}), 0);
  EXPECT_EQ(world_.values(kA, "kIntSub"), Values{"6"});
  EXPECT_EQ(world_.modify(kA, {incremented("kIntSub", "-10")}), 0);
  EXPECT_EQ(world_.values(kA, "kIntSub"), Values{"-4"});
  EXPECT_EQ(world_.modify(kA, {{ldap::ModifyOperation::kIncrement, "kIntSub", {"1", "2"}}}), 2);
  EXPECT_EQ(world_.modify(kB, {incremented("kIntSub", "1")}), 16);
  EXPECT_EQ(world_.modify(kA, {incremented("mail", "1")}), 19);
}

// A short request must not hold the writer, which all others wait for.
TEST_F(OperationsTest, IncrementsAreBounded) {
  const std::string longest(schema::kIntegerSizeMax, '9');
  EXPECT_EQ(world_.modify(kA, {added("kIntSub", {longest})}), 0);
  EXPECT_EQ(world_.modify(kA, {incremented("kIntSub", "1")}), 21);
  EXPECT_NE(world_.last().diagnostic.find("4097 octets, the limit is 4096"), std::string::npos)
      << world_.last().diagnostic;
  EXPECT_EQ(world_.values(kA, "kIntSub"), Values{longest});
  EXPECT_EQ(world_.modify(kA, {incremented("kIntSub", "-1")}), 0);

  std::vector<std::string> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::to_string(i));
  EXPECT_EQ(world_.modify(kA, {replaced("kIntSub", values)}), 0);
  std::vector<Change> changes(101, incremented("kIntSub", "1"));
  EXPECT_EQ(world_.modify(kA, changes), 11);
  EXPECT_NE(world_.last().diagnostic.find("100000"), std::string::npos);
  EXPECT_TRUE(world_.values(kA, "kIntSub").contains("0"));
  changes.pop_back();
  EXPECT_EQ(world_.modify(kA, changes), 0);
  EXPECT_FALSE(world_.values(kA, "kIntSub").contains("99"));
}

TEST_F(OperationsTest, E07IntermediateStatesMayBreakTheSchema) {
  EXPECT_EQ(world_.modify(kA, {deleted("sn"), added("sn", {"new"})}), 0);
  EXPECT_EQ(world_.values(kA, "sn"), Values{"new"});
  EXPECT_EQ(world_.modify(kA, {added("kSingle", {"1"}), added("kSingle", {"2"})}), 19);
  EXPECT_TRUE(world_.values(kA, "kSingle").empty());
}

TEST_F(OperationsTest, E08SchemaCodes) {
  EXPECT_EQ(world_.modify(kA, {deleted("sn")}), 65);
  EXPECT_EQ(world_.modify(kA, {added("dc", {"x"})}), 65);
  EXPECT_EQ(world_.modify(kA, {replaced("createTimestamp", {"20240101120000Z"})}), 19);
  EXPECT_EQ(world_.modify(kA, {added("objectClass", {"organization"})}), 65);
  EXPECT_EQ(world_.modify(kA, {added("objectClass", {"nosuch"})}), 21);
}

TEST_F(OperationsTest, StructuralClassStays) {
  EXPECT_EQ(world_.modify(
                kA, {replaced("objectClass", {"person", "uidObject", "kAux"}), deleted("mail")}),
            69);
  EXPECT_EQ(world_.values(kA, "structuralObjectClass"), Values{"inetOrgPerson"});
}

TEST_F(OperationsTest, E18TwoSpellingsOfOneDn) {
  EXPECT_EQ(world_.modify(kA, {replaced("seeAlso", {"cn=X, dc=example", "CN=x,dc=EXAMPLE"})}), 20);
  EXPECT_EQ(world_.modify(kA, {added("mail", {"x@y", "X@Y"})}), 20);
  EXPECT_EQ(world_.values(kA, "mail"), Values{"A@Example.com"});
}

TEST_F(OperationsTest, E21InOrder) {
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"1"}), added("description", {"2"}),
                               deleted("description", {"1"})}),
            0);
  EXPECT_EQ(world_.values(kA, "description"), Values{"2"});
}

TEST_F(OperationsTest, NamingValuesStay) {
  EXPECT_EQ(world_.modify(kA, {deleted("uid", {"A"})}), 67);
  EXPECT_EQ(world_.modify(kA, {replaced("uid", {"other"})}), 67);
  EXPECT_EQ(world_.modify(kA, {replaced("uid", {"other", "a"})}), 0);
  EXPECT_EQ(world_.modify(kSuffix, {deleted("dc")}), 67);
}

TEST_F(OperationsTest, WithoutEqualityRuleOnlyWhole) {
  EXPECT_EQ(world_.modify(kA, {added("kNoEq", {"1", "2"})}), 0);
  EXPECT_EQ(world_.modify(kA, {added("kNoEq", {"3"})}), 18);
  EXPECT_EQ(world_.modify(kA, {deleted("kNoEq", {"1"})}), 18);
  EXPECT_EQ(world_.modify(kA, {replaced("kNoEq", {"3", "3"})}), 20);
  EXPECT_EQ(world_.modify(kA, {replaced("kNoEq", {"3"})}), 0);
  EXPECT_EQ(world_.modify(kA, {deleted("kNoEq")}), 0);
}

TEST_F(OperationsTest, FormOfModifications) {
  const auto before = world_.read(kA, true);
  EXPECT_EQ(world_.modify(kA, {}), 0);  // the list may be empty (RFC 4511 section 4.6)
  EXPECT_EQ(world_.read(kA, true), before);
  EXPECT_EQ(world_.modify(kA, {added("description", {})}), 2);
  EXPECT_EQ(world_.modify("uid=zz,ou=p,dc=example,dc=com", {added("description", {"x"})}), 32);
  EXPECT_EQ(world_.last().matched_dn, kPeople);
}

TEST_F(OperationsTest, OperationalAttributes) {
  const auto before = *world_.read(kA, true);
  EXPECT_EQ(before.at("creatorsName"), Values{"cn=admin,dc=example,dc=com"});
  EXPECT_EQ(before.at("structuralObjectClass"), Values{"inetOrgPerson"});
  EXPECT_EQ(before.at("createTimestamp"), Values{"20231114221320Z"});
  EXPECT_EQ(before.at("entryUUID").begin()->size(), 36U);
  world_.clock().advance_micros(5'000'000);
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 0);
  const auto after = *world_.read(kA, true);
  EXPECT_EQ(after.at("createTimestamp"), before.at("createTimestamp"));
  EXPECT_EQ(after.at("modifyTimestamp"), Values{"20231114221325Z"});
  EXPECT_EQ(after.at("entryUUID"), before.at("entryUUID"));
  EXPECT_EQ(after.at("entryCSN"), Values{world_.outcome().csn});
  EXPECT_EQ(world_.database().context_csn(), world_.outcome().csn);
}

// --- F: Add, Delete, ModifyDN ---

TEST_F(OperationsTest, F01NamingValueIsAdded) {
  EXPECT_EQ(
      world_.add("cn=imp,ou=p,dc=example,dc=com", {{"objectClass", {"person"}}, {"sn", {"x"}}}), 0);
  EXPECT_EQ(world_.values("cn=imp,ou=p,dc=example,dc=com", "cn"), Values{"imp"});
}

TEST_F(OperationsTest, F02AddWithoutValues) {
  EXPECT_EQ(world_.add("cn=x,ou=p,dc=example,dc=com",
                       {{"objectClass", {"person"}}, {"sn", {"x"}}, {"description", {}}}),
            2);
}

TEST_F(OperationsTest, F05PlacesOfAdd) {
  const Attributes person = {{"objectClass", {"inetOrgPerson"}}, {"cn", {"q"}}, {"sn", {"q"}}};
  EXPECT_EQ(world_.add("uid=q,ou=none,dc=example,dc=com", person), 32);
  EXPECT_EQ(world_.last().matched_dn, kSuffix);
  EXPECT_EQ(world_.add("uid=a,ou=p,dc=example,dc=com", person), 68);
  EXPECT_EQ(world_.add("dc=org", {{"objectClass", {"domain"}}}), 32);
  EXPECT_EQ(world_.add("UID=A, OU=P, DC=example, DC=com", person), 68);
}

TEST_F(OperationsTest, AddChecksTheSchema) {
  const std::string dn = "cn=n,ou=p,dc=example,dc=com";
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"person"}}}), 65);
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"top"}}}), 65);
  EXPECT_EQ(world_.add(dn, {{"sn", {"x"}}}), 65);
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"person"}}, {"sn", {"x", "X"}}}), 20);
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"person"}}, {"sn", {"x"}}, {"sn", {"y"}}}), 20);
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"person"}},
                            {"sn", {"x"}},
                            {"entryUUID", {"597ae2f6-16a6-1027-98f4-d28b5365dc14"}}}),
            19);
  EXPECT_EQ(world_.add("dc=n,ou=p,dc=example,dc=com", {{"objectClass", {"person"}}, {"sn", {"x"}}}),
            65);
}

TEST_F(OperationsTest, AliasesHaveNothingBelow) {
  EXPECT_EQ(
      world_.add("cn=al,ou=p,dc=example,dc=com",
                 {{"objectClass", {"alias", "extensibleObject"}}, {"aliasedObjectName", {kA}}}),
      0)
      << world_.last().diagnostic;
  EXPECT_EQ(
      world_.add("cn=x,cn=al,ou=p,dc=example,dc=com", {{"objectClass", {"person"}}, {"sn", {"x"}}}),
      33);
  EXPECT_EQ(world_.rename(kA, "uid=a", false, "cn=al,ou=p,dc=example,dc=com"), 33);
}

TEST_F(OperationsTest, F06Delete) {
  EXPECT_EQ(world_.erase(kPeople), 66);
  EXPECT_EQ(world_.erase("uid=zz,ou=q,ou=p,dc=example,dc=com"), 32);
  EXPECT_EQ(world_.last().matched_dn, kPeople);
  EXPECT_EQ(world_.erase(kA), 0);
  EXPECT_FALSE(world_.read(kA));
  EXPECT_EQ(world_.erase(kA), 32);
}

TEST_F(OperationsTest, EverythingCanBeDeletedAndAddedAgain) {
  for (const char* uid : {"a", "b", "c"})
    EXPECT_EQ(world_.erase("uid=" + std::string(uid) + "," + kPeople), 0);
  EXPECT_EQ(world_.erase(kPeople), 0);
  EXPECT_EQ(world_.erase(kSuffix), 0);
  EXPECT_EQ(world_.erase(kSuffix), 32);
  EXPECT_EQ(world_.last().matched_dn, "");
  EXPECT_EQ(world_.add(kPeople, {{"objectClass", {"organizationalUnit"}}}), 32);
  EXPECT_EQ(world_.verify_text(), "");
  world_.add_fixture();
}

TEST_F(OperationsTest, F07DeleteOldRdn) {
  const std::string dn = "uid=r1,ou=p,dc=example,dc=com";
  EXPECT_EQ(world_.add(dn, {{"objectClass", {"inetOrgPerson"}}, {"cn", {"r"}}, {"sn", {"r"}}}), 0);
  EXPECT_EQ(world_.rename(dn, "uid=r2", false), 0);
  EXPECT_EQ(world_.values("uid=r2,ou=p,dc=example,dc=com", "uid"), (Values{"r1", "r2"}));
  EXPECT_EQ(world_.rename("uid=r2,ou=p,dc=example,dc=com", "uid=r3", true), 0);
  EXPECT_EQ(world_.values("uid=r3,ou=p,dc=example,dc=com", "uid"), (Values{"r1", "r3"}));
}

TEST_F(OperationsTest, F09RenameAndMove) {
  EXPECT_EQ(world_.rename(kB, "uid=b2", true, kSuffix), 0);
  EXPECT_EQ(world_.values("uid=b2,dc=example,dc=com", "uid"), Values{"b2"});
  EXPECT_FALSE(world_.read(kB));
}

TEST_F(OperationsTest, F12RenameToTheSameName) {
  EXPECT_EQ(world_.rename(kA, "uid=A", true), 0);
  EXPECT_EQ(world_.shown_dn(kA), "uid=A,ou=p,dc=example,dc=com");
  EXPECT_EQ(world_.values(kA, "uid"), Values{"A"});
  EXPECT_EQ(world_.rename(kA, "uid=A", true), 0);
  EXPECT_EQ(world_.values(kA, "uid"), Values{"A"});
}

TEST_F(OperationsTest, F13RenameCodes) {
  EXPECT_EQ(world_.rename(kB, "uid=c", true), 68);
  EXPECT_EQ(world_.rename(kB, "uid=b", true, "ou=none,dc=example,dc=com"), 32);
  EXPECT_EQ(world_.last().matched_dn, kSuffix);
  EXPECT_EQ(world_.rename(kB, "dc=x", true), 65);
  EXPECT_EQ(world_.rename(kB, "uid=b", true, "dc=org"), 71);
  EXPECT_EQ(world_.rename(kSuffix, "dc=x", true), 53);
  EXPECT_EQ(world_.rename(kPeople, "ou=p", true, kA), 53);
  EXPECT_EQ(world_.rename(kPeople, "ou=p", true, kPeople), 53);
  EXPECT_EQ(world_.rename("uid=zz,ou=p,dc=example,dc=com", "uid=y", true), 32);
  EXPECT_EQ(world_.last().matched_dn, kPeople);
  EXPECT_EQ(world_.rename(kB, "kSingle=one", true), 0);
  EXPECT_EQ(world_.rename("kSingle=one,ou=p,dc=example,dc=com", "kSingle=two", false), 19);
  EXPECT_EQ(world_.rename("kSingle=one,ou=p,dc=example,dc=com",
                          "entryUUID=597ae2f6-16a6-1027-98f4-d28b5365dc14", true),
            64);
}

TEST_F(OperationsTest, F17LastMember) {
  const std::string group = "cn=g,ou=p,dc=example,dc=com";
  EXPECT_EQ(world_.add(group, {{"objectClass", {"groupOfNames"}}, {"member", {kA}}}), 0);
  EXPECT_EQ(world_.modify(group, {deleted("member", {kA})}), 65);
  EXPECT_EQ(world_.modify(group, {deleted("member")}), 65);
}

TEST_F(OperationsTest, MultiValuedNames) {
  EXPECT_EQ(world_.rename(kB, "uid=b+cn=B", true), 0);
  const std::string dn = "CN=b+UID=B,ou=p,dc=example,dc=com";
  EXPECT_EQ(world_.modify(dn, {deleted("cn", {"b"})}), 67);
  EXPECT_EQ(world_.rename(dn, "cn=other", true), 0);
  const std::string other = "cn=other,ou=p,dc=example,dc=com";
  EXPECT_EQ(world_.values(other, "cn"), Values{"other"});
  EXPECT_TRUE(world_.values(other, "uid").empty());
}

TEST_F(OperationsTest, SubtreesMoveAtOnce) {
  EXPECT_EQ(world_.add("ou=q,dc=example,dc=com", {{"objectClass", {"organizationalUnit"}}}), 0);
  EXPECT_EQ(world_.rename(kPeople, "ou=moved", true, "ou=q,dc=example,dc=com"), 0);
  EXPECT_EQ(world_.shown_dn("uid=a,ou=moved,ou=q,dc=example,dc=com"),
            "uid=a,ou=moved,ou=q,dc=example,dc=com");
  EXPECT_FALSE(world_.read(kA));
  EXPECT_EQ(world_.erase("ou=q,dc=example,dc=com"), 66);
}

TEST(Increment, AnySize) {
  EXPECT_EQ(add_integers("1", "2"), "3");
  EXPECT_EQ(add_integers("99999999999999999999999", "1"), "100000000000000000000000");
  EXPECT_EQ(add_integers("100000000000000000000000", "-1"), "99999999999999999999999");
  EXPECT_EQ(add_integers("-5", "5"), "0");
  EXPECT_EQ(add_integers("-5", "-7"), "-12");
  EXPECT_EQ(add_integers("5", "-7"), "-2");
  EXPECT_EQ(add_integers("-0", "0"), "0");
  EXPECT_FALSE(add_integers("x", "1"));
  EXPECT_FALSE(add_integers("", "1"));
  EXPECT_FALSE(add_integers("1", "-"));
}

TEST(Csn, TextAndOrder) {
  const Csn csn{1'704'110'400'000'000, 1, 2, 3};
  EXPECT_EQ(to_string(csn), "20240101120000.000000Z#000001#002#000003");
  EXPECT_EQ(parse_csn(to_string(csn)), csn);
  EXPECT_EQ(generalized_time(csn.micros), "20240101120000Z");
  for (const char* bad :
       {"", "20240101120000.000000Z#000001#002#00000", "20241301120000.000000Z#000001#002#000003",
        "20240101120000,000000Z#000001#002#000003", "20240101120000.000000Z#00000g#002#000003",
        "20240101250000.000000Z#000001#002#000003", "20240101120000.00000-Z#000001#002#000003"})
    EXPECT_FALSE(parse_csn(bad)) << bad;
}

TEST(Csn, RisesWhateverTheClockDoes) {
  ManualClock clock(1'704'110'400'000'000);
  CsnGenerator generator(clock, 0);
  std::string last = to_string(generator.next());
  for (int i = 0; i < 1000; ++i) {
    if (i == 300) clock.set_wall_micros(1'604'110'400'000'000);
    if (i == 600) clock.advance_micros(500'000'000'000'000);
    const std::string next = to_string(generator.next());
    EXPECT_LT(last, next);
    last = next;
  }
  generator.observe({2'904'110'400'000'000, 0xffffff, 0, 0});
  EXPECT_EQ(to_string(generator.next()).substr(22, 7), "#000000");
}

}  // namespace
}  // namespace kauri::backend
