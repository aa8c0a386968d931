// Compiling: binding a filter to the schema and the dictionary.
#include <algorithm>

#include "index/index_keys.h"
#include "query/compiled_filter.h"
#include "query/secret_values.h"
#include "schema/matching_rules/rule_table.h"

namespace kauri::query {
namespace {

using ldap::FilterKind;
using ldap::SubstringPartKind;

schema::SubstringPosition position_of(SubstringPartKind kind) {
  switch (kind) {
    case SubstringPartKind::kInitial:
      return schema::SubstringPosition::kInitial;
    case SubstringPartKind::kFinal:
      return schema::SubstringPosition::kFinal;
    case SubstringPartKind::kAny:
      break;
  }
  return schema::SubstringPosition::kAny;
}

// Keeps the buffers of the node.
void reset(CompiledNode& node, const ldap::FilterNode& from) {
  node.kind = from.kind;
  node.end = from.end;
  node.undefined = false;
  node.dn_attributes = from.dn_attributes;
  node.is_object_class_presence = false;
  node.comparison = Comparison::kPresence;
  node.may_be_computed = false;
  node.description.type = nullptr;
  node.description.options.clear();
  node.object_class = nullptr;
  node.rule = nullptr;
  node.numbers.clear();
  node.types.clear();
  node.unstored_types.clear();
  node.normal_assertion.clear();
  node.parts.clear();
  node.attribute_text = node.value_text = node.rule_text = {};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The octets of one part of a Substring Assertion (RFC 4517 section 3.3.30): "\2A" and "\5C" stand
// for the two characters that have a meaning. False for another escape.
bool unescape_part(std::string_view part, std::string& out) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '\\') {
      out += part[i];
      continue;
    }
    if (i + 2 >= part.size()) return false;
    const int high = hex_digit(part[i + 1]);
    const int low = hex_digit(part[i + 2]);
    const int octet = high * 16 + low;
    if (high < 0 || low < 0 || (octet != '*' && octet != '\\')) return false;
    out += static_cast<char>(octet);
    i += 2;
  }
  return true;
}

}  // namespace

bool rule_fits(const schema::MatchingRule& rule, const schema::AttributeType& type) {
  if (&rule == type.equality || &rule == type.ordering || &rule == type.substrings) return true;
  return type.syntax != nullptr && schema::rules::rule_fits_syntax(rule, type.syntax->oid());
}

CompiledFilter CompiledFilter::compile(const ldap::Filter& filter,
                                       const entry::Dictionary& dictionary) {
  CompiledFilter compiled;
  compiled.assign(filter, dictionary);
  return compiled;
}

void CompiledFilter::assign(const ldap::Filter& filter, const entry::Dictionary& dictionary) {
  dictionary_ = &dictionary;
  schema_ = &dictionary.schema();
  text_.clear();
  nodes_.resize(filter.nodes.size());
  for (std::size_t i = 0; i < filter.nodes.size(); ++i) {
    reset(nodes_[i], filter.nodes[i]);
    if (nodes_[i].is_leaf()) compile_leaf(filter, filter.nodes[i], nodes_[i]);
  }
}

std::size_t CompiledFilter::memory() const {
  // The text is there as it was sent and, at most twice as long, in normal forms.
  std::size_t octets = nodes_.capacity() * sizeof(CompiledNode) + 3 * text_.capacity();
  for (const CompiledNode& node : nodes_) {
    octets += node.parts.capacity() * sizeof(CompiledNode::Part) +
              node.numbers.capacity() * sizeof(AttributeNumber) +
              node.types.capacity() * sizeof(const schema::AttributeType*);
  }
  return octets;
}

TextRange CompiledFilter::keep(std::string_view text) {
  const TextRange range{static_cast<std::uint32_t>(text_.size()),
                        static_cast<std::uint32_t>(text.size())};
  text_.append(text);
  return range;
}

std::string_view CompiledFilter::text(TextRange range) const {
  return std::string_view(text_).substr(range.begin, range.size);
}

void CompiledFilter::compile_leaf(const ldap::Filter& filter, const ldap::FilterNode& from,
                                  CompiledNode& node) {
  node.attribute_text = keep(from.attribute);
  node.value_text = keep(from.value);
  node.rule_text = keep(from.matching_rule);
  bool defined = false;
  switch (from.kind) {
    case FilterKind::kSubstrings:
      defined = compile_substrings(filter, from, node);
      break;
    case FilterKind::kExtensible:
      defined = compile_extensible(from, node);
      break;
    case FilterKind::kPresent:
      defined = bind_attribute(from.attribute, node);
      node.is_object_class_presence = defined && node.description.options.empty() &&
                                      node.description.type == schema_->well_known().object_class;
      break;
    default:
      defined = compile_comparison(from, node);
      break;
  }
  node.undefined = !defined;
}

bool CompiledFilter::bind_attribute(std::string_view text, CompiledNode& node) const {
  auto description = schema_->attribute_description(text);
  if (!description) return false;
  node.description = std::move(*description);
  if (node.description.options.empty()) {
    const auto numbers = dictionary_->numbers_of(*node.description.type);
    node.numbers.assign(numbers.begin(), numbers.end());
  } else {
    node.numbers = dictionary_->numbers_under(node.description);
  }
  for (const AttributeNumber number : node.numbers) {
    const schema::AttributeType* type = dictionary_->description(number).type;
    if (std::find(node.types.begin(), node.types.end(), type) == node.types.end())
      node.types.push_back(type);
  }
  for (const schema::AttributeType* type : dictionary_->types_under(*node.description.type)) {
    if (std::find(node.types.begin(), node.types.end(), type) == node.types.end())
      node.unstored_types.push_back(type);
  }
  // Computed attributes are operational, or such as no entry stores.
  node.may_be_computed = node.numbers.empty() || node.description.type->operational();
  return true;
}

