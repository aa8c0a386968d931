// Planner: from a compiled filter and a scope to the candidates of a search, by exact cardinalities
// (DESIGN section 6).
//
// Thread safety: thread-compatible. Reads the index and dn tables through the transaction given;
// keeps nothing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/id_set.h"
#include "index/index_catalog.h"
#include "ldap/message.h"
#include "query/compiled_filter.h"
#include "storage/storage.h"

namespace kauri::query {

struct ScopeQuery {
  EntryId base;
  ldap::Scope scope = ldap::Scope::kSubtree;
  bool base_is_suffix = false;  // then a subtree search needs no scope check
  bool follow_aliases =
      false;  // dereferencing in searching: candidates below other bases come from the caller
};

// How the entries to be examined are found.
enum class CandidateSource : std::uint8_t {
  kBase,      // the base entry alone
  kIds,       // `ids`, from indexes
  kChildren,  // walk the children of the base
  kSubtree,   // walk the whole subtree, or all entries when the base is the suffix
  kNone,      // the indexes prove that nothing matches
};

// What became of one part of the filter.
enum class TermFate : std::uint8_t {
  kUsed,       // its list, or that it is constant, is part of the answer
  kNoIndex,    // no index covers it
  kFewEnough,  // indexed, but few candidates were left already
  kTooLong,    // indexed, but its list is longer than the other candidates, or the scope, are worth
  kBeside,     // indexed, but beside a member of its OR that is not
  kNegated,    // a NOT with nothing to be taken from: what an index does not list may be Undefined
  kNotReached,  // the plan was clear before (only with PlanOptions::every_leaf)
};

struct PlanTerm {
  std::string term;   // "(uid=user.7)" as RFC 4515 text
  std::string index;  // "eq", "sub", "pres", "range", "none"
  std::uint64_t cardinality = 0;
  TermFate fate = TermFate::kNoIndex;
  std::uint32_t node = 0;  // of the filter
  bool used() const { return fate == TermFate::kUsed; }
};

struct Plan {
  CandidateSource source = CandidateSource::kNone;
  index::IdSet ids;  // kIds
  bool filter_exact =
      false;  // the candidates satisfy the filter already: no evaluation, *if* every attribute it
              // names is searchable by the identity for every entry (the caller checks that)
  bool scope_exact = false;    // the candidates are in scope already
  std::uint64_t estimate = 0;  // candidates to examine
  bool indexed = true;  // false: a walk of scope that no index could narrow (notes=U in the log)
  std::vector<PlanTerm> terms;  // filled only when explaining or when not indexed
};

struct PlanOptions {
  bool explain = false;     // names the terms that were looked at
  bool every_leaf = false;  // with it: those that were not, too
};

Result<Plan> make_plan(const CompiledFilter& filter, const ScopeQuery& scope,
                       const index::IndexCatalog& catalog, const entry::Dictionary& dictionary,
                       storage::Txn& txn, const PlanOptions& options = {});

}  // namespace kauri::query
