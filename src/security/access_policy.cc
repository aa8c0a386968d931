#include "security/access_policy.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "query/secret_values.h"
#include "security/access_rule.h"

namespace kauri::security {

PrivilegeMask privileges_needed(query::Right right) {
  switch (right) {
    case query::Right::kDisclose:
      return kPrivilegeDisclose;
    case query::Right::kAuth:
      return kPrivilegeAuth;
    case query::Right::kCompare:
      return kPrivilegeCompare;
    case query::Right::kSearch:
      return kPrivilegeSearch;
    case query::Right::kRead:
      return kPrivilegeRead;
    case query::Right::kAdd:
      return kPrivilegeAdd;
    case query::Right::kDelete:
      return kPrivilegeDelete;
    case query::Right::kWrite:
      return kPrivilegeWrite;
    case query::Right::kManage:
      return kPrivilegeManage;
  }
  // A right that nobody can have.
  return 0xffff;
}

bool dn_in_scope(std::string_view normal_dn, DnScope scope, std::string_view normal_base) {
  if (scope == DnScope::kAny) return true;
  if (!normal_dn.starts_with(normal_base)) return false;
  const std::string_view below = normal_dn.substr(normal_base.size());
  switch (scope) {
    case DnScope::kBase:
      return below.empty();
    case DnScope::kOne:
      // Each RDN of a normal DN ends with 0x01.
      return !below.empty() && below.find('\x01') == below.size() - 1;
    case DnScope::kChildren:
      return !below.empty();
    default:
      return true;
  }
}

PrivilegeMask apply(const WhoClause& clause, PrivilegeMask before) {
  switch (clause.change) {
    case WhoClause::Change::kAssign:
      return clause.privileges;
    case WhoClause::Change::kAdd:
      return before | clause.privileges;
    case WhoClause::Change::kRemove:
      return static_cast<PrivilegeMask>(before & ~clause.privileges);
  }
  return 0;
}

namespace {

using query::AccessAttribute;
using query::AccessTarget;
using query::Identity;
using query::Right;

// Numbers of the rules whose "attrs" hold for one attribute, in order.
using RuleList = std::vector<std::uint16_t>;
static_assert(kAccessRulesMax <= 0xffff);

// What the class and those above it require or allow.
std::unordered_set<const schema::AttributeType*> class_attributes(
    const schema::ObjectClass& object_class) {
  std::unordered_set<const schema::AttributeType*> out;
  std::unordered_set<const schema::ObjectClass*> seen = {&object_class};
  std::vector<const schema::ObjectClass*> waiting = {&object_class};
  while (!waiting.empty()) {
    const schema::ObjectClass* here = waiting.back();
    waiting.pop_back();
    out.insert(here->must.begin(), here->must.end());
    out.insert(here->may.begin(), here->may.end());
    for (const schema::ObjectClass* superior : here->superiors) {
      if (seen.insert(superior).second) waiting.push_back(superior);
    }
  }
  return out;
}

class Policy final : public AccessPolicy, public std::enable_shared_from_this<Policy> {
 public:
  Policy(std::vector<AccessRule> rules, std::shared_ptr<const schema::Schema> schema)
      : rules_(std::move(rules)), schema_(std::move(schema)) {
    entry_list_ = list_for(nullptr, AccessAttribute::Pseudo::kEntry);
    children_list_ = list_for(nullptr, AccessAttribute::Pseudo::kChildren);
    for (const schema::AttributeType* type : schema_->attribute_types()) {
      type_lists_.emplace(type, list_for(type, AccessAttribute::Pseudo::kNone));
    }
    class_attributes_.clear();
  }

  std::unique_ptr<query::Authorizer> authorizer(const Identity& identity) const override;

  std::vector<std::string> rules() const override {
    std::vector<std::string> out;
    out.reserve(rules_.size());
    for (const AccessRule& rule : rules_) out.push_back(rule.text);
    return out;
  }

  const AccessRule& rule(std::uint16_t number) const { return rules_[number]; }

  // An attribute that the schema of the rules does not know is under no rule: denied.
  const RuleList& rules_for(const AccessAttribute& attribute) const {
    static const RuleList kNone;
    switch (attribute.pseudo) {
      case AccessAttribute::Pseudo::kEntry:
        return lists_[entry_list_];
      case AccessAttribute::Pseudo::kChildren:
        return lists_[children_list_];
      case AccessAttribute::Pseudo::kNone:
        break;
    }
    if (attribute.type == nullptr) return kNone;
    auto found = type_lists_.find(attribute.type);
    if (found == type_lists_.end()) {
      // A definition from another snapshot of the schema: the same OID means the same type.
      found = type_lists_.find(schema_->attribute_type(attribute.type->oid));
    }
    return found == type_lists_.end() ? kNone : lists_[found->second];
  }

 private:
  // Equal lists are kept once: most attribute types are under the same rules.
  std::size_t list_for(const schema::AttributeType* type, AccessAttribute::Pseudo pseudo) {
    RuleList list;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (covers(rules_[i], type, pseudo)) list.push_back(static_cast<std::uint16_t>(i));
    }
    const auto [at, added] = list_numbers_.emplace(list, lists_.size());
    if (added) lists_.push_back(std::move(list));
    return at->second;
  }

