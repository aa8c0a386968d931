// Cases of group K: access control.

#include <gtest/gtest.h>

#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesK = DirectoryCase;

TEST_F(CasesK, K01_HiddenAttributeInFilters) {
  ASSERT_EQ(admin.modify(U, {added("homePhone", {"555"})}).code, 0);
  DirectoryOptions options;
  options.rules = {"to attrs=homePhone by * none", "to * by * read"};
  Directory hidden(options);
  ASSERT_EQ(hidden.admin().modify(U, {added("homePhone", {"555"})}).code, 0);
  Client anonymous = hidden.client();
  for (const char* filter : {"(homePhone=555)", "(homePhone=5*)", "(homePhone=*)",
                             "(!(homePhone=555))", "(!(homePhone=556))", "(homePhone>=1)"}) {
    EXPECT_EQ(anonymous.find(filter), "") << filter;
  }
  EXPECT_EQ(anonymous.find("(uid=a)"), "a");
  EXPECT_EQ(anonymous.value(U, "homePhone"), "");
  EXPECT_EQ(hidden.admin().find("(homePhone=5*)"), "a");
}

TEST_F(CasesK, K03_CompareOnAHiddenAttribute) {
  DirectoryOptions options;
  options.rules = {"to attrs=homePhone by * none", "to * by * read"};
  Directory hidden(options);
  ASSERT_EQ(hidden.admin().modify(U, {added("homePhone", {"555"})}).code, 0);
  Client anonymous = hidden.client();
  const Reply right = anonymous.compare(U, "homePhone", "555");
  const Reply wrong = anonymous.compare(U, "homePhone", "556");
  const Reply absent = anonymous.compare("uid=b,ou=p,dc=example,dc=com", "homePhone", "555");
  EXPECT_NE(right.code, 6);
  EXPECT_EQ(right.code, wrong.code);
  EXPECT_EQ(right.code, absent.code);
  EXPECT_EQ(right.diagnostic, absent.diagnostic);
}

TEST_F(CasesK, K06_HiddenLooksLikeMissing) {
  DirectoryOptions options;
  options.rules = {"to dn.base=\"uid=a,ou=p,dc=example,dc=com\" by * none", "to * by * write"};
  Directory hiding(options);
  Client anonymous = hiding.client();
  // Names of the same length, so that the texts can be compared once the name is replaced.
  const auto outcome = [&](std::string dn) {
    const std::string other = dn == U ? "uid=a" : "uid=z";
    std::string all;
    const auto note = [&](Reply reply) {
      std::string text =
          std::to_string(reply.code) + " " + reply.matched_dn + " " + reply.diagnostic + "\n";
      for (std::size_t at; (at = text.find(other)) != std::string::npos;) {
        text.replace(at, other.size(), "uid=?");
      }
      all += text;
    };
    note(anonymous.read(dn));
    note(anonymous.search(dn, ldap::Scope::kSubtree, "(objectClass=*)"));
    note(anonymous.read("cn=below," + dn));
    note(anonymous.compare(dn, "cn", "A"));
    note(anonymous.modify(dn, {replaced("description", {"x"})}));
    note(anonymous.remove(dn));
    note(anonymous.rename(dn, "uid=new", true));
    note(anonymous.add("cn=below," + dn, std::string(kPerson) + "cn: below"));
    note(anonymous.bind(dn, "x"));
    return all;
  };
  EXPECT_EQ(outcome(std::string(U)), outcome("uid=z,ou=p,dc=example,dc=com"));
  // Whoever has not logged in is told that this may be why; whoever has is not.
  Client fresh = hiding.client();
  EXPECT_EQ(fresh.read(U).diagnostic,
            "there is no entry 'uid=a,ou=p,dc=example,dc=com', or it may not be seen without "
            "logging in");
  Client admin = hiding.admin();
  EXPECT_EQ(admin.read("uid=z,ou=p,dc=example,dc=com").diagnostic,
            "there is no entry 'uid=z,ou=p,dc=example,dc=com'");
}

TEST_F(CasesK, K08_SearchIsNotWrite) {
  add("cn=g,ou=p,dc=example,dc=com",
      "objectClass: groupOfNames\ncn: g\nmember: uid=b,ou=p,dc=example,dc=com");
  Client user = directory.user();
  EXPECT_EQ(user.find("(cn=g)"), "g");
  EXPECT_EQ(user.modify("cn=g,ou=p,dc=example,dc=com", {added("member", {std::string(U)})}).code,
            50);
}

TEST_F(CasesK, DefaultRules) {
  Client anonymous = directory.client();
  EXPECT_EQ(anonymous.read(S).code, 32);
  EXPECT_EQ(anonymous.search(S, ldap::Scope::kSubtree, "(uid=a)").entries.size(), 0U);
  Client user = directory.user();
  const Reply reply = user.read(U);
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_TRUE(reply.entries[0].has("cn"));
  EXPECT_FALSE(reply.entries[0].has("userPassword"));
  EXPECT_EQ(user.find("(userPassword=*)"), "");
  EXPECT_EQ(user.modify(U, {replaced("userPassword", {"mine"})}).code, 0);
  EXPECT_EQ(user.modify(U, {replaced("description", {"mine"})}).code, 50);
}

}  // namespace
}  // namespace kauri::operation::testing
