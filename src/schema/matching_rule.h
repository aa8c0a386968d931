// MatchingRule: how values of a syntax compare (RFC 4517 section 4, RFC 4518). One object for each
// rule, alive as long as the process; one file pair a family under schema/matching_rules/.
//
// The whole server works on *normal forms*: octets such that, for an equality rule, two values
// match exactly when their normal forms are equal, and, for an ordering rule, memcmp of normal
// forms orders them. Equality and ordering rules that belong together (caseIgnoreMatch and
// caseIgnoreOrderingMatch, integerMatch and integerOrderingMatch, ...) share one normal form, so
// one index serves equality, ordering and prefixes. Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::schema {

class Schema;

enum class RuleKind : std::uint8_t { kEquality, kOrdering, kSubstrings };
enum class SubstringPosition : std::uint8_t { kInitial, kAny, kFinal };

class MatchingRule {
 public:
  MatchingRule(std::string_view oid, std::string_view name, RuleKind kind,
               std::string_view assertion_syntax)
      : oid_(oid), name_(name), kind_(kind), assertion_syntax_(assertion_syntax) {}
  virtual ~MatchingRule() = default;
  MatchingRule(const MatchingRule&) = delete;
  MatchingRule& operator=(const MatchingRule&) = delete;

  std::string_view oid() const { return oid_; }
  std::string_view name() const { return name_; }
  RuleKind kind() const { return kind_; }
  std::string_view assertion_syntax() const { return assertion_syntax_; }
  // Which normal form this rule uses ("caseIgnore", "integer", ...): rules with the same one can
  // use the same index.
  virtual std::string_view normal_form() const = 0;

  // Appends the normal form of an attribute value to `out`. False (and `out` unchanged) when the
  // value cannot be normalised: it breaks the syntax, or preparation prohibits a character.
  // `schema` is needed by rules whose values name attribute types (distinguishedNameMatch,
  // objectIdentifierMatch).
  virtual bool normalize(const Schema& schema, std::string_view value, std::string& out) const = 0;
  // The same for an assertion value; differs from normalize() where the assertion syntax differs
  // from the value syntax (objectIdentifierFirstComponentMatch, bit rules).
  virtual bool normalize_assertion(const Schema& schema, std::string_view value,
                                   std::string& out) const {
    return normalize(schema, value, out);
  }
  // For substrings rules: the normal form of one part, to be searched as plain octets in normal
  // forms made by this rule's normalize(). Insignificant spaces as RFC 4518 section 2.6.1 treats
  // them at each position.
  virtual bool normalize_substring(const Schema& schema, SubstringPosition position,
                                   std::string_view part, std::string& out) const;
  // Whether a value's normal form satisfies an assertion's: equality by default; >= is memcmp for
  // ordering rules (callers decide the direction). Overridden by rules that are not a comparison of
  // octets (bit rules, word rules).
  virtual bool matches(std::string_view normal_value, std::string_view normal_assertion) const {
    return normal_value == normal_assertion;
  }
  // True when matches() is plain equality of octets, so an equality index can answer it.
  virtual bool is_octet_equality() const { return kind_ == RuleKind::kEquality; }

 private:
  std::string_view oid_;
  std::string_view name_;
  RuleKind kind_;
  std::string_view assertion_syntax_;
};

// By name (case-insensitive) or OID; nullptr when unknown.
const MatchingRule* find_matching_rule(std::string_view name_or_oid);

}  // namespace kauri::schema
