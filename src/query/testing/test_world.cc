#include "query/testing/test_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "index/dn_index.h"
#include "index/index_keys.h"
#include "index/posting.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "schema/testing/fixture.h"

namespace kauri::query {
namespace {

index::IndexCatalog make_catalog(const std::vector<index::IndexSpec>& indexes,
                                 entry::Dictionary& dictionary) {
  auto catalog = index::IndexCatalog::make(indexes, dictionary);
  if (!catalog) ADD_FAILURE() << catalog.error().message();
  KAURI_ASSERT(catalog.has_value());
  return std::move(*catalog);
}

void expect_done(const Result<void>& done) {
  if (!done) ADD_FAILURE() << done.error().message();
}

}  // namespace

class TestWorld::Target final : public AccessTarget {
 public:
  Target(const TestWorld& world, EntryId id) : world_(world), id_(id) {}
  EntryId id() const override { return id_; }
  const entry::EntryView* entry() const override { return &world_.views_.at(id_); }
  std::string_view normal_dn() override { return {}; }

 private:
  const TestWorld& world_;
  EntryId id_;
};

class TestWorld::Outside final : public entry::ExternalValues {
 public:
  explicit Outside(TestWorld& world) : world_(world) {}
  Result<bool> contains(EntryId id, AttributeNumber number,
                        std::string_view normal_value) override {
    const auto& description = world_.dictionary_.description(number);
    for (const std::string& value : world_.entries_.at(id).find(description)->values) {
      std::string normal;
      if (description.type->equality->normalize(world_.schema(), value, normal) &&
          normal == normal_value)
        return true;
    }
    return false;
  }
  Result<void> for_each(EntryId id, const entry::AttributeSlot& slot,
                        bool (*callback)(void* context, std::string_view value),
                        void* context) override {
    for (const std::string& value :
         world_.entries_.at(id).find(world_.dictionary_.description(slot.number))->values)
      if (!callback(context, value)) break;
    return {};
  }

 private:
  TestWorld& world_;
};

class TestWorld::Computed final : public ComputedValues {
 public:
  explicit Computed(TestWorld& world) : world_(world) {}
  bool values(AccessTarget& target, const schema::AttributeType& type,
              std::vector<std::string>& out) override {
    if (&type == world_.schema().well_known().entry_dn) {
      out.push_back(world_.dn(target.id()));
      return true;
    }
    if (&type != world_.schema().well_known().has_subordinates) return false;
    const bool has = std::any_of(world_.entries_.begin(), world_.entries_.end(),
                                 [&](const auto& e) { return e.second.parent == target.id(); });
    out.emplace_back(has ? "TRUE" : "FALSE");
    return true;
  }

