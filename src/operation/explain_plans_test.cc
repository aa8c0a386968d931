// The plans of common kinds of searches over some thousand entries, each pinned: a change that
// loses an index fails here. Each is also run, and has to find what examining every entry finds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ldap/controls.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using nlohmann::json;

constexpr int kPeople = 3000;
constexpr int kDeep = 20;
const std::string kDeepBase = "ou=deep,ou=p,dc=example,dc=com";

std::string person_dn(int i) {
  return "uid=n" + std::to_string(i) + ",ou=p,dc=example,dc=com";
}

// "(uid=n7) eq 1 used", one behind the other in the order of the filter.
void append_parts(const json& part, std::string& out) {
  if (part.contains("members")) {
    for (const json& member : part["members"]) append_parts(member, out);
    return;
  }
  out += " | " + part["part"].get<std::string>() + ' ' + part.value("index", "") + ' ';
  if (part.contains("listed")) out += std::to_string(part["listed"].get<std::uint64_t>()) + ' ';
  out += part["use"].get<std::string>();
}

class ExplainPlans : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    DirectoryOptions options;
    options.log = &log_;
    options.rules = {"to attrs=sn by dn.exact=\"" + std::string(U) + "\" none by * read",
                     "to * by * read"};
    options.indexes = {
        {"uid", {false, true, false}},        {"cn", {false, true, true}},
        {"sn", {false, true, false}},         {"kInt", {false, true, false}},
        {"member", {false, true, false}},     {"telephoneNumber", {true, false, false}},
        {"objectClass", {false, true, false}}};
    directory_ = std::make_unique<Directory>(options);
    add_people();
    add_groups();
    admin_ =
        std::make_unique<Client>(*directory_, Peer{1, "test", true, false}, kAdmin, kAdminPassword);
  }
  static void TearDownTestSuite() {
    admin_.reset();
    directory_.reset();
  }

  static void add_people() {
    std::vector<std::pair<std::string, backend::Attributes>> entries;
    for (int i = 0; i < kPeople; ++i) {
      const std::string n = std::to_string(i);
      backend::Attributes attributes = {{"objectClass", {"inetOrgPerson", "kAux"}},
                                        {"uid", {"n" + n}},
                                        {"cn", {"Person " + n + " of many"}},
                                        {"sn", {i % 2 == 0 ? "Even" : "Odd"}},
                                        {"kInt", {std::to_string(1000 + i)}},
                                        {"description", {"d" + std::to_string(i % 10)}}};
      if (i % 100 == 0) attributes.push_back({"telephoneNumber", {"+1 555 " + n}});
      entries.emplace_back(person_dn(i), std::move(attributes));
    }
    entries.emplace_back(
        kDeepBase, backend::Attributes{{"objectClass", {"organizationalUnit"}}, {"ou", {"deep"}}});
    directory_->world().add_all(entries);
    entries.clear();
    for (int i = 0; i < kDeep; ++i) {
      const std::string name = "deep" + std::to_string(i);
      entries.emplace_back("uid=" + name + "," + kDeepBase,
                           backend::Attributes{{"objectClass", {"inetOrgPerson"}},
                                               {"uid", {name}},
                                               {"cn", {name}},
                                               {"sn", {"Deep"}}});
    }
    directory_->world().add_all(entries);
  }
  static void add_groups() {
    std::vector<std::string> members;
    for (int i = 0; i < 1500; ++i) members.push_back(person_dn(i));
    std::vector<std::pair<std::string, backend::Attributes>> entries;
    entries.emplace_back(
        "cn=large," + std::string(S),
        backend::Attributes{
            {"objectClass", {"groupOfNames"}}, {"cn", {"large"}}, {"member", members}});
    entries.emplace_back("cn=small," + std::string(S),
                         backend::Attributes{{"objectClass", {"groupOfNames"}},
                                             {"cn", {"small"}},
                                             {"member", {person_dn(7), person_dn(8)}}});
    directory_->world().add_all(entries);
  }

  static json explain(std::string_view filter, std::string_view base, ldap::Scope scope) {
    ldap::SearchRequestText request;
    request.base = base;
    request.scope = scope;
    const Reply reply =
        admin_->search(request, filter, {ldap::explain_control(ldap::ExplainMode::kDiscard)});
    EXPECT_EQ(reply.code, 0) << reply.diagnostic;
    return json::parse(reply.plan.value_or("{}"), nullptr, false);
  }
  // "indexes 1 proved > 1 | (uid=n7) eq 1 used": where candidates come from, how many, what is
  // proved, how many match, and what became of each part.
  static std::string plan(std::string_view filter, std::string_view base = S,
                          ldap::Scope scope = ldap::Scope::kSubtree) {
    const json found = explain(filter, base, scope);
    const json& first = found.at("scopes").at(0);
    std::string out = first["source"].get<std::string>() + ' ' +
                      std::to_string(first["candidates"].get<std::uint64_t>());
    if (first["filter_proved"].get<bool>()) out += " proved";
    out += " > " + std::to_string(first["entries"]["matched"].get<std::uint64_t>());
    EXPECT_EQ(first["entries"]["examined"], first["candidates"]) << filter;
    append_parts(first["plan"], out);
    return out;
  }

  inline static MemoryLog log_;
  inline static std::unique_ptr<Directory> directory_;
  inline static std::unique_ptr<Client> admin_;
};

