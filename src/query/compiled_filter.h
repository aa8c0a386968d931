// CompiledFilter: a search filter bound to the schema and dictionary, with normalised assertion
// values; evaluates to True, False or Undefined (RFC 4511 section 4.5.1.7). An attribute that the
// identity may not search is Undefined.
//
// Owns everything it needs: outlives the request. Thread safety: thread-compatible (evaluate uses
// scratch buffers).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "ldap/filter.h"
#include "query/access.h"
#include "schema/schema.h"

namespace kauri::query {

enum class Tri : std::uint8_t { kFalse, kTrue, kUndefined };

struct CompiledNode {
  ldap::FilterKind kind = ldap::FilterKind::kPresent;
  std::uint32_t end = 0;
  bool undefined = false;  // unknown attribute, unfit rule or bad assertion value: always Undefined
  bool dn_attributes = false;
  bool is_object_class_presence = false;  // (objectClass=*): true of every entry
  schema::AttributeDescription description;
  const schema::MatchingRule* rule = nullptr;  // the rule that compares
  std::vector<AttributeNumber> numbers;        // stored descriptions to look at, when compiled
  std::string normal_assertion;
  struct Part {
    ldap::SubstringPartKind kind;
    std::string normal;
  };
  std::vector<Part> parts;
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
};

class CompiledFilter {
 public:
  // Never fails: what cannot be compiled is Undefined.
  static CompiledFilter compile(const ldap::Filter& filter, const entry::Dictionary& dictionary);

  // RETURNS: kCorruption, kIo from reading values outside the record.
  Result<Tri> evaluate(EvaluationContext& context) const;
  // One subtree of it: the node at `index`.
  Result<Tri> evaluate_node(std::size_t index, EvaluationContext& context) const;

  const std::vector<CompiledNode>& nodes() const { return nodes_; }
  // RFC 4515 text of one leaf, for explain and logs.
  std::string describe(std::size_t index) const;

 private:
  std::vector<CompiledNode> nodes_;
};

}  // namespace kauri::query
