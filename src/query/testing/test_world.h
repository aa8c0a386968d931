// A small directory for tests without the layers above: entries over a real store with their
// indexes, names and counts, and the objects that evaluation asks for.
//
// Thread safety: thread-compatible. For tests only.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "entry/dictionary.h"
#include "entry/entry.h"
#include "entry/entry_view.h"
#include "index/index_catalog.h"
#include "query/access.h"
#include "query/compiled_filter.h"
#include "query/planner.h"
#include "schema/schema.h"
#include "storage/fault_env.h"
#include "storage/storage.h"
#include "storage/test_directory.h"

namespace kauri::query {

// "cn", "x", "givenName;lang-en", "y", ...: descriptions and values by turns.
entry::Entry make_entry(const schema::Schema& schema, EntryId parent, std::string rdn,
                        const std::vector<std::pair<std::string, std::string>>& values);

class TestWorld {
 public:
  explicit TestWorld(const std::vector<index::IndexSpec>& indexes);

  // Adds or replaces; an attribute with more than `inline_values` values goes outside the record.
  void put(EntryId id, entry::Entry entry, std::size_t inline_values = 200);
  void erase(EntryId id);
  // Fixture F: 1 is the suffix, 2 is ou=p, and 3, 4, 5 are a, b, c.
  void put_fixture();

  const schema::Schema& schema() const { return *schema_; }
  entry::Dictionary& dictionary() { return dictionary_; }
  index::IndexCatalog& catalog() { return catalog_; }
  storage::FaultPlan& faults() { return *faults_; }
  storage::WriteTxn& txn() { return *txn_; }
  const std::map<EntryId, entry::Entry>& entries() const { return entries_; }

  CompiledFilter compile(std::string_view text);
  Result<Tri> try_evaluate(const CompiledFilter& filter, EntryId id, Authorizer& authorizer);
  Tri evaluate(const CompiledFilter& filter, EntryId id, Authorizer& authorizer);
  // Every entry in scope for which the filter is True, found without an index.
  std::set<EntryId> brute_force(const CompiledFilter& filter, const ScopeQuery& scope,
                                Authorizer& authorizer);
  Plan plan(const CompiledFilter& filter, const ScopeQuery& scope, bool explain = false);
  // What a search with the plan returns. `all_searchable`: an exact plan needs no evaluation.
  std::set<EntryId> execute(const Plan& plan, const CompiledFilter& filter, const ScopeQuery& scope,
                            Authorizer& authorizer, bool all_searchable);
  // Ids that match over the whole tree, with and without the plan; a failure when they differ.
  std::set<std::uint64_t> search(std::string_view filter);

  bool in_scope(EntryId id, const ScopeQuery& scope) const;
  std::string dn(EntryId id) const;

 private:
  class Target;
  class Outside;
  class Computed;

  void count(EntryId parent, std::int64_t change);
  std::string normal_rdn(const entry::Entry& entry) const;
  // Whether `id` lies below `ancestor`.
  bool is_below(EntryId id, EntryId ancestor) const;

  std::shared_ptr<const schema::Schema> schema_;
  entry::Dictionary dictionary_;
  index::IndexCatalog catalog_;
  storage::TestDirectory directory_;
  std::shared_ptr<storage::FaultPlan> faults_ = std::make_shared<storage::FaultPlan>();
  std::unique_ptr<storage::Env> env_;
  std::unique_ptr<storage::WriteTxn> txn_;
  std::map<EntryId, entry::Entry> entries_;
  std::map<EntryId, std::string> records_;
  std::map<EntryId, entry::EntryView> views_;
};

}  // namespace kauri::query
