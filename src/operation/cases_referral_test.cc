// Cases of group I: referrals, aliases, references.

#include <gtest/gtest.h>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesI = DirectoryCase;

TEST_F(CasesI, I01_NamedReferrals) {
  const std::vector<ldap::Control> manage = {control(ldap::oids::kManageDsaIt)};
  constexpr std::string_view kRef = "ou=ref,ou=p,dc=example,dc=com";
  add(kRef,
      "objectClass: referral\nobjectClass: extensibleObject\nou: ref\n"
      "ref: ldap://other.example/ou=ref,dc=other",
      manage);
  Reply reply = admin.read(kRef);
  EXPECT_EQ(reply.code, 10);
  EXPECT_EQ(reply.referrals,
            std::vector<std::string>{"ldap://other.example/ou=ref,dc=other??base"});
  reply = admin.read("cn=x y,ou=ref,ou=p,dc=example,dc=com");
  EXPECT_EQ(reply.code, 10);
  EXPECT_EQ(reply.referrals,
            std::vector<std::string>{"ldap://other.example/cn=x%20y,ou=ref,dc=other??base"});

  reply = admin.search(P, ldap::Scope::kSubtree, "(ou=ref)");
  EXPECT_EQ(reply.code, 0);
  EXPECT_TRUE(reply.entries.empty());
  ASSERT_EQ(reply.references.size(), 1U);
  EXPECT_EQ(reply.references[0],
            std::vector<std::string>{"ldap://other.example/ou=ref,dc=other??sub"});
  // Whatever the filter (RFC 3296 section 5.4); one level continues at the entry itself.
  reply = admin.search(P, ldap::Scope::kOneLevel, "(uid=a)");
  EXPECT_EQ(reply.names(), "a");
  ASSERT_EQ(reply.references.size(), 1U);
  EXPECT_EQ(reply.references[0],
            std::vector<std::string>{"ldap://other.example/ou=ref,dc=other??base"});

  ldap::SearchRequestText request;
  request.base = P;
  reply = admin.search(request, "(ou=ref)", manage);
  EXPECT_EQ(reply.names(), "ref");
  EXPECT_TRUE(reply.references.empty());

  EXPECT_EQ(admin.modify(kRef, {replaced("description", {"x"})}).code, 10);
  EXPECT_EQ(admin.modify(kRef, {replaced("description", {"x"})}, manage).code, 0);
  reply = admin.add("cn=n,ou=ref,ou=p,dc=example,dc=com", std::string(kPerson) + "cn: n");
  EXPECT_EQ(reply.code, 10);
  EXPECT_EQ(reply.referrals, std::vector<std::string>{"ldap://other.example/cn=n,ou=ref,dc=other"});
  EXPECT_EQ(admin.compare(kRef, "ou", "ref").code, 10);
  EXPECT_EQ(admin.compare(kRef, "ou", "ref", manage).code, 6);
  EXPECT_EQ(admin.remove(kRef).code, 10);
  EXPECT_EQ(admin.remove(kRef, manage).code, 0);
}

TEST_F(CasesI, I04_TruncatedPercentSequence) {
  const std::vector<ldap::Control> manage = {control(ldap::oids::kManageDsaIt)};
  const int code = admin
                       .add("ou=ref,ou=p,dc=example,dc=com",
                            "objectClass: referral\nobjectClass: extensibleObject\nou: ref\n"
                            "ref: ldap:///cn=name%B\nref: ldap:///cn=name%\nref: ldap://\nref: x",
                            manage)
                       .code;
  EXPECT_TRUE(code == 0 || code == 21) << code;
  EXPECT_EQ(admin.search(P, ldap::Scope::kSubtree, "(uid=a)").names(), "a");
}

class Aliases : public DirectoryCase {
 protected:
  void SetUp() override {
    alias("al1", "cn=al2,dc=example,dc=com");
    alias("al2", "cn=al1,dc=example,dc=com");
    alias("al3", U);
    alias("al4", "uid=none,ou=p,dc=example,dc=com");
    alias("al5", P);
  }
  void alias(std::string_view name, std::string_view target) {
    add("cn=" + std::string(name) + ",dc=example,dc=com",
        "objectClass: alias\nobjectClass: extensibleObject\ncn: " + std::string(name) +
            "\naliasedObjectName: " + std::string(target));
  }
  Reply search(std::string_view base, ldap::Scope scope, ldap::DerefAliases deref,
               std::string_view filter) {
    ldap::SearchRequestText request;
    request.base = base;
    request.scope = scope;
    request.deref = deref;
    request.attributes = {"1.1"};
    return admin.search(request, filter);
  }
};

TEST_F(Aliases, I05_Loop) {
  for (const auto deref : {ldap::DerefAliases::kFindingBase, ldap::DerefAliases::kAlways}) {
    const Reply loop =
        search("cn=al1,dc=example,dc=com", ldap::Scope::kBase, deref, "(objectClass=*)");
    EXPECT_EQ(loop.code, 33);
    EXPECT_NE(loop.diagnostic.find("loop of aliases"), std::string::npos) << loop.diagnostic;
    EXPECT_EQ(loop.matched_dn, "cn=al2,dc=example,dc=com");
  }
  const Reply reply = search(S, ldap::Scope::kSubtree, ldap::DerefAliases::kAlways, "(uid=a)");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.names(), "a");
}

