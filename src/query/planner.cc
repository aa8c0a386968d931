#include "query/planner.h"

#include <algorithm>
#include <optional>

#include "base/planted_fault.h"
#include "index/dn_index.h"
#include "query/index_terms.h"

namespace kauri::query {
namespace {

using ldap::FilterKind;
using ldap::Scope;

// Far above any number of entries, and far below where a small multiple of it overflows.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 50U;

// A list of as many ids is several reads long: what may make it needless is looked at first.
constexpr std::uint64_t kLongList = 1024;

// In conjunctions of more members no two bounds of one value are sought.
constexpr std::size_t kBoundsSoughtMax = 64;

// A node, or its negation. Negations are pushed down to the leaves, which three-valued logic allows
// (De Morgan's laws hold in it): so an AND under a NOT is a choice, and an OR under one is a
// conjunction.
struct Literal {
  std::uint32_t node = 0;
  bool negative = false;
};

// What is in both, into `ids`.
void intersect(index::IdSet& ids, const index::IdSet& other) {
  ids &= other;
  if (!KAURI_PLANTED_FAULT("and-drops-block") || ids.size() <= kFewEnough) return;
  // The second block of a posting list forgotten, and only where lists are longer.
  constexpr std::uint64_t kBlock = 8192;
  index::IdSet second;
  second.add_range(EntryId(kBlock), EntryId(2 * kBlock - 1));
  ids -= second;
}

class Planner {
 public:
  Planner(const CompiledFilter& filter, const ScopeQuery& scope, const index::IndexCatalog& catalog,
          const entry::Dictionary& dictionary, storage::Txn& txn, const PlanOptions& options)
      : filter_(filter),
        nodes_(filter.nodes()),
        scope_(scope),
        txn_(txn),
        options_(options),
        terms_(filter, catalog, dictionary, txn) {}

  Result<Plan> run();

 private:
  // A conjunct that is a list, looked up but not read yet.
  struct Conjunct {
    std::uint32_t node = 0;
    IndexTerms::Peek peek;
  };
  // What is known of a conjunction so far.
  struct Conjunction {
    std::optional<index::IdSet> ids;  // nothing = every entry
    bool exact = true;
    bool no_index = false;
    std::uint64_t limit;

    bool few() const { return ids && ids->size() <= kFewEnough; }
    // More ids than this do not help.
    std::uint64_t worth() const {
      return ids ? std::min(limit, kWorthFactor * ids->size()) : limit;
    }
  };

  Literal strip(std::uint32_t node, bool negative) const;
  bool is_conjunction(Literal literal) const;
  void flatten(Literal literal, bool conjunctions, std::vector<Literal>& out) const;
  int cost_class(Literal literal) const;

  Result<Answer> solve(Literal literal, std::uint64_t limit);
  Result<Answer> solve_leaf(std::uint32_t node, std::uint64_t limit);
  Result<Answer> solve_lists(std::uint32_t node, std::uint64_t limit);
  Result<Answer> solve_all(Literal literal, std::uint64_t limit);
  Result<Answer> solve_any(Literal literal, std::uint64_t limit);
  // These are true when nothing is left. The members that are lists are looked up, and read later.
  Result<bool> peek_lists(const std::vector<Literal>& conjuncts, std::vector<Conjunct>& lists,
                          Conjunction& result);
  Result<bool> read_lists(std::vector<Conjunct>& lists, Conjunction& result);
  bool is_choice_of_lists(Literal literal) const;
  Result<bool> add_choices(std::vector<Literal>& conjuncts, Conjunction& result);
  Result<bool> add_others(std::vector<Literal>& conjuncts, Conjunction& result);
  Result<bool> add_conjunct(Literal literal, Conjunction& result);
  // Two bounds of one value, taken out of `conjuncts` when they were answered together.
  Result<bool> add_between(std::vector<Literal>& conjuncts, Conjunction& result);
  Result<bool> add_answer(Answer answer, Conjunction& result);
  Result<void> subtract(std::uint32_t node, Conjunction& result);

