// Cases of groups G (paging), I (referrals, aliases) and K (access), and searches in slices.

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesG = DirectoryCase;
using CasesI = DirectoryCase;
using CasesK = DirectoryCase;

void add_people(Client& admin, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string n = "n" + std::to_string(i);
    const Reply reply = admin.add("uid=" + n + ",ou=p,dc=example,dc=com",
                                  person("cn: " + n + "\nuid: " + n + "\ndescription: many"));
    ASSERT_EQ(reply.code, 0) << reply.diagnostic;
  }
}

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
  const Reply reply = admin.page("(objectClass=*)", 0, "");
  EXPECT_EQ(reply.code, 0);
  EXPECT_TRUE(reply.entries.empty());
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
  add_people(admin, 25);
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
  add_people(admin, 10);
  const Reply first = admin.page("(uid=n*)", 4, "");
  ASSERT_EQ(first.entries.size(), 4U);
  ASSERT_EQ(admin.remove("uid=n9,ou=p,dc=example,dc=com").code, 0);
  ASSERT_EQ(admin.remove(first.entries[0].dn).code, 0);
  const Reply second = admin.page("(uid=n*)", 100, *first.cookie);
  EXPECT_EQ(second.entries.size(), 5U);
}

TEST_F(CasesG, SizeLimit) {
  ldap::SearchRequestText request;
  request.base = S;
  request.size_limit = 2;
  Reply reply = admin.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 4);
  EXPECT_EQ(reply.entries.size(), 2U);
  request.size_limit = 5;
  reply = admin.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.entries.size(), 5U);
}

TEST_F(CasesG, LimitsOfTheServerSpareTheAdministrator) {
  DirectoryOptions options;
  options.limits.search_size_max = 2;
  Directory limited(options);
  Client user = limited.user();
  EXPECT_EQ(user.search(S, ldap::Scope::kSubtree, "(objectClass=*)").code, 4);
  Client unlimited = limited.admin();
  EXPECT_EQ(unlimited.search(S, ldap::Scope::kSubtree, "(objectClass=*)").entries.size(), 5U);

  options.limits = {};
  options.limits.look_through_max = 3;
  Directory shallow(options);
  Client looker = shallow.user();
  const Reply reply = looker.search(S, ldap::Scope::kSubtree, "(description=nobody)");
  EXPECT_EQ(reply.code, 11);
  EXPECT_NE(reply.diagnostic.find('3'), std::string::npos);
  EXPECT_EQ(looker.find("(uid=a)"), "a");
}

// A clock that moves by itself: each look costs a millisecond.
class RunningClock final : public Clock {
 public:
  std::int64_t wall_micros() override { return Clock::system().wall_micros(); }
  std::int64_t monotonic_nanos() override {
    return Clock::system().monotonic_nanos() + (looks_ += step_nanos);
  }
  std::atomic<std::int64_t> step_nanos = 0;

 private:
  std::atomic<std::int64_t> looks_ = 0;
};

TEST_F(CasesG, SearchInSlices) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client client = slow.admin();
  for (int i = 0; i < 100; ++i) {
    const std::string n = "n" + std::to_string(i);
    ASSERT_EQ(
        client.add("uid=" + n + ",ou=p,dc=example,dc=com", person("cn: " + n + "\nuid: " + n)).code,
        0);
  }
  clock.step_nanos = 1'000'000;
  std::string message;
  ldap::append_search_request(message, 500,
                              {std::string(S), ldap::Scope::kSubtree, {}, 0, 0, false, {"1.1"}},
                              *ldap::parse_filter("(uid=n*)"));
  client.send(message);
  EXPECT_TRUE(client.session().has_work());
  // Others are served between the slices; an entry that goes before its turn is not returned.
  Client other = slow.admin();
  EXPECT_EQ(other.remove("uid=n99,ou=p,dc=example,dc=com").code, 0);
  const Reply reply = client.wait(500);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.entries.size(), 99U);
  EXPECT_FALSE(client.session().has_work());

  // Abandon and Cancel between the slices.
  client.send(message);
  ASSERT_TRUE(client.session().has_work());
  std::string abandon;
  ldap::append_abandon_request(abandon, 501, 500);
  client.send(abandon);
  EXPECT_FALSE(client.session().has_work());
  client.received().clear();

  client.send(message);
  ASSERT_TRUE(client.session().has_work());
  EXPECT_EQ(client.extended(ldap::oids::kCancel, "\x30\x04\x02\x02\x01\xF4").code, 0);
  EXPECT_EQ(client.wait(500).code, 118);

  // A bind waits for the search.
  client.send(message);
  std::string bind;
  ldap::append_simple_bind_request(bind, 502, "", "");
  client.send(bind);
  EXPECT_TRUE(client.session().reading_paused());
  EXPECT_EQ(client.wait(500).entries.size(), 99U);
  EXPECT_EQ(client.wait(502).code, 0);
  EXPECT_FALSE(client.session().authenticated());
}