  bool covers(const AccessRule& rule, const schema::AttributeType* type,
              AccessAttribute::Pseudo pseudo) {
    if (rule.all_attributes) return true;
    for (const AttributeItem& item : rule.attributes) {
      switch (item.kind) {
        case AttributeItem::Kind::kType:
          if (type != nullptr && type->is_subtype_of(*item.type)) return true;
          break;
        case AttributeItem::Kind::kEntry:
          if (pseudo == AccessAttribute::Pseudo::kEntry) return true;
          break;
        case AttributeItem::Kind::kChildren:
          if (pseudo == AccessAttribute::Pseudo::kChildren) return true;
          break;
        case AttributeItem::Kind::kClass:
          if (in_class(*item.object_class, type)) return true;
          break;
        case AttributeItem::Kind::kNotClass:
          if (!in_class(*item.object_class, type)) return true;
          break;
      }
    }
    return false;
  }

  bool in_class(const schema::ObjectClass& object_class, const schema::AttributeType* type) {
    if (&object_class == schema_->well_known().extensible_object) return true;
    auto found = class_attributes_.find(&object_class);
    if (found == class_attributes_.end()) {
      found = class_attributes_.emplace(&object_class, class_attributes(object_class)).first;
    }
    for (; type != nullptr; type = type->superior) {
      if (found->second.contains(type)) return true;
    }
    return false;
  }

  std::vector<AccessRule> rules_;
  std::shared_ptr<const schema::Schema> schema_;
  std::vector<RuleList> lists_;
  std::map<RuleList, std::size_t> list_numbers_;
  std::unordered_map<const schema::AttributeType*, std::size_t> type_lists_;
  std::size_t entry_list_ = 0;
  std::size_t children_list_ = 0;
  // Used while the lists are made.
  std::unordered_map<const schema::ObjectClass*, std::unordered_set<const schema::AttributeType*>>
      class_attributes_;
};

// Evaluates the rules for one identity. A decision has the same answer for every entry when all
// ways through the conditions on the entry (its name in a "to dn=...", "by self") lead to it; then
// it is given as kAlways or kNever and query::Authorizer remembers it.
class RuleAuthorizer final : public query::Authorizer {
 public:
  RuleAuthorizer(std::shared_ptr<const Policy> policy, Identity identity)
      : policy_(std::move(policy)), identity_(std::move(identity)) {}

  const Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(AccessTarget& target, const AccessAttribute& attribute, Right right) override {
    const RuleList& list = policy_->rules_for(attribute);
    const PrivilegeMask needed = privileges_needed(right);
    // Slots as query::Authorizer's. An attribute without a number is not remembered there: looking
    // at all ways through the rules would cost more than the answer for this one entry.
    std::optional<std::size_t> slot;
    if (attribute.pseudo == AccessAttribute::Pseudo::kEntry) slot = 0;
    if (attribute.pseudo == AccessAttribute::Pseudo::kChildren) slot = 1;
    if (attribute.pseudo == AccessAttribute::Pseudo::kNone && attribute.number.value() != 0) {
      slot = attribute.number.value() + std::size_t{2};
    }
    if (slot) {
      const std::size_t at = *slot * query::kRightCount + static_cast<std::size_t>(right);
      if (at >= depends_.size()) depends_.resize(at + 1, false);
      if (!depends_[at]) {
        if (const std::optional<bool> constant = same_for_all_entries(list, needed)) {
          return *constant ? Verdict::kAlways : Verdict::kNever;
        }
        depends_[at] = true;
      }
    }
    return evaluate(list, needed, target) ? Verdict::kAllow : Verdict::kDeny;
  }

 private:
  enum class Match : std::uint8_t { kNo, kYes, kDependsOnEntry };

  Match matches(const WhoClause& clause) const {
    switch (clause.who) {
      case WhoClause::Who::kAnyone:
        return Match::kYes;
      case WhoClause::Who::kAnonymous:
        return identity_.anonymous() ? Match::kYes : Match::kNo;
      case WhoClause::Who::kUsers:
        return identity_.anonymous() ? Match::kNo : Match::kYes;
      case WhoClause::Who::kSelf:
        return identity_.anonymous() ? Match::kNo : Match::kDependsOnEntry;
      case WhoClause::Who::kDn:
        return !identity_.anonymous() &&
                       dn_in_scope(identity_.normal_dn, clause.scope, clause.normal_dn)
                   ? Match::kYes
                   : Match::kNo;
    }
    return Match::kNo;
  }

  bool evaluate(const RuleList& list, PrivilegeMask needed, AccessTarget& target) const {
    PrivilegeMask privileges = 0;
    for (const std::uint16_t number : list) {
      const AccessRule& rule = policy_->rule(number);
      if (rule.scope != DnScope::kAny &&
          !dn_in_scope(target.normal_dn(), rule.scope, rule.normal_dn)) {
        continue;
      }
      bool go_on = false;
      for (const WhoClause& clause : rule.who) {
        const Match match = matches(clause);
        if (match == Match::kNo) continue;
        if (match == Match::kDependsOnEntry && target.normal_dn() != identity_.normal_dn) continue;
        privileges = apply(clause, privileges);
        if (clause.control == WhoClause::Control::kContinue) continue;
        if (clause.control == WhoClause::Control::kStop) return (privileges & needed) == needed;
        go_on = true;
        break;
      }
      // Every rule ends with an unwritten "by * none stop".
      if (!go_on) return false;
    }
    return false;
  }

