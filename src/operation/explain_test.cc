// The explain control: who gets a plan, what it says, and what the logs say of it. The plans
// themselves are in explain_plans_test.cc.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ldap/controls.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using ldap::ExplainMode;
using nlohmann::json;

Reply explained(Client& client, std::string_view base, std::string_view filter,
                const std::vector<ldap::Control>& controls, std::int32_t size_limit = 0) {
  ldap::SearchRequestText request;
  request.base = base;
  request.scope = ldap::Scope::kSubtree;
  request.size_limit = size_limit;
  return client.search(request, filter, controls);
}

json plan_of(const Reply& reply) {
  if (!reply.plan.has_value()) return {};
  return json::parse(*reply.plan, nullptr, false);
}

class Explain : public DirectoryCase {
 protected:
  json plan(std::string_view filter, ExplainMode mode = ExplainMode::kRun) {
    return plan_of(explained(admin, S, filter, {ldap::explain_control(mode)}));
  }
};

TEST_F(Explain, ThePlanComesWithTheResult) {
  const Reply reply = explained(admin, S, "(uid=a)", {control(ldap::oids::kExplain)});
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.names(), "a");
  const json plan = plan_of(reply);
  EXPECT_EQ(plan["version"], 1);
  EXPECT_EQ(plan["mode"], "run");
  EXPECT_EQ(plan["base"], S);
  EXPECT_EQ(plan["scope"], "sub");
  EXPECT_EQ(plan["filter"], "(uid=a)");
  EXPECT_EQ(plan["result"], 0);
  ASSERT_EQ(plan["scopes"].size(), 1U);
  const json& scope = plan["scopes"][0];
  EXPECT_EQ(scope["base"], S);
  EXPECT_EQ(scope["source"], "indexes");
  EXPECT_EQ(scope["candidates"], 1);
  EXPECT_EQ(scope["filter_proved"], true);
  const json leaf = {
      {"part", "(uid=a)"}, {"true", 1}, {"index", "eq"}, {"listed", 1}, {"use", "used"}};
  EXPECT_EQ(scope["plan"], leaf);
  EXPECT_EQ(plan["entries"]["examined"], 1);
  EXPECT_EQ(plan["entries"]["returned"], 1);
  EXPECT_EQ(plan["entries"]["copied"], 1);
  EXPECT_GT(plan["entries"]["octets"], 100);
  EXPECT_EQ(plan["turns"], 1);
  EXPECT_GE(plan["nanoseconds"]["whole"], plan["nanoseconds"]["plan"]);
  // A selection of attributes is no copy; without the control nothing comes.
  ldap::SearchRequestText request;
  request.base = S;
  request.attributes = {"cn"};
  const json part = plan_of(admin.search(request, "(uid=a)", {control(ldap::oids::kExplain)}));
  EXPECT_EQ(part["entries"]["copied"], 0);
  EXPECT_FALSE(admin.search(request, "(uid=a)").plan.has_value());
}

// Figures of a plan count entries that others may not see.
TEST_F(Explain, OnlyTheAdministratorSeesIt) {
  Client user = directory.user();
  for (Client* other : {&user, &client}) {
    const Reply refused = explained(*other, S, "(uid=a)", {control(ldap::oids::kExplain, true)});
    EXPECT_EQ(refused.code, 50);
    EXPECT_NE(refused.diagnostic.find("administrator"), std::string::npos);
    EXPECT_FALSE(refused.plan.has_value());
    EXPECT_TRUE(refused.entries.empty());
    // The same for a base that is not there: the refusal tells nothing of it.
    EXPECT_EQ(explained(*other, "ou=no," + std::string(S), "(uid=a)",
                        {control(ldap::oids::kExplain, true)})
                  .code,
              50);
    const Reply ignored = explained(*other, S, "(uid=a)", {control(ldap::oids::kExplain, false)});
    EXPECT_FALSE(ignored.plan.has_value());
    EXPECT_EQ(ignored.code, explained(*other, S, "(uid=a)", {}).code);
  }
  EXPECT_EQ(explained(user, S, "(uid=a)", {control(ldap::oids::kExplain, false)}).names(), "a");
}

