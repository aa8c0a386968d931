// The planner's answer is the brute-force answer on a snapshot of a real database, while a writer
// changes it: random indexes, rights, filters and limits. KAURI_SNAPSHOT_PAIRS sets how many
// filters are tried, KAURI_SEED where to begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "backend/testing/world.h"
#include "base/endian.h"
#include "query/planner.h"
#include "query/testing/random_filter.h"
#include "security/access_policy.h"

namespace kauri::backend {
namespace {

using query::Dice;
using query::RandomSearches;

// Changes the database without end, until told to stop. Refusals are part of the mix.
class RandomWriter {
 public:
  RandomWriter(World& world, std::uint64_t seed) : world_(world), dice_(seed), searches_(dice_) {}

  void grow(std::size_t count) {
    ASSERT_EQ(world_.add(kSuffix, {{"objectClass", {"domain"}}, {"dc", {"example"}}}), 0);
    names_ = {kSuffix};
    // Some are refused, for values that are equal to their rule.
    for (std::size_t tries = 0; names_.size() < count && tries < 10 * count; ++tries) add();
    ASSERT_EQ(names_.size(), count);
  }
  void run(const std::atomic<bool>& stop) {
    while (!stop.load()) step();
  }
  std::uint64_t changes() const { return changes_.load(); }

 private:
  void step() {
    switch (dice_.below(8)) {
      case 0:
      case 1:
        return add();
      case 2:
        return erase();
      case 3:
        return rename();
      default:
        return modify();
    }
  }
  bool done(int code) {
    if (code == 0) changes_.fetch_add(1);
    return code == 0;
  }

  // One that every attribute is allowed in; of each attribute with one value at most, the first.
  void add() {
    const std::string name = "ou=" + std::to_string(next_++) + "," + dice_.one_of(names_);
    std::map<std::string, std::vector<std::string>> attributes;
    for (auto& [description, value] : searches_.values(true)) {
      auto& values = attributes[description];
      if (description == "kSingle" && !values.empty()) continue;
      values.push_back(std::move(value));
    }
    // So many that they leave the record.
    if (dice_.chance(4)) {
      for (std::size_t i = 0; i < limits::kInlineValuesMax + 20; ++i)
        attributes["description"].push_back("many " + std::to_string(i));
    }
    Attributes all(attributes.begin(), attributes.end());
    all.push_back(
        {"objectClass", dice_.chance(50)
                            ? std::vector<std::string>{"organizationalUnit", "extensibleObject"}
                            : std::vector<std::string>{"account", "kAux", "extensibleObject"}});
    if (!attributes.contains("uid")) all.push_back({"uid", {"u" + std::to_string(next_)}});
    if (done(world_.add(name, all))) names_.push_back(name);
  }
  void erase() {
    if (names_.size() < 20) return;
    const std::size_t at = 1 + dice_.below(names_.size() - 1);
    if (!done(world_.erase(names_[at]))) return;
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void rename() {
    const std::string& from = dice_.one_of(names_);
    const std::string& superior = dice_.one_of(names_);
    const std::string rdn = "ou=" + std::to_string(next_++);
    if (!done(world_.rename(from, rdn, dice_.chance(50), superior))) return;
    const std::string old = from;
    const std::string now = rdn + "," + superior;
    for (std::string& name : names_) {
      if (name == old) {
        name = now;
      } else if (name.ends_with("," + old)) {
        name = name.substr(0, name.size() - old.size()) + now;
      }
    }
  }
  void modify() {
    std::vector<Change> changes;
    for (auto& [description, value] : searches_.values(true)) {
      switch (dice_.below(3)) {
        case 0:
          changes.push_back(added(description, {value}));
          break;
        case 1:
          changes.push_back(deleted(description));
          break;
        default:
          changes.push_back(replaced(description, {value}));
      }
      if (changes.size() == 3) break;
    }
    done(world_.modify(dice_.one_of(names_), changes, true));
  }

  World& world_;
  Dice dice_;
  RandomSearches searches_;
  std::vector<std::string> names_;
  std::uint64_t next_ = 1;
  std::atomic<std::uint64_t> changes_{0};
};

// Values that the operations of the layer above make.
class Computed final : public query::ComputedValues {
 public:
  explicit Computed(ReadSession& session) : session_(session) {}
  bool values(query::AccessTarget& target, const schema::AttributeType& type,
              std::vector<std::string>& out) override {
    const schema::WellKnown& known = session_.database().schema()->well_known();
    if (&type == known.entry_dn) {
      out.push_back(session_.dn(target.id()).value_or(""));
      return true;
    }
    if (&type != known.has_subordinates) return false;
    const auto counts = session_.counts(target.id());
    out.emplace_back(counts && counts->children != 0 ? "TRUE" : "FALSE");
    return true;
  }