  // Nothing when the answer depends on the entry, or when that would take too long to tell.
  std::optional<bool> same_for_all_entries(const RuleList& list, PrivilegeMask needed) const {
    struct State {
      std::size_t rule;    // position in the list
      std::size_t clause;  // position in the rule; kBefore: its dn is not looked at yet
      PrivilegeMask privileges;
    };
    constexpr std::size_t kBefore = static_cast<std::size_t>(-1);
    constexpr int kStepsMax = 1000;
    std::vector<State> open = {{0, kBefore, 0}};
    std::optional<bool> answer;
    for (int steps = 0; !open.empty(); ++steps) {
      if (steps == kStepsMax) return std::nullopt;
      State state = open.back();
      open.pop_back();
      std::optional<bool> end;
      if (state.rule == list.size()) {
        end = false;
      } else if (const AccessRule& rule = policy_->rule(list[state.rule]);
                 state.clause == kBefore) {
        if (rule.scope != DnScope::kAny)
          open.push_back({state.rule + 1, kBefore, state.privileges});
        open.push_back({state.rule, 0, state.privileges});
      } else if (state.clause == rule.who.size()) {
        end = false;
      } else {
        const WhoClause& clause = rule.who[state.clause];
        const Match match = matches(clause);
        if (match != Match::kYes) {
          open.push_back({state.rule, state.clause + 1, state.privileges});
        }
        if (match != Match::kNo) {
          const PrivilegeMask privileges = apply(clause, state.privileges);
          if (clause.control == WhoClause::Control::kStop) {
            end = (privileges & needed) == needed;
          } else if (clause.control == WhoClause::Control::kContinue) {
            open.push_back({state.rule, state.clause + 1, privileges});
          } else {
            open.push_back({state.rule + 1, kBefore, privileges});
          }
        }
      }
      if (end) {
        if (answer && *answer != *end) return std::nullopt;
        answer = end;
      }
    }
    return answer;
  }

  std::shared_ptr<const Policy> policy_;
  Identity identity_;
  std::vector<bool> depends_;  // by slot and right: known to depend on the entry
};

std::unique_ptr<query::Authorizer> Policy::authorizer(const Identity& identity) const {
  if (identity.administrator) return std::make_unique<query::AllowAll>(identity);
  return std::make_unique<RuleAuthorizer>(shared_from_this(), identity);
}

}  // namespace

Result<std::shared_ptr<const AccessPolicy>> AccessPolicy::compile(
    const std::vector<std::string>& rules, std::shared_ptr<const schema::Schema> schema) {
  if (rules.size() > kAccessRulesMax) {
    return limit_exceeded(std::to_string(rules.size()) + " access rules exceed the limit of " +
                          std::to_string(kAccessRulesMax));
  }
  std::vector<AccessRule> parsed;
  parsed.reserve(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Result<AccessRule> rule = parse_access_rule(rules[i], i + 1, *schema);
    if (!rule) {
      std::string lines;
      for (const AccessRuleMistake& mistake : mistakes(rules, *schema))
        lines += (lines.empty() ? "" : "\n") + mistake.error.message();
      return Error(rule.error().code(), std::move(lines));
    }
    parsed.push_back(std::move(*rule));
  }
  return std::shared_ptr<const AccessPolicy>(
      std::make_shared<Policy>(std::move(parsed), std::move(schema)));
}

std::vector<AccessRuleMistake> AccessPolicy::mistakes(const std::vector<std::string>& rules,
                                                      const schema::Schema& schema) {
  std::vector<AccessRuleMistake> out;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (Result<AccessRule> rule = parse_access_rule(rules[i], i + 1, schema); !rule)
      out.push_back({i, std::move(rule).error()});
  }
  return out;
}

std::shared_ptr<const AccessPolicy> AccessPolicy::defaults(
    std::shared_ptr<const schema::Schema> schema) {
  // One may change one's own password, but nobody reads a hash: hence "=xw", not "write".
  std::vector<std::string> rules = {
      "to attrs=userPassword by self =xw by anonymous auth by * none"};
  // Keys and hashes that other programs keep in the directory, where their schema is loaded.
  std::string secrets;
  for (const std::string_view name : query::kSecretNames) {
    if (schema->attribute_type(name) == nullptr) continue;
    secrets += secrets.empty() ? "" : ",";
    secrets += name;
  }
  if (!secrets.empty()) rules.push_back("to attrs=" + secrets + " by * none");
  rules.push_back("to * by users read by * none");
  Result<std::shared_ptr<const AccessPolicy>> policy = compile(rules, std::move(schema));
  KAURI_ASSERT(policy.has_value());
  return *policy;
}

}  // namespace kauri::security