TEST_F(ExplainPlans, Equality) {
  EXPECT_EQ(plan("(uid=n7)"), "indexes 1 proved > 1 | (uid=n7) eq 1 used");
  EXPECT_EQ(plan("(uid=nobody)"), "none 0 proved > 0 | (uid=nobody) eq 0 used");
  EXPECT_EQ(plan("(uid:caseIgnoreMatch:=n7)"),
            "indexes 1 proved > 1 | (uid:caseIgnoreMatch:=n7) eq 1 used");
}

TEST_F(ExplainPlans, AndOfATermWithOneOfHalfTheEntries) {
  EXPECT_EQ(plan("(&(sn=even)(uid=n8))"),
            "indexes 1 > 1 | (sn=even) eq 1500 few | (uid=n8) eq 1 used");
  EXPECT_EQ(plan("(&(uid=n8)(sn=even))"), "indexes 1 > 1 | (uid=n8) eq 1 used | (sn=even) eq few");
  EXPECT_EQ(plan("(&(sn=even)(telephoneNumber=*))"),
            "indexes 31 > 30 | (sn=even) eq 1500 long | (telephoneNumber=*) pres 31 used");
  EXPECT_EQ(plan("(&(sn=even)(objectClass=person))"),
            "indexes 1500 proved > 1500 | (sn=even) eq 1500 used | (objectClass=person) eq 3023 "
            "used");
  EXPECT_EQ(plan("(&(sn=even)(uid=nobody))"),
            "none 0 proved > 0 | (sn=even) eq unreached | (uid=nobody) eq 0 used");
}

// What narrows comes before the list of a class that nearly all entries have.
TEST_F(ExplainPlans, AndWithABroadClass) {
  EXPECT_EQ(plan("(&(objectClass=person)(uid=n7))"),
            "indexes 1 > 1 | (objectClass=person) eq few | (uid=n7) eq 1 used");
  EXPECT_EQ(plan("(&(objectClass=person)(|(uid=n7)(cn=person 8 of many)))"),
            "indexes 2 > 2 | (objectClass=person) eq 3023 few | (uid=n7) eq 1 used | (cn=person 8 "
            "of many) eq 1 used");
  EXPECT_EQ(plan("(&(objectClass=person)(uid=n299*))"),
            "indexes 11 > 11 | (objectClass=person) eq 3023 long | (uid=n299*) range 11 used");
  // Of trigrams a candidate more or less is no matter.
  const json parts = explain("(&(objectClass=person)(cn=*299 of*))", S, ldap::Scope::kSubtree);
  EXPECT_LE(parts["scopes"][0]["candidates"], 8);
  EXPECT_EQ(parts["scopes"][0]["entries"]["matched"], 3);
  EXPECT_NE(parts["scopes"][0]["plan"]["members"][0]["use"], "used");
}

TEST_F(ExplainPlans, OrOfTwoHundredEqualities) {
  std::string filter = "(|";
  std::string parts;
  for (int i = 0; i < 200; ++i) {
    const std::string term = "(uid=n" + std::to_string(i * 7) + ")";
    filter += term;
    parts += " | " + term + " eq 1 used";
  }
  EXPECT_EQ(plan(filter + ")"), "indexes 200 proved > 200" + parts);
}

TEST_F(ExplainPlans, OrWithAPartThatHasNoIndex) {
  EXPECT_EQ(plan("(|(uid=n7)(description=d9x))"),
            "database 3028 > 1 | (uid=n7) eq beside | (description=d9x) none unindexed");
}

TEST_F(ExplainPlans, Prefix) {
  EXPECT_EQ(plan("(uid=n29*)"), "indexes 111 proved > 111 | (uid=n29*) range 111 used");
  EXPECT_EQ(plan("(cn=person 299*)"), "indexes 11 proved > 11 | (cn=person 299*) range 11 used");
}

TEST_F(ExplainPlans, MiddleSubstring) {
  EXPECT_EQ(plan("(cn=*on 2999 o*)"), "indexes 1 > 1 | (cn=*on 2999 o*) sub 1 used");
  EXPECT_EQ(plan("(cn=*zzz*)"), "none 0 proved > 0 | (cn=*zzz*) sub 0 used");
  EXPECT_EQ(plan("(uid=*299*)"), "database 3028 > 13 | (uid=*299*) none unindexed");
}