// A chain that is too long comes to its end all the same: it is no loop, and says so.
TEST_F(Aliases, ChainsAreNoLoops) {
  std::string target(U);
  const auto base_search = [&](std::string_view base) {
    return search(base, ldap::Scope::kBase, ldap::DerefAliases::kFindingBase, "(objectClass=*)");
  };
  for (std::size_t i = 0; i <= limits::kAliasChainMax; ++i) {
    const std::string name = "chain" + std::to_string(i);
    alias(name, target);
    target = "cn=" + name + ",dc=example,dc=com";
  }
  const std::uint64_t before = limits::counted(limits::Counter::kAliasChain);
  EXPECT_EQ(base_search("cn=chain31,dc=example,dc=com").names(), "a");
  const Reply reply = base_search(target);
  EXPECT_EQ(reply.code, 36);
  EXPECT_NE(reply.diagnostic.find("more than 32 aliases"), std::string::npos) << reply.diagnostic;
  EXPECT_EQ(reply.matched_dn, "cn=chain0,dc=example,dc=com");
  EXPECT_EQ(limits::counted(limits::Counter::kAliasChain), before + 1);
  // A loop is none of the limit's.
  EXPECT_EQ(base_search("cn=al1,dc=example,dc=com").code, 33);
  // The same alias twice is no loop when the name goes on elsewhere: al5 leads to P, where an alias
  // leads through al5 to an entry.
  add("cn=again," + std::string(P),
      "objectClass: alias\nobjectClass: extensibleObject\ncn: again\n"
      "aliasedObjectName: uid=b,cn=al5,dc=example,dc=com");
  EXPECT_EQ(base_search("cn=again,cn=al5,dc=example,dc=com").names(), "b");
  // A name that grows with each alias comes back to no name that it had.
  alias("grows", "cn=x,cn=grows,dc=example,dc=com");
  EXPECT_EQ(base_search("cn=grows,dc=example,dc=com").code, 36);
}

TEST_F(Aliases, I07_Dangling) {
  const int code = search("cn=al4,dc=example,dc=com", ldap::Scope::kBase,
                          ldap::DerefAliases::kFindingBase, "(objectClass=*)")
                       .code;
  EXPECT_TRUE(code == 33 || code == 36) << code;
  EXPECT_EQ(client.bind("cn=al3,dc=example,dc=com", "pw-a").code, 49);
}

TEST_F(Aliases, FindingTheBase) {
  constexpr auto kFinding = ldap::DerefAliases::kFindingBase;
  EXPECT_EQ(
      search("cn=al3,dc=example,dc=com", ldap::Scope::kBase, kFinding, "(objectClass=*)").names(),
      "a");
  // Through an alias in the middle of the name.
  const Reply reply =
      search("uid=b,cn=al5,dc=example,dc=com", ldap::Scope::kBase, kFinding, "(objectClass=*)");
  EXPECT_EQ(reply.names(), "b");
  EXPECT_EQ(reply.entries.at(0).dn, "uid=b,ou=p,dc=example,dc=com");
  // Not asked for: the alias itself, and no entry below it.
  EXPECT_EQ(search("cn=al3,dc=example,dc=com", ldap::Scope::kBase, ldap::DerefAliases::kNever,
                   "(objectClass=*)")
                .names(),
            "al3");
  EXPECT_EQ(search("uid=b,cn=al5,dc=example,dc=com", ldap::Scope::kBase,
                   ldap::DerefAliases::kInSearching, "(objectClass=*)")
                .code,
            32);
}

TEST_F(Aliases, InSearching) {
  constexpr auto kSearching = ldap::DerefAliases::kInSearching;
  add("ou=q,dc=example,dc=com", "objectClass: organizationalUnit\nou: q");
  add("cn=to-p,ou=q,dc=example,dc=com",
      "objectClass: alias\nobjectClass: extensibleObject\ncn: to-p\naliasedObjectName: " +
          std::string(P));
  add("cn=to-a,ou=q,dc=example,dc=com",
      "objectClass: alias\nobjectClass: extensibleObject\ncn: to-a\naliasedObjectName: " +
          std::string(U));
  constexpr std::string_view q = "ou=q,dc=example,dc=com";
  EXPECT_EQ(search(q, ldap::Scope::kSubtree, kSearching, "(objectClass=*)").names(), "a,b,c,p,q");
  EXPECT_EQ(search(q, ldap::Scope::kOneLevel, kSearching, "(objectClass=*)").names(), "a,p");
  EXPECT_EQ(search(q, ldap::Scope::kSubtree, ldap::DerefAliases::kNever, "(objectClass=*)").names(),
            "q,to-a,to-p");
}

}  // namespace
}  // namespace kauri::operation::testing