 private:
  TestWorld& world_;
};

entry::Entry make_entry(const schema::Schema& schema, EntryId parent, std::string rdn,
                        const std::vector<std::pair<std::string, std::string>>& values) {
  entry::Entry entry;
  entry.parent = parent;
  entry.rdn = std::move(rdn);
  for (const auto& [name, value] : values) {
    const auto description = schema.attribute_description(name);
    if (!description) {
      ADD_FAILURE() << name;
      continue;
    }
    entry.find_or_add(*description).values.push_back(value);
  }
  return entry;
}

TestWorld::TestWorld(const std::vector<index::IndexSpec>& indexes)
    : schema_(schema::testing::fixture_schema()),
      dictionary_(schema_),
      catalog_(make_catalog(indexes, dictionary_)) {
  auto env =
      storage::Env::open({.path = directory_.path(), .durability = storage::Durability::kRelaxed});
  KAURI_ASSERT(env.has_value());
  env_ = storage::make_fault_env(std::move(*env), faults_);
  auto txn = env_->begin_write();
  KAURI_ASSERT(txn.has_value());
  txn_ = std::move(*txn);
}

std::string TestWorld::normal_rdn(const entry::Entry& entry) const {
  if (entry.parent.value() == 0) {
    const auto normal = schema::normalize_dn(schema(), entry.rdn);
    KAURI_ASSERT(normal.has_value());
    return *normal;
  }
  const auto rdn = ldap::parse_rdn(entry.rdn);
  KAURI_ASSERT(rdn.has_value());
  const auto normal = schema::normalize_rdn(schema(), *rdn);
  KAURI_ASSERT(normal.has_value());
  return *normal;
}

void TestWorld::count(EntryId parent, std::int64_t change) {
  bool direct = true;
  for (EntryId at = parent; at.value() != 0; at = entries_.at(at).parent) {
    auto counts = index::subordinate_counts(*txn_, at);
    KAURI_ASSERT(counts.has_value());
    if (direct) counts->children += static_cast<std::uint64_t>(change);
    counts->descendants += static_cast<std::uint64_t>(change);
    expect_done(index::put_counts(*txn_, at, *counts));
    direct = false;
  }
}

void TestWorld::put(EntryId id, entry::Entry entry, std::size_t inline_values) {
  std::vector<std::string> before;
  if (const auto old = entries_.find(id); old != entries_.end()) {
    before = index::keys_of_entry(old->second, catalog_, schema());
  } else {
    expect_done(index::put_child(*txn_, entry.parent, normal_rdn(entry), id));
    count(entry.parent, 1);
  }
  const std::vector<std::string> after = index::keys_of_entry(entry, catalog_, schema());
  std::vector<std::string> changed;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(changed));
  for (const std::string& key : changed)
    EXPECT_TRUE(index::erase_posting(*txn_, key, id).value_or(false));
  changed.clear();
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(changed));
  for (const std::string& key : changed)
    EXPECT_TRUE(index::insert_posting(*txn_, key, id).value_or(false));

  entry::Entry stored = entry;
  std::vector<entry::ExternalAttribute> external;
  for (const entry::Attribute& attribute : entry.attributes) {
    if (attribute.values.size() <= inline_values) continue;
    external.push_back({dictionary_.intern(attribute.description),
                        static_cast<std::uint32_t>(attribute.values.size())});
    stored.erase(attribute.description);
  }
  records_[id] = entry::encode_entry(stored, dictionary_, external);
  auto view = entry::EntryView::parse(records_[id]);
  KAURI_ASSERT(view.has_value());
  views_.insert_or_assign(id, *view);
  entries_.insert_or_assign(id, std::move(entry));
}

void TestWorld::put_fixture() {
  std::map<std::string, EntryId> ids;
  for (const schema::testing::FixtureEntry& one : schema::testing::fixture_entries()) {
    const EntryId id(ids.size() + 1);
    ids[one.dn] = id;
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto& [name, all] : one.attributes)
      for (const std::string& value : all) values.emplace_back(name, value);
    const std::size_t comma = one.dn.find(',');
    const auto superior = ids.find(one.dn.substr(comma + 1));
    if (superior == ids.end())
      put(id, make_entry(schema(), EntryId(), one.dn, values));
    else
      put(id, make_entry(schema(), superior->second, one.dn.substr(0, comma), values));
  }
}

void TestWorld::erase(EntryId id) {
  const entry::Entry& entry = entries_.at(id);
  for (const std::string& key : index::keys_of_entry(entry, catalog_, schema()))
    EXPECT_TRUE(index::erase_posting(*txn_, key, id).value_or(false));
  expect_done(index::erase_child(*txn_, entry.parent, normal_rdn(entry)));
  count(entry.parent, -1);
  views_.erase(id);
  records_.erase(id);
  entries_.erase(id);
}

std::string TestWorld::dn(EntryId id) const {
  std::string dn;
  for (EntryId at = id; at.value() != 0; at = entries_.at(at).parent) {
    if (!dn.empty()) dn += ',';
    dn += entries_.at(at).rdn;
  }
  return dn;
}

CompiledFilter TestWorld::compile(std::string_view text) {
  const auto filter = ldap::parse_filter(text);
  if (!filter) ADD_FAILURE() << text << ": " << filter.error().message();
  KAURI_ASSERT(filter.has_value());
  return CompiledFilter::compile(*filter, dictionary_);
}

