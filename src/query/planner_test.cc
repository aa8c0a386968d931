// What a plan costs and how it is chosen; that it finds the right entries is tested in
// planner_property_test.cc.
#include "query/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/cost.h"
#include "query/testing/test_world.h"

namespace kauri::query {
namespace {

using index::IndexSpec;

std::vector<IndexSpec> indexes() {
  return {{"uid", {false, true, false}},
          {"cn", {false, true, true}},
          {"objectClass", {false, true, false}},
          {"kInt", {false, true, false}},
          {"sn", {true, true, false}},
          {"givenName", {false, false, true}},
          {"modifyTimestamp", {false, true, false}}};
}

// 1 = suffix, 2 = a container with kPeople children, 3 = an empty one. All tests share the world.
class PlannerTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kPeople = 2000;
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TestWorld>(indexes());
    add(1, 0, "dc=example,dc=com", {{"objectClass", "domain"}, {"dc", "example"}});
    add(2, 1, "ou=people", {{"objectClass", "organizationalUnit"}, {"ou", "people"}});
    add(3, 1, "ou=empty", {{"objectClass", "organizationalUnit"}, {"ou", "empty"}});
    for (std::uint64_t i = 1; i <= kPeople; ++i) {
      const std::string n = std::to_string(i);
      add(3 + i, 2, "uid=u" + n,
          {{"objectClass", "inetOrgPerson"},
           {"uid", "u" + n},
           {"cn", i % 10 == 0 ? "Person Number " + n : "x"},
           {"sn", i % 2 == 0 ? "Even" : "Odd"},
           {"givenName", "G" + std::to_string(i % 10)},
           {"description", "d" + n},
           {"kInt", n},
           {"modifyTimestamp", std::to_string(1000 + i) + "0101000000Z"}});
    }
  }
  static void TearDownTestSuite() { shared_.reset(); }
  static void add(std::uint64_t id, std::uint64_t parent, const std::string& rdn,
                  const std::vector<std::pair<std::string, std::string>>& values) {
    shared_->put(EntryId(id), make_entry(shared_->schema(), EntryId(parent), rdn, values));
  }
  Plan plan(std::string_view filter, const ScopeQuery& scope, bool explain = false) {
    return world_.plan(world_.compile(filter), scope, explain);
  }
  Plan plan(std::string_view filter) { return plan(filter, kWhole); }

  static constexpr ScopeQuery kWhole{EntryId(1), ldap::Scope::kSubtree, true, false};
  static constexpr ScopeQuery kPeopleBelow{EntryId(2), ldap::Scope::kOneLevel, false, false};
  static constexpr ScopeQuery kEmpty{EntryId(3), ldap::Scope::kSubtree, false, false};
  inline static std::unique_ptr<TestWorld> shared_;
  TestWorld& world_ = *shared_;
};

TEST_F(PlannerTest, AUniqueValueCostsOneLookUpAndNoAllocation) {
  const CompiledFilter filter = world_.compile("(uid=u77)");
  const auto& catalog = world_.catalog();
  (void)make_plan(filter, kWhole, catalog, world_.dictionary(), world_.txn());  // warms buffers
  const std::uint64_t reads = world_.faults().calls(storage::FaultPoint::kRead);
  const std::size_t before = allocation_count();
  const auto plan = make_plan(filter, kWhole, catalog, world_.dictionary(), world_.txn());
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(world_.faults().calls(storage::FaultPoint::kRead), reads + 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->source, CandidateSource::kIds);
  EXPECT_TRUE(plan->filter_exact);
  EXPECT_TRUE(plan->scope_exact);
  EXPECT_TRUE(plan->ids == index::IdSet::single(EntryId(80)));
}

