// Cases of group K: access control.

#include <gtest/gtest.h>

#include "ldap/oids.h"
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
  const Reply absent = anonymous.compare(B, "homePhone", "555");
  EXPECT_TRUE(right.code == 50 || right.code == 16) << right.code;
  EXPECT_EQ(right.code, wrong.code);
  EXPECT_EQ(right.code, absent.code);
  EXPECT_EQ(right.diagnostic, absent.diagnostic);
}

// What every operation on `dn` answers, with its own name taken out: names of the same length can
// be compared so.
std::string outcomes(Client& client, const std::string& dn) {
  const std::string own = dn.substr(0, dn.find(','));
  std::string all;
  const auto note = [&](const Reply& reply) {
    std::string text = std::to_string(reply.code) + " " + reply.matched_dn + " " +
                       reply.diagnostic + " " + std::to_string(reply.entries.size()) + "\n";
    for (std::size_t at; (at = text.find(own)) != std::string::npos;)
      text.replace(at, own.size(), "uid=?");
    all += text;
  };
  note(client.read(dn));
  note(client.search(dn, ldap::Scope::kSubtree, "(objectClass=*)"));
  note(client.read("cn=below," + dn));
  note(client.compare(dn, "cn", "A"));
  note(client.modify(dn, {replaced("description", {"x"})}));
  note(client.remove(dn));
  note(client.rename(dn, "uid=new", true));
  note(client.rename(B, "uid=b", true, dn));
  note(client.add("cn=below," + dn, std::string(kPerson) + "cn: below"));
  note(client.extended(ldap::oids::kWhoAmI));
  note(client.bind(dn, "pw-a"));
  note(client.bind(dn, "x"));
  return all;
}

TEST_F(CasesK, K06_HiddenLooksLikeMissing) {
  constexpr std::string_view kMissing = "uid=z,ou=p,dc=example,dc=com";
  for (const std::string rest : {"to * by * write", "to * by * read"}) {
    DirectoryOptions options;
    options.rules = {"to dn.base=\"uid=a,ou=p,dc=example,dc=com\" by * none", rest};
    Directory hiding(options);
    Client anonymous = hiding.client();
    // Where adding is allowed, that a name is taken cannot be hidden.
    if (rest == "to * by * read") {
      const Reply taken = anonymous.add(U, person("uid: a\ncn: A"));
      const Reply free = anonymous.add(kMissing, person("uid: z\ncn: Z"));
      EXPECT_EQ(taken.code, 50);
      EXPECT_EQ(free.code, 50);
      EXPECT_EQ(taken.diagnostic, free.diagnostic);
      EXPECT_EQ(taken.matched_dn, free.matched_dn);
    }
    EXPECT_EQ(outcomes(anonymous, std::string(U)), outcomes(anonymous, std::string(kMissing)));
    EXPECT_EQ(anonymous.find("(uid=a)"), "");
    // Whoever has not logged in is told that this may be why; whoever has is not.
    Client fresh = hiding.client();
    EXPECT_EQ(fresh.read(U).diagnostic,
              "there is no entry 'uid=a,ou=p,dc=example,dc=com', or it may not be seen without "
              "logging in");
    Client admin = hiding.admin();
    EXPECT_EQ(admin.read(kMissing).diagnostic, "there is no entry 'uid=z,ou=p,dc=example,dc=com'");
  }
}

TEST_F(CasesK, K08_SearchIsNotWrite) {
  add("cn=g,ou=p,dc=example,dc=com",
      "objectClass: groupOfNames\ncn: g\nmember: uid=b,ou=p,dc=example,dc=com");
  Client user = directory.user();
  EXPECT_EQ(user.find("(cn=g)"), "g");
  EXPECT_EQ(user.modify("cn=g,ou=p,dc=example,dc=com", {added("member", {std::string(U)})}).code,
            50);
  EXPECT_EQ(admin.value("cn=g,ou=p,dc=example,dc=com", "member"), B);
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
