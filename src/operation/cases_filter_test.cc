// Cases of group C (filters) as a client sees them, and of groups I and K that concern searching.

#include <gtest/gtest.h>

#include "base/testing/cost.h"
#include "ber/writer.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesC = DirectoryCase;
using CasesK = DirectoryCase;

// A search whose filter is the given BER.
Reply raw_search(std::string_view filter_ber, Client& client) {
  std::string body;
  ber::Writer writer(body);
  writer.octet_string(S);
  writer.enumerated(2);
  writer.enumerated(0);
  writer.integer(0);
  writer.integer(0);
  writer.boolean(false);
  writer.raw(filter_ber);
  writer.begin(ber::kSequence);
  writer.end();
  std::string message;
  const ldap::MessageId id = client.next_id();
  ldap::append_request(message, id, ber::application_constructed(3), body);
  return client.exchange(message, id);
}

void describe(Client& client, const std::string& value) {
  const Reply reply = client.modify(U, {replaced("description", {value})});
  ASSERT_EQ(reply.code, 0) << reply.diagnostic;
}

TEST_F(CasesC, C01_NotOverOrInsideAnd) {
  EXPECT_EQ(admin.find("(|(uid=a)(&(objectClass=inetOrgPerson)(!(|(uid=a)(uid=b)))))"), "a,c");
}

TEST_F(CasesC, C02_Presence) {
  EXPECT_EQ(admin.find("(givenName=*)"), "b,c");
  EXPECT_EQ(admin.search(P, ldap::Scope::kOneLevel, "(!(mail=*))", {"1.1"}).names(), "b,c");
}

TEST_F(CasesC, C05_DnAssertion) {
  ASSERT_EQ(admin.modify(U, {added("seeAlso", {"cn=Smith\\, J,dc=example,dc=com"})}).code, 0);
  EXPECT_EQ(admin.find("(seeAlso=CN=smith\\5c2c  j, DC=Example,dc=com)"), "a");
}

TEST_F(CasesC, C06_UnknownAttributeIsUndefined) {
  EXPECT_EQ(admin.find("(nosuch=x)"), "");
  EXPECT_EQ(admin.find("(!(nosuch=x))"), "");
  EXPECT_EQ(admin.find("(|(nosuch=x)(uid=a))"), "a");
  EXPECT_EQ(admin.find("(&(!(nosuch=x))(uid=a))"), "");
}

TEST_F(CasesC, C09_InsignificantSpaces) {
  EXPECT_EQ(admin.find("(description=  babs is a BIG fan )"), "a");
  EXPECT_EQ(admin.find("(description=*is a big*)"), "a");
}

TEST_F(CasesC, C10_Telephone) {
  EXPECT_EQ(admin.find("(telephoneNumber=+1-234 567)"), "a");
  EXPECT_EQ(admin.find("(telephoneNumber= - )"), "");
}

TEST_F(CasesC, C13_IntegerOrder) {
  EXPECT_EQ(admin.find("(kInt>=9)"), "a,b");
  EXPECT_EQ(admin.find("(kInt<=9)"), "a,c");
}

TEST_F(CasesC, C18_TimeZones) {
  EXPECT_EQ(admin.find("(kTime=20240101120000Z)"), "a,b");
}

TEST_F(CasesC, C20_BitRule) {
  EXPECT_EQ(admin.find("(kInt:1.2.840.113556.1.4.803:=2)"), "b,c");
}

TEST_F(CasesC, C22_RuleInExtensibleFilter) {
  EXPECT_EQ(admin.find("(cn:caseExactMatch:=a)"), "");
  EXPECT_EQ(admin.find("(cn:2.5.13.5:=A)"), "a");
}

TEST_F(CasesC, C24_ExtensibleWithoutType) {
  EXPECT_EQ(admin.find("(:caseIgnoreMatch:=a)"), "a");
  std::string filter;
  ber::Writer writer(filter);
  writer.begin(ber::context_constructed(9));
  writer.octet_string("a", ber::context(3));
  writer.end();
  const Reply reply = raw_search(filter, admin);
  EXPECT_TRUE(reply.code == 2 || reply.code == 0) << reply.code;
  EXPECT_TRUE(reply.entries.empty());
}

TEST_F(CasesC, C26_ShortSubstrings) {
  // The parts of an index may be there or not: presence, equality, substrings.
  for (const index::IndexKinds kinds : std::vector<index::IndexKinds>{
           {true, false, false}, {false, true, false}, {false, false, true}, {true, true, true}}) {
    DirectoryOptions options;
    options.indexes = {{"cn", kinds}};
    Directory indexed(options);
    Client reader = indexed.admin();
    constexpr std::string_view kOnly = "ou=only,dc=example,dc=com";
    ASSERT_EQ(reader.add(kOnly, "objectClass: organizationalUnit\nou: only").code, 0);
    for (const std::string cn : {"A", "AB", "ABC", "ABCD"}) {
      ASSERT_EQ(reader.add("cn=" + cn + "," + std::string(kOnly), person("cn: " + cn)).code, 0);
    }
    for (const auto scope : {ldap::Scope::kOneLevel, ldap::Scope::kSubtree}) {
      const auto names = [&](std::string_view filter) {
        return reader.search(kOnly, scope, filter, {"1.1"}).names();
      };
      EXPECT_EQ(names("(cn=A*)"), "A,AB,ABC,ABCD");
      EXPECT_EQ(names("(cn=*D)"), "ABCD");
      EXPECT_EQ(names("(cn=*B*)"), "AB,ABC,ABCD");
      EXPECT_EQ(names("(cn=A*D)"), "ABCD");
    }
  }
}