Result<Tri> TestWorld::try_evaluate(const CompiledFilter& filter, EntryId id,
                                    Authorizer& authorizer) {
  Target target(*this, id);
  Outside outside(*this);
  Computed computed(*this);
  EvaluationContext context{&target, &authorizer, &outside, &computed};
  return filter.evaluate(context);
}

Tri TestWorld::evaluate(const CompiledFilter& filter, EntryId id, Authorizer& authorizer) {
  const auto tri = try_evaluate(filter, id, authorizer);
  if (!tri) ADD_FAILURE() << tri.error().message();
  return tri.value_or(Tri::kUndefined);
}

bool TestWorld::is_below(EntryId id, EntryId ancestor) const {
  for (EntryId at = entries_.at(id).parent; at.value() != 0; at = entries_.at(at).parent)
    if (at == ancestor) return true;
  return false;
}

bool TestWorld::in_scope(EntryId id, const ScopeQuery& scope) const {
  switch (scope.scope) {
    case ldap::Scope::kBase:
      return id == scope.base;
    case ldap::Scope::kOneLevel:
      return entries_.at(id).parent == scope.base;
    case ldap::Scope::kSubtree:
      return id == scope.base || is_below(id, scope.base);
    case ldap::Scope::kSubordinate:
      return is_below(id, scope.base);
  }
  return false;
}

std::set<EntryId> TestWorld::brute_force(const CompiledFilter& filter, const ScopeQuery& scope,
                                         Authorizer& authorizer) {
  std::set<EntryId> found;
  for (const auto& [id, entry] : entries_)
    if (in_scope(id, scope) && evaluate(filter, id, authorizer) == Tri::kTrue) found.insert(id);
  return found;
}

Plan TestWorld::plan(const CompiledFilter& filter, const ScopeQuery& scope, bool explain) {
  auto plan = make_plan(filter, scope, catalog_, dictionary_, *txn_, {.explain = explain});
  if (!plan) ADD_FAILURE() << plan.error().message();
  KAURI_ASSERT(plan.has_value());
  return std::move(*plan);
}

std::set<EntryId> TestWorld::execute(const Plan& plan, const CompiledFilter& filter,
                                     const ScopeQuery& scope, Authorizer& authorizer,
                                     bool all_searchable) {
  std::vector<EntryId> candidates;
  if (plan.source == CandidateSource::kBase) candidates.push_back(scope.base);
  if (plan.source == CandidateSource::kIds) {
    for (auto id = plan.ids.at_or_after(EntryId(0)); id;
         id = plan.ids.at_or_after(EntryId(id->value() + 1)))
      candidates.push_back(*id);
  }
  const bool walks =
      plan.source == CandidateSource::kChildren || plan.source == CandidateSource::kSubtree;
  if (walks) {
    for (const auto& [id, entry] : entries_)
      if (in_scope(id, scope)) candidates.push_back(id);
  }
  EXPECT_EQ(plan.estimate, candidates.size());
  std::set<EntryId> found;
  for (const EntryId id : candidates) {
    EXPECT_TRUE(entries_.contains(id)) << id.value();
    if (!entries_.contains(id) || (!plan.scope_exact && !in_scope(id, scope))) continue;
    const bool proven = plan.filter_exact && all_searchable;
    if (proven || evaluate(filter, id, authorizer) == Tri::kTrue) found.insert(id);
  }
  return found;
}

std::set<std::uint64_t> TestWorld::search(std::string_view text) {
  AllowAll everyone((Identity()));
  const CompiledFilter filter = compile(text);
  const ScopeQuery scope{entries_.begin()->first, ldap::Scope::kSubtree, true, false};
  const std::set<EntryId> expected = brute_force(filter, scope, everyone);
  EXPECT_EQ(execute(plan(filter, scope), filter, scope, everyone, true), expected) << text;
  std::set<std::uint64_t> ids;
  for (const EntryId id : expected) ids.insert(id.value());
  return ids;
}

}  // namespace kauri::query