TEST_F(ExplainPlans, Ordering) {
  EXPECT_EQ(plan("(kInt>=3990)"), "indexes 10 proved > 10 | (kInt>=3990) range 10 used");
  EXPECT_EQ(plan("(&(kInt>=3990)(kInt<=3994))").substr(0, 14), "indexes 10 > 5");
}

TEST_F(ExplainPlans, Negation) {
  EXPECT_EQ(plan("(!(sn=even))"), "database 3028 > 1528 | (sn=even) eq negated");
  EXPECT_EQ(plan("(&(objectClass=inetOrgPerson)(!(sn=even)))"),
            "indexes 1523 > 1523 | (objectClass=inetOrgPerson) eq 3023 used | (sn=even) eq 1500 "
            "used");
}

TEST_F(ExplainPlans, Presence) {
  EXPECT_EQ(plan("(telephoneNumber=*)"),
            "indexes 31 proved > 31 | (telephoneNumber=*) pres 31 used");
  EXPECT_EQ(plan("(member=*)"), "indexes 2 proved > 2 | (member=*) pres 2 used");
  EXPECT_EQ(plan("(objectClass=*)"), "database 3028 proved > 3028 | (objectClass=*) constant used");
  EXPECT_EQ(plan("(description=*)").substr(0, 13), "database 3028");
}

TEST_F(ExplainPlans, DeepScope) {
  EXPECT_EQ(plan("(objectClass=person)", kDeepBase),
            "subtree 21 > 20 | (objectClass=person) eq 3023 long");
  EXPECT_EQ(plan("(objectClass=person)", kDeepBase, ldap::Scope::kOneLevel),
            "children 20 > 20 | (objectClass=person) eq 3023 long");
  EXPECT_EQ(plan("(uid=deep3)", kDeepBase), "indexes 1 proved > 1 | (uid=deep3) eq 1 used");
  EXPECT_EQ(plan("(uid=n7)", kDeepBase), "indexes 1 proved > 0 | (uid=n7) eq 1 used");
  EXPECT_EQ(plan("(description=d1)", kDeepBase),
            "subtree 21 > 0 | (description=d1) none unindexed");
  EXPECT_EQ(plan("(uid=n7)", person_dn(7), ldap::Scope::kBase), "base 1 > 1 | (uid=n7)  none");
}

TEST_F(ExplainPlans, MemberOfALargeGroup) {
  EXPECT_EQ(plan("(member=" + person_dn(7) + ")"),
            "indexes 2 proved > 2 | (member=" + person_dn(7) + ") eq 2 used");
  EXPECT_EQ(plan("(&(objectClass=groupOfNames)(member=" + person_dn(1400) + "))"),
            "indexes 1 > 1 | (objectClass=groupOfNames) eq few | (member=" + person_dn(1400) +
                ") eq 1 used");
}

TEST_F(ExplainPlans, WhatIsUndefinedIsNotLookedFor) {
  EXPECT_EQ(plan("(nosuch=x)"), "none 0 proved > 0 | (nosuch=x) constant used");
  EXPECT_EQ(plan("(kInt=ten)"), "none 0 proved > 0 | (kInt=ten) constant used");
  EXPECT_EQ(plan("(!(nosuch=x))"), "none 0 proved > 0 | (nosuch=x) constant used");
  EXPECT_EQ(plan("(|(uid=n7)(kInt=ten))"),
            "indexes 1 proved > 1 | (uid=n7) eq 1 used | (kInt=ten) constant used");
  EXPECT_EQ(plan("(&(uid=n7)(nosuch=x))"),
            "none 0 proved > 0 | (uid=n7) eq unreached | (nosuch=x) constant used");
  EXPECT_EQ(plan("(uid:nosuchRule:=n7)"), "none 0 proved > 0 | (uid:nosuchRule:=n7) constant used");
}

// An attribute that the requester may not search has the same plan, and no entry matches.
TEST_F(ExplainPlans, UnreadableAttributes) {
  Client user(*directory_, Peer{2, "test", true, false}, U, "pw-a");
  log_.records.clear();
  EXPECT_TRUE(user.search(S, ldap::Scope::kSubtree, "(sn=deep)").entries.empty());
  EXPECT_TRUE(user.search(S, ldap::Scope::kSubtree, "(!(sn=deep))").entries.empty());
  EXPECT_EQ(user.search(S, ldap::Scope::kSubtree, "(|(sn=deep)(uid=n7))").entries.size(), 1U);
  ASSERT_EQ(log_.records.size(), 3U);
  EXPECT_EQ(log_.records[0].plan, "indexes:20:proved examined:20 matched:0");
  EXPECT_EQ(log_.records[1].plan, "subtree:3028 examined:3028 matched:0");
  EXPECT_EQ(log_.records[2].plan, "indexes:21:proved examined:21 matched:1");
}

}  // namespace
}  // namespace kauri::operation::testing
