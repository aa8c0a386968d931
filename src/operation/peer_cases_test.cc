// What the comparison with another server (tests/differential) found wrong here, each as a small
// case of the rule behind it.

#include <gtest/gtest.h>

#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using PeerCases = DirectoryCase;

constexpr std::string_view kAliasClasses = "objectClass: alias\nobjectClass: extensibleObject\n";
constexpr std::string_view kReferralClasses =
    "objectClass: referral\nobjectClass: extensibleObject\n";

std::vector<ldap::Control> manage() {
  return {control(ldap::oids::kManageDsaIt)};
}

// NOT must not tell an attribute that no entry has from one that some have.
TEST_F(PeerCases, HiddenAttributesThatNoEntryHas) {
  DirectoryOptions options;
  options.rules = {"to attrs=homePhone by * none", "to * by * read"};
  Directory hidden(options);
  Client anonymous = hidden.client();
  for (const char* filter : {"(!(homePhone=*))", "(!(homePhone=555))", "(!(homePhone=5*))",
                             "(!(homePhone;lang-en=*))", "(!(homePhone:caseIgnoreMatch:=5))"}) {
    EXPECT_EQ(anonymous.find(filter), "") << filter;
  }
  EXPECT_EQ(anonymous.find("(&(uid=a)(!(pager=*)))"), "a");
  ASSERT_EQ(hidden.admin().modify(B, {added("homePhone", {"555"})}).code, 0);
  EXPECT_EQ(anonymous.find("(!(homePhone=*))"), "");
}

// A hidden type in the name of an entry is passed over where the filter names no type, as it is in
// the entry itself.
TEST_F(PeerCases, HiddenTypesInNamesUnderARuleAlone) {
  DirectoryOptions options;
  options.rules = {"to attrs=l by * none", "to * by * read"};
  Directory hidden(options);
  ASSERT_EQ(hidden.admin().add("l=x,ou=p,dc=example,dc=com", "objectClass: locality\nl: x\n").code,
            0);
  Client anonymous = hidden.client();
  const Reply reply = anonymous.search("l=x,ou=p,dc=example,dc=com", ldap::Scope::kBase,
                                       "(!(:dn:caseIgnoreMatch:=y))");
  EXPECT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(anonymous.find("(:dn:caseIgnoreMatch:=x)"), "");
  EXPECT_EQ(
      anonymous
          .search("l=x,ou=p,dc=example,dc=com", ldap::Scope::kBase, "(!(l:dn:caseIgnoreMatch:=y))")
          .entries.size(),
      0U);
}

// An entry belongs to the superclasses of its classes (RFC 4512 section 3.3), to compare too.
TEST_F(PeerCases, CompareWithASuperclass) {
  add("ou=few,dc=example,dc=com", "objectClass: organizationalUnit\nou: few\n");
  EXPECT_EQ(admin.find("(&(ou=few)(objectClass=top))"), "few");
  EXPECT_EQ(admin.compare("ou=few,dc=example,dc=com", "objectClass", "top").code, 6);
  EXPECT_EQ(admin.compare("ou=few,dc=example,dc=com", "objectClass", "2.5.6.5").code, 6);
  EXPECT_EQ(admin.compare("ou=few,dc=example,dc=com", "objectClass", "person").code, 5);
  EXPECT_EQ(admin.compare("ou=few,dc=example,dc=com", "structuralObjectClass", "top").code, 5);
}

// Names come back with the types' names and with values as text (RFC 4514 sections 2.3 and 2.4).
TEST_F(PeerCases, NamesAreWrittenTheUsualWay) {
  add("2.5.4.3=#04036E6577,OrganizationalUnitName=p,dc=example,dc=com",
      "objectClass: person\nsn: x\ncn: new\n");
  EXPECT_EQ(admin.read("cn=new,ou=p,dc=example,dc=com").entries.at(0).dn,
            "cn=new,ou=p,dc=example,dc=com");
  ASSERT_EQ(
      admin.rename("cn=new,ou=p,dc=example,dc=com", "commonName=#0405612c622b20+2.5.4.4=x", true)
          .code,
      0);
  const Reply renamed = admin.search(P, ldap::Scope::kSubtree, "(sn=x)", {"cn"});
  ASSERT_EQ(renamed.entries.size(), 1U);
  EXPECT_EQ(renamed.entries[0].dn, "cn=a\\,b\\+\\20+sn=x,ou=p,dc=example,dc=com");
  EXPECT_EQ(renamed.entries[0].attributes.at("cn"), std::vector<std::string>{"a,b+ "});
  // Upper and lower case are the client's.
  add("CN=Case,ou=p,dc=example,dc=com", "objectClass: person\nsn: x\n");
  EXPECT_EQ(admin.read("cn=case,ou=p,dc=example,dc=com").entries.at(0).dn,
            "CN=Case,ou=p,dc=example,dc=com");
}

// A naming value takes the spelling of the new name, however it was spelled in the entry.
TEST_F(PeerCases, RenameToTheSameNameSpellsTheValue) {
  add("cn=two words,ou=p,dc=example,dc=com", "objectClass: person\nsn: x\ncn: Two  WORDS\n");
  ASSERT_EQ(admin.rename("cn=two words,ou=p,dc=example,dc=com", "cn=two words", true).code, 0);
  EXPECT_EQ(admin.value("cn=two words,ou=p,dc=example,dc=com", "cn"), "two words");
  ASSERT_EQ(admin.rename("cn=two words,ou=p,dc=example,dc=com", "cn=TWO words", false).code, 0);
  EXPECT_EQ(admin.value("cn=two words,ou=p,dc=example,dc=com", "cn"), "two words");
}