TEST_F(CasesG, ManySearchesShareATurn) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client many = slow.admin();
  for (int i = 0; i < 60; ++i) {
    const std::string n = "n" + std::to_string(i);
    ASSERT_EQ(many.add("uid=" + n + ",ou=p,dc=example,dc=com", person("cn: " + n)).code, 0);
  }
  clock.step_nanos = 1'000'000;
  for (ldap::MessageId id = 600; id < 605; ++id) {
    std::string message;
    ldap::append_search_request(message, id,
                                {std::string(S), ldap::Scope::kSubtree, {}, 0, 0, false, {"1.1"}},
                                *ldap::parse_filter("(uid=n*)"));
    many.send(message);
  }
  EXPECT_EQ(many.session().operations_in_flight(), 5U);
  const std::size_t before = many.received().size();
  // A turn's time is over after the first of them; the others come first in the next turns.
  many.session().run_turn(many.received(), 1U << 20U);
  const std::size_t one_turn = many.received().size() - before;
  EXPECT_GT(one_turn, 0U);
  EXPECT_LT(one_turn, before);
  for (ldap::MessageId id = 600; id < 605; ++id) EXPECT_EQ(many.wait(id).entries.size(), 60U);
}

TEST_F(CasesG, TimeLimit) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client client = slow.admin();
  for (int i = 0; i < 40; ++i) {
    const std::string n = "n" + std::to_string(i);
    ASSERT_EQ(
        client.add("uid=" + n + ",ou=p,dc=example,dc=com", std::string(kPerson) + "cn: " + n).code,
        0);
  }
  clock.step_nanos = 600'000'000;
  ldap::SearchRequestText request;
  request.base = S;
  request.time_limit = 1;
  const Reply reply = client.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 3);
  EXPECT_LT(reply.entries.size(), 45U);
}

TEST_F(CasesG, FullOutputPausesTheSearch) {
  std::string text = std::string(kPerson) + "cn: x\ndescription: " + std::string(100'000, 'x');
  for (int i = 0; i < 20; ++i) {
    add("uid=big" + std::to_string(i) + ",ou=p,dc=example,dc=com", text);
  }
  std::string message;
  ldap::append_search_request(message, 900, {std::string(S)}, *ldap::parse_filter("(uid=big*)"));
  admin.send(message);
  EXPECT_TRUE(admin.session().has_work());
  EXPECT_LT(admin.received().size(), limits::kOutputQueueMax + 200'000);
  std::string out(limits::kOutputQueueMax, 'x');
  admin.session().run_turn(out, limits::kOutputQueueMax);
  EXPECT_EQ(out.size(), limits::kOutputQueueMax);
  EXPECT_EQ(admin.wait(900).entries.size(), 20U);
}

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
    const auto alias = [&](std::string_view name, std::string_view target) {
      add("cn=" + std::string(name) + ",dc=example,dc=com",
          "objectClass: alias\nobjectClass: extensibleObject\ncn: " + std::string(name) +
              "\naliasedObjectName: " + std::string(target));
    };
    alias("al1", "cn=al2,dc=example,dc=com");
    alias("al2", "cn=al1,dc=example,dc=com");
    alias("al3", U);
    alias("al4", "uid=none,ou=p,dc=example,dc=com");
    alias("al5", P);
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
    const int code =
        search("cn=al1,dc=example,dc=com", ldap::Scope::kBase, deref, "(objectClass=*)").code;
    EXPECT_TRUE(code == 33 || code == 36) << code;
  }
  const Reply reply = search(S, ldap::Scope::kSubtree, ldap::DerefAliases::kAlways, "(uid=a)");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.names(), "a");
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

