#include "operation/explain.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ldap/oids.h"
#include "operation/explain_text.h"
#include "operation/session_impl.h"

namespace kauri::operation {
namespace {

using ldap::FilterKind;
using query::CompiledNode;
using query::TermFate;
using query::Tri;

// In told_by_.
constexpr std::uint8_t kNever = 255;
// For is_candidate(): all advice taken.
constexpr std::size_t kAllAdvice = 254;

// Of a part from its members, which are in `truth` already (RFC 4511 section 4.5.1.7).
Tri combined(const std::vector<CompiledNode>& nodes, std::size_t at,
             const std::vector<Tri>& truth) {
  const CompiledNode& node = nodes[at];
  if (node.kind == FilterKind::kNot) {
    const Tri child = truth[at + 1];
    if (child == Tri::kUndefined) return child;
    return child == Tri::kTrue ? Tri::kFalse : Tri::kTrue;
  }
  const bool is_or = node.kind == FilterKind::kOr;
  const Tri decisive = is_or ? Tri::kTrue : Tri::kFalse;
  Tri result = is_or ? Tri::kFalse : Tri::kTrue;
  for (std::size_t child = at + 1; child < node.end; child = nodes[child].end) {
    if (truth[child] == decisive) return decisive;
    if (truth[child] == Tri::kUndefined) result = Tri::kUndefined;
  }
  return result;
}

}  // namespace

std::optional<ldap::OperationResult> check_explain(Request& request) {
  if (!request.controls.explain.has_value()) return std::nullopt;
  if (request.session.identity().administrator) return std::nullopt;
  request.controls.explain.reset();
  if (!request.controls.explain_critical) return std::nullopt;
  return ldap::failure(ldap::ResultCode::kInsufficientAccessRights,
                       "the plan of a search tells how many entries there are, whether they may be "
                       "seen or not: only the administrator may ask for it");
}

std::uint64_t Explanation::ScopeReport::examined() const {
  return std::accumulate(outcomes.begin(), outcomes.end(), std::uint64_t{0});
}

Explanation::Explanation(ldap::ExplainMode mode, std::string base, ldap::Scope scope, Clock& clock)
    : mode_(mode),
      base_(std::move(base)),
      scope_(scope),
      clock_(clock),
      started_nanos_(clock.monotonic_nanos()),
      marked_nanos_(started_nanos_) {
  // What points into it stays valid.
  reports_.reserve(kScopesMax);
}

std::size_t Explanation::memory() const {
  std::size_t octets = sizeof(*this) + base_.capacity() + kScopesMax * sizeof(ScopeReport);
  for (const ScopeReport& report : reports_) {
    octets += report.is_true.capacity() * sizeof(std::uint64_t);
    for (const query::PlanTerm& term : report.terms)
      octets += sizeof(query::PlanTerm) + sizeof(query::Unindexed) + term.term.capacity();
  }
  return octets;
}

void Explanation::resume() {
  ++turns_;
  marked_nanos_ = clock_.monotonic_nanos();
}

void Explanation::planned(std::string base, const SearchScope& scope, const query::Plan& plan,
                          const query::CompiledFilter& filter, const index::IndexCatalog& catalog) {
  report_ = nullptr;
  if (reports_.size() == kScopesMax) {
    ++scopes_omitted_;
    return;
  }
  ScopeReport& report = reports_.emplace_back();
  report_ = &report;
  report.base = std::move(base);
  report.scope = scope.scope;
  report.source = plan.source;
  report.whole = scope.base_is_suffix;
  report.estimate = plan.estimate;
  report.filter_exact = plan.filter_exact;
  report.scope_exact = plan.scope_exact;
  report.indexed = plan.indexed;
  report.terms = plan.terms;
  const std::size_t nodes = filter.nodes().size();
  report.is_true.assign(nodes, 0);
  told_by_.assign(nodes, 0);
  truth_.assign(nodes, Tri::kUndefined);
  for (const query::PlanTerm& term : report.terms) {
    query::Unindexed& unindexed = report.unindexed.emplace_back();
    if (term.fate != TermFate::kNoIndex) continue;
    unindexed = query::why_unindexed(filter.nodes()[term.node], catalog);
    add_advice(report, term.node, unindexed);
  }
  if (report.advice.empty()) return;
  report.indexes = query::index_list(catalog);
  report.default_indexes = query::are_default_indexes(catalog, filter.schema());
}

void Explanation::add_advice(ScopeReport& report, std::uint32_t node,
                             const query::Unindexed& unindexed) {
  told_by_[node] = kNever;
  // Of a type with subtypes all need an index; what one of them alone would do is not told.
  for (const query::IndexAdvice& wanted : unindexed.advice) {
    auto same = std::find_if(report.advice.begin(), report.advice.end(),
                             [&](const Advice& known) { return known.index.type == wanted.type; });
    if (same == report.advice.end()) {
      if (report.advice.size() == kAdviceMax) return;
      report.advice.push_back({wanted, {}, 0});
      same = report.advice.end() - 1;
    } else {
      index::IndexKinds& with = same->index.with;
      with = {with.presence || wanted.with.presence, with.equality || wanted.with.equality,
              with.substring || wanted.with.substring};
      index::IndexKinds& missing = same->index.missing;
      missing = {missing.presence || wanted.missing.presence,
                 missing.equality || wanted.missing.equality,
                 missing.substring || wanted.missing.substring};
    }
    same->nodes.push_back(node);
    told_by_[node] = static_cast<std::uint8_t>(same - report.advice.begin() + 1);
  }
}

// Whether an entry, whose truth is at hand, would be among the candidates. A negation takes nothing
// away here: what an index does not list may be Undefined.
bool Explanation::is_candidate(const query::CompiledFilter& filter, std::uint32_t at, bool negative,
                               std::size_t advice) const {
  const CompiledNode& node = filter.nodes()[at];
  if (node.kind == FilterKind::kNot) return is_candidate(filter, at + 1, !negative, advice);
  if (node.is_leaf()) {
    const std::uint8_t told = told_by_[at];
    const bool known = told == 0 || (told != kNever && (told == advice || advice == kAllAdvice));
    return negative || !known || truth_[at] == Tri::kTrue;
  }
  const bool all = (node.kind == FilterKind::kAnd) != negative;
  for (std::uint32_t child = at + 1; child < node.end; child = filter.nodes()[child].end)
    if (is_candidate(filter, child, negative, advice) != all) return !all;
  return all;
}

Result<std::uint64_t> Explanation::measure(const query::CompiledFilter& filter,
                                           query::EvaluationContext& context) {
  if (report_ == nullptr) return std::uint64_t{0};
  const std::vector<CompiledNode>& nodes = filter.nodes();
  context.work_left = limits::kFilterWorkMax;
  context.exhausted = false;
  for (std::size_t at = nodes.size(); at-- > 0;) {
    if (nodes[at].is_leaf()) {
      KAURI_TRY(truth_[at], filter.evaluate_node(at, context));
    } else {
      truth_[at] = combined(nodes, at, truth_);
    }
  }
  // What the whole filter may take of one entry is not enough for each of its parts: not counted.
  if (!context.exhausted) {
    ++report_->measured;
    for (std::size_t at = 0; at < nodes.size(); ++at)
      report_->is_true[at] += truth_[at] == Tri::kTrue ? 1 : 0;
    for (std::size_t i = 0; i < report_->advice.size(); ++i)
      report_->advice[i].candidates += is_candidate(filter, 0, false, i + 1) ? 1 : 0;
    report_->candidates_with_all += is_candidate(filter, 0, false, kAllAdvice) ? 1 : 0;
  }
  return limits::kFilterWorkMax - context.work_left + nodes.size() * (report_->advice.size() + 2);
}

ldap::Control Explanation::control(const query::CompiledFilter& filter,
                                   const ldap::OperationResult& result) const {
  return {std::string(ldap::oids::kExplain), false, explanation_text(*this, filter, result)};
}

}  // namespace kauri::operation
