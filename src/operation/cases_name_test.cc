// Cases of group A: names as they go through the operations.

#include <gtest/gtest.h>

#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesA = DirectoryCase;

TEST_F(CasesA, A01_HexPairSpaceInName) {
  add("cn=John Smith,ou=p,dc=example,dc=com", person("cn: John Smith\nuserPassword: pw"));
  constexpr std::string_view kHex = "cn=John\\20Smith,ou=p,dc=example,dc=com";
  EXPECT_EQ(admin.read(kHex).names(), "John Smith");
  EXPECT_EQ(client.bind(kHex, "pw").code, 0);
  EXPECT_EQ(client.who_am_i(), "dn:cn=John Smith,ou=p,dc=example,dc=com");
  EXPECT_EQ(admin.add(kHex, person("cn: John Smith")).code, 68);
}

TEST_F(CasesA, A04_ValueEndingInBackslash) {
  add("cn=T\\\\,ou=p,dc=example,dc=com", person("cn: T\\"));
  EXPECT_EQ(admin.value("cn=T\\5C,ou=p,dc=example,dc=com", "cn"), "T\\");
  EXPECT_EQ(admin.search(P, ldap::Scope::kOneLevel, "(cn=T\\5c)", {"1.1"}).names(), "T\\");
  EXPECT_EQ(admin.value(P, "numSubordinates"), "4");
}

TEST_F(CasesA, A05_DnValues) {
  add("cn=g,ou=p,dc=example,dc=com",
      "objectClass: groupOfNames\ncn: g\nmember: uid=a, ou=p, dc=example, dc=com");
  EXPECT_EQ(admin.find("(member=UID=A,OU=P,DC=example,DC=com)"), "g");
}

TEST_F(CasesA, A06_OneTypeTwiceInAnRdn) {
  const Reply reply = admin.add("cn=x+cn=y,ou=p,dc=example,dc=com", person("cn: x\ncn: y"));
  EXPECT_TRUE(reply.code == 34 || reply.code == 64) << reply.code;
  EXPECT_EQ(admin.find("(|(cn=x)(cn=y))"), "");
  const Reply renamed = admin.rename(B, "cn=x+cn=y", false);
  EXPECT_TRUE(renamed.code == 34 || renamed.code == 64) << renamed.code;
  EXPECT_EQ(admin.value(B, "cn"), "B");
}

TEST_F(CasesA, A08_TwoRdnsAsNewRdn) {
  const auto before = admin.read(B, {"*", "+"}).entries.at(0).attributes;
  EXPECT_EQ(admin.rename(B, "uid=x,ou=y", true).code, 34);
  EXPECT_EQ(admin.read(B, {"*", "+"}).entries.at(0).attributes, before);
}

TEST_F(CasesA, A09_EmptyValue) {
  const auto before = admin.read(B, {"*", "+"}).entries.at(0).attributes;
  EXPECT_EQ(admin.read("cn=,ou=p,dc=example,dc=com").code, 34);
  EXPECT_EQ(admin.rename(B, "cn=", false).code, 34);
  EXPECT_EQ(admin.rename(B, "cn=", true).code, 34);
  EXPECT_EQ(admin.read(B, {"*", "+"}).entries.at(0).attributes, before);
}

TEST_F(CasesA, A11_NumberSign) {
  add("cn=a#b,ou=p,dc=example,dc=com", person("cn: a#b"));
  EXPECT_EQ(admin.value("cn=a#b,ou=p,dc=example,dc=com", "cn"), "a#b");
  EXPECT_EQ(admin.read("cn=\\#x,ou=p,dc=example,dc=com").code, 32);
  EXPECT_EQ(admin.read("cn=#x,ou=p,dc=example,dc=com").code, 34);
}

TEST_F(CasesA, A15_TrailingSeparator) {
  for (const std::string& base : {std::string("uid=a,"), std::string(U) + ",",
                                  "uid=a+," + std::string(P), "," + std::string(U)}) {
    EXPECT_EQ(admin.read(base).code, 34) << base;
  }
}

TEST_F(CasesA, A16_NulInAName) {
  const Reply escaped = admin.read("uid=a\\00,ou=p,dc=example,dc=com");
  EXPECT_EQ(escaped.code, 32);
  EXPECT_EQ(escaped.matched_dn, P);
  EXPECT_TRUE(escaped.entries.empty());
  using namespace std::string_literals;
  const Reply raw = admin.read("uid=a\0,ou=p,dc=example,dc=com"s);
  EXPECT_EQ(raw.code, 34);
  EXPECT_TRUE(raw.entries.empty());
}

// A name that no request can give, of a size or depth past the limits, is given to no entry.
TEST_F(CasesA, NewNamesKeepToTheLimits) {
  // ",ou=p,dc=example,dc=com" and "cn=" are 26 octets of the 8,192.
  const std::string fits = "cn=" + std::string(8192 - 26, 'x');
  const Reply longer = admin.rename(U, fits + "x", false);
  EXPECT_EQ(longer.code, 34);
  EXPECT_NE(longer.diagnostic.find("8193 octets, the limit is 8192"), std::string::npos)
      << longer.diagnostic;
  ASSERT_EQ(admin.rename(U, fits, false).code, 0);
  EXPECT_EQ(admin.read(fits + "," + std::string(P)).code, 0);
  EXPECT_EQ(admin.rename(fits + "," + std::string(P), "uid=a", false).code, 0);

  // The parent is stored in a longer spelling than the request has for it.
  add("ou=a" + std::string(4000, ' ') + "b," + std::string(P),
      "objectClass: organizationalUnit\nou: a b");
  const std::string below = ",ou=a b," + std::string(P);
  EXPECT_EQ(admin.add("cn=" + std::string(4200, 'x') + below, person("cn: y")).code, 34);
  EXPECT_EQ(admin.add("cn=" + std::string(4100, 'x') + below, person("cn: y")).code, 0);

  // 129 levels by a move.
  std::string deep(P);
  for (int level = 3; level < 128; ++level) {
    deep = "ou=l," + deep;
    ASSERT_EQ(admin.add(deep, "objectClass: organizationalUnit\nou: l").code, 0) << level;
  }
  const Reply deeper = admin.rename(U, "uid=a", false, deep);
  EXPECT_EQ(deeper.code, 34);
  EXPECT_NE(deeper.diagnostic.find("129 RDNs, the limit is 128"), std::string::npos)
      << deeper.diagnostic;
  EXPECT_EQ(admin.rename(U, "uid=a", false, deep.substr(5)).code, 0);
}

}  // namespace
}  // namespace kauri::operation::testing
