#include "query/index_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "query/testing/test_world.h"

namespace kauri::query {
namespace {

class IndexAdviceTest : public ::testing::Test {
 protected:
  IndexAdviceTest()
      : world_({{"uid", {false, true, false}},
                {"cn", {false, true, true}},
                {"sn", {false, true, false}},
                {"givenName", {false, false, true}},
                {"kInt", {false, true, false}}}) {
    world_.put(EntryId(1), make_entry(world_.schema(), EntryId(), "dc=com",
                                      {{"dc", "com"},
                                       {"ou", "people"},
                                       {"uid", "u1"},
                                       {"cn", "C"},
                                       {"sn", "S"},
                                       {"givenName", "G"},
                                       {"description", "d"},
                                       {"kInt", "5"},
                                       {"kNoEq", "n"}}));
  }
  // "why | attribute missing (with)", the advice by name.
  std::string advice(std::string_view filter) {
    const CompiledFilter compiled = world_.compile(filter);
    const ScopeQuery whole{EntryId(1), ldap::Scope::kSubtree, true, false};
    const Plan plan = world_.plan(compiled, whole, true);
    EXPECT_EQ(plan.terms.size(), 1U) << filter;
    if (plan.terms.empty() || plan.terms[0].fate != TermFate::kNoIndex) return "indexed";
    const Unindexed found = why_unindexed(compiled.nodes()[plan.terms[0].node], world_.catalog());
    std::vector<std::string> all;
    for (const IndexAdvice& each : found.advice)
      all.push_back(" | " + std::string(each.type->name()) + ' ' + index::to_string(each.missing) +
                    " (" + index::to_string(each.with) + ")");
    std::sort(all.begin(), all.end());
    std::string out = found.why;
    for (const std::string& each : all) out += each;
    return out;
  }
  TestWorld world_;
};

TEST_F(IndexAdviceTest, TheKindThatServes) {
  EXPECT_EQ(advice("(uid=u1)"), "indexed");
  EXPECT_EQ(advice("(description=d)"), "'description' has no index | description eq (eq)");
  EXPECT_EQ(advice("(description=*)"), "'description' has no index | description pres (pres)");
  // A prefix needs no trigrams.
  EXPECT_EQ(advice("(description=d*)"), "'description' has no index | description eq (eq)");
  EXPECT_EQ(advice("(description=*d*)"), "'description' has no index | description sub (sub)");
  EXPECT_EQ(advice("(description=d*d)"), "'description' has no index | description sub (sub)");
  EXPECT_EQ(advice("(uid=*u*)"), "the index of 'uid' is eq, and this needs sub | uid sub (eq,sub)");
  EXPECT_EQ(advice("(givenName=g)"),
            "the index of 'givenName' is sub, and this needs eq | givenName eq (eq,sub)");
  EXPECT_EQ(advice("(givenName=*)"),
            "the index of 'givenName' is sub, and this needs pres | givenName pres (pres,sub)");
}

// Each stored subtype has its own.
TEST_F(IndexAdviceTest, SubtypesNeedOneEach) {
  const std::string found = advice("(name=x)");
  EXPECT_THAT(found, testing::HasSubstr(" | givenName eq (eq,sub)"));
  EXPECT_THAT(found, testing::HasSubstr(" | ou eq (eq)"));
  EXPECT_THAT(found, testing::Not(testing::HasSubstr(" | cn")));
  EXPECT_THAT(found, testing::Not(testing::HasSubstr(" | sn")));
}

TEST_F(IndexAdviceTest, WhereNoneHelps) {
  const auto expect = [&](std::string_view filter, std::string_view words) {
    const std::string found = advice(filter);
    EXPECT_THAT(found, testing::HasSubstr(std::string(words))) << filter;
    EXPECT_EQ(found.find(" | "), std::string::npos) << found;
  };
  expect("(:caseIgnoreMatch:=x)", "a matching rule without an attribute");
  expect("(ou:dn:=people)", "':dn'");
  expect("(entryDN=dc=com)", "made when they are read");
  expect("(kInt:1.2.840.113556.1.4.803:=4)", "compares value by value");
  expect("(cn:caseExactMatch:=C)", "no index of 'cn' serves caseExactMatch");
  world_.catalog().set_usable(*world_.schema().attribute_type("uid"), false);
  expect("(uid=u1)", "the index of 'uid' is being built");
}

TEST_F(IndexAdviceTest, LinesOfAConfiguration) {
  const IndexAdvice advice{
      world_.schema().attribute_type("uid"), {false, false, true}, {true, true, true}};
  EXPECT_EQ(configuration_of(advice),
            "[[database.index]]\nattribute = \"uid\"\nkinds = [\"pres\", \"eq\", \"sub\"]\n");
  EXPECT_EQ(index_list(world_.catalog()),
            (std::vector<std::string>{"cn=eq,sub", "givenName=sub", "kInt=eq", "sn=eq", "uid=eq"}));
  EXPECT_FALSE(are_default_indexes(world_.catalog(), world_.schema()));
  TestWorld usual(index::default_indexes(world_.schema()));
  EXPECT_TRUE(are_default_indexes(usual.catalog(), usual.schema()));
}

}  // namespace
}  // namespace kauri::query
