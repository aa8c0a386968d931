#include "schema/dn_normal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "schema/schema_testing.h"

namespace kauri::schema {
namespace {

using std::string_literals::operator""s;

std::string of(std::string_view text, const Schema& schema = *builtin_schema()) {
  const auto normal = normalize_dn(schema, text);
  return normal ? *normal : "(refused) " + normal.error().message();
}
bool refused(std::string_view text) {
  return !normalize_dn(*builtin_schema(), text).has_value();
}

TEST(DnNormal, RootComesFirst) {
  EXPECT_EQ(of("ou=People,dc=example,dc=com"), ".25= com \1.25= example \00111= people \1"s);
  EXPECT_EQ(of(""), "");
  EXPECT_TRUE(is_same_or_below(of("uid=a,ou=p,dc=x"), of("OU=P, dc=X")));
  EXPECT_TRUE(is_same_or_below(of("ou=p,dc=x"), of("ou=p,dc=x")));
  EXPECT_FALSE(is_same_or_below(of("ou=pp,dc=x"), of("ou=p,dc=x")));
  EXPECT_FALSE(is_same_or_below(of("dc=x"), of("ou=p,dc=x")));
  EXPECT_TRUE(is_same_or_below(of("dc=x"), of("")));
}

TEST(DnNormal, SpellingsOfOneName) {
  const std::pair<const char*, const char*> same[] = {
      {"cn=John Smith,ou=p", "cn=John\\20Smith,OU=P"},  // A01
      {"cn=T\\\\,ou=p", "cn=T\\5C,ou=p"},               // A04
      {"uid=a, ou=p", "UID=A,OU=P"},                    // A05
      {"cn=a#b", "cn=a\\#b"},                           // A11
      {"cn=a", "2.5.4.3=A"},
      {"cn=a", "OID.2.5.4.3=A"},
      {"cn=a", "commonName=a"},
      {"cn=a", "cn=#0C0161"},
      {"cn=  a   b  ", "cn=a b"},
      {"cn=a+sn=b,dc=x", "sn=B + cn=A , dc=x"},
      {"cn=Jos\xC3\xA9", "cn=JOSE\xCC\x81"},
      {"cn=\\c3\\89", "cn=\xC3\xA9"},
      {"cn=a;dc=x", "cn=a,dc=x"},
      {"cn=\"a, b\"", "cn=a\\, b"},
      {"nosuch=A", "NOSUCH=a"},
      {"telephoneNumber=\\+1 234-567", "telephoneNumber=\\+1234 567"},
      {"uid=a=b", "uid=A\\3Db"},
  };
  for (const auto& [a, b] : same) {
    EXPECT_EQ(of(a), of(b)) << a << " and " << b;
    EXPECT_FALSE(of(a).starts_with("(refused)")) << of(a);
  }
}

TEST(DnNormal, DifferentNamesDiffer) {
  const std::pair<std::string, std::string> different[] = {
      {"cn=a", "sn=a"},
      {"cn=a,dc=x", "dc=x,cn=a"},
      {"cn=a+sn=b", "cn=a,sn=b"},
      {"cn=a\\+sn=b", "cn=a+sn=b"},
      {"uid=a", "uid=a\\00"},  // A16: NUL is never dropped
      {"cn=ab", "cn=a b"},
      {"x=1", "uid=1"},
      {"userPassword=A", "userPassword=a"},
      {"userPassword=\\01", "userPassword=\\02"},
      {"userPassword=\\02\\11", "userPassword=\\01"},
  };
  for (const auto& [a, b] : different) {
    EXPECT_NE(of(a), of(b)) << a << " and " << b;
  }
}

TEST(DnNormal, SeparatorsNeverStandInsideAnRdn) {
  for (const char* text :
       {"userPassword=\\00\\01\\02\\03,dc=x", "cn=a\\00b,dc=x", "userPassword=\\01+cn=\\00,dc=x"}) {
    const auto dn = ldap::parse_dn(text);
    ASSERT_TRUE(dn.has_value()) << text;
    const auto rdn = normalize_rdn(*builtin_schema(), dn->rdns[0]);
    ASSERT_TRUE(rdn.has_value()) << text << ": " << rdn.error().message();
    EXPECT_EQ(rdn->find('\0'), std::string::npos) << text;
    EXPECT_EQ(rdn->find('\1'), std::string::npos) << text;
    EXPECT_EQ(of(text), child_normal(of("dc=x"), *rdn));
    EXPECT_EQ(parent_normal(of(text)), of("dc=x"));
  }
}

TEST(DnNormal, PartsAndWholeAgree) {
  const auto dn = ldap::parse_dn("cn=a+sn=b,ou=P,dc=x");
  ASSERT_TRUE(dn.has_value());
  const auto rdns = normalize_rdns(*builtin_schema(), *dn);
  ASSERT_TRUE(rdns.has_value());
  EXPECT_EQ(rdns->size(), 3U);
  EXPECT_EQ(join_normal(*rdns), of("cn=a+sn=b,ou=P,dc=x"));
  EXPECT_EQ(parent_normal(of("dc=x")), "");
  EXPECT_EQ(parent_normal(""), "");
  EXPECT_EQ(parent_normal(of("cn=a,ou=P,dc=x")), of("ou=p,dc=x"));
}

TEST(DnNormal, RefusesWhatIsNoName) {
  for (const char* text :
       {"cn=", "cn=,dc=x", "cn=x+cn=y,dc=x", "cn=x+commonName=y", "cn=x+2.5.4.3=y", "uid=a,",
        "uid=a,dc=x,", "uid=a+", "uid=a\\", "not a dn", "=a", "cn=#x", "c=USA", "cn=\xFF",
        "cn=\\FF", ",", "+", "jpegPhoto=x", "facsimileTelephoneNumber=1"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
  EXPECT_TRUE(refused("uid=a\0,dc=x"s));
  EXPECT_EQ(of("c=USA"),
            "(refused) the value of the naming attribute 'c' is not valid: a country string has "
            "exactly 2 characters, this one has 3");
}

// T14: hostile names cost time in line with their size.
TEST(DnNormal, HostileNamesAreQuick) {
  const auto started = std::chrono::steady_clock::now();
  std::string many_rdns;
  for (int i = 0; i < 20000; ++i) many_rdns += "cn=a,";
  EXPECT_TRUE(refused(many_rdns + "dc=x"));
  std::string many_avas = "cn=a";
  for (int i = 0; i < 2000; ++i) many_avas += "+a" + std::to_string(i) + "=b";
  EXPECT_TRUE(refused(many_avas));
  std::string nested;
  for (int i = 0; i < 800; ++i) nested += "seeAlso=";
  EXPECT_TRUE(refused(nested + "cn=a"));
  EXPECT_TRUE(refused(std::string(1U << 20U, ',')));
  EXPECT_TRUE(refused(std::string(1U << 20U, '\\')));
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
}

TEST(DnNormal, NestedNamesCompareAsNames) {
  EXPECT_EQ(of("seeAlso=cn\\=A\\,dc\\=x,dc=y"), of("seeAlso=CN\\=a\\, DC\\=X,dc=y"));
}

}  // namespace
}  // namespace kauri::schema
