// Cases of groups B (attribute selection) and D (root DSE, schema, base objects).

#include <gtest/gtest.h>

#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesB = DirectoryCase;
using CasesD = DirectoryCase;

std::string attribute_names(const FoundEntry& entry) {
  std::string joined;
  for (const auto& [name, values] : entry.attributes) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

TEST_F(CasesB, B01_NoAttributes) {
  Reply reply = admin.read(U, {"1.1"});
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(reply.entries[0].dn, U);
  EXPECT_EQ(attribute_names(reply.entries[0]), "");
  reply = admin.read(U, {"1.1", "uid"});
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(attribute_names(reply.entries[0]), "uid");
}

TEST_F(CasesB, B02_StarPlusAndUnknownNames) {
  const Reply reply = admin.read(U, {"*", "+", "nosuch"});
  EXPECT_EQ(reply.code, 0);
  ASSERT_EQ(reply.entries.size(), 1U);
  const FoundEntry& entry = reply.entries[0];
  for (const char* name :
       {"uid", "cn", "objectClass", "creatorsName", "createTimestamp", "modifiersName",
        "modifyTimestamp", "entryUUID", "entryCSN", "structuralObjectClass", "subschemaSubentry",
        "hasSubordinates", "numSubordinates", "entryDN"}) {
    EXPECT_TRUE(entry.has(name)) << name;
  }
  EXPECT_EQ(entry.attributes.at("entryDN"), std::vector<std::string>{std::string(U)});
  EXPECT_EQ(entry.attributes.at("hasSubordinates"), std::vector<std::string>{"FALSE"});
  EXPECT_EQ(entry.attributes.at("creatorsName"), std::vector<std::string>{std::string(kAdmin)});
  EXPECT_EQ(entry.attributes.at("structuralObjectClass"),
            std::vector<std::string>{"inetOrgPerson"});
}

TEST_F(CasesB, OnlyUserAttributesByDefault) {
  const Reply reply = admin.read(U);
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_TRUE(reply.entries[0].has("uid"));
  EXPECT_FALSE(reply.entries[0].has("entryUUID"));
  EXPECT_FALSE(reply.entries[0].has("entryDN"));
  const Reply plus = admin.read(U, {"+"});
  EXPECT_FALSE(plus.entries[0].has("uid"));
  EXPECT_TRUE(plus.entries[0].has("entryDN"));
}

TEST_F(CasesB, B05_EmptyNameIsIgnored) {
  const Reply reply = admin.read(U, {"", "uid"});
  EXPECT_EQ(reply.code, 0);
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(attribute_names(reply.entries[0]), "uid");
}

TEST_F(CasesB, B06_TypesOnly) {
  ldap::SearchRequestText request;
  request.base = U;
  request.scope = ldap::Scope::kBase;
  request.types_only = true;
  request.attributes = {"uid", "mail", "entryDN"};
  const Reply reply = admin.search(request, "(objectClass=*)");
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(attribute_names(reply.entries[0]), "entryDN,mail,uid");
  for (const auto& [name, values] : reply.entries[0].attributes) EXPECT_TRUE(values.empty());
}

TEST_F(CasesB, B08_OptionsInFilters) {
  EXPECT_EQ(admin.find("(givenName=cee)"), "c");
  EXPECT_EQ(admin.find("(givenName;lang-en=cee)"), "c");
  EXPECT_EQ(admin.find("(givenName;lang-fr=cee)"), "");
}

TEST_F(CasesB, OptionsAndSubtypesInSelection) {
  constexpr std::string_view c = "uid=c,ou=p,dc=example,dc=com";
  EXPECT_EQ(attribute_names(admin.read(c, {"givenName"}).entries.at(0)), "givenName;lang-en");
  EXPECT_EQ(attribute_names(admin.read(c, {"givenName;lang-fr"}).entries.at(0)), "");
  EXPECT_EQ(attribute_names(admin.read(c, {"name"}).entries.at(0)), "cn,givenName;lang-en,sn");
  EXPECT_EQ(attribute_names(admin.read(c, {"2.5.4.3"}).entries.at(0)), "cn");
}

TEST_F(CasesB, ByObjectClass) {
  // RFC 4529: what the class and its superiors allow.
  EXPECT_EQ(attribute_names(admin.read(U, {"@person"}).entries.at(0)),
            "cn,description,objectClass,sn,telephoneNumber,userPassword");
  EXPECT_EQ(attribute_names(admin.read(U, {"@nosuch"}).entries.at(0)), "");
}

TEST_F(CasesB, B10_BinaryWhereItMayNotBe) {
  EXPECT_EQ(admin.modify(U, {added("cn;binary", {std::string("\x30\x00", 2)})}).code, 17);
}

TEST_F(CasesB, B11_FilterAttributeNeedNotBeRequested) {
  const Reply reply = admin.search(S, ldap::Scope::kSubtree, "(kInt=9)", {"cn"});
  EXPECT_EQ(reply.names(), "a");
  EXPECT_EQ(attribute_names(reply.entries.at(0)), "cn");
}

TEST_F(CasesD, D01_RootDseAsAnonymous) {
  Client anonymous = directory.client();
  Reply reply = anonymous.read(
      "", {"namingContexts", "subschemaSubentry", "supportedControl", "supportedExtension",
           "supportedFeatures", "supportedLDAPVersion", "supportedSASLMechanisms", "vendorName"});
  ASSERT_EQ(reply.code, 0);
  ASSERT_EQ(reply.entries.size(), 1U);
  const FoundEntry& root = reply.entries[0];
  EXPECT_EQ(root.dn, "");
  EXPECT_EQ(root.attributes.at("namingContexts"), std::vector<std::string>{std::string(S)});
  EXPECT_EQ(root.attributes.at("supportedLDAPVersion"), std::vector<std::string>{"3"});
  EXPECT_EQ(root.attributes.at("subschemaSubentry"), std::vector<std::string>{"cn=Subschema"});
  for (const char* name :
       {"supportedControl", "supportedExtension", "supportedFeatures", "vendorName"}) {
    EXPECT_TRUE(root.has(name)) << name;
  }
  // It tells the truth: there are no SASL mechanisms to name.
  EXPECT_FALSE(root.has("supportedSASLMechanisms"));

  reply = anonymous.read("");
  EXPECT_EQ(attribute_names(reply.entries.at(0)), "objectClass");
  reply = anonymous.read("", {"+"});
  EXPECT_TRUE(reply.entries.at(0).has("namingContexts"));
  EXPECT_FALSE(reply.entries.at(0).has("objectClass"));
}

TEST_F(CasesD, EverySupportedExtensionAndControlIsServed) {
  const Reply root = admin.read("", {"supportedExtension", "supportedControl"});
  for (const std::string& oid : root.entries.at(0).attributes.at("supportedExtension")) {
    const Reply reply = admin.extended(oid, "nonsense");
    EXPECT_EQ(reply.diagnostic.find("is not supported"), std::string::npos) << oid;
  }
  for (const std::string& oid : root.entries.at(0).attributes.at("supportedControl")) {
    const Reply reply =
        admin.modify(U, {replaced("description", {"x"})}, {control(oid, true, paged_value(1, ""))});
    const Reply search = admin.search({}, "(cn=x)", {control(oid, true, paged_value(1, ""))});
    EXPECT_TRUE(reply.code != 12 || search.code != 12) << oid;
  }
}

TEST_F(CasesD, RootIsNotPartOfASubtree) {
  const Reply reply = admin.search("", ldap::Scope::kSubtree, "(objectClass=*)");
  EXPECT_EQ(reply.code, 32);
  EXPECT_NE(reply.diagnostic.find(S), std::string::npos);
}

TEST_F(CasesD, D03_SubschemaEntry) {
  Client anonymous = directory.client();
  const std::string dn = anonymous.value("", "subschemaSubentry");
  Reply reply = anonymous.search(
      dn, ldap::Scope::kBase, "(objectClass=subschema)",
      {"attributeTypes", "objectClasses", "ldapSyntaxes", "matchingRules", "matchingRuleUse"});
  ASSERT_EQ(reply.entries.size(), 1U);
  const FoundEntry& entry = reply.entries[0];
  for (const char* name :
       {"attributeTypes", "objectClasses", "ldapSyntaxes", "matchingRules", "matchingRuleUse"}) {
    ASSERT_TRUE(entry.has(name)) << name;
    EXPECT_GT(entry.attributes.at(name).size(), 10U) << name;
  }
  reply = anonymous.search(dn, ldap::Scope::kBase, "(objectClass=subschema)");
  EXPECT_EQ(attribute_names(reply.entries.at(0)), "cn,objectClass");
}

TEST_F(CasesD, D04_MissingBase) {
  const Reply reply = admin.read("uid=zz,ou=p,dc=example,dc=com");
  EXPECT_EQ(reply.code, 32);
  EXPECT_EQ(reply.matched_dn, P);
}

TEST_F(CasesD, BaseOutsideEverySuffixNamesThem) {
  const Reply reply = admin.read("dc=org");
  EXPECT_EQ(reply.code, 32);
  EXPECT_EQ(reply.matched_dn, "");
  EXPECT_NE(reply.diagnostic.find("'dc=org'"), std::string::npos);
  EXPECT_NE(reply.diagnostic.find("'dc=example,dc=com'"), std::string::npos);
}

TEST_F(CasesD, D07_TruncatedDefinitions) {
  const std::string whole =
      "( 1.3.6.1.4.1.32473.1.99 NAME 'zz' DESC 'a' EQUALITY 2.5.13.2 SYNTAX "
      "1.3.6.1.4.1.1466.115.121.1.15{64} )";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(admin.modify("cn=Subschema", {added("attributeTypes", {whole.substr(0, size)})}).code,
              21)
        << whole.substr(0, size);
  }
  const Reply after = admin.read("cn=Subschema", {"attributeTypes"});
  for (const std::string& type : after.entries.at(0).attributes.at("attributeTypes")) {
    EXPECT_EQ(type.find("32473.1.99 "), std::string::npos) << type;
  }
}

