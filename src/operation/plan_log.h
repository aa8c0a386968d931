// PlanLog: what the logs tell of a search's plan: index terms, candidates, and for parts without an
// index the one that would help (docs/formats/access-log.md). Internal to operation/.
//
// Thread safety: thread-compatible. Used only when something is logged.
#pragma once

#include <cstdint>
#include <string>

#include "index/index_catalog.h"
#include "operation/service.h"
#include "query/compiled_filter.h"
#include "query/planner.h"

namespace kauri::operation {

class PlanLog {
 public:
  void clear();
  // The plan of one scope.
  void note(const query::Plan& plan, const query::CompiledFilter& filter,
            const index::IndexCatalog& catalog, OperationRecord& record);
  // The search is over: so many entries were examined, and the filter was True of so many.
  void finish(std::uint64_t examined, std::uint64_t matched, OperationRecord& record) const;

 private:
  void note_unindexed(const query::PlanTerm& term, const query::CompiledFilter& filter,
                      const index::IndexCatalog& catalog);

  std::string unindexed_;  // "(description=x) description=eq; ..."
  std::size_t parts_ = 0;
  bool walk_ = false;  // no index narrowed a scope
};

}  // namespace kauri::operation