 private:
  ReadSession& session_;
};

// All entries of one snapshot, read without an index, and searches with one.
class Snapshot {
 public:
  explicit Snapshot(ReadSession& session) : session_(session), computed_(session) {
    auto cursor = session.txn().cursor(storage::Table::kEntries);
    EXPECT_TRUE(cursor);
    for (auto more = (*cursor)->first(); more.value_or(false); more = (*cursor)->next()) {
      const EntryId id(load_big_endian<std::uint64_t>((*cursor)->key()));
      const auto view = session.entry(id);
      EXPECT_TRUE(view && *view);
      if (view && *view) views_.emplace(id, **view);
    }
  }

  const std::map<EntryId, entry::EntryView>& views() const { return views_; }

  bool in_scope(EntryId id, const query::ScopeQuery& scope) const {
    switch (scope.scope) {
      case ldap::Scope::kBase:
        return id == scope.base;
      case ldap::Scope::kOneLevel:
        return views_.at(id).parent() == scope.base;
      case ldap::Scope::kSubordinate:
        if (id == scope.base) return false;
        break;
      case ldap::Scope::kSubtree:
        break;
    }
    for (EntryId at = id; at != EntryId(); at = views_.at(at).parent())
      if (at == scope.base) return true;
    return false;
  }

  bool matches(const query::CompiledFilter& filter, EntryId id, query::Authorizer& who) {
    StoredTarget target(session_, id, views_.at(id));
    query::EvaluationContext context{&target, &who, &session_.external(), &computed_};
    const auto tri = filter.evaluate(context);
    EXPECT_TRUE(tri) << tri.error().message();
    return tri && *tri == query::Tri::kTrue;
  }

  std::set<EntryId> brute_force(const query::CompiledFilter& filter, const query::ScopeQuery& scope,
                                query::Authorizer& who) {
    std::set<EntryId> found;
    for (const auto& [id, view] : views_)
      if (in_scope(id, scope) && matches(filter, id, who)) found.insert(id);
    return found;
  }

  // At most `limit` of them.
  std::set<EntryId> planned(const query::CompiledFilter& filter, const query::ScopeQuery& scope,
                            query::Authorizer& who, bool all_searchable, std::size_t limit) {
    Database& database = session_.database();
    const auto plan =
        query::make_plan(filter, scope, database.indexes(), database.dictionary(), session_.txn());
    EXPECT_TRUE(plan) << plan.error().message();
    std::set<EntryId> found;
    for (const EntryId id : candidates(*plan, scope)) {
      EXPECT_TRUE(views_.contains(id)) << id.value();
      if (found.size() == limit) break;
      if (!views_.contains(id) || (!plan->scope_exact && !in_scope(id, scope))) continue;
      if ((plan->filter_exact && all_searchable) || matches(filter, id, who)) found.insert(id);
    }
    return found;
  }

 private:
  std::vector<EntryId> candidates(const query::Plan& plan, const query::ScopeQuery& scope) const {
    std::vector<EntryId> ids;
    if (plan.source == query::CandidateSource::kBase) return {scope.base};
    if (plan.source == query::CandidateSource::kNone) return {};
    if (plan.source == query::CandidateSource::kIds) {
      for (auto id = plan.ids.at_or_after(EntryId(0)); id;
           id = plan.ids.at_or_after(EntryId(id->value() + 1)))
        ids.push_back(*id);
      return ids;
    }
    for (const auto& [id, view] : views_)
      if (in_scope(id, scope)) ids.push_back(id);
    return ids;
  }