TEST_F(Explain, ItFitsSearchesOnly) {
  const ldap::Control critical = control(ldap::oids::kExplain, true);
  EXPECT_EQ(admin.compare(U, "uid", "a", {critical}).code, 12);
  EXPECT_EQ(admin.compare(U, "uid", "a", {control(ldap::oids::kExplain, false)}).code, 6);
  EXPECT_EQ(explained(admin, S, "(uid=a)", {critical, critical}).code, 2);
  const Reply broken = explained(admin, S, "(uid=a)", {control(ldap::oids::kExplain, true, "x")});
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.diagnostic.find("the explain control is malformed: "), std::string::npos);
  const Reply root = admin.read("", {"supportedControl"});
  const auto& supported = root.entries.at(0).attributes.at("supportedControl");
  EXPECT_NE(std::find(supported.begin(), supported.end(), ldap::oids::kExplain), supported.end());
}

TEST_F(Explain, EntriesMayBeLeftOutAndWorkToo) {
  const Reply discarded =
      explained(admin, S, "(uid=*)", {ldap::explain_control(ExplainMode::kDiscard)});
  EXPECT_EQ(discarded.code, 0);
  EXPECT_TRUE(discarded.entries.empty());
  EXPECT_EQ(plan_of(discarded)["entries"]["returned"], 3);
  const Reply planned = explained(admin, S, "(uid=*)", {ldap::explain_control(ExplainMode::kPlan)});
  EXPECT_TRUE(planned.entries.empty());
  const json plan = plan_of(planned);
  EXPECT_EQ(plan["mode"], "plan");
  EXPECT_EQ(plan["entries"]["examined"], 0);
  EXPECT_EQ(plan["scopes"][0]["candidates"], 3);
}

TEST_F(Explain, LimitsAndPagesHaveTheirs) {
  const Reply limited =
      explained(admin, S, "(uid=*)", {ldap::explain_control(ExplainMode::kRun)}, 2);
  EXPECT_EQ(limited.code, 4);
  const json plan = plan_of(limited);
  EXPECT_EQ(plan["result"], 4);
  EXPECT_EQ(plan["entries"]["returned"], 2);
  EXPECT_EQ(plan["entries"]["left"], 1);
  EXPECT_EQ(plan["entries"]["matched"], 3);
  const Reply page = explained(admin, S, "(uid=*)",
                               {control(ldap::oids::kPagedResults, true, paged_value(2, "")),
                                ldap::explain_control(ExplainMode::kRun)});
  EXPECT_EQ(plan_of(page)["entries"]["returned"], 2);
  ASSERT_TRUE(page.cookie.has_value());
  EXPECT_FALSE(page.cookie->empty());
  const Reply rest =
      explained(admin, S, "(uid=*)",
                {control(ldap::oids::kPagedResults, true, paged_value(2, *page.cookie)),
                 ldap::explain_control(ExplainMode::kRun)});
  EXPECT_EQ(plan_of(rest)["entries"]["returned"], 1);
}

TEST_F(Explain, TermsWithoutAnIndexComeWithAdvice) {
  directory.add_people(200, {{"description", {"some text"}}, {"title", {"some title"}}});
  admin.modify(U, {replaced("description", {"rare"})});
  const json plan = this->plan("(&(objectClass=person)(description=rare))");
  const json& scope = plan["scopes"][0];
  EXPECT_EQ(scope["source"], "indexes");
  EXPECT_EQ(scope["candidates"], 203);
  EXPECT_EQ(scope["entries"]["measured"], 203);
  EXPECT_EQ(scope["plan"]["part"], "and");
  EXPECT_EQ(scope["plan"]["true"], 1);
  const json& leaf = scope["plan"]["members"][1];
  EXPECT_EQ(leaf["use"], "unindexed");
  EXPECT_EQ(leaf["why"], "'description' has no index");
  EXPECT_EQ(leaf["true"], 1);
  const json& advice = scope["advice"];
  EXPECT_EQ(advice["candidates_now"], 203);
  EXPECT_EQ(advice["candidates_then"], 1);
  EXPECT_EQ(advice["sampled"], false);
  EXPECT_EQ(advice["indexes"][0]["attribute"], "description");
  EXPECT_EQ(advice["indexes"][0]["kinds"], "eq");
  EXPECT_EQ(advice["indexes"][0]["configuration"],
            "[[database.index]]\nattribute = \"description\"\nkinds = [\"eq\"]\n");
  EXPECT_EQ(advice["indexes"][0]["candidates_then"], 1);
  // Of an OR one index alone narrows nothing.
  const json either = this->plan("(|(description=rare)(title=x))")["scopes"][0]["advice"];
  EXPECT_EQ(either["candidates_then"], 1);
  for (const json& index : either["indexes"])
    EXPECT_EQ(index["candidates_then"], either["candidates_now"]);
  // What no index serves gets none.
  const json entry_dn = this->plan("(entryDN=uid=a,ou=p,dc=example,dc=com)")["scopes"][0];
  EXPECT_FALSE(entry_dn.contains("advice"));
  EXPECT_NE(entry_dn["plan"]["why"], "");
}