// RFC 4511 section 4.6 lets the list be empty: nothing changes, and nobody changed it.
TEST_F(PeerCases, ModifyOfNothing) {
  const std::string before = admin.value(U, "entryCSN");
  EXPECT_EQ(admin.modify(U, {}).code, 0);
  EXPECT_EQ(admin.value(U, "entryCSN"), before);
  EXPECT_EQ(admin.modify("uid=none,ou=p,dc=example,dc=com", {}).code, 32);
  DirectoryOptions options;
  options.rules = {"to dn.base=\"" + std::string(U) + "\" by * none", "to * by * read"};
  Directory hidden(options);
  const Reply seen = hidden.client().modify(U, {});
  const Reply missing = hidden.client().modify("uid=none,ou=p,dc=example,dc=com", {});
  EXPECT_EQ(seen.code, 32);
  EXPECT_EQ(seen.matched_dn, missing.matched_dn);
  EXPECT_EQ(seen.diagnostic, missing.diagnostic);
}

class PeerReferrals : public DirectoryCase {
 protected:
  void SetUp() override {
    add("ou=q,dc=example,dc=com", "objectClass: organizationalUnit\nou: q\n");
    add("cn=ref,ou=q,dc=example,dc=com",
        std::string(kReferralClasses) + "cn: ref\nref: ldap://other.example/ou=ref,dc=other\n",
        manage());
  }
  void alias(std::string_view dn, std::string_view target) {
    add(dn, std::string(kAliasClasses) + "aliasedObjectName: " + std::string(target) + "\n");
  }
  Reply always(std::string_view base, ldap::Scope scope) {
    ldap::SearchRequestText request;
    request.base = base;
    request.scope = scope;
    request.deref = ldap::DerefAliases::kAlways;
    request.attributes = {"1.1"};
    return admin.search(request, "(objectClass=*)");
  }
};

// RFC 3296 section 5.6.2.
TEST_F(PeerReferrals, NewSuperiorAtOrBelowAReferral) {
  for (const char* superior :
       {"cn=ref,ou=q,dc=example,dc=com", "ou=x,cn=ref,ou=q,dc=example,dc=com"}) {
    const Reply reply = admin.rename(B, "uid=b", true, superior);
    EXPECT_EQ(reply.code, 71) << superior;
    EXPECT_TRUE(reply.referrals.empty()) << superior;
  }
  // The entry itself is referred as before.
  EXPECT_EQ(admin.rename("cn=ref,ou=q,dc=example,dc=com", "cn=r", true).code, 10);
}

// RFC 3296 section 5.3: the URL names what is behind the alias.
TEST_F(PeerReferrals, BaseThroughAnAlias) {
  alias("cn=al,dc=example,dc=com", "cn=ref,ou=q,dc=example,dc=com");
  Reply reply = always("cn=al,dc=example,dc=com", ldap::Scope::kBase);
  EXPECT_EQ(reply.code, 10);
  EXPECT_EQ(reply.referrals,
            std::vector<std::string>{"ldap://other.example/ou=ref,dc=other??base"});
  reply = always("uid=x,cn=al,dc=example,dc=com", ldap::Scope::kSubtree);
  EXPECT_EQ(reply.code, 10);
  EXPECT_EQ(reply.referrals,
            std::vector<std::string>{"ldap://other.example/uid=x,ou=ref,dc=other??sub"});
}

// Once, whatever aliases lead to it, and also where an alias leads to it alone.
TEST_F(PeerReferrals, ReferencesComeOnce) {
  alias("cn=al1,ou=p,dc=example,dc=com", "ou=q,dc=example,dc=com");
  alias("cn=al2,ou=p,dc=example,dc=com", "cn=ref,ou=q,dc=example,dc=com");
  alias("cn=al3,ou=q,dc=example,dc=com", "ou=p,dc=example,dc=com");
  EXPECT_EQ(always(S, ldap::Scope::kSubtree).references.size(), 1U);
  EXPECT_EQ(always(P, ldap::Scope::kSubtree).references.size(), 1U);
  const Reply reply = always(P, ldap::Scope::kOneLevel);
  ASSERT_EQ(reply.references.size(), 1U);
  EXPECT_EQ(reply.references[0],
            std::vector<std::string>{"ldap://other.example/ou=ref,dc=other??base"});
}

// RFC 4511 section 4.1.9: matchedDN names the last object or alias used in finding the target.
TEST_F(PeerReferrals, AliasProblemsNameTheAlias) {
  alias("cn=al1,ou=p,dc=example,dc=com", "uid=none,ou=p,dc=example,dc=com");
  const Reply dangling = always("cn=al1,ou=p,dc=example,dc=com", ldap::Scope::kBase);
  EXPECT_EQ(dangling.code, 33);
  EXPECT_EQ(dangling.matched_dn, "cn=al1,ou=p,dc=example,dc=com");
  // Below the target of a good alias it is a matter of the entry that is missing there.
  alias("cn=al3,dc=example,dc=com", P);
  const Reply missing = always("cn=x,uid=none,cn=al3,dc=example,dc=com", ldap::Scope::kBase);
  EXPECT_EQ(missing.code, 32);
  EXPECT_EQ(missing.matched_dn, P);
  alias("cn=al2,ou=p,dc=example,dc=com", "cn=al2,ou=p,dc=example,dc=com");
  const Reply loop = always("uid=x,cn=al2,ou=p,dc=example,dc=com", ldap::Scope::kBase);
  EXPECT_EQ(loop.code, 33);
  EXPECT_EQ(loop.matched_dn, "cn=al2,ou=p,dc=example,dc=com");
}

}  // namespace
}  // namespace kauri::operation::testing