TEST_F(CasesD, D09_VeryLongSuperior) {
  const std::string definition =
      "( 1.3.6.1.4.1.32473.1.98 NAME 'long' SUP " + std::string(100'000, 'x') + " )";
  const Reply reply = admin.modify("cn=Subschema", {added("objectClasses", {definition})});
  EXPECT_EQ(reply.code, 21);
  EXPECT_LT(reply.diagnostic.size(), 1000U);
  EXPECT_EQ(admin.find("(uid=a)"), "a");
}

TEST_F(CasesD, ScopesAroundTheSubschemaEntry) {
  EXPECT_EQ(admin.search("cn=Subschema", ldap::Scope::kOneLevel, "(objectClass=*)").names(), "");
  EXPECT_EQ(admin.search("cn=Subschema", ldap::Scope::kSubtree, "(objectClass=*)").names(),
            "Subschema");
  EXPECT_EQ(admin.compare("cn=Subschema", "cn", "subschema").code, 6);
  EXPECT_EQ(admin.compare("", "supportedFeatures", "1.3.6.1.1.14").code, 6);
}

TEST_F(CasesD, Scopes) {
  EXPECT_EQ(admin.search(S, ldap::Scope::kBase, "(objectClass=*)", {"1.1"}).names(), "example");
  EXPECT_EQ(admin.search(S, ldap::Scope::kOneLevel, "(objectClass=*)", {"1.1"}).names(), "p");
  EXPECT_EQ(admin.search(P, ldap::Scope::kSubtree, "(objectClass=*)", {"1.1"}).names(), "a,b,c,p");
  EXPECT_EQ(admin.search(P, ldap::Scope::kSubordinate, "(objectClass=*)", {"1.1"}).names(),
            "a,b,c");
  EXPECT_EQ(admin.search(S, ldap::Scope::kSubtree, "(objectClass=*)", {"1.1"}).names(),
            "a,b,c,example,p");
  EXPECT_EQ(admin.search(S, ldap::Scope::kSubordinate, "(uid=a)", {"1.1"}).names(), "a");
  EXPECT_EQ(admin.search(S, ldap::Scope::kOneLevel, "(uid=a)", {"1.1"}).names(), "");
}

TEST_F(CasesD, ComputedAttributesInFilters) {
  EXPECT_EQ(admin.find("(entryDN=UID=A,OU=p,dc=example,dc=com)"), "a");
  EXPECT_EQ(admin.find("(hasSubordinates=TRUE)"), "example,p");
  EXPECT_EQ(admin.find("(numSubordinates=3)"), "p");
  EXPECT_EQ(admin.compare(P, "hasSubordinates", "TRUE").code, 6);
}

}  // namespace
}  // namespace kauri::operation::testing
