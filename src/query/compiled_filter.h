// CompiledFilter: a search filter bound to the schema and dictionary, with normalised assertion
// values; evaluates to True, False or Undefined (RFC 4511 section 4.5.1.7). An attribute that the
// identity may not search is Undefined.
//
// Owns everything it needs but the dictionary, which lives as long as its database: it outlives the
// request. Thread safety: thread-compatible (evaluate uses scratch buffers).
//
// What decides a leaf: the values under every stored description that the asserted one takes in
// (subtypes and options, RFC 4512 section 2.5), by the asserted type's rule. One that matches makes
// it True. Else it is Undefined when one of these descriptions, whether the entry has it or not,
// may not be searched, or one of the values has no normal form; else False.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "ldap/filter.h"
#include "query/access.h"
#include "schema/schema.h"

namespace kauri::query {

enum class Tri : std::uint8_t { kFalse, kTrue, kUndefined };

// How a leaf compares the normal form of a value with the assertion.
enum class Comparison : std::uint8_t {
  kPresence,
  kOctets,       // equal octets
  kRule,         // MatchingRule::matches()
  kObjectClass,  // the class or one of its subclasses: an entry belongs to all superclasses of its
                 // classes, whether they are among the values or not (RFC 4512 section 2.4)
  kLess,         // an ordering rule in an extensible filter (RFC 4517 section 4.2.20)
  kAtLeast,
  kAtMost,
  kSubstrings,
};

// A piece of CompiledFilter's copy of the request.
struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct CompiledNode {
  ldap::FilterKind kind = ldap::FilterKind::kPresent;
  std::uint32_t end = 0;
  bool undefined = false;  // unknown attribute, unfit rule or bad assertion value: always Undefined
  bool dn_attributes = false;
  bool is_object_class_presence = false;  // (objectClass=*): true of every entry
  Comparison comparison = Comparison::kPresence;
  bool may_be_computed = false;                       // values may come from ComputedValues
  schema::AttributeDescription description;           // type is nullptr where a rule alone is given
  const schema::ObjectClass* object_class = nullptr;  // kObjectClass
  const schema::MatchingRule* rule = nullptr;         // the rule that compares
  std::vector<AttributeNumber> numbers;             // stored descriptions to look at, when compiled
  std::vector<const schema::AttributeType*> types;  // the types of `numbers`, each once
  // The type and those of its subtypes of which nothing is stored anywhere: whether they may be
  // searched matters all the same, else an answer would tell of what others have stored.
  std::vector<const schema::AttributeType*> unstored_types;
  std::string normal_assertion;
  struct Part {
    ldap::SubstringPartKind kind;
    std::string normal;
    TextRange text;
  };
  std::vector<Part> parts;
  // As sent, for describe().
  TextRange attribute_text;
  TextRange value_text;
  TextRange rule_text;

  bool is_leaf() const { return kind > ldap::FilterKind::kNot; }
};

// Values that exist only when asked for (entryDN, hasSubordinates, numSubordinates,
// subschemaSubentry).
class ComputedValues {
 public:
  virtual ~ComputedValues() = default;
  // Appends the values of a computed attribute type for the entry; false when the type is not
  // computed.
  virtual bool values(AccessTarget& target, const schema::AttributeType& type,
                      std::vector<std::string>& out) = 0;
};

struct EvaluationContext {
  AccessTarget* target = nullptr;  // entry() is set
  Authorizer* authorizer = nullptr;
  entry::ExternalValues* external = nullptr;
  ComputedValues* computed = nullptr;
  // What may still be spent on this entry (limits::kFilterWorkMax); evaluate() fills it.
  std::uint64_t work_left = limits::kFilterWorkMax;
  bool exhausted = false;
};

class CompiledFilter {
 public:
  // Never fails: what cannot be compiled is Undefined.
  static CompiledFilter compile(const ldap::Filter& filter, const entry::Dictionary& dictionary);
  // The same into this object, whose buffers are used again.
  void assign(const ldap::Filter& filter, const entry::Dictionary& dictionary);

  // RETURNS: kCorruption, kIo from reading values outside the record; kLimit when it would take
  // more than limits::kFilterWorkMax.
  Result<Tri> evaluate(EvaluationContext& context) const;
  // One subtree of it: the node at `index`, out of context.work_left.
  Result<Tri> evaluate_node(std::size_t index, EvaluationContext& context) const;

  const std::vector<CompiledNode>& nodes() const { return nodes_; }
  const schema::Schema& schema() const { return *schema_; }
  // About how many octets it holds.
  std::size_t memory() const;
  // RFC 4515 text of the subtree at `index`, for explain and logs.
  std::string describe(std::size_t index) const;

 private:
  struct ValueWalk;

  void compile_leaf(const ldap::Filter& filter, const ldap::FilterNode& from, CompiledNode& node);
  bool bind_attribute(std::string_view text, CompiledNode& node) const;
  bool compile_comparison(const ldap::FilterNode& from, CompiledNode& node) const;
  bool compile_substrings(const ldap::Filter& filter, const ldap::FilterNode& from,
                          CompiledNode& node);
  bool compile_extensible(const ldap::FilterNode& from, CompiledNode& node);
  bool compile_substring_assertion(std::string_view assertion, CompiledNode& node);
  bool add_part(CompiledNode& node, ldap::SubstringPartKind kind, std::string_view part);
  bool compile_equality(std::string_view assertion, CompiledNode& node) const;
  TextRange keep(std::string_view text);
  std::string_view text(TextRange range) const;

  Result<Tri> evaluate_children(std::size_t index, EvaluationContext& context) const;
  Result<Tri> evaluate_leaf(const CompiledNode& node, EvaluationContext& context) const;
  Result<Tri> evaluate_stored(const CompiledNode& node, EvaluationContext& context) const;
  Result<Tri> evaluate_rule_alone(const CompiledNode& node, EvaluationContext& context) const;
  Tri evaluate_computed(const CompiledNode& node, EvaluationContext& context) const;
  Tri evaluate_names(const CompiledNode& node, EvaluationContext& context) const;
  Result<Tri> test_slot(const CompiledNode& node, const entry::AttributeSlot& slot,
                        const schema::AttributeType& type, EvaluationContext& context) const;
  Tri test_value(const CompiledNode& node, std::string_view value,
                 EvaluationContext& context) const;

  const entry::Dictionary* dictionary_ = nullptr;
  const schema::Schema* schema_ = nullptr;
  std::vector<CompiledNode> nodes_;
  std::string text_;             // what TextRange means
  mutable std::string scratch_;  // the normal form of the value that is tested
};

// Whether the rule may be used in an extensible match on values of the type (RFC 4511 section
// 4.5.1.7.7): it is one of the type's own, or made for its syntax.
bool rule_fits(const schema::MatchingRule& rule, const schema::AttributeType& type);

}  // namespace kauri::query