TEST_F(Explain, WhatClientsSendNeverBreaksTheText) {
  const json odd = plan("(|(description=\\00\"\\5c\xc3\xbc\\ff\\0a)(cn=\xe2\x80\xae))");
  ASSERT_FALSE(odd.is_discarded());
  EXPECT_EQ(odd["scopes"][0]["plan"]["members"].size(), 2U);
  // Passwords are in no plan.
  const Reply secret =
      explained(admin, S, "(userPassword=opensesame)", {control(ldap::oids::kExplain)});
  ASSERT_TRUE(secret.plan.has_value());
  EXPECT_EQ(secret.plan->find("opensesame"), std::string::npos);
  // Nor does a large filter make a large plan.
  std::string many = "(|";
  for (int i = 0; i < 4000; ++i) many += "(cn=" + std::string(1000, 'x') + std::to_string(i) + ")";
  many += ")";
  const Reply large = explained(admin, S, many, {control(ldap::oids::kExplain)});
  ASSERT_EQ(large.code, 0) << large.diagnostic;
  ASSERT_TRUE(large.plan.has_value());
  EXPECT_LT(large.plan->size(), 400'000U);
  EXPECT_GT(plan_of(large)["scopes"][0]["plan"]["omitted"], 3000);
}

TEST_F(Explain, ScopesOfAliasesHaveTheirOwn) {
  const std::string base = "ou=q,dc=example,dc=com";
  add(base, "objectClass: organizationalUnit\nou: q");
  add("cn=away," + base,
      "objectClass: alias\nobjectClass: extensibleObject\ncn: away\naliasedObjectName: " +
          std::string(P));
  ldap::SearchRequestText request;
  request.base = base;
  request.scope = ldap::Scope::kSubtree;
  request.deref = ldap::DerefAliases::kAlways;
  const json plan = plan_of(admin.search(request, "(uid=a)", {control(ldap::oids::kExplain)}));
  ASSERT_EQ(plan["scopes"].size(), 2U);
  EXPECT_EQ(plan["scopes"][0]["base"], base);
  EXPECT_EQ(plan["scopes"][0]["entries"]["out_of_scope"], 1);
  EXPECT_EQ(plan["scopes"][1]["base"], P);
  EXPECT_EQ(plan["scopes"][1]["entries"]["returned"], 1);
  EXPECT_EQ(plan["entries"]["returned"], 1);
  EXPECT_EQ(plan["entries"]["examined"], 2);
}

TEST(PlanLogs, SayWhatAnIndexWouldGain) {
  MemoryLog log;
  DirectoryOptions options;
  options.log = &log;
  Directory directory(options);
  Client client = directory.admin();
  directory.add_people(150, {{"description", {"some text"}}});
  client.modify(U, {replaced("description", {"rare"})});
  log.records.clear();
  client.search(S, ldap::Scope::kSubtree, "(uid=a)");
  client.search(S, ldap::Scope::kSubtree, "(description=*are*)");
  client.search(S, ldap::Scope::kSubtree, "(&(objectClass=person)(description=rare))");
  client.search(S, ldap::Scope::kSubtree, "(&(uid=a)(description=rare))");
  client.search(S, ldap::Scope::kSubtree, "(|(uid=a)(entryDN=dc=x))");
  ASSERT_EQ(log.records.size(), 5U);
  EXPECT_EQ(log.records[0].plan, "indexes:1:proved examined:1 matched:1");
  EXPECT_EQ(log.records[0].notes, "");
  EXPECT_EQ(log.records[1].plan, "subtree:155 examined:155 matched:1");
  EXPECT_EQ(log.records[1].notes, "U[(description=*are*) description=sub; 155>1]");
  EXPECT_EQ(log.records[2].plan, "indexes:153 examined:153 matched:1");
  EXPECT_EQ(log.records[2].notes, "u[(description=rare) description=eq; 153>1]");
  // Few candidates are no note worth.
  EXPECT_EQ(log.records[3].notes, "");
  EXPECT_EQ(log.records[4].notes.substr(0, 2), "U[");
  EXPECT_NE(log.records[4].notes.find("(entryDN=dc=x) none"), std::string::npos);
}

}  // namespace
}  // namespace kauri::operation::testing
