// One access rule in parsed form (slapd.access(5)): "to <what> [by <who> <access> <control>]+".
// Internal to security/: access_parse.cc makes it, access_policy.cc evaluates it.
//
// Thread safety: immutable values. Pointers live as long as the schema they came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/access.h"
#include "schema/schema.h"

namespace kauri::security {

// --- Bounds of a configuration, far above any that people write ---
inline constexpr std::size_t kAccessRulesMax = 4096;
inline constexpr std::size_t kAccessRuleSizeMax = 64U * 1024U;

// --- Privileges: one bit each ---
using PrivilegeMask = std::uint16_t;
inline constexpr PrivilegeMask kPrivilegeDisclose = 1U << 0U;
inline constexpr PrivilegeMask kPrivilegeAuth = 1U << 1U;
inline constexpr PrivilegeMask kPrivilegeCompare = 1U << 2U;
inline constexpr PrivilegeMask kPrivilegeSearch = 1U << 3U;
inline constexpr PrivilegeMask kPrivilegeRead = 1U << 4U;
inline constexpr PrivilegeMask kPrivilegeManage = 1U << 5U;
// Adding and deleting share a bit, as in slapd: who takes one of them away ("-a") takes both.
inline constexpr PrivilegeMask kPrivilegeEitherWrite = 1U << 6U;
inline constexpr PrivilegeMask kPrivilegeAdd = (1U << 7U) | kPrivilegeEitherWrite;
inline constexpr PrivilegeMask kPrivilegeDelete = (1U << 8U) | kPrivilegeEitherWrite;
inline constexpr PrivilegeMask kPrivilegeWrite = kPrivilegeAdd | kPrivilegeDelete;

// The privileges that all must be there for `right`.
PrivilegeMask privileges_needed(query::Right right);

enum class DnScope : std::uint8_t { kAny, kBase, kOne, kSubtree, kChildren };

// REQUIRES: both in the form of schema::normalize_dn.
bool dn_in_scope(std::string_view normal_dn, DnScope scope, std::string_view normal_base);

struct AttributeItem {
  enum class Kind : std::uint8_t {
    kType,      // the type and its subtypes
    kClass,     // "@class": what the class requires or allows, inherited included
    kNotClass,  // "!class": everything else
    kEntry,     // the pseudo-attributes
    kChildren
  } kind = Kind::kType;
  const schema::AttributeType* type = nullptr;
  const schema::ObjectClass* object_class = nullptr;
};

struct WhoClause {
  enum class Who : std::uint8_t { kAnyone, kAnonymous, kUsers, kSelf, kDn } who = Who::kAnyone;
  DnScope scope = DnScope::kBase;  // of kDn
  std::string normal_dn;           // of kDn

  enum class Change : std::uint8_t { kAssign, kAdd, kRemove } change = Change::kAssign;
  PrivilegeMask privileges = 0;

  enum class Control : std::uint8_t { kStop, kContinue, kBreak } control = Control::kStop;
};

// What a clause leaves of the privileges collected so far.
PrivilegeMask apply(const WhoClause& clause, PrivilegeMask before);

struct AccessRule {
  std::string text;  // as it was given
  DnScope scope = DnScope::kAny;
  std::string normal_dn;
  bool all_attributes = true;  // no "attrs="
  std::vector<AttributeItem> attributes;
  std::vector<WhoClause> who;  // at least one
};

// `number` counts from 1 and names the rule in errors.
// RETURNS: kInvalid, kLimit: "access rule N, column C: ..." with the word found and what was
// expected.
Result<AccessRule> parse_access_rule(std::string_view text, std::size_t number,
                                     const schema::Schema& schema);

}  // namespace kauri::security
