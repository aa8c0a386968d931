#include "operation/search_scope.h"

#include <utility>

#include "base/limit_counters.h"
#include "operation/candidate_walk.h"
#include "query/compiled_filter.h"
#include "query/planner.h"

namespace kauri::operation {
namespace {

// Scopes of one search besides its own. Each candidate is compared with all, so the work stays
// bounded.
constexpr std::size_t kScopesMax = 256;

ldap::Filter object_class_filter(std::string_view object_class) {
  ldap::Filter filter;
  ldap::FilterNode node;
  node.kind = ldap::FilterKind::kEquality;
  node.end = 1;
  node.attribute = "objectClass";
  node.value = object_class;
  filter.nodes.push_back(node);
  return filter;
}

}  // namespace

Result<bool> in_scope(backend::ReadSession& read, const SearchScope& scope, EntryId id,
                      const entry::EntryView& view) {
  switch (scope.scope) {
    case ldap::Scope::kBase:
      return id == scope.base;
    case ldap::Scope::kOneLevel:
      return view.parent() == scope.base;
    case ldap::Scope::kSubordinate:
      if (id == scope.base) return false;
      [[fallthrough]];
    case ldap::Scope::kSubtree:
      if (scope.base_is_suffix) return true;
      return read.is_at_or_below(id, view, scope.base);
  }
  return false;
}

Result<void> for_each_of_class(
    backend::ReadSession& read, const SearchScope& scope, std::string_view object_class,
    const std::function<Result<void>(EntryId, const entry::EntryView&)>& callback) {
  const ldap::Filter filter = object_class_filter(object_class);
  backend::Database& database = read.database();
  const auto compiled = query::CompiledFilter::compile(filter, database.dictionary());
  KAURI_TRY(query::Plan plan,
            query::make_plan(compiled, {scope.base, scope.scope, scope.base_is_suffix, false},
                             database.indexes(), database.dictionary(), read.txn()));
  CandidateWalk walk;
  walk.start(std::move(plan),
             {scope.base, scope.scope != ldap::Scope::kSubordinate, scope.base_is_suffix});
  while (true) {
    KAURI_TRY(const std::optional<EntryId> id, walk.next(read.txn()));
    if (!id.has_value()) return {};
    KAURI_TRY(const entry::EntryView view, read.required_entry(*id));
    KAURI_TRY(const bool inside, in_scope(read, scope, *id, view));
    if (inside) KAURI_CHECK(callback(*id, view));
  }
}

Result<void> add_aliased_scopes(backend::ReadSession& read, Locator& locator,
                                std::vector<SearchScope>& scopes) {
  const auto covered = [&](EntryId id, const entry::EntryView& view,
                           ldap::Scope wanted) -> Result<bool> {
    for (const SearchScope& scope : scopes) {
      if (scope.base == id && scope.scope == wanted) return true;
      if (scope.scope != ldap::Scope::kSubtree) continue;
      KAURI_TRY(const bool inside, in_scope(read, scope, id, view));
      if (inside) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const SearchScope scope = scopes[i];
    if (scope.scope == ldap::Scope::kBase) continue;
    const ldap::Scope wanted =
        scope.scope == ldap::Scope::kOneLevel ? ldap::Scope::kBase : ldap::Scope::kSubtree;
    KAURI_CHECK(for_each_of_class(
        read, scope, "alias", [&](EntryId id, const entry::EntryView& view) -> Result<void> {
          if (id == scope.base || !locator.is_alias(view)) return {};
          std::optional<Name> name = locator.alias_target(id, view);
          if (!name.has_value()) return {};
          KAURI_TRY(const Located target,
                    locator.find(*name, {}, {.follow_aliases = true, .manage_dsa_it = true}));
          if (!target.id.has_value()) return {};
          // As for the base of a search; else the number of scopes would tell of hidden entries.
          KAURI_TRY(const bool searchable, locator.may(*target.id, query::Right::kSearch));
          if (!searchable) return {};
          KAURI_TRY(const entry::EntryView target_view, read.required_entry(*target.id));
          KAURI_TRY(const bool known, covered(*target.id, target_view, wanted));
          if (known) return {};
          if (scopes.size() > kScopesMax) {
            limits::count(limits::Counter::kAliasBases);
            return limit_exceeded("the aliases in scope lead to more than " +
                                  std::to_string(kScopesMax) + " further search bases");
          }
          scopes.push_back({*target.id, wanted, target_view.parent() == EntryId()});
          return {};
        }));
  }
  return {};
}

}  // namespace kauri::operation
