#include "operation/explain_text.h"

#include <algorithm>

#include "operation/explain.h"
#include "operation/json_writer.h"
#include "query/index_terms.h"

namespace kauri::operation {

std::string_view source_name(query::CandidateSource source) {
  switch (source) {
    case query::CandidateSource::kBase:
      return "base";
    case query::CandidateSource::kIds:
      return "indexes";
    case query::CandidateSource::kChildren:
      return "children";
    case query::CandidateSource::kSubtree:
      return "subtree";
    case query::CandidateSource::kNone:
      break;
  }
  return "none";
}

using ldap::FilterKind;
using query::CompiledNode;
using query::TermFate;

namespace {

constexpr std::uint64_t kVersion = 1;
// Parts of a filter that are told one by one.
constexpr std::size_t kPartsMax = 500;
// Parts named with an index that would help.
constexpr std::size_t kPartsOfAdviceMax = 20;

std::string_view scope_name(ldap::Scope scope) {
  constexpr std::string_view kNames[] = {"base", "one", "sub", "subordinates"};
  return kNames[static_cast<std::size_t>(scope)];
}

std::string_view source_of(const Explanation::ScopeReport& report) {
  const bool whole = report.source == query::CandidateSource::kSubtree && report.whole;
  return whole ? "database" : source_name(report.source);
}

std::string_view fate_name(TermFate fate) {
  switch (fate) {
    case TermFate::kUsed:
      return "used";
    case TermFate::kNoIndex:
      return "unindexed";
    case TermFate::kFewEnough:
      return "few";
    case TermFate::kTooLong:
      return "long";
    case TermFate::kBeside:
      return "beside";
    case TermFate::kNegated:
      return "negated";
    case TermFate::kNotReached:
      break;
  }
  return "unreached";
}

// Why an index has nothing to say about a leaf that is constant.
std::string_view constant_reason(const CompiledNode& node) {
  if (node.undefined)
    return "undefined: the attribute or rule is unknown or unfit, or its syntax refuses the value; "
           "true of no entry";
  if (node.is_object_class_presence) return "true of every entry";
  return "no entry has ever had the attribute";
}

std::string_view fate_reason(TermFate fate) {
  switch (fate) {
    case TermFate::kFewEnough:
      return "few candidates were left already: looking it up would cost more than examining them";
    case TermFate::kTooLong:
      return "its list is longer than the other candidates, or the scope, are worth";
    case TermFate::kBeside:
      return "another part of its OR has no index, so that an index of this one narrows nothing";
    case TermFate::kNegated:
      return "a NOT needs an indexed part beside it that it is taken from";
    case TermFate::kNotReached:
      return "the plan was clear before";
    case TermFate::kUsed:
    case TermFate::kNoIndex:
      break;
  }
  return {};
}

}  // namespace

class ExplanationText {
 public:
  ExplanationText(const Explanation& explanation, const query::CompiledFilter& filter,
                  std::string& out)
      : explanation_(explanation), filter_(filter), json_(out) {}

  void write(const ldap::OperationResult& result);

 private:
  using Outcome = Explanation::Outcome;
  void write_scope(const Explanation::ScopeReport& report);
  void write_outcomes(const std::array<std::uint64_t, Explanation::kOutcomeCount>& outcomes);
  void write_part(const Explanation::ScopeReport& report, std::uint32_t at);
  void write_leaf(const Explanation::ScopeReport& report, std::uint32_t at);
  void write_advice(const Explanation::ScopeReport& report);
  void write_times();
  // From those measured to all candidates of the plan.
  static std::uint64_t scaled(const Explanation::ScopeReport& report, std::uint64_t count);

