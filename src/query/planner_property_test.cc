// The planner's answer is the brute-force answer: random trees, entries, indexes, rights and
// filters of every kind. KAURI_PAIRS sets how many filters are tried, KAURI_SEED where to begin.
#include <gtest/gtest.h>

#include <algorithm>

#include "query/testing/random_filter.h"
#include "query/testing/test_world.h"

namespace kauri::query {
namespace {

entry::Entry some_entry(Dice& dice, RandomSearches& searches, const schema::Schema& schema,
                        EntryId parent, std::uint64_t id) {
  const std::string rdn = parent.value() == 0 ? "dc=example,dc=com" : "ou=" + std::to_string(id);
  entry::Entry entry = make_entry(schema, parent, rdn, {});
  const auto add = [&](std::string_view name, std::string value) {
    const auto description = schema.attribute_description(name);
    auto& values = entry.find_or_add(*description).values;
    if (description->type->single_value && !values.empty()) return;
    if (std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(std::move(value));
  };
  const std::size_t classes = 1 + dice.below(3);
  for (std::size_t i = 0; i < classes; ++i)
    add("objectClass", dice.one_of(RandomSearches::class_names()));
  for (auto& [name, value] : searches.values(false)) add(name, std::move(value));
  return entry;
}

// A tree whose ids lie in several blocks, with entries changed and taken away after they were put.
void grow(Dice& dice, RandomSearches& searches, TestWorld& world) {
  std::vector<EntryId> ids;
  const std::size_t count = dice.chance(25) ? 100 + dice.below(200) : 5 + dice.below(70);
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const EntryId parent = ids.empty() ? EntryId() : dice.one_of(ids);
    world.put(EntryId(next), some_entry(dice, searches, world.schema(), parent, next),
              dice.below(4) + 1);
    ids.emplace_back(next);
    next += dice.chance(10) ? 1 + dice.below(9000) : 1;
  }
  for (std::size_t i = 0; i < count / 4; ++i) {
    const EntryId id = dice.one_of(ids);
    const EntryId parent = world.entries().at(id).parent;
    world.put(id, some_entry(dice, searches, world.schema(), parent, id.value()),
              dice.below(4) + 1);
  }
  for (std::size_t i = 0; i < count / 6; ++i) {
    const std::size_t at = dice.below(ids.size());
    const bool is_leaf =
        std::none_of(world.entries().begin(), world.entries().end(),
                     [&](const auto& each) { return each.second.parent == ids[at]; });
    if (!is_leaf || ids.size() == 1) continue;
    world.erase(ids[at]);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

ScopeQuery some_scope(Dice& dice, const TestWorld& world) {
  ScopeQuery scope;
  auto base = world.entries().begin();
  if (dice.chance(35)) std::advance(base, dice.below(world.entries().size()));
  scope.base = base->first;
  scope.scope = dice.chance(60) ? ldap::Scope::kSubtree : static_cast<ldap::Scope>(dice.below(4));
  scope.base_is_suffix = base->second.parent.value() == 0;
  return scope;
}

void expect_equal(std::uint64_t seed, TestWorld& world, const std::string& text,
                  const ScopeQuery& scope, Authorizer& authorizer, bool all_searchable) {
  const CompiledFilter filter = world.compile(text);
  const Plan plan = world.plan(filter, scope);
  const std::set<EntryId> expected = world.brute_force(filter, scope, authorizer);
  const std::set<EntryId> found = world.execute(plan, filter, scope, authorizer, all_searchable);
  if (found == expected) return;
  std::string message = "KAURI_SEED=" + std::to_string(seed) + " " + text + " base " +
                        std::to_string(scope.base.value()) + " scope " +
                        std::to_string(static_cast<int>(scope.scope)) + " source " +
                        std::to_string(static_cast<int>(plan.source)) +
                        (plan.filter_exact ? " exact" : "") + "\nmissing:";
  for (const EntryId id : expected)
    if (!found.contains(id)) message += " " + std::to_string(id.value());
  message += "\ntoo many:";
  for (const EntryId id : found)
    if (!expected.contains(id)) message += " " + std::to_string(id.value());
  for (const PlanTerm& term : world.plan(filter, scope, true).terms)
    message += "\n" + term.term + " " + term.index + " " + std::to_string(term.cardinality) +
               (term.used() ? " used" : "");
  FAIL() << message;
}

TEST(PlannerProperty, PlannedSearchFindsWhatBruteForceFinds) {
  const std::uint64_t pairs = from_environment("KAURI_PAIRS", 6000);
  std::uint64_t done = 0;
  for (std::uint64_t seed = from_environment("KAURI_SEED", 1); done < pairs; ++seed) {
    Dice dice(seed);
    RandomSearches searches(dice);
    TestWorld world(searches.indexes());
    for (const index::IndexDefinition& definition : world.catalog().definitions())
      if (dice.chance(5)) world.catalog().set_usable(*definition.type, false);
    grow(dice, searches, world);
    const bool everyone = dice.chance(60);
    AllowAll all((Identity()));
    HashedRights some(seed, static_cast<unsigned>(dice.below(40)));
    Authorizer& authorizer = everyone ? static_cast<Authorizer&>(all) : some;
    for (int i = 0; i < 120 && done < pairs; ++i, ++done) {
      const std::string text = searches.filter(static_cast<int>(dice.below(5)));
      expect_equal(seed, world, text, some_scope(dice, world), authorizer, everyone);
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << "at KAURI_SEED=" << seed << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace kauri::query
