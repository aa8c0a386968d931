// Explanation: what a search with the explain control tells of itself: the plan, what became of the
// candidates, where the time went, and which index would help (docs/reference/explain.md). Internal
// to operation/.
//
// A search without the control has none, and pays a comparison with nullptr. Thread safety:
// confined to the worker thread. Owns all it needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/read_session.h"
#include "base/clock.h"
#include "ldap/controls.h"
#include "ldap/message.h"
#include "ldap/result_code.h"
#include "operation/request.h"
#include "operation/search_scope.h"
#include "query/compiled_filter.h"
#include "query/index_advice.h"
#include "query/planner.h"

namespace kauri::operation {

// Only the administrator may see plans: their figures count entries that others may not see.
// RETURNS: what to answer to somebody else's critical control; one that is not critical is dropped.
std::optional<ldap::OperationResult> check_explain(Request& request);

class Explanation {
 public:
  enum class Stage : std::uint8_t { kPlan, kCandidates, kFilter, kEncode, kMeasure };
  static constexpr std::size_t kStageCount = 5;

  // What became of a candidate.
  enum class Outcome : std::uint8_t {
    kGone,         // deleted since the plan
    kPassedOver,   // referral objects, aliases, and what an earlier scope had
    kOutOfScope,   // outside the base and scope
    kNotMatching,  // the filter is not True
    kUnreadable,   // the entry may not be read
    kReturned,
    kLeft,  // it matched, but a limit or the end of a page came before it
  };
  static constexpr std::size_t kOutcomeCount = 7;

  // An index that would help, with the parts of the filter that need it.
  struct Advice {
    query::IndexAdvice index;
    std::vector<std::uint32_t> nodes;
    std::uint64_t candidates = 0;  // of those measured, which the plan with it would have
  };
  // One scope: the search's own, and those that aliases open.
  struct ScopeReport {
    std::string base;
    ldap::Scope scope = ldap::Scope::kSubtree;
    query::CandidateSource source = query::CandidateSource::kNone;
    bool whole = false;  // kSubtree, and the base is the suffix
    std::uint64_t estimate = 0;
    bool filter_exact = false;
    bool scope_exact = false;
    bool indexed = true;
    std::vector<query::PlanTerm> terms;
    std::vector<query::Unindexed> unindexed;  // by term; empty for those with an index
    std::array<std::uint64_t, kOutcomeCount> outcomes{};
    std::uint64_t measured = 0;             // entries over which `is_true` was counted
    std::vector<std::uint64_t> is_true;     // by node
    std::vector<Advice> advice;             // at most kAdviceMax
    std::vector<std::string> indexes;       // those of the database, where there is advice
    bool default_indexes = false;           // they are
    std::uint64_t candidates_with_all = 0;  // as Advice::candidates, with all of them
    std::uint64_t examined() const;
  };

  Explanation(ldap::ExplainMode mode, std::string base, ldap::Scope scope, Clock& clock);

  ldap::ExplainMode mode() const { return mode_; }
  // About how many octets it holds.
  std::size_t memory() const;

  // A slice begins: what was before it is nobody's time.
  void resume();
  // What happened since the last mark was this.
  void mark(Stage stage) {
    const std::int64_t now = clock_.monotonic_nanos();
    nanos_[static_cast<std::size_t>(stage)] += now - marked_nanos_;
    marked_nanos_ = now;
  }
  // A scope's plan is made; what is counted from now on belongs to it.
  void planned(std::string base, const SearchScope& scope, const query::Plan& plan,
               const query::CompiledFilter& filter, const index::IndexCatalog& catalog);
  void count(Outcome outcome) {
    if (report_ != nullptr) ++report_->outcomes[static_cast<std::size_t>(outcome)];
    ++totals_[static_cast<std::size_t>(outcome)];
  }
  void count_encoded(std::size_t octets, bool copied) {
    octets_ += octets;
    copied_ += copied ? 1 : 0;
  }
  // Which parts of the filter are True of a candidate. RETURNS: kCorruption, kIo; the steps that it
  // took.
  Result<std::uint64_t> measure(const query::CompiledFilter& filter,
                                query::EvaluationContext& context);

  // The response control, of a search that ended with `result`.
  ldap::Control control(const query::CompiledFilter& filter,
                        const ldap::OperationResult& result) const;

 private:
  friend class ExplanationText;
  static constexpr std::size_t kScopesMax = 8;  // that are reported
  static constexpr std::size_t kAdviceMax = 8;

  void add_advice(ScopeReport& report, std::uint32_t node, const query::Unindexed& unindexed);
  bool is_candidate(const query::CompiledFilter& filter, std::uint32_t node, bool negative,
                    std::size_t advice) const;

  const ldap::ExplainMode mode_;
  const std::string base_;
  const ldap::Scope scope_;
  Clock& clock_;
  const std::int64_t started_nanos_;
  std::int64_t marked_nanos_;
  std::array<std::int64_t, kStageCount> nanos_{};
  std::uint64_t turns_ = 0;
  std::array<std::uint64_t, kOutcomeCount> totals_{};
  std::uint64_t octets_ = 0;
  std::uint64_t copied_ = 0;

  std::vector<ScopeReport> reports_;
  ScopeReport* report_ = nullptr;  // the last of them; nullptr past kScopesMax
  std::uint64_t scopes_omitted_ = 0;
  // By node, of the scope at hand: what an index tells with the plan's indexes (0), and with the
  // advice that has this number, counted from 1 (kNever: none would).
  std::vector<std::uint8_t> told_by_;
  std::vector<query::Tri> truth_;  // by node, of the entry at hand
};

}  // namespace kauri::operation
