#include "operation/plan_log.h"

#include "operation/explain_text.h"
#include "query/index_advice.h"

namespace kauri::operation {
namespace {

// Parts without an index that are named.
constexpr std::size_t kPartsMax = 8;
// An index beside another one is worth a note when the search examined this many entries, and this
// many times those that matched.
constexpr std::uint64_t kManyExamined = 100;
constexpr std::uint64_t kManyTimes = 10;

}  // namespace

void PlanLog::clear() {
  unindexed_.clear();
  parts_ = 0;
  walk_ = false;
}

void PlanLog::note(const query::Plan& plan, const query::CompiledFilter& filter,
                   const index::IndexCatalog& catalog, OperationRecord& record) {
  if (!record.plan.empty()) record.plan += ' ';
  record.plan += source_name(plan.source);
  record.plan += ':' + std::to_string(plan.estimate);
  if (plan.filter_exact) record.plan += ":proved";
  if (!plan.indexed && !walk_) {
    walk_ = true;
    record.notes += 'U';
  }
  for (const query::PlanTerm& term : plan.terms) {
    if (!record.index_terms.empty()) record.index_terms += ' ';
    record.index_terms += term.term + ':' + term.index + ':' + std::to_string(term.cardinality);
    if (!term.used()) record.index_terms += ":unused";
    if (term.fate == query::TermFate::kNoIndex) note_unindexed(term, filter, catalog);
  }
}

void PlanLog::note_unindexed(const query::PlanTerm& term, const query::CompiledFilter& filter,
                             const index::IndexCatalog& catalog) {
  if (++parts_ > kPartsMax) return;
  if (!unindexed_.empty()) unindexed_ += "; ";
  unindexed_ += term.term;
  const query::Unindexed unindexed = query::why_unindexed(filter.nodes()[term.node], catalog);
  if (unindexed.advice.empty()) unindexed_ += " none";
  for (const query::IndexAdvice& advice : unindexed.advice) {
    unindexed_ += ' ';
    unindexed_ += advice.type->name();
    unindexed_ += '=' + index::to_string(advice.missing);
  }
}

void PlanLog::finish(std::uint64_t examined, std::uint64_t matched, OperationRecord& record) const {
  if (!record.plan.empty()) {
    record.plan += " examined:" + std::to_string(examined) + " matched:" + std::to_string(matched);
  }
  if (parts_ == 0) return;
  const bool narrowed = !walk_ && (examined < kManyExamined || examined < kManyTimes * matched);
  if (narrowed) return;
  if (!walk_) record.notes += 'u';
  record.notes += '[' + unindexed_;
  if (parts_ > kPartsMax) record.notes += "; " + std::to_string(parts_ - kPartsMax) + " more";
  record.notes += "; " + std::to_string(examined) + '>' + std::to_string(matched) + ']';
}

}  // namespace kauri::operation
