// Evaluating: one entry against a compiled filter.
#include <string.h>  // memmem

#include <algorithm>

#include "base/assert.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "base/planted_fault.h"
#include "ldap/dn.h"
#include "query/compiled_filter.h"
#include "query/filter_work.h"

namespace kauri::query {
namespace {

using ldap::FilterKind;
using ldap::SubstringPartKind;

Tri negated(Tri tri) {
  if (tri == Tri::kUndefined) return tri;
  return tri == Tri::kTrue ? Tri::kFalse : Tri::kTrue;
}

// The value of an OR over what was seen so far and one more.
Tri either(Tri seen, Tri next) {
  if (seen == Tri::kTrue || next == Tri::kTrue) return Tri::kTrue;
  return seen == Tri::kUndefined || next == Tri::kUndefined ? Tri::kUndefined : Tri::kFalse;
}

Tri truth(bool value) {
  return value ? Tri::kTrue : Tri::kFalse;
}

// Linear whatever the octets are, which std::string_view::find is not.
std::size_t find_octets(std::string_view value, std::string_view part) {
  const void* at = ::memmem(value.data(), value.size(), part.data(), part.size());
  if (at == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(at) - value.data());
}

// Takes a price from what is left. False: too little is, and what it was for is not to be done.
bool spend(EvaluationContext& context, std::uint64_t price) {
  if (context.exhausted) return false;
  context.exhausted = price > context.work_left;
  context.work_left -= context.exhausted ? 0 : price;
  return !context.exhausted;
}

std::uint64_t comparison_work(const CompiledNode& node, std::string_view value) {
  std::uint64_t price = kValueWork + normal_form_work(*node.rule, value);
  if (node.comparison == Comparison::kSubstrings) price += kSearchWork * value.size();
  return price;
}

// Whether the parts stand in the value in their order, one behind the other.
bool has_parts(std::string_view value, const std::vector<CompiledNode::Part>& parts) {
  for (const CompiledNode::Part& part : parts) {
    switch (part.kind) {
      case SubstringPartKind::kInitial:
        if (!value.starts_with(part.normal)) return false;
        value.remove_prefix(part.normal.size());
        break;
      case SubstringPartKind::kAny: {
        const std::size_t at = find_octets(value, part.normal);
        if (at == std::string_view::npos) return false;
        value.remove_prefix(at + part.normal.size());
        break;
      }
      case SubstringPartKind::kFinal:
        if (!value.ends_with(part.normal)) return false;
        break;
    }
  }
  return true;
}

}  // namespace

// What for_each() over outside values carries.
struct CompiledFilter::ValueWalk {
  const CompiledFilter& filter;
  const CompiledNode& node;
  EvaluationContext& context;
  Tri result = Tri::kFalse;
};

Result<Tri> CompiledFilter::evaluate(EvaluationContext& context) const {
  KAURI_ASSERT(!nodes_.empty());
  context.work_left = limits::kFilterWorkMax;
  context.exhausted = false;
  const Result<Tri> result = evaluate_node(0, context);
  if (context.exhausted) {
    limits::count(limits::Counter::kFilterWork);
    return limit_exceeded("the filter takes more than the limit of " +
                          std::to_string(limits::kFilterWorkMax) +
                          " steps of work on one entry: ask for fewer values at once");
  }
  return result;
}

Result<Tri> CompiledFilter::evaluate_node(std::size_t index, EvaluationContext& context) const {
  const CompiledNode& node = nodes_[index];
  if (node.is_leaf()) return evaluate_leaf(node, context);
  return evaluate_children(index, context);
}

// The depth of a filter is limited (limits::kFilterDepthMax), and so is this recursion.
Result<Tri> CompiledFilter::evaluate_children(std::size_t index, EvaluationContext& context) const {
  const CompiledNode& node = nodes_[index];
  if (node.kind == FilterKind::kNot) {
    KAURI_TRY(const Tri child, evaluate_node(index + 1, context));
    return negated(child);
  }
  const bool is_or = node.kind == FilterKind::kOr;
  const Tri decisive = truth(is_or);
  Tri result = truth(!is_or);
  for (std::size_t child = index + 1; child < node.end; child = nodes_[child].end) {
    KAURI_TRY(const Tri tri, evaluate_node(child, context));
    if (tri == decisive) return decisive;
    if (tri == Tri::kUndefined) result = Tri::kUndefined;
  }
  return result;
}

Result<Tri> CompiledFilter::evaluate_leaf(const CompiledNode& node,
                                          EvaluationContext& context) const {
  if (node.undefined || !spend(context, kLookWork)) return Tri::kUndefined;
  Tri result = Tri::kFalse;
  if (node.description.type == nullptr) {
    KAURI_TRY(result, evaluate_rule_alone(node, context));
  } else {
    KAURI_TRY(result, evaluate_stored(node, context));
    if (result != Tri::kTrue && node.may_be_computed && context.computed != nullptr)
      result = either(result, evaluate_computed(node, context));
  }
  if (result != Tri::kTrue && node.dn_attributes)
    result = either(result, evaluate_names(node, context));
  return result;
}

Result<Tri> CompiledFilter::evaluate_stored(const CompiledNode& node,
                                            EvaluationContext& context) const {
  AccessTarget& target = *context.target;
  Tri result = Tri::kFalse;
  for (const AttributeNumber number : node.numbers) {
    if (!spend(context, kLookWork)) return Tri::kUndefined;
    const schema::AttributeType& type = *dictionary_->description(number).type;
    // Asked whether the entry has the attribute or not: else a NOT would tell.
    if (!context.authorizer->may(target, number, type, Right::kSearch) &&
        !KAURI_PLANTED_FAULT("unreadable-is-compared")) {
      result = Tri::kUndefined;
      continue;
    }
    const auto slot = target.entry()->find(number);
    if (!slot) continue;
    KAURI_TRY(const Tri tri, test_slot(node, *slot, type, context));
    if (tri == Tri::kTrue) return tri;
    result = either(result, tri);
  }
  if (result == Tri::kUndefined) return result;
  const bool all_searchable = std::all_of(
      node.unstored_types.begin(), node.unstored_types.end(),
      [&](const auto* type) { return context.authorizer->may(target, *type, Right::kSearch); });
  return all_searchable ? result : Tri::kUndefined;
}

Result<Tri> CompiledFilter::test_slot(const CompiledNode& node, const entry::AttributeSlot& slot,
                                      const schema::AttributeType& type,
                                      EvaluationContext& context) const {
  if (node.comparison == Comparison::kPresence) return Tri::kTrue;
  ValueWalk walk{*this, node, context};
  if (!slot.external) {
    for (const std::string_view value : slot.values) {
      walk.result = either(walk.result, test_value(node, value, context));
      if (walk.result == Tri::kTrue || context.exhausted) break;
    }
    return walk.result;
  }
  if (context.external == nullptr)
    return Error(ErrorCode::kInternal, "a filter meets values outside the record without a reader");
  const EntryId id = context.target->id();
  if (node.comparison == Comparison::kOctets && node.rule == type.equality) {
    KAURI_TRY(const bool found, context.external->contains(id, slot.number, node.normal_assertion));
    return truth(found);
  }
  const auto visit = [](void* state, std::string_view value) {
    auto& at = *static_cast<ValueWalk*>(state);
    at.result = either(at.result, at.filter.test_value(at.node, value, at.context));
    return at.result != Tri::kTrue && !at.context.exhausted;
  };
  KAURI_CHECK(context.external->for_each(id, slot, visit, &walk));
  return walk.result;
}

Tri CompiledFilter::test_value(const CompiledNode& node, std::string_view value,
                               EvaluationContext& context) const {
  if (node.comparison == Comparison::kPresence) return Tri::kTrue;
  if (!spend(context, comparison_work(node, value))) return Tri::kUndefined;
  if (node.comparison == Comparison::kObjectClass) {
    const schema::ObjectClass* object_class = schema_->object_class(value);
    return truth(object_class != nullptr && object_class->is_subclass_of(*node.object_class));
  }
  scratch_.clear();
  if (!node.rule->normalize(*schema_, value, scratch_)) return Tri::kUndefined;
  switch (node.comparison) {
    case Comparison::kOctets:
      return truth(scratch_ == node.normal_assertion);
    case Comparison::kRule:
      return truth(node.rule->matches(scratch_, node.normal_assertion));
    case Comparison::kLess:
      return truth(scratch_ < node.normal_assertion);
    case Comparison::kAtLeast:
      return truth(scratch_ >= node.normal_assertion);
    case Comparison::kAtMost:
      return truth(scratch_ <= node.normal_assertion);
    case Comparison::kSubstrings:
      return truth(has_parts(scratch_, node.parts));
    case Comparison::kPresence:
    case Comparison::kObjectClass:
      break;
  }
  return Tri::kUndefined;
}

Tri CompiledFilter::evaluate_computed(const CompiledNode& node, EvaluationContext& context) const {
  const schema::AttributeType& type = *node.description.type;
  if (!node.description.options.empty()) return Tri::kFalse;
  std::vector<std::string> values;
  if (!context.computed->values(*context.target, type, values)) return Tri::kFalse;
  if (!context.authorizer->may(*context.target, type, Right::kSearch)) return Tri::kUndefined;
  Tri result = Tri::kFalse;
  for (const std::string& value : values) result = either(result, test_value(node, value, context));
  return result;
}

// A rule without an attribute: all attributes of the entry that it fits. One that may not be
// searched counts as if it were not there, so that nobody learns of it.
Result<Tri> CompiledFilter::evaluate_rule_alone(const CompiledNode& node,
                                                EvaluationContext& context) const {
  AccessTarget& target = *context.target;
  const entry::EntryView& entry = *target.entry();
  Tri result = Tri::kFalse;
  for (std::size_t i = 0; i < entry.attribute_count(); ++i) {
    if (!spend(context, kLookWork)) return Tri::kUndefined;
    const entry::AttributeSlot slot = entry.attribute(i);
    const schema::AttributeType& type = *dictionary_->description(slot.number).type;
    if (!rule_fits(*node.rule, type)) continue;
    if (!context.authorizer->may(target, slot.number, type, Right::kSearch)) continue;
    KAURI_TRY(const Tri tri, test_slot(node, slot, type, context));
    if (tri == Tri::kTrue) return tri;
    result = either(result, tri);
  }
  return result;
}

// ":dn:": the values of the entry's name, all levels (RFC 4511 section 4.5.1.7.7).
Tri CompiledFilter::evaluate_names(const CompiledNode& node, EvaluationContext& context) const {
  AccessTarget& target = *context.target;
  std::vector<std::string> names;
  const bool whole = context.computed != nullptr &&
                     context.computed->values(target, *schema_->well_known().entry_dn, names) &&
                     names.size() == 1;
  const std::string_view name = whole ? std::string_view(names[0]) : target.entry()->rdn();
  if (!spend(context, kNameWork * name.size())) return Tri::kUndefined;
  const auto dn = ldap::parse_dn(name);
  if (!dn) return Tri::kUndefined;
  const schema::AttributeType* asserted = node.description.type;
  if (asserted != nullptr && !node.description.options.empty()) return Tri::kFalse;
  // Without the names above, no match is not known to be one.
  Tri result = whole ? Tri::kFalse : Tri::kUndefined;
  for (const ldap::Rdn& rdn : dn->rdns) {
    for (const ldap::Ava& ava : rdn.avas) {
      const schema::AttributeType* type = schema_->attribute_type(ava.type);
      if (type == nullptr) continue;
      const bool applies =
          asserted != nullptr ? type->is_subtype_of(*asserted) : rule_fits(*node.rule, *type);
      if (!applies) continue;
      const bool may = context.authorizer->may(target, *type, Right::kSearch);
      // As in evaluate_rule_alone.
      if (!may && asserted == nullptr) continue;
      result = either(result, may ? test_value(node, ava.value, context) : Tri::kUndefined);
    }
  }
  return result;
}

}  // namespace kauri::query