TEST_F(CasesC, C27_MisshapenSubstrings) {
  const auto substrings = [](std::initializer_list<std::pair<unsigned, std::string_view>> parts) {
    std::string filter;
    ber::Writer writer(filter);
    writer.begin(ber::context_constructed(4));
    writer.octet_string("cn");
    writer.begin(ber::kSequence);
    for (const auto& [tag, part] : parts) writer.octet_string(part, ber::context(tag));
    writer.end();
    writer.end();
    return filter;
  };
  for (const std::string& filter :
       {substrings({{0, ""}}), substrings({}), substrings({{0, "a"}, {0, "b"}}),
        substrings({{2, "a"}, {1, "b"}})}) {
    const Reply reply = raw_search(filter, admin);
    EXPECT_EQ(reply.code, 2);
    EXPECT_TRUE(reply.entries.empty());
  }
  EXPECT_EQ(admin.find("(uid=a)"), "a");
}

TEST_F(CasesC, C28_StringPreparation) {
  describe(admin, "Jose\xCC\x81");
  EXPECT_EQ(admin.find("(description=jos\xC3\xA9)"), "a");
  describe(admin, "\xEF\xAC\x81ne \xEF\xBC\xA1");
  EXPECT_EQ(admin.find("(description=fine a)"), "a");
}

TEST_F(CasesC, C30_Octets) {
  ASSERT_EQ(admin.modify(U, {added("kOct", {std::string("\x5C\x30\x31\xFF\x00", 5)})}).code, 0);
  EXPECT_EQ(admin.find("(kOct=\\5c01\\ff\\00)"), "a");
}

TEST_F(CasesC, C33_DeepNesting) {
  const auto nested_not = [](std::size_t depth) {
    std::string inner;
    ber::Writer writer(inner);
    writer.begin(ber::context_constructed(3));
    writer.octet_string("uid");
    writer.octet_string("a");
    writer.end();
    std::vector<std::string> headers;
    std::size_t size = inner.size();
    for (std::size_t i = 0; i < depth; ++i) {
      ber::append_header(headers.emplace_back(), ber::context_constructed(2), size);
      size += headers.back().size();
    }
    std::string filter;
    for (std::size_t i = depth; i-- > 0;) filter += headers[i];
    return filter + inner;
  };
  {
    Client anonymous = directory.client();
    const Reply reply = raw_search(nested_not(20'000), anonymous);
    EXPECT_TRUE(reply.code == 2 || reply.code == 11) << reply.code;
    EXPECT_TRUE(reply.entries.empty());
  }
  EXPECT_EQ(raw_search(nested_not(10), admin).names(), "a");
  EXPECT_EQ(raw_search(nested_not(11), admin).names(), "b,c,example,p");
}

TEST_F(CasesC, C35_ManyEmptyAttributeNames) {
  Reply reply;
  const auto read = [&] { reply = admin.read(U, std::vector<std::string>(200'000)); };
  EXPECT_LT(processor_ms(read), 100 * build_slack());
  EXPECT_EQ(reply.code, 11);
  EXPECT_TRUE(reply.entries.empty());
  EXPECT_EQ(admin.find("(uid=a)"), "a");
}

TEST_F(CasesK, K11_NumericString) {
  EXPECT_EQ(admin.find("(kNum=12 3)"), "a");
  EXPECT_EQ(admin.find("(kNum=1*3)"), "a");
  EXPECT_EQ(admin.find("(kNum=12a)"), "");
}

TEST_F(CasesK, K13_PostalAddress) {
  const std::string address = "1 Main St$City \\24 X$\\5C";
  ASSERT_EQ(admin.modify(U, {added("postalAddress", {address})}).code, 0);
  EXPECT_EQ(admin.find("(postalAddress=1 main st$city \\5c24 x$\\5c5C)"), "a");
  EXPECT_EQ(admin.value(U, "postalAddress"), address);
}

TEST_F(CasesC, BooleanConstants) {
  // RFC 4526.
  EXPECT_EQ(raw_search(std::string("\xA0\x00", 2), admin).names(), "a,b,c,example,p");
  EXPECT_EQ(raw_search(std::string("\xA1\x00", 2), admin).names(), "");
}

}  // namespace
}  // namespace kauri::operation::testing