  // The smaller of the limit and what the scope has; looked up once, when it first matters.
  Result<std::uint64_t> effective(std::uint64_t count, std::uint64_t limit);
  Result<std::uint64_t> scope_size();
  void note(std::uint32_t node, std::uint64_t cardinality, TermFate fate);
  // A part that the plan does without, for `fate` unless no index covers it.
  void note_unused(std::uint32_t node, TermFate fate);
  // The same of all leaves of a part.
  void note_leaves(std::uint32_t node, TermFate fate);
  void note_unreached();
  void finish_terms(Plan& plan);
  Result<void> walk(Plan& plan, bool exact);

  const CompiledFilter& filter_;
  const std::vector<CompiledNode>& nodes_;
  const ScopeQuery& scope_;
  storage::Txn& txn_;
  const PlanOptions& options_;
  IndexTerms terms_;
  std::optional<std::uint64_t> scope_size_;
  std::vector<std::uint32_t> unindexed_;  // leaves without an index
  std::vector<PlanTerm> noted_;
};

Literal Planner::strip(std::uint32_t node, bool negative) const {
  while (nodes_[node].kind == FilterKind::kNot) {
    ++node;
    negative = !negative;
  }
  return {node, negative};
}

bool Planner::is_conjunction(Literal literal) const {
  return nodes_[literal.node].kind == (literal.negative ? FilterKind::kOr : FilterKind::kAnd);
}

// The members of a conjunction (or of a choice), with those of conjunctions (choices) inside it.
// The depth of the recursion is that of the filter.
void Planner::flatten(Literal literal, bool conjunctions, std::vector<Literal>& out) const {
  const CompiledNode& node = nodes_[literal.node];
  for (std::uint32_t child = literal.node + 1; child < node.end; child = nodes_[child].end) {
    const Literal member = strip(child, literal.negative);
    if (!nodes_[member.node].is_leaf() && is_conjunction(member) == conjunctions)
      flatten(member, conjunctions, out);
    else
      out.push_back(member);
  }
}

// The order in which the members of a conjunction are looked at: what is likely short first.
int Planner::cost_class(Literal literal) const {
  const CompiledNode& node = nodes_[literal.node];
  if (!node.is_leaf()) return 3;
  const TermKind kind = terms_.kind(node);
  if (kind == TermKind::kConstant) return 0;
  if (literal.negative) return 6;
  if (kind == TermKind::kLists) {
    const bool broad =
        node.comparison == Comparison::kObjectClass || node.comparison == Comparison::kPresence;
    return broad ? 2 : 1;
  }
  return kind == TermKind::kGrams ? 4 : 5;
}

void Planner::note(std::uint32_t node, std::uint64_t cardinality, TermFate fate) {
  if (!options_.explain) return;
  noted_.push_back({filter_.describe(node), std::string(terms_.index_name(nodes_[node])),
                    cardinality, fate, node});
}

void Planner::note_unused(std::uint32_t node, TermFate fate) {
  if (!options_.explain) return;
  note(node, 0, terms_.kind(nodes_[node]) == TermKind::kNone ? TermFate::kNoIndex : fate);
}

Result<std::uint64_t> Planner::scope_size() {
  if (!scope_size_) {
    KAURI_TRY(const index::SubordinateCounts counts, index::subordinate_counts(txn_, scope_.base));
    switch (scope_.scope) {
      case Scope::kBase:
        scope_size_ = 1;
        break;
      case Scope::kOneLevel:
        scope_size_ = counts.children;
        break;
      case Scope::kSubtree:
        scope_size_ = counts.descendants + 1;
        break;
      case Scope::kSubordinate:
        scope_size_ = counts.descendants;
        break;
    }
  }
  return *scope_size_;
}

Result<std::uint64_t> Planner::effective(std::uint64_t count, std::uint64_t limit) {
  if (count <= kFewEnough) return std::max(limit, kFewEnough);
  KAURI_TRY(const std::uint64_t size, scope_size());
  return std::min(limit, size);
}

Result<Answer> Planner::solve(Literal literal, std::uint64_t limit) {
  if (!nodes_[literal.node].is_leaf())
    return is_conjunction(literal) ? solve_all(literal, limit) : solve_any(literal, limit);
  if (!literal.negative) return solve_leaf(literal.node, limit);
  // What is constant stays so. Else an entry that an index does not list may be False or Undefined.
  const CompiledNode& node = nodes_[literal.node];
  if (terms_.kind(node) == TermKind::kConstant) {
    note(literal.node, 0, TermFate::kUsed);
    return node.undefined || node.is_object_class_presence ? Answer::none() : Answer::all(true);
  }
  if (terms_.kind(node) == TermKind::kNone) unindexed_.push_back(literal.node);
  note_unused(literal.node, TermFate::kNegated);
  return Answer::no_index();
}

Result<Answer> Planner::solve_leaf(std::uint32_t at, std::uint64_t limit) {
  const CompiledNode& node = nodes_[at];
  switch (terms_.kind(node)) {
    case TermKind::kConstant: {
      Answer answer = IndexTerms::constant(node);
      note(at, answer.ids.size(), TermFate::kUsed);
      return answer;
    }
    case TermKind::kNone:
      unindexed_.push_back(at);
      note(at, 0, TermFate::kNoIndex);
      return Answer::no_index();
    case TermKind::kLists:
      return solve_lists(at, limit);
    case TermKind::kRange:
    case TermKind::kGrams:
      break;
  }
  KAURI_TRY(const std::uint64_t size, scope_size());
  const std::uint64_t most = std::max(std::min(limit, size), kFewEnough);
  std::uint64_t count = 0;
  auto answer = terms_.kind(node) == TermKind::kRange ? terms_.read_range(node, most, count)
                                                      : terms_.read_grams(node, most, count);
  if (answer) {
    note(at, answer->is_set() ? answer->ids.size() : count,
         answer->is_set() ? TermFate::kUsed : TermFate::kTooLong);
  }
  return answer;
}

Result<Answer> Planner::solve_lists(std::uint32_t at, std::uint64_t limit) {
  const CompiledNode& node = nodes_[at];
  KAURI_TRY(IndexTerms::Peek peek, terms_.peek(node));
  KAURI_TRY(const std::uint64_t most, effective(peek.count, limit));
  bool readable = peek.count <= most;
  if (readable) {
    KAURI_TRY(readable, terms_.read(node, peek));
  }
  note(at, peek.count, readable ? TermFate::kUsed : TermFate::kTooLong);
  if (!readable) return Answer::too_many();
  return Answer{Answer::What::kSet, terms_.lists_exact(node), std::move(peek.ids)};
}

// Looks up the members that are lists, likely short ones first, until one is short enough; the
// shortest is the first then.
Result<bool> Planner::peek_lists(const std::vector<Literal>& conjuncts,
                                 std::vector<Conjunct>& lists, Conjunction& result) {
  lists.reserve(conjuncts.size());
  bool short_enough = false;
  for (const int wanted : {1, 2}) {
    for (const Literal literal : conjuncts) {
      if (cost_class(literal) != wanted) continue;
      if (short_enough) {
        result.exact = false;
        note(literal.node, 0, TermFate::kFewEnough);
        continue;
      }
      Conjunct& list = lists.emplace_back();
      list.node = literal.node;
      KAURI_TRY(list.peek, terms_.peek(nodes_[literal.node]));
      if (list.peek.count == 0) {
        note(literal.node, 0, TermFate::kUsed);
        return true;
      }
      short_enough = list.peek.count <= kFewEnough;
    }
  }
  std::sort(lists.begin(), lists.end(),
            [](const Conjunct& a, const Conjunct& b) { return a.peek.count < b.peek.count; });
  return false;
}

// Reads them, the shortest first, as long as the next one is worth it.
Result<bool> Planner::read_lists(std::vector<Conjunct>& lists, Conjunction& result) {
  for (Conjunct& list : lists) {
    bool used = !result.few() || list.peek.complete;
    const TermFate unused = used ? TermFate::kTooLong : TermFate::kFewEnough;
    if (used) {
      KAURI_TRY(const std::uint64_t most, effective(list.peek.count, result.worth()));
      used = list.peek.count <= most;
    }
    if (used) {
      KAURI_TRY(used, terms_.read(nodes_[list.node], list.peek));
    }
    note(list.node, list.peek.count, used ? TermFate::kUsed : unused);
    result.exact = result.exact && used && terms_.lists_exact(nodes_[list.node]);
    if (!used) continue;
    if (result.ids)
      intersect(*result.ids, list.peek.ids);
    else
      result.ids = std::move(list.peek.ids);
  }
  return result.ids && result.ids->empty();
}

bool Planner::is_choice_of_lists(Literal literal) const {
  if (nodes_[literal.node].is_leaf() || is_conjunction(literal)) return false;
  std::vector<Literal> members;
  flatten(literal, false, members);
  return std::all_of(members.begin(), members.end(), [&](Literal member) {
    return nodes_[member.node].is_leaf() && !member.negative &&
           terms_.kind(nodes_[member.node]) == TermKind::kLists;
  });
}

// Choices among lists: a look-up for each, and likely few ids. Those answered leave `conjuncts`.
Result<bool> Planner::add_choices(std::vector<Literal>& conjuncts, Conjunction& result) {
  for (std::size_t i = 0; i < conjuncts.size();) {
    if (result.few() || !is_choice_of_lists(conjuncts[i])) {
      ++i;
      continue;
    }
    KAURI_TRY(Answer answer, solve_any(conjuncts[i], result.worth()));
    conjuncts.erase(conjuncts.begin() + static_cast<std::ptrdiff_t>(i));
    KAURI_TRY(const bool nothing, add_answer(std::move(answer), result));
    if (nothing) return true;
  }
  return false;
}

// One more member of a conjunction that is no list. RETURNS: true when nothing is left.
Result<bool> Planner::add_conjunct(Literal literal, Conjunction& result) {
  const CompiledNode& node = nodes_[literal.node];
  if (result.few()) {
    result.exact = false;
    note_leaves(literal.node, TermFate::kFewEnough);
    return false;
  }
  if (node.is_leaf() && literal.negative) {
    result.exact = false;
    KAURI_CHECK(subtract(literal.node, result));
    return result.ids && result.ids->empty();
  }
  KAURI_TRY(Answer answer, solve(literal, result.worth()));
  return add_answer(std::move(answer), result);
}

Result<bool> Planner::add_answer(Answer answer, Conjunction& result) {
  result.no_index = result.no_index || answer.what == Answer::What::kNoIndex;
  result.exact = result.exact && answer.exact;
  if (!answer.is_set()) return false;
  if (result.ids)
    intersect(*result.ids, answer.ids);
  else
    result.ids = std::move(answer.ids);
  return result.ids->empty();
}

Result<bool> Planner::add_between(std::vector<Literal>& conjuncts, Conjunction& result) {
  if (result.few() || conjuncts.size() > kBoundsSoughtMax) return false;
  for (std::size_t i = 0; i < conjuncts.size(); ++i) {
    for (std::size_t j = 0; j < conjuncts.size(); ++j) {
      const Literal low = conjuncts[i];
      const Literal high = conjuncts[j];
      if (low.negative || high.negative) continue;
      if (!terms_.is_between(nodes_[low.node], nodes_[high.node])) continue;
      KAURI_TRY(const std::uint64_t size, scope_size());
      const std::uint64_t most = std::max(std::min(result.worth(), size), kFewEnough);
      std::uint64_t count = 0;
      KAURI_TRY(Answer answer,
                terms_.read_between(nodes_[low.node], nodes_[high.node], most, count));
      for (const Literal each : {low, high})
        note(each.node, answer.is_set() ? answer.ids.size() : count,
             answer.is_set() ? TermFate::kUsed : TermFate::kTooLong);
      std::erase_if(conjuncts,
                    [&](Literal each) { return each.node == low.node || each.node == high.node; });
      return add_answer(std::move(answer), result);
    }
  }
  return false;
}

// The members that are no lists, but for negations, which need something to be taken from.
Result<bool> Planner::add_others(std::vector<Literal>& conjuncts, Conjunction& result) {
  KAURI_TRY(bool nothing, add_between(conjuncts, result));
  if (nothing) return true;
  for (const int wanted : {3, 4, 5}) {
    for (const Literal each : conjuncts) {
      if (cost_class(each) != wanted) continue;
      KAURI_TRY(nothing, add_conjunct(each, result));
      if (nothing) return true;
    }
  }
  return false;
}

// Takes away what is True for sure, where there is something to take from.
Result<void> Planner::subtract(std::uint32_t node, Conjunction& result) {
  if (!result.ids || terms_.kind(nodes_[node]) == TermKind::kNone) {
    result.no_index = true;
    if (terms_.kind(nodes_[node]) == TermKind::kNone) unindexed_.push_back(node);
    note_unused(node, TermFate::kNegated);
    return {};
  }
  KAURI_TRY(const Answer answer, solve_leaf(node, result.worth()));
  if (answer.is_set() && answer.exact) *result.ids -= answer.ids;
  return {};
}

Result<Answer> Planner::solve_all(Literal literal, std::uint64_t limit) {
  std::vector<Literal> conjuncts;
  flatten(literal, true, conjuncts);
  for (const Literal each : conjuncts) {
    if (!nodes_[each.node].is_leaf() || cost_class(each) != 0) continue;
    KAURI_TRY(const Answer answer, solve(each, limit));
    if (answer.is_set()) return Answer::none();
  }
  Conjunction result{std::nullopt, true, false, limit};
  std::vector<Conjunct> lists;
  KAURI_TRY(bool nothing, peek_lists(conjuncts, lists, result));
  if (nothing) return Answer::none();
  // What else is asked may leave so few candidates that long lists need not be read. Of a single
  // one nothing is lost by coming last; several may leave few candidates themselves, so that only
  // what costs little goes before them.
  const bool long_lists = !lists.empty() && lists.front().peek.count >= kLongList;
  const bool lists_last = long_lists && lists.size() == 1;
  if (long_lists) result.limit = std::min(limit, kWorthFactor * lists.front().peek.count);
  if (long_lists && !lists_last) {
    KAURI_TRY(nothing, add_choices(conjuncts, result));
    if (nothing) return Answer::none();
  }
  if (lists_last) {
    KAURI_TRY(nothing, add_others(conjuncts, result));
    if (nothing) return Answer::none();
  }
  result.limit = limit;
  KAURI_TRY(nothing, read_lists(lists, result));
  if (nothing) return Answer::none();
  if (!lists_last) {
    KAURI_TRY(nothing, add_others(conjuncts, result));
    if (nothing) return Answer::none();
  }
  for (const Literal each : conjuncts) {
    if (cost_class(each) != 6) continue;
    KAURI_TRY(nothing, add_conjunct(each, result));
    if (nothing) return Answer::none();
  }
  if (result.ids) return Answer{Answer::What::kSet, result.exact, std::move(*result.ids)};
  if (result.exact) return Answer::all(true);
  return result.no_index ? Answer::no_index() : Answer::too_many();
}

Result<Answer> Planner::solve_any(Literal literal, std::uint64_t limit) {
  std::vector<Literal> members;
  flatten(literal, false, members);
  // One member without an index makes all the others useless, so it is looked for first.
  bool covered = true;
  for (const Literal each : members) {
    const CompiledNode& node = nodes_[each.node];
    if (!node.is_leaf() || terms_.kind(node) == TermKind::kConstant) continue;
    if (each.negative || terms_.kind(node) == TermKind::kNone) covered = false;
    if (terms_.kind(node) == TermKind::kNone) unindexed_.push_back(each.node);
  }
  if (!covered) {
    for (const Literal each : members)
      note_leaves(each.node, each.negative ? TermFate::kNegated : TermFate::kBeside);
    return Answer::no_index();
  }
  Answer result = Answer::none();
  for (const Literal each : members) {
    const std::uint64_t have = result.ids.size();
    if (have > limit) return Answer::too_many();
    KAURI_TRY(const Answer answer, solve(each, limit));
    if (answer.what == Answer::What::kAll) return answer;
    if (!answer.is_set()) return answer;
    result.ids |= answer.ids;
    result.exact = result.exact && answer.exact;
  }
  KAURI_TRY(const std::uint64_t most, effective(result.ids.size(), limit));
  if (result.ids.size() > most) return Answer::too_many();
  return result;
}

void Planner::note_leaves(std::uint32_t node, TermFate fate) {
  if (!options_.explain) return;
  for (std::uint32_t at = node; at < nodes_[node].end; ++at)
    if (nodes_[at].is_leaf()) note_unused(at, fate);
}

// The scope instead of candidates.
Result<void> Planner::walk(Plan& plan, bool exact) {
  plan.source =
      scope_.scope == Scope::kOneLevel ? CandidateSource::kChildren : CandidateSource::kSubtree;
  plan.filter_exact = exact;
  plan.scope_exact = true;
  KAURI_TRY(plan.estimate, scope_size());
  return {};
}

void Planner::note_unreached() {
  std::vector<bool> noted(nodes_.size(), false);
  for (const PlanTerm& term : noted_) noted[term.node] = true;
  for (std::uint32_t at = 0; at < nodes_.size(); ++at)
    if (nodes_[at].is_leaf() && !noted[at]) note_unused(at, TermFate::kNotReached);
}

void Planner::finish_terms(Plan& plan) {
  if (options_.every_leaf) note_unreached();
  plan.terms = std::move(noted_);
  if (plan.indexed || options_.explain) return;
  for (const std::uint32_t node : unindexed_)
    plan.terms.push_back({filter_.describe(node), "none", 0, TermFate::kNoIndex, node});
}

Result<Plan> Planner::run() {
  Plan plan;
  if (scope_.scope == Scope::kBase) {
    plan.source = CandidateSource::kBase;
    plan.scope_exact = true;
    plan.estimate = 1;
    return plan;
  }
  KAURI_TRY(Answer answer, solve(strip(0, false), kNoLimit));
  const bool is_whole = scope_.base_is_suffix && !scope_.follow_aliases;
  if (!answer.is_set()) {
    const bool is_all = answer.what == Answer::What::kAll;
    KAURI_CHECK(walk(plan, is_all && answer.exact));
    plan.indexed = answer.what != Answer::What::kNoIndex;
  } else {
    if (scope_.scope != Scope::kSubtree) answer.ids -= index::IdSet::single(scope_.base);
    plan.ids = std::move(answer.ids);
    plan.estimate = plan.ids.size();
    const bool nothing = plan.estimate == 0;
    plan.source = nothing ? CandidateSource::kNone : CandidateSource::kIds;
    plan.filter_exact = nothing || answer.exact;
    plan.scope_exact = nothing || (is_whole && scope_.scope != Scope::kOneLevel);
  }
  finish_terms(plan);
  return plan;
}

}  // namespace

Result<Plan> make_plan(const CompiledFilter& filter, const ScopeQuery& scope,
                       const index::IndexCatalog& catalog, const entry::Dictionary& dictionary,
                       storage::Txn& txn, const PlanOptions& options) {
  return Planner(filter, scope, catalog, dictionary, txn, options).run();
}

}  // namespace kauri::query