TEST_F(PlannerTest, EvaluationAndCompilationAllocateNothingOnceWarm) {
  const auto parsed = ldap::parse_filter("(&(uid=u80)(cn=person number 80))");
  ASSERT_TRUE(parsed);
  CompiledFilter filter;
  AllowAll everyone((Identity()));
  filter.assign(*parsed, world_.dictionary());
  EXPECT_EQ(world_.evaluate(filter, EntryId(83), everyone), Tri::kTrue);
  const std::size_t before = allocation_count();
  filter.assign(*parsed, world_.dictionary());
  EXPECT_EQ(world_.evaluate(filter, EntryId(83), everyone), Tri::kTrue);
  EXPECT_EQ(world_.evaluate(filter, EntryId(84), everyone), Tri::kFalse);
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(PlannerTest, AShortListMakesTheOthersNeedless) {
  const std::uint64_t reads = world_.faults().calls(storage::FaultPoint::kRead);
  const Plan found = plan("(&(objectClass=person)(uid=u5)(sn=*)(kInt>=1)(description=d5))");
  EXPECT_EQ(world_.faults().calls(storage::FaultPoint::kRead), reads + 1);
  EXPECT_EQ(found.source, CandidateSource::kIds);
  EXPECT_EQ(found.estimate, 1U);
  EXPECT_FALSE(found.filter_exact);
  EXPECT_TRUE(found.indexed);
}

TEST_F(PlannerTest, AMissingValueEndsItAtOnce) {
  const Plan found = plan("(&(objectClass=person)(uid=nobody))");
  EXPECT_EQ(found.source, CandidateSource::kNone);
  EXPECT_EQ(plan("(&(uid=u5)(nosuch=x))").source, CandidateSource::kNone);
}

TEST_F(PlannerTest, ListsOfLikeLengthAreIntersected) {
  const Plan found = plan("(&(objectClass=person)(sn=even))");
  EXPECT_EQ(found.source, CandidateSource::kIds);
  EXPECT_EQ(found.estimate, kPeople / 2);
  EXPECT_TRUE(found.filter_exact);
}

TEST_F(PlannerTest, AListFarLongerThanTheCandidatesIsLeftToEvaluation) {
  const Plan found = plan("(&(kInt>=1991)(objectClass=person))");
  EXPECT_EQ(found.source, CandidateSource::kIds);
  EXPECT_EQ(found.estimate, 10U);
}

// A list of many ids costs many reads where the directory is large: what leaves few candidates
// comes before it, whatever the order in which the filter has them.
TEST_F(PlannerTest, ALongListIsNotReadWhereOthersLeaveFewCandidates) {
  for (const char* filter :
       {"(&(objectClass=person)(|(uid=u1)(uid=u2)))", "(&(objectClass=person)(uid=u199*))",
        "(&(objectClass=person)(kInt>=1998))", "(&(objectClass=person)(cn=*ber 1230*))",
        "(&(objectClass=person)(objectClass=top)(|(uid=u1)(uid=u2)))"}) {
    const Plan found = plan(filter, kWhole, true);
    EXPECT_EQ(found.source, CandidateSource::kIds) << filter;
    EXPECT_LE(found.estimate, 11U) << filter;
    for (const PlanTerm& term : found.terms) {
      if (term.term != "(objectClass=person)") continue;
      EXPECT_FALSE(term.used()) << filter;
      EXPECT_EQ(term.cardinality, kPeople);
    }
  }
  // Where they do not, the list narrows them as ever.
  const Plan both = plan("(&(sn=even)(objectClass=person)(|(givenName=g2)(kInt>=1)))", kWhole);
  EXPECT_EQ(both.estimate, kPeople / 2);
  const Plan choice = plan("(&(objectClass=domain)(|(objectClass=person)(sn=even)))", kWhole);
  EXPECT_LE(choice.estimate, 1U);
}

TEST_F(PlannerTest, OrOfEqualitiesIsASetLookUp) {
  const Plan found = plan("(|(uid=u1)(uid=u2)(uid=u3)(uid=nobody))");
  EXPECT_EQ(found.estimate, 3U);
  EXPECT_TRUE(found.filter_exact);
  EXPECT_TRUE(found.scope_exact);
}

TEST_F(PlannerTest, AnUnindexedMemberOfAnOrMeansAWalk) {
  const std::uint64_t reads = world_.faults().calls(storage::FaultPoint::kRead);
  const Plan found = plan("(|(uid=u1)(description=d2))");
  EXPECT_EQ(found.source, CandidateSource::kSubtree);
  EXPECT_FALSE(found.indexed);
  EXPECT_EQ(found.estimate, kPeople + 3);
  // No list was looked up in vain: only the size of the scope.
  EXPECT_EQ(world_.faults().calls(storage::FaultPoint::kRead), reads + 1);
  ASSERT_EQ(found.terms.size(), 1U);
  EXPECT_EQ(found.terms[0].term, "(description=d2)");
  EXPECT_EQ(found.terms[0].index, "none");
}

TEST_F(PlannerTest, ASmallScopeIsWalked) {
  const Plan found = plan("(objectClass=person)", kEmpty);
  EXPECT_EQ(found.source, CandidateSource::kSubtree);
  EXPECT_EQ(found.estimate, 1U);
  EXPECT_TRUE(found.indexed);
  EXPECT_FALSE(found.filter_exact);
  const Plan children = plan("(|(objectClass=person)(objectClass=domain)(sn=*))", kPeopleBelow);
  EXPECT_EQ(children.source, CandidateSource::kChildren);
}

TEST_F(PlannerTest, EverythingIsAWalkWithoutEvaluation) {
  for (const char* filter : {"(objectClass=*)", "(&)", "(!(|))", "(&(objectClass=*)(&))"}) {
    const Plan found = plan(filter, kPeopleBelow);
    EXPECT_EQ(found.source, CandidateSource::kChildren) << filter;
    EXPECT_TRUE(found.filter_exact) << filter;
    EXPECT_TRUE(found.indexed) << filter;
  }
  EXPECT_FALSE(plan("(!(uid=u1))").indexed);
}

TEST_F(PlannerTest, NegationTakesAway) {
  const Plan found = plan("(&(sn=even)(!(givenName=g2))(!(|(uid=u2)(uid=u4))))");
  EXPECT_EQ(found.source, CandidateSource::kIds);
  EXPECT_EQ(found.estimate, kPeople / 2 - 2);
  EXPECT_FALSE(found.filter_exact);
}

TEST_F(PlannerTest, RangesUseTheEqualityIndex) {
  const Plan found = plan("(kInt<=100)");
  EXPECT_EQ(found.estimate, 100U);
  EXPECT_TRUE(found.filter_exact);
  EXPECT_EQ(plan("(kInt>=1999)").estimate, 2U);
  EXPECT_EQ(plan("(uid=u199*)").estimate, 11U);
  EXPECT_EQ(plan("(uid=*)").estimate, kPeople);
}

TEST_F(PlannerTest, BoundsOfOneValueAreOneRange) {
  const std::uint64_t reads = world_.faults().calls(storage::FaultPoint::kRead);
  const Plan found = plan(
      "(&(modifyTimestamp>=15000101000000Z)(objectClass=person)(modifyTimestamp<=15190101000000Z)"
      ")");
  EXPECT_EQ(found.estimate, 20U);
  // The lists of the 20 values, and no more than a few reads beside them.
  EXPECT_LE(world_.faults().calls(storage::FaultPoint::kRead), reads + 30);
  EXPECT_EQ(plan("(&(modifyTimestamp>=20000101000000Z)(modifyTimestamp<=15190101000000Z))").source,
            CandidateSource::kNone);
}

TEST_F(PlannerTest, PrefixesNeedNoEvaluationButPartsDo) {
  // uid has no substring index, but its prefix is a range of its equality index.
  const Plan prefix = plan("(uid=u199*)");
  EXPECT_TRUE(prefix.filter_exact);
  const Plan parts = plan("(cn=*ber 1230*)");
  EXPECT_EQ(parts.source, CandidateSource::kIds);
  EXPECT_LE(parts.estimate, 8U);
  EXPECT_FALSE(parts.filter_exact);
  EXPECT_EQ(plan("(uid=*99)").source, CandidateSource::kSubtree);
  EXPECT_EQ(plan("(cn=*zzz*)").source, CandidateSource::kNone);
}

TEST_F(PlannerTest, C16RangesOverManyNumbers) {
  EXPECT_EQ(world_.search("(kInt>=1)").size(), kPeople);
  EXPECT_EQ(world_.search("(&(kInt>=500)(kInt<=501))").size(), 2U);
}

TEST_F(PlannerTest, C36ChildrenThatDoNotMatch) {
  AllowAll everyone((Identity()));
  for (const char* text : {"(description=none)", "(&(objectClass=*)(description=none))"}) {
    const CompiledFilter filter = world_.compile(text);
    const Plan found = world_.plan(filter, kPeopleBelow);
    EXPECT_EQ(found.source, CandidateSource::kChildren);
    EXPECT_TRUE(world_.execute(found, filter, kPeopleBelow, everyone, true).empty());
  }
}

TEST_F(PlannerTest, ExplainNamesEachTerm) {
  const Plan found = plan("(&(sn=even)(description=d2)(kInt<=10)(cn=*er 2*))", kWhole, true);
  ASSERT_EQ(found.terms.size(), 4U);
  std::map<std::string, PlanTerm> terms;
  for (const PlanTerm& term : found.terms) terms[term.term] = term;
  EXPECT_EQ(terms["(sn=even)"].index, "eq");
  EXPECT_EQ(terms["(sn=even)"].cardinality, kPeople / 2);
  EXPECT_TRUE(terms["(sn=even)"].used());
  EXPECT_EQ(terms["(description=d2)"].index, "none");
  EXPECT_FALSE(terms["(description=d2)"].used());
  EXPECT_EQ(terms["(kInt<=10)"].index, "range");
  EXPECT_EQ(terms["(cn=*er 2*)"].index, "sub");
}

TEST_F(PlannerTest, AnIndexBeingBuiltIsNotRead) {
  world_.catalog().set_usable(*world_.schema().attribute_type("uid"), false);
  EXPECT_EQ(plan("(uid=u1)").source, CandidateSource::kSubtree);
  EXPECT_FALSE(plan("(uid=u1)").indexed);
  world_.catalog().set_usable(*world_.schema().attribute_type("uid"), true);
  EXPECT_EQ(plan("(uid=u1)").source, CandidateSource::kIds);
}

TEST_F(PlannerTest, AFailingReadIsReported) {
  const CompiledFilter filter = world_.compile("(&(objectClass=person)(cn=*er 2*)(kInt>=3))");
  bool reached_end = false;
  for (std::uint64_t n = 1; !reached_end && n < 10000; ++n) {
    const std::uint64_t failures = world_.faults().failures();
    world_.faults().fail(storage::FaultPoint::kRead, n, ErrorCode::kIo);
    const auto found =
        make_plan(filter, kWhole, world_.catalog(), world_.dictionary(), world_.txn());
    reached_end = world_.faults().failures() == failures;
    world_.faults().clear();
    EXPECT_EQ(found.has_value(), reached_end);
    if (!found) {
      EXPECT_EQ(found.error().code(), ErrorCode::kIo);
    }
  }
  EXPECT_TRUE(reached_end);
}

// Case C26: any setting of indexes gives the same entries.
TEST(PlannerSubstrings, C26ShortPartsInEverySetting) {
  const std::vector<std::vector<IndexSpec>> settings = {{},
                                                        {{"cn", {true, false, false}}},
                                                        {{"cn", {false, true, false}}},
                                                        {{"cn", {false, false, true}}},
                                                        {{"cn", {true, true, true}}}};
  for (const auto& specs : settings) {
    TestWorld world(specs);
    world.put(EntryId(1), make_entry(world.schema(), EntryId(), "dc=com", {{"dc", "com"}}));
    for (std::uint64_t i = 1; i <= 40; ++i) {
      const std::string value = i <= 4 ? std::string("ABCD").substr(0, i) : "x" + std::to_string(i);
      world.put(EntryId(1 + i),
                make_entry(world.schema(), EntryId(1), "ou=" + std::to_string(i), {{"cn", value}}));
    }
    EXPECT_EQ(world.search("(cn=A*)").size(), 4U);
    EXPECT_EQ(world.search("(cn=*D)").size(), 1U);
    EXPECT_EQ(world.search("(cn=*B*)").size(), 3U);
    EXPECT_EQ(world.search("(cn=A*D)").size(), 1U);
    EXPECT_EQ(world.search("(cn=*b*c*)").size(), 2U);
    EXPECT_EQ(world.search("(cn=a*a)").size(), 0U);
    // A part of which preparation leaves nothing is in every value.
    EXPECT_EQ(world.search("(cn=*\x02*)").size(), 40U);
  }
}

}  // namespace
}  // namespace kauri::query