TEST_F(CasesK, K09_LargeGroup) {
  constexpr int kMembers = 1000;
  std::string text = "objectClass: groupOfNames\ncn: big";
  for (int i = 0; i < kMembers; ++i) {
    text += "\nmember: uid=m" + std::to_string(i) + ",ou=p,dc=example,dc=com";
  }
  constexpr std::string_view kGroup = "cn=big,ou=p,dc=example,dc=com";
  add(kGroup, text);
  EXPECT_EQ(admin.read(kGroup).entries.at(0).attributes.at("member").size(), 1000U);
  EXPECT_TRUE(admin.read(kGroup, {"cn"}).entries.at(0).has("cn"));
  EXPECT_FALSE(admin.read(kGroup, {"cn"}).entries.at(0).has("member"));
  EXPECT_EQ(admin.modify(kGroup, {added("member", {"uid=new,ou=p,dc=example,dc=com"})}).code, 0);
  EXPECT_EQ(admin.modify(kGroup, {added("member", {"UID=m5,ou=p,dc=example,dc=com"})}).code, 20);
  EXPECT_EQ(admin.modify(kGroup, {deleted("member", {"uid=m6,ou=p,dc=example,dc=com"})}).code, 0);
  EXPECT_EQ(admin.compare(kGroup, "member", "uid=M7,ou=p,dc=example,dc=com").code, 6);
  EXPECT_EQ(admin.compare(kGroup, "member", "uid=m6,ou=p,dc=example,dc=com").code, 5);
  EXPECT_EQ(admin.find("(member=uid=new,ou=p,dc=example,dc=com)"), "big");
  EXPECT_EQ(admin.find("(member=uid=m6,ou=p,dc=example,dc=com)"), "");
}

TEST_F(CasesG, AccessLogRecords) {
  MemoryLog log;
  DirectoryOptions options;
  options.log = &log;
  Directory logged(options);
  Client client = logged.admin();
  log.records.clear();
  client.search(S, ldap::Scope::kSubtree, "(uid=a)", {"cn", "sn"});
  client.search(P, ldap::Scope::kOneLevel, "(description=*x*)");
  client.modify(U, {replaced("description", {"x"})});
  client.read("uid=zz,ou=p,dc=example,dc=com");
  ASSERT_EQ(log.records.size(), 4U);
  const OperationRecord& search = log.records[0];
  EXPECT_EQ(search.kind, "SEARCH");
  EXPECT_EQ(search.dn, S);
  EXPECT_EQ(search.identity, kAdmin);
  EXPECT_EQ(search.scope, "sub");
  EXPECT_EQ(search.filter, "(uid=a)");
  EXPECT_EQ(search.attributes, "cn sn");
  EXPECT_EQ(search.entries, 1U);
  EXPECT_NE(search.index_terms.find("(uid=a):eq:1"), std::string::npos) << search.index_terms;
  EXPECT_EQ(search.notes, "");
  EXPECT_GT(search.etime_nanos, 0);
  EXPECT_EQ(search.etime_nanos, search.wtime_nanos + search.optime_nanos);
  EXPECT_EQ(log.records[1].notes, "U");
  EXPECT_EQ(log.records[2].kind, "MODIFY");
  EXPECT_EQ(log.records[2].attributes, "description");
  EXPECT_GT(log.records[2].etime_nanos, 0);
  EXPECT_EQ(log.records[3].result, 32);
  EXPECT_FALSE(log.records[3].diagnostic.empty());
}

}  // namespace
}  // namespace kauri::operation::testing