bool CompiledFilter::compile_equality(std::string_view assertion, CompiledNode& node) const {
  node.comparison = node.rule->is_octet_equality() ? Comparison::kOctets : Comparison::kRule;
  return node.rule->normalize_assertion(*schema_, assertion, node.normal_assertion);
}

bool CompiledFilter::compile_comparison(const ldap::FilterNode& from, CompiledNode& node) const {
  if (!bind_attribute(from.attribute, node)) return false;
  const schema::AttributeType& type = *node.description.type;
  const bool ordered =
      from.kind == FilterKind::kGreaterOrEqual || from.kind == FilterKind::kLessOrEqual;
  node.rule = ordered ? type.ordering : type.equality;
  if (node.rule == nullptr) return false;
  if (ordered) {
    node.comparison =
        from.kind == FilterKind::kGreaterOrEqual ? Comparison::kAtLeast : Comparison::kAtMost;
    return node.rule->normalize_assertion(*schema_, from.value, node.normal_assertion);
  }
  if (&type == schema_->well_known().object_class) {
    node.object_class = schema_->object_class(from.value);
    if (node.object_class != nullptr) {
      node.comparison = Comparison::kObjectClass;
      return index::normal_object_class(*schema_, from.value, node.normal_assertion);
    }
  }
  return compile_equality(from.value, node);
}

bool CompiledFilter::add_part(CompiledNode& node, SubstringPartKind kind, std::string_view part) {
  CompiledNode::Part& compiled = node.parts.emplace_back();
  compiled.kind = kind;
  compiled.text = keep(part);
  return node.rule->normalize_substring(*schema_, position_of(kind), part, compiled.normal);
}

bool CompiledFilter::compile_substrings(const ldap::Filter& filter, const ldap::FilterNode& from,
                                        CompiledNode& node) {
  const bool bound = bind_attribute(from.attribute, node);
  node.comparison = Comparison::kSubstrings;
  node.rule = bound ? node.description.type->substrings : nullptr;
  bool defined = node.rule != nullptr;
  for (std::uint32_t i = from.parts_begin; i < from.parts_end; ++i) {
    const ldap::SubstringPart& part = filter.parts[i];
    if (defined) {
      defined = add_part(node, part.kind, part.value);
    } else {
      node.parts.push_back({part.kind, {}, keep(part.value)});
    }
  }
  return defined;
}

bool CompiledFilter::compile_substring_assertion(std::string_view assertion, CompiledNode& node) {
  node.comparison = Comparison::kSubstrings;
  bool starred = false;
  for (std::size_t begin = 0;;) {
    const std::size_t star = assertion.find('*', begin);
    const bool is_last = star == std::string_view::npos;
    std::string part;
    if (!unescape_part(assertion.substr(begin, is_last ? star : star - begin), part)) return false;
    if (is_last && !starred) return false;
    const SubstringPartKind kind = is_last    ? SubstringPartKind::kFinal
                                   : !starred ? SubstringPartKind::kInitial
                                              : SubstringPartKind::kAny;
    if (!part.empty() && !add_part(node, kind, part)) return false;
    if (is_last) return !node.parts.empty();
    starred = true;
    begin = star + 1;
  }
}

bool CompiledFilter::compile_extensible(const ldap::FilterNode& from, CompiledNode& node) {
  if (!from.attribute.empty()) {
    if (!bind_attribute(from.attribute, node)) return false;
    node.rule = node.description.type->equality;
  }
  if (!from.matching_rule.empty()) node.rule = schema::find_matching_rule(from.matching_rule);
  if (node.rule == nullptr) return false;
  if (node.description.type != nullptr && !rule_fits(*node.rule, *node.description.type))
    return false;
  switch (node.rule->kind()) {
    case schema::RuleKind::kSubstrings:
      return compile_substring_assertion(from.value, node);
    case schema::RuleKind::kOrdering:
      node.comparison = Comparison::kLess;
      return node.rule->normalize_assertion(*schema_, from.value, node.normal_assertion);
    case schema::RuleKind::kEquality:
      break;
  }
  return compile_equality(from.value, node);
}

std::string CompiledFilter::describe(std::size_t index) const {
  ldap::Filter filter;
  const std::size_t end = nodes_[index].end;
  for (std::size_t i = index; i < end; ++i) {
    const CompiledNode& node = nodes_[i];
    ldap::FilterNode& out = filter.nodes.emplace_back();
    out.kind = node.kind;
    out.dn_attributes = node.dn_attributes;
    out.end = static_cast<std::uint32_t>(node.end - index);
    const schema::AttributeType* type = node.description.type;
    const bool secret = type != nullptr && is_secret(*schema_, *type);
    out.attribute = text(node.attribute_text);
    out.value = secret ? "[hidden]" : text(node.value_text);
    out.matching_rule = text(node.rule_text);
    if (node.kind != FilterKind::kSubstrings) continue;
    out.parts_begin = static_cast<std::uint32_t>(filter.parts.size());
    for (const CompiledNode::Part& part : node.parts)
      filter.parts.push_back({part.kind, secret ? "[hidden]" : text(part.text)});
    out.parts_end = static_cast<std::uint32_t>(filter.parts.size());
  }
  return ldap::to_string(filter);
}

}  // namespace kauri::query
