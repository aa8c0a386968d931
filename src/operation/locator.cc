#include "operation/locator.h"

#include <algorithm>
#include <utility>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "operation/referral.h"
#include "schema/dn_normal.h"

namespace kauri::operation {

using ldap::OperationResult;
using ldap::ResultCode;
using query::Right;

Locator::Locator(backend::ReadSession& read, query::Authorizer& authorizer)
    : read_(read),
      authorizer_(authorizer),
      dictionary_(read.database().dictionary()),
      schema_(dictionary_.schema()),
      alias_numbers_(dictionary_.numbers_of(*schema_.well_known().aliased_object_name)),
      ref_numbers_(dictionary_.numbers_of(*schema_.well_known().ref)) {}

bool Locator::has_class(const entry::EntryView& view,
                        const schema::ObjectClass& object_class) const {
  for (const AttributeNumber number : dictionary_.numbers_of(*schema_.well_known().object_class)) {
    const auto slot = view.find(number);
    if (!slot.has_value()) continue;
    for (const std::string_view value : slot->values) {
      if (schema_.object_class(value) == &object_class) return true;
    }
  }
  return false;
}

bool Locator::is_alias(const entry::EntryView& view) const {
  for (const AttributeNumber number : alias_numbers_) {
    if (view.find(number).has_value()) return has_class(view, *schema_.well_known().alias);
  }
  return false;
}

bool Locator::is_referral(const entry::EntryView& view) const {
  for (const AttributeNumber number : ref_numbers_) {
    if (view.find(number).has_value()) return has_class(view, *schema_.well_known().referral);
  }
  return false;
}

Result<OperationResult> Locator::no_such_object(std::string_view text, EntryId deepest) {
  std::string why = "there is no entry " + quoted(text);
  // Said of missing and of hidden names alike, so it tells nothing of either.
  if (authorizer_.identity().anonymous()) why += ", or it may not be seen without logging in";
  OperationResult result = ldap::failure(ResultCode::kNoSuchObject, std::move(why));
  KAURI_CHECK(append_disclosed_dn(deepest, result.matched_dn));
  return result;
}

Result<void> Locator::append_disclosed_dn(EntryId deepest, std::string& out) {
  for (EntryId id = deepest; id != EntryId();) {
    KAURI_TRY(const entry::EntryView view, read_.required_entry(id));
    backend::StoredTarget target(read_, id, view);
    if (authorizer_.may_entry(target, Right::kDisclose)) return read_.append_dn(view, out);
    id = view.parent();
  }
  return {};
}

Result<bool> Locator::may(EntryId id, Right right) {
  if (id == EntryId()) return false;
  KAURI_TRY(const entry::EntryView view, read_.required_entry(id));
  backend::StoredTarget target(read_, id, view);
  return authorizer_.may_entry(target, right);
}

Result<bool> Locator::known_ancestor(const backend::Resolution& resolution, std::size_t levels) {
  if (resolution.rdns_missing > levels) return false;
  EntryId id = resolution.id.value_or(resolution.deepest);
  for (std::size_t level = resolution.rdns_missing; level < levels; ++level) {
    if (id == EntryId()) return false;
    KAURI_TRY(const entry::EntryView view, read_.required_entry(id));
    id = view.parent();
  }
  return may(id, Right::kDisclose);
}

std::optional<Name> Locator::alias_target(EntryId id, const entry::EntryView& view) {
  backend::StoredTarget target(read_, id, view);
  if (!authorizer_.may_entry(target, Right::kSearch)) return std::nullopt;
  for (const AttributeNumber number : alias_numbers_) {
    const auto slot = view.find(number);
    if (!slot.has_value()) continue;
    const schema::AttributeType& type = *dictionary_.description(number).type;
    if (!authorizer_.may(target, number, type, Right::kSearch)) return std::nullopt;
    for (const std::string_view value : slot->values) {
      Name name;
      if (parse_name(schema_, value, name).has_value()) continue;
      if (!schema::is_same_or_below(name.normal, read_.database().suffix_normal())) continue;
      return name;
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>> Locator::referral_uris(EntryId id, const entry::EntryView& view,
                                                        std::string_view below,
                                                        std::optional<ldap::Scope> scope) {
  std::vector<std::string> uris;
  backend::StoredTarget target(read_, id, view);
  if (!authorizer_.may_entry(target, Right::kRead)) return uris;
  std::string dn;
  KAURI_CHECK(read_.append_dn(view, dn));
  for (const AttributeNumber number : ref_numbers_) {
    const auto slot = view.find(number);
    if (!slot.has_value()) continue;
    const schema::AttributeType& type = *dictionary_.description(number).type;
    if (!authorizer_.may(target, number, type, Right::kRead)) continue;
    for (const std::string_view value : slot->values) {
      uris.push_back(referral_uri(value, {below, dn, scope}));
    }
  }
  return uris;
}

Result<std::optional<OperationResult>> Locator::referral_above(
    const Name& name, const backend::Resolution& resolution, const LocateOptions& options) {
  std::optional<OperationResult> found;
  std::size_t below = resolution.rdns_missing;
  // The topmost one decides: everything under it is held elsewhere.
  for (EntryId id = resolution.id.value_or(resolution.deepest); id != EntryId(); ++below) {
    KAURI_TRY(const entry::EntryView view, read_.required_entry(id));
    if (is_referral(view)) {
      ldap::Dn relative;
      relative.rdns.assign(name.dn.rdns.begin(),
                           name.dn.rdns.begin() + static_cast<std::ptrdiff_t>(below));
      KAURI_TRY(std::vector<std::string> uris,
                referral_uris(id, view, ldap::to_string(relative), options.scope));
      if (!uris.empty()) {
        found = OperationResult{ResultCode::kReferral, {}, {}, std::move(uris)};
        KAURI_CHECK(read_.append_dn(view, found->matched_dn));
      }
    }
    id = view.parent();
  }
  return found;
}

Result<bool> Locator::step_through_alias(const backend::Resolution& resolution, Name& name) {
  const EntryId id = resolution.id.value_or(resolution.deepest);
  if (id == EntryId()) return false;
  KAURI_TRY(const entry::EntryView view, read_.required_entry(id));
  if (!is_alias(view)) return false;
  // An alias that the identity may not search from is to it like any hidden entry.
  backend::StoredTarget alias(read_, id, view);
  if (!authorizer_.may_entry(alias, Right::kSearch)) return false;
  std::optional<Name> target = alias_target(id, view);
  // What the name says below the alias is below its target.
  const std::size_t below = target.has_value() ? resolution.rdns_missing : 0;
  name.dn.rdns.resize(below);
  name.normal_rdns.resize(below);
  if (!target.has_value()) return true;
  for (ldap::Rdn& rdn : target->dn.rdns) name.dn.rdns.push_back(std::move(rdn));
  for (std::string& rdn : target->normal_rdns) name.normal_rdns.push_back(std::move(rdn));
  return true;
}

namespace {

// An alias that was followed, and what the name says below it: who comes to the same again comes
// to it for ever.
class FollowedAliases {
 public:
  // False when it was there before.
  bool add(EntryId alias, const backend::Resolution& resolution, const Name& name) {
    const auto first = name.normal_rdns.begin();
    Step step{alias, {first, first + static_cast<std::ptrdiff_t>(resolution.rdns_missing)}};
    if (std::find(steps_.begin(), steps_.end(), step) != steps_.end()) return false;
    steps_.push_back(std::move(step));
    return true;
  }
  EntryId last() const { return steps_.empty() ? EntryId() : steps_.back().alias; }
  std::size_t below_last() const { return steps_.back().below.size(); }

 private:
  struct Step {
    EntryId alias;
    std::vector<std::string> below;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps_;
};

}  // namespace

Result<OperationResult> Locator::alias_failure(ResultCode code, std::string_view text,
                                               std::string_view why, EntryId alias) {
  OperationResult result =
      ldap::failure(code, "the name " + quoted(text) + " leads " + std::string(why));
  KAURI_CHECK(append_disclosed_dn(alias, result.matched_dn));
  return result;
}

Result<Located> Locator::find(const Name& name, std::string_view text,
                              const LocateOptions& options) {
  Located located;
  Name through_alias;  // the name after the last alias
  FollowedAliases followed;
  const auto alias_problem = [&](std::string_view why) -> Result<Located> {
    KAURI_TRY(located.failure,
              alias_failure(ResultCode::kAliasProblem, text, why, followed.last()));
    return located;
  };
  for (std::size_t hops = 0; hops <= limits::kAliasChainMax; ++hops) {
    const Name& current = located.renamed_by_alias ? through_alias : name;
    KAURI_TRY(const backend::Resolution resolution, read_.resolve(current.normal_rdns));
    if (has_referrals() && !options.manage_dsa_it) {
      KAURI_TRY(std::optional<OperationResult> referral,
                referral_above(current, resolution, options));
      if (referral.has_value()) {
        located.failure = std::move(*referral);
        return located;
      }
    }
    if (options.follow_aliases && has_aliases()) {
      Name next = current;
      KAURI_TRY(const bool stepped, step_through_alias(resolution, next));
      if (stepped) {
        const EntryId alias = resolution.id.value_or(resolution.deepest);
        if (!followed.add(alias, resolution, current))
          return alias_problem("into a loop of aliases, which comes back to where it was");
        if (next.normal_rdns.empty()) return alias_problem("to an alias that cannot be followed");
        located.renamed_by_alias = true;
        through_alias = std::move(next);
        continue;
      }
    }
    // An alias that leads to nothing is at fault itself, and one that leads to a hidden entry is
    // the same; below what it leads to an entry is missing like any other.
    if (located.renamed_by_alias) {
      KAURI_TRY(const bool leads, known_ancestor(resolution, followed.below_last()));
      if (!leads) return alias_problem("through an alias to no entry");
    }
    located.id = resolution.id;
    if (located.id.has_value()) return located;
    KAURI_TRY(located.failure, no_such_object(text, resolution.deepest));
    return located;
  }
  limits::count(limits::Counter::kAliasChain);
  KAURI_TRY(located.failure,
            alias_failure(ResultCode::kAliasDereferencingProblem, text,
                          "through more than " + std::to_string(limits::kAliasChainMax) +
                              " aliases one after another, which is the limit",
                          followed.last()));
  return located;
}

OperationResult outside_suffixes(std::string_view text, const std::string& suffix_list) {
  return ldap::failure(ResultCode::kNoSuchObject,
                       "the name " + quoted(text) +
                           " is outside of what this server holds, which is " + suffix_list);
}

}  // namespace kauri::operation