  ReadSession& session_;
  Computed computed_;
  std::map<EntryId, entry::EntryView> views_;
};

// Rules that hide attributes, everywhere or below one name.
std::vector<std::string> some_rules(Dice& dice) {
  static const std::vector<std::string> kAttributes = {
      "cn",  "sn",     "givenName", "description", "kInt",       "kExact",
      "uid", "member", "kTime",     "mail",        "objectClass"};
  std::vector<std::string> rules;
  const std::size_t count = dice.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string where =
        dice.chance(50)
            ? ""
            : "dn.subtree=\"ou=" + std::to_string(1 + dice.below(40)) + "," + kSuffix + "\" ";
    rules.push_back("to " + where + "attrs=" + dice.one_of(kAttributes) + " by * none");
  }
  rules.emplace_back("to * by * read");
  return rules;
}

class PlannerSnapshot : public ::testing::Test {
 protected:
  // One database, one writer, searches on `snapshots` snapshots of `filters` filters each.
  void run(std::uint64_t seed, std::uint64_t snapshots, std::uint64_t filters) {
    Dice dice(seed);
    RandomSearches searches(dice);
    DatabaseOptions options;
    options.indexes = searches.indexes();
    World world(options);
    RandomWriter writer(world, seed * 2 + 1);
    writer.grow(20 + dice.below(100));
    if (HasFatalFailure()) return;
    const bool everyone = dice.chance(30);
    rights_ = make_rights(dice, seed, everyone);
    all_searchable_ = everyone;
    std::atomic<bool> stop{false};
    std::thread changing([&] { writer.run(stop); });
    auto session = *world.database().read_session();
    for (std::uint64_t i = 0; i < snapshots && !HasFailure(); ++i) {
      ASSERT_TRUE(session->begin());
      const std::uint64_t before = writer.changes();
      Snapshot snapshot(*session);
      for (std::uint64_t j = 0; j < filters && !HasFailure(); ++j) {
        const std::string text = searches.filter(static_cast<int>(dice.below(5)));
        search(dice, snapshot, world.database(), text);
        if (HasFailure()) ADD_FAILURE() << "KAURI_SEED=" << seed << " " << text;
      }
      changes_beside_ += writer.changes() - before;
      session->end();
    }
    stop.store(true);
    changing.join();
    EXPECT_EQ(world.verify_text(), "");
  }

  std::uint64_t changes_beside_ = 0;  // commits while a snapshot was searched
  std::uint64_t found_ = 0;

 private:
  static std::unique_ptr<query::Authorizer> make_rights(Dice& dice, std::uint64_t seed,
                                                        bool everyone) {
    if (everyone) return std::make_unique<query::AllowAll>(query::Identity());
    if (dice.chance(40))
      return std::make_unique<query::HashedRights>(seed, static_cast<unsigned>(dice.below(40)));
    const auto policy = security::AccessPolicy::compile(some_rules(dice), fixture_schema());
    EXPECT_TRUE(policy) << policy.error().message();
    return (*policy)->authorizer({"uid=x", "x", false});
  }

  void search(Dice& dice, Snapshot& snapshot, Database& database, const std::string& text) {
    const auto parsed = ldap::parse_filter(text);
    ASSERT_TRUE(parsed) << parsed.error().message();
    const auto filter = query::CompiledFilter::compile(*parsed, database.dictionary());
    query::ScopeQuery scope;
    auto base = snapshot.views().begin();
    if (dice.chance(35))
      std::advance(base, static_cast<std::ptrdiff_t>(dice.below(snapshot.views().size())));
    scope.base = base->first;
    scope.scope = dice.chance(60) ? ldap::Scope::kSubtree : static_cast<ldap::Scope>(dice.below(4));
    scope.base_is_suffix = base->second.parent() == EntryId();
    const std::set<EntryId> expected = snapshot.brute_force(filter, scope, *rights_);
    const std::size_t limit = dice.chance(70) ? snapshot.views().size() : dice.below(10);
    const std::set<EntryId> found =
        snapshot.planned(filter, scope, *rights_, all_searchable_, limit);
    EXPECT_EQ(found.size(), std::min(expected.size(), limit));
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
    found_ += found.size();
  }

  std::unique_ptr<query::Authorizer> rights_;
  bool all_searchable_ = false;
};

TEST_F(PlannerSnapshot, PlannedSearchFindsWhatBruteForceFinds) {
  constexpr std::uint64_t kSnapshots = 5;
  constexpr std::uint64_t kFilters = 60;
  const std::uint64_t pairs = query::from_environment("KAURI_SNAPSHOT_PAIRS", 3000);
  std::uint64_t done = 0;
  for (std::uint64_t seed = query::from_environment("KAURI_SEED", 1); done < pairs; ++seed) {
    run(seed, kSnapshots, kFilters);
    if (HasFailure()) return;
    done += kSnapshots * kFilters;
  }
  // A search beside no writer, or one that finds nothing, would show little.
  EXPECT_GT(changes_beside_, done / 300);
  EXPECT_GT(found_, done / 10);
  RecordProperty("pairs", std::to_string(done));
  RecordProperty("changes_beside", std::to_string(changes_beside_));
}

}  // namespace
}  // namespace kauri::backend
