#include "query/index_terms.h"

#include <algorithm>

#include "index/posting.h"

namespace kauri::query {
namespace {

using index::IndexDefinition;
using index::KeyRange;
using ldap::SubstringPartKind;

// The key that is looked up next; keeps its memory from search to search.
thread_local std::string key_buffer;

// Whether a rule and the equality rule of an index agree on normal forms and on which values have
// one. The IA5 rules share a normal form with the others, but refuse what is not ASCII.
bool agree(const schema::MatchingRule& rule, const schema::MatchingRule& equality) {
  const auto is_ia5 = [](const schema::MatchingRule& r) {
    return r.name().find("IA5") != std::string_view::npos;
  };
  return rule.normal_form() == equality.normal_form() && is_ia5(rule) == is_ia5(equality);
}

bool has_presence(const CompiledNode& /*node*/, const IndexDefinition& definition) {
  return definition.kinds.presence;
}

bool has_values(const CompiledNode& /*node*/, const IndexDefinition& definition) {
  return definition.kinds.equality;
}

bool has_initial(const CompiledNode& node) {
  return !node.parts.empty() && node.parts[0].kind == SubstringPartKind::kInitial &&
         !node.parts[0].normal.empty();
}

// Whether trigrams, whole or their first octets, can be made of the parts.
bool has_octets(const CompiledNode& node) {
  return std::any_of(node.parts.begin(), node.parts.end(),
                     [](const CompiledNode::Part& part) { return !part.normal.empty(); });
}

bool is_equality(const CompiledNode& node) {
  return node.comparison == Comparison::kOctets || node.comparison == Comparison::kObjectClass;
}

bool has_substring_index(const CompiledNode& node, const IndexDefinition& definition) {
  if (has_initial(node) && equality_serves(node, definition)) return true;
  return has_octets(node) && grams_serve(node, definition);
}

}  // namespace

bool equality_serves(const CompiledNode& node, const IndexDefinition& definition) {
  return definition.kinds.equality && agree(*node.rule, *definition.type->equality);
}

bool grams_serve(const CompiledNode& node, const IndexDefinition& definition) {
  return definition.kinds.substring && definition.type->substrings == node.rule;
}

// All types with stored values for the leaf have a usable index of the right kind.
bool IndexTerms::covers(const CompiledNode& node,
                        bool (*fits)(const CompiledNode&, const IndexDefinition&)) const {
  for (const schema::AttributeType* type : node.types) {
    const IndexDefinition* definition = catalog_.find(*type);
    if (definition == nullptr || !definition->usable || !fits(node, *definition)) return false;
  }
  return true;
}

TermKind IndexTerms::kind(const CompiledNode& node) const {
  if (node.undefined) return TermKind::kConstant;
  // A rule alone, and names, are in no index.
  if (node.description.type == nullptr || node.dn_attributes) return TermKind::kNone;
  if (node.is_object_class_presence) return TermKind::kConstant;
  if (node.numbers.empty()) {
    // No entry stores it; but values of such types may be made when they are read.
    const schema::AttributeType& type = *node.description.type;
    const bool computed = type.operational() || type.no_user_modification;
    return computed ? TermKind::kNone : TermKind::kConstant;
  }
  switch (node.comparison) {
    case Comparison::kPresence:
      if (covers(node, has_presence)) return TermKind::kLists;
      return covers(node, has_values) ? TermKind::kRange : TermKind::kNone;
    case Comparison::kOctets:
    case Comparison::kObjectClass:
      return covers(node, equality_serves) ? TermKind::kLists : TermKind::kNone;
    case Comparison::kLess:
    case Comparison::kAtLeast:
    case Comparison::kAtMost:
      return covers(node, equality_serves) ? TermKind::kRange : TermKind::kNone;
    case Comparison::kSubstrings:
      return covers(node, has_substring_index) ? TermKind::kGrams : TermKind::kNone;
    case Comparison::kRule:
      break;
  }
  return TermKind::kNone;
}

std::string_view IndexTerms::index_name(const CompiledNode& node) const {
  switch (kind(node)) {
    case TermKind::kConstant:
      return node.is_object_class_presence ? "pres" : "none";
    case TermKind::kNone:
      return "none";
    case TermKind::kLists:
      return is_equality(node) ? "eq" : "pres";
    case TermKind::kRange:
      return node.comparison == Comparison::kPresence ? "pres" : "range";
    case TermKind::kGrams:
      break;
  }
  return node.parts.size() == 1 && has_initial(node) && covers(node, equality_serves) ? "range"
                                                                                      : "sub";
}

Answer IndexTerms::constant(const CompiledNode& node) {
  return node.is_object_class_presence ? Answer::all(true) : Answer::none();
}

void IndexTerms::list_key(const CompiledNode& node, const IndexDefinition& definition) {
  if (node.comparison == Comparison::kPresence)
    key_buffer = index::presence_key(definition.number);
  else
    index::equality_key(definition.number, node.normal_assertion, key_buffer);
}

Result<IndexTerms::Peek> IndexTerms::peek(const CompiledNode& node) {
  Peek peeked;
  KAURI_CHECK(for_each_type(node, [&](const IndexDefinition& definition) -> Result<void> {
    list_key(node, definition);
    spend(0);
    KAURI_TRY(const index::PostingPeek one, index::peek_posting(txn_, key_buffer, peeked.ids));
    peeked.count += one.count;
    peeked.complete = peeked.complete && one.complete;
    return {};
  }));
  return peeked;
}

Result<bool> IndexTerms::read(const CompiledNode& node, Peek& peeked) {
  if (peeked.complete) return true;
  if (!spend(peeked.count)) return false;
  peeked.complete = true;
  KAURI_CHECK(for_each_type(node, [&](const IndexDefinition& definition) -> Result<void> {
    list_key(node, definition);
    return index::read_posting(txn_, key_buffer, peeked.ids);
  }));
  return true;
}

bool IndexTerms::lists_exact(const CompiledNode& node) const {
  // The lists do not tell values under different options apart. An equality rule that is named
  // compares classes without their superclasses, which the index adds.
  return node.description.options.empty() &&
         (node.kind != ldap::FilterKind::kExtensible ||
          node.description.type != filter_.schema().well_known().object_class);
}

KeyRange IndexTerms::key_range(const CompiledNode& node, const IndexDefinition& definition) const {
  const AttributeNumber number = definition.number;
  switch (node.comparison) {
    case Comparison::kAtLeast:
      return index::equality_keys_from(number, node.normal_assertion);
    case Comparison::kLess:
    case Comparison::kAtMost:
      return index::equality_keys_through(number, node.normal_assertion);
    case Comparison::kSubstrings:
      return index::equality_keys_with_prefix(number, node.parts[0].normal);
    default:
      return index::all_equality_keys(number);
  }
}

Result<bool> IndexTerms::add_range(const KeyRange& range, std::uint64_t limit, index::IdSet& out,
                                   std::uint64_t& count) {
  KAURI_TRY(index::PostingScan scan, index::PostingScan::open(txn_, range.first, range.last));
  for (;;) {
    KAURI_TRY(const bool found, scan.next());
    if (!found) return true;
    count += scan.count();
    // The same id may be in several lists, so only the sum of distinct ones counts in the end; but
    // reading lists of many times the limit is no gain either.
    if (count > limit && (count > kWorthFactor * limit || out.size() > limit)) return false;
    if (!spend(scan.count())) return false;
    KAURI_CHECK(scan.read(out));
  }
}

Result<Answer> IndexTerms::read_range(const CompiledNode& node, std::uint64_t limit,
                                      std::uint64_t& count) {
  Answer answer = Answer::none();
  bool complete = true;
  KAURI_CHECK(for_each_type(node, [&](const IndexDefinition& definition) -> Result<void> {
    if (!complete) return {};
    KAURI_TRY(complete, add_range(key_range(node, definition), limit, answer.ids, count));
    if (node.comparison != Comparison::kPresence) return {};
    return index::read_posting(txn_, index::unnormalized_key(definition.number), answer.ids);
  }));
  if (!complete || answer.ids.size() > limit) return Answer::too_many();
  answer.exact = node.description.options.empty() && node.comparison != Comparison::kLess &&
                 !index::is_truncated(node.normal_assertion);
  return answer;
}

bool IndexTerms::is_between(const CompiledNode& low, const CompiledNode& high) const {
  if (low.comparison != Comparison::kAtLeast || high.comparison != Comparison::kAtMost)
    return false;
  if (low.undefined || high.undefined || low.description.type != high.description.type)
    return false;
  return low.description.type->single_value && low.numbers.size() == 1 &&
         high.numbers.size() == 1 && low.description.options.empty() &&
         high.description.options.empty() &&
         dictionary_.description(low.numbers[0]) == low.description &&
         kind(low) == TermKind::kRange;
}

Result<Answer> IndexTerms::read_between(const CompiledNode& low, const CompiledNode& high,
                                        std::uint64_t limit, std::uint64_t& count) {
  const IndexDefinition& definition = *catalog_.find(*low.description.type);
  KeyRange range = key_range(low, definition);
  range.last = key_range(high, definition).last;
  Answer answer = Answer::none();
  KAURI_TRY(const bool complete, add_range(range, limit, answer.ids, count));
  if (!complete || answer.ids.size() > limit) return Answer::too_many();
  answer.exact =
      !index::is_truncated(low.normal_assertion) && !index::is_truncated(high.normal_assertion);
  return answer;
}

}  // namespace kauri::query