  const Explanation& explanation_;
  const query::CompiledFilter& filter_;
  JsonWriter json_;
  std::size_t parts_ = 0;  // told so far
};

void ExplanationText::write(const ldap::OperationResult& result) {
  constexpr std::string_view kModes[] = {"run", "discard", "plan"};
  json_.begin_object();
  json_.number("version", kVersion);
  json_.text("mode", kModes[static_cast<std::size_t>(explanation_.mode_)]);
  json_.text("base", explanation_.base_);
  json_.text("scope", scope_name(explanation_.scope_));
  json_.text("filter", filter_.describe(0), 4 * JsonWriter::kTextMax);
  json_.number("result", static_cast<std::uint64_t>(result.code));
  json_.begin_array("scopes");
  for (const Explanation::ScopeReport& report : explanation_.reports_) write_scope(report);
  json_.end_array();
  if (explanation_.scopes_omitted_ > 0)
    json_.number("scopes_omitted", explanation_.scopes_omitted_);
  json_.begin_object("entries");
  write_outcomes(explanation_.totals_);
  json_.number("copied", explanation_.copied_);
  json_.number("octets", explanation_.octets_);
  json_.end_object();
  write_times();
  json_.end_object();
}

void ExplanationText::write_outcomes(
    const std::array<std::uint64_t, Explanation::kOutcomeCount>& outcomes) {
  const auto of = [&](Outcome outcome) { return outcomes[static_cast<std::size_t>(outcome)]; };
  std::uint64_t all = 0;
  for (const std::uint64_t count : outcomes) all += count;
  json_.number("examined", all);
  json_.number("read", all - of(Outcome::kGone));
  const auto some = [&](std::string_view key, Outcome outcome) {
    if (of(outcome) > 0) json_.number(key, of(outcome));
  };
  some("gone", Outcome::kGone);
  some("passed_over", Outcome::kPassedOver);
  some("out_of_scope", Outcome::kOutOfScope);
  some("not_matching", Outcome::kNotMatching);
  some("unreadable", Outcome::kUnreadable);
  some("left", Outcome::kLeft);
  json_.number("matched", of(Outcome::kUnreadable) + of(Outcome::kLeft) + of(Outcome::kReturned));
  json_.number("returned", of(Outcome::kReturned));
}

std::uint64_t ExplanationText::scaled(const Explanation::ScopeReport& report, std::uint64_t count) {
  if (report.measured == 0 || report.measured >= report.estimate) return count;
  return static_cast<std::uint64_t>(static_cast<double>(count) *
                                    static_cast<double>(report.estimate) /
                                    static_cast<double>(report.measured));
}

void ExplanationText::write_scope(const Explanation::ScopeReport& report) {
  json_.begin_object();
  json_.text("base", report.base);
  json_.text("scope", scope_name(report.scope));
  json_.text("source", source_of(report));
  json_.number("candidates", report.estimate);
  json_.boolean("filter_proved", report.filter_exact);
  json_.boolean("scope_proved", report.scope_exact);
  json_.boolean("indexed", report.indexed);
  json_.begin_object("entries");
  write_outcomes(report.outcomes);
  json_.number("measured", report.measured);
  json_.end_object();
  json_.begin_object("plan");
  write_part(report, 0);
  json_.end_object();
  if (!report.advice.empty()) write_advice(report);
  json_.end_object();
}

// The depth of a filter is limited (limits::kFilterDepthMax), and so is this recursion.
void ExplanationText::write_part(const Explanation::ScopeReport& report, std::uint32_t at) {
  const CompiledNode& node = filter_.nodes()[at];
  ++parts_;
  if (node.is_leaf()) return write_leaf(report, at);
  json_.text("part", node.kind == FilterKind::kAnd  ? "and"
                     : node.kind == FilterKind::kOr ? "or"
                                                    : "not");
  if (report.measured > 0) json_.number("true", report.is_true[at]);
  json_.begin_array("members");
  std::uint64_t omitted = 0;
  for (std::uint32_t child = at + 1; child < node.end; child = filter_.nodes()[child].end) {
    if (parts_ >= kPartsMax) {
      ++omitted;
      continue;
    }
    json_.begin_object();
    write_part(report, child);
    json_.end_object();
  }
  json_.end_array();
  if (omitted > 0) json_.number("omitted", omitted);
}

void ExplanationText::write_leaf(const Explanation::ScopeReport& report, std::uint32_t at) {
  const CompiledNode& node = filter_.nodes()[at];
  const auto term = std::find_if(report.terms.begin(), report.terms.end(),
                                 [&](const query::PlanTerm& each) { return each.node == at; });
  json_.text("part", term == report.terms.end() ? filter_.describe(at) : term->term);
  if (report.measured > 0) json_.number("true", report.is_true[at]);
  if (term == report.terms.end()) {
    json_.text("use", "none");
    return json_.text("why", "the base entry is read without asking indexes");
  }
  const bool constant =
      term->fate != TermFate::kNoIndex && (term->index == "none" || node.is_object_class_presence);
  json_.text("index", constant ? "constant" : term->index);
  const bool looked_up = term->fate == TermFate::kUsed || term->fate == TermFate::kTooLong;
  if (!constant && (looked_up || term->cardinality > 0)) json_.number("listed", term->cardinality);
  json_.text("use", fate_name(term->fate));
  if (constant) return json_.text("why", constant_reason(node));
  if (term->fate == TermFate::kUsed) return;
  const auto& unindexed = report.unindexed[static_cast<std::size_t>(term - report.terms.begin())];
  json_.text("why", unindexed.why.empty() ? fate_reason(term->fate) : unindexed.why);
}

void ExplanationText::write_advice(const Explanation::ScopeReport& report) {
  json_.begin_object("advice");
  json_.number("candidates_now", report.estimate);
  if (report.measured > 0) {
    json_.number("candidates_then", scaled(report, report.candidates_with_all));
    json_.boolean("sampled", report.measured < report.estimate);
  }
  json_.begin_array("indexes");
  for (const Explanation::Advice& advice : report.advice) {
    json_.begin_object();
    json_.text("attribute", advice.index.type->name());
    json_.text("kinds", index::to_string(advice.index.missing));
    json_.text("configuration", query::configuration_of(advice.index));
    if (report.measured > 0) json_.number("candidates_then", scaled(report, advice.candidates));
    json_.begin_array("parts");
    for (std::size_t i = 0; i < advice.nodes.size() && i < kPartsOfAdviceMax; ++i)
      json_.text({}, filter_.describe(advice.nodes[i]));
    json_.end_array();
    json_.end_object();
  }
  json_.end_array();
  json_.boolean("default_indexes", report.default_indexes);
  json_.begin_array("configured");
  for (const std::string& index : report.indexes) json_.text({}, index);
  json_.end_array();
  json_.end_object();
}

void ExplanationText::write_times() {
  const auto nanos = [&](Explanation::Stage stage) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, explanation_.nanos_[static_cast<std::size_t>(stage)]));
  };
  using Stage = Explanation::Stage;
  json_.begin_object("nanoseconds");
  json_.number("plan", nanos(Stage::kPlan));
  json_.number("candidates", nanos(Stage::kCandidates));
  json_.number("filter", nanos(Stage::kFilter));
  json_.number("encode", nanos(Stage::kEncode));
  json_.number("explain", nanos(Stage::kMeasure));
  const std::int64_t whole = explanation_.clock_.monotonic_nanos() - explanation_.started_nanos_;
  json_.number("whole", static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole)));
  json_.end_object();
  json_.number("turns", explanation_.turns_);
}

std::string explanation_text(const Explanation& explanation, const query::CompiledFilter& filter,
                             const ldap::OperationResult& result) {
  std::string out;
  ExplanationText(explanation, filter, out).write(result);
  return out;
}

}  // namespace kauri::operation
