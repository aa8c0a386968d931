// Cases of group G: controls.

#include <gtest/gtest.h>

#include <set>

#include "base/testing/cost.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesG = DirectoryCase;

// All pages: the names found, each once.
std::set<std::string> all_pages(Client& client, std::string_view filter, std::uint32_t size,
                                std::string_view base, int& pages) {
  std::set<std::string> names;
  std::string cookie;
  for (pages = 1; pages < 1000; ++pages) {
    const Reply reply = client.page(filter, size, cookie, 0, base);
    EXPECT_EQ(reply.code, 0) << reply.diagnostic;
    EXPECT_LE(reply.entries.size(), size);
    for (const FoundEntry& entry : reply.entries) {
      EXPECT_TRUE(names.insert(entry.dn).second) << entry.dn << " came twice";
    }
    if (!reply.cookie.has_value() || reply.cookie->empty()) break;
    cookie = *reply.cookie;
  }
  return names;
}

TEST_F(CasesG, G01_PageSizeAndSizeLimit) {
  const Reply first = admin.page("(objectClass=*)", 2, "", 3);
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.entries.size(), 2U);
  ASSERT_TRUE(first.cookie.has_value());
  ASSERT_FALSE(first.cookie->empty());
  const Reply second = admin.page("(objectClass=*)", 2, *first.cookie, 3);
  EXPECT_EQ(second.code, 4);
  EXPECT_EQ(second.entries.size(), 1U);
  EXPECT_EQ(second.cookie.value_or(""), "");
}

TEST_F(CasesG, G02_PageSizeZero) {
  // The base matches, in every scope.
  for (const auto scope : {ldap::Scope::kBase, ldap::Scope::kOneLevel, ldap::Scope::kSubtree}) {
    ldap::SearchRequestText request;
    request.base = P;
    request.scope = scope;
    const Reply reply = admin.search(
        request, "(objectClass=*)", {control(ldap::oids::kPagedResults, true, paged_value(0, ""))});
    EXPECT_EQ(reply.code, 0);
    EXPECT_TRUE(reply.entries.empty());
    EXPECT_EQ(reply.cookie.value_or("none came"), "");
  }
  EXPECT_EQ(admin.find("(uid=a)"), "a");
}

TEST_F(CasesG, G04_CookieMisuse) {
  const Reply first = admin.page("(objectClass=*)", 1, "");
  const std::string cookie = *first.cookie;
  const auto refused = [](const Reply& reply) {
    return (reply.code == 53 || reply.code == 2) && reply.entries.empty();
  };
  Client other = directory.admin();
  EXPECT_TRUE(refused(other.page("(objectClass=*)", 1, cookie)));
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, "garbage")));
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, std::string(200, 'x'))));
  EXPECT_TRUE(refused(admin.page("(cn=*)", 1, cookie)));
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, cookie, 0, S)));
  std::string changed = cookie;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, changed)));

  const Reply second = admin.page("(objectClass=*)", 1, cookie);
  EXPECT_EQ(second.code, 0);
  EXPECT_EQ(second.entries.size(), 1U);
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, cookie)));  // the old one again
  ASSERT_EQ(admin.bind(kAdmin, kAdminPassword).code, 0);
  EXPECT_TRUE(refused(admin.page("(objectClass=*)", 1, *second.cookie)));  // after a bind
}

TEST_F(CasesG, PagesGiveEachEntryOnce) {
  directory.add_people(25, {{"description", {"many"}}});
  add("ou=deep,ou=p,dc=example,dc=com", "objectClass: organizationalUnit\nou: deep");
  add("uid=d,ou=deep,ou=p,dc=example,dc=com", std::string(kPerson) + "cn: d\ndescription: many");
  int pages = 0;
  // From an index, by walking a subtree, by walking everything.
  EXPECT_EQ(all_pages(admin, "(uid=n*)", 7, P, pages).size(), 25U);
  EXPECT_EQ(pages, 4);
  EXPECT_EQ(all_pages(admin, "(description=many)", 7, P, pages).size(), 26U);
  EXPECT_EQ(all_pages(admin, "(objectClass=*)", 4, S, pages).size(), 32U);
  EXPECT_EQ(all_pages(admin, "(objectClass=*)", 1, P, pages).size(), 31U);
  EXPECT_EQ(all_pages(admin, "(!(uid=zz))", 1000, P, pages).size(), 31U);
  EXPECT_EQ(pages, 1);
}

TEST_F(CasesG, EntriesDeletedAndAddedBetweenPages) {
  directory.add_people(10);
  const Reply first = admin.page("(uid=n*)", 4, "");
  ASSERT_EQ(first.entries.size(), 4U);
  ASSERT_EQ(admin.remove("uid=n9,ou=p,dc=example,dc=com").code, 0);
  ASSERT_EQ(admin.remove(first.entries[0].dn).code, 0);
  const Reply second = admin.page("(uid=n*)", 100, *first.cookie);
  EXPECT_EQ(second.entries.size(), 5U);
}

TEST_F(CasesG, G19_Criticality) {
  const ldap::SearchRequestText base{std::string(S), ldap::Scope::kBase, {}, 0, 0, false, {}};
  const ldap::Control unknown = control("1.2.3.4.5");
  const ldap::Control ignored = control("1.2.3.4.5", false);
  EXPECT_EQ(admin.search(base, "(objectClass=*)", {unknown}).code, 12);
  EXPECT_EQ(admin.compare(U, "cn", "A", {unknown}).code, 12);
  EXPECT_EQ(admin.search(base, "(objectClass=*)", {ignored}).names(), "example");
  EXPECT_EQ(admin.compare(U, "cn", "A", {ignored}).code, 6);
  EXPECT_EQ(
      admin.compare(U, "cn", "A", {control(ldap::oids::kPagedResults, true, paged_value(1, ""))})
          .code,
      12);
  EXPECT_EQ(admin.compare(U, "cn", "A", {control(ldap::oids::kPagedResults, false)}).code, 6);
  // An update that is refused has changed nothing.
  EXPECT_EQ(admin.modify(U, {replaced("description", {"x"})}, {unknown}).code, 12);
  EXPECT_EQ(admin.remove(U, {unknown}).code, 12);
  EXPECT_EQ(admin.value(U, "description"), "Babs   is a   big  fan");
}

TEST_F(CasesG, MalformedControls) {
  const ldap::SearchRequestText request{std::string(S), ldap::Scope::kBase, {}, 0, 0, false, {}};
  EXPECT_EQ(admin.search(request, "(cn=x)", {control(ldap::oids::kPagedResults, false)}).code, 2);
  EXPECT_EQ(
      admin.search(request, "(cn=x)", {control(ldap::oids::kPagedResults, false, "\x30\x00")}).code,
      2);
  EXPECT_EQ(admin
                .search(request, "(cn=x)",
                        {control(ldap::oids::kManageDsaIt), control(ldap::oids::kManageDsaIt)})
                .code,
            2);
}

TEST_F(CasesG, G20_FiftyThousandControls) {
  std::string message;
  ldap::append_search_request(message, 5, {}, *ldap::parse_filter("(cn=x)"),
                              std::vector<ldap::Control>(50'000, control("1.2.3.4.5", false)));
  Reply reply;
  EXPECT_LT(processor_ms([&] { reply = admin.exchange(message, 5); }), 10 * build_slack());
  EXPECT_TRUE(reply.code == 53 || reply.code == 2) << reply.code;
  EXPECT_EQ(client.who_am_i(), "");
}

}  // namespace
}  // namespace kauri::operation::testing
