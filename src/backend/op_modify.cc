// Modify (RFC 4511 section 4.6), with the increment of RFC 4525.
#include <algorithm>

#include "backend/entry_edit.h"
#include "backend/increment.h"
#include "backend/large_values.h"
#include "backend/write_context.h"
#include "base/limit_counters.h"
#include "ldap/dn.h"

namespace kauri::backend {
namespace {

using ldap::ModifyOperation;
using ldap::ResultCode;

// INTEGER (RFC 4517 section 3.3.16).
constexpr std::string_view kIntegerSyntax = "1.3.6.1.4.1.1466.115.121.1.27";

// Values that the increments of one request make: a short request can name a long attribute, or a
// long number, again and again, and all other writes wait for it; adminLimitExceeded.
constexpr std::size_t kIncrementsMax = 100'000;
// So many digits count as one more value.
constexpr std::size_t kDigitsPerIncrement = 32;

std::string quoted(const schema::AttributeDescription& description) {
  return "attribute '" + description.to_string() + "'";
}

query::Right needed_right(const Modification& change) {
  switch (change.operation) {
    case ModifyOperation::kAdd:
      return query::Right::kAdd;
    case ModifyOperation::kDelete:
      return query::Right::kDelete;
    case ModifyOperation::kReplace:
    case ModifyOperation::kIncrement:
      break;
  }
  return query::Right::kWrite;
}

// What can be said of a modification without looking at the entry.
Refusal check_form(const Modification& change) {
  const schema::AttributeType& type = *change.description.type;
  if (type.no_user_modification)
    return ldap::failure(ResultCode::kConstraintViolation,
                         quoted(change.description) + " is maintained by the server alone");
  if (change.operation == ModifyOperation::kAdd && change.values.empty())
    return ldap::failure(ResultCode::kProtocolError,
                         quoted(change.description) + " is to be added without values");
  if (change.operation != ModifyOperation::kIncrement) return std::nullopt;
  if (change.values.size() != 1)
    return ldap::failure(ResultCode::kProtocolError,
                         "an increment has exactly one value, this one of " +
                             quoted(change.description) + " has " +
                             std::to_string(change.values.size()));
  if (type.syntax == nullptr || type.syntax->oid() != kIntegerSyntax)
    return ldap::failure(
        ResultCode::kConstraintViolation,
        quoted(change.description) + " cannot be incremented: its syntax is not INTEGER");
  return std::nullopt;
}

// RFC 4512 section 2.5.1: single values of an attribute without equality rule are not added or
// deleted on their own.
Refusal check_equality_rule(const Modification& change, const EntryEdit& edit) {
  if (change.description.type->equality != nullptr) return std::nullopt;
  const bool adds = change.operation == ModifyOperation::kAdd && edit.has(change.description);
  const bool deletes = change.operation == ModifyOperation::kDelete && !change.values.empty();
  if (!adds && !deletes) return std::nullopt;
  return ldap::failure(
      ResultCode::kInappropriateMatching,
      quoted(change.description) + " has no equality rule: replace all of its values instead");
}

Refusal exists_already(const Modification& change, std::size_t at) {
  return ldap::failure(ResultCode::kAttributeOrValueExists,
                       quoted(change.description) + " has a value equal to value number " +
                           std::to_string(at + 1) + " of the modification already");
}

Result<Refusal> add_values(EntryEdit& edit, const Modification& change, bool permissive) {
  for (std::size_t i = 0; i < change.values.size(); ++i) {
    KAURI_TRY(const bool added, edit.add_value(change.description, change.values[i]));
    if (!added && !permissive) return exists_already(change, i);
  }
  return Refusal();
}

Result<Refusal> delete_values(EntryEdit& edit, const Modification& change, bool permissive) {
  if (!edit.has(change.description)) {
    if (permissive) return Refusal();
    return Refusal(ldap::failure(ResultCode::kNoSuchAttribute,
                                 "the entry has no " + quoted(change.description)));
  }
  if (change.values.empty()) {
    KAURI_TRY([[maybe_unused]] const bool removed, edit.remove(change.description));
    return Refusal();
  }
  for (std::size_t i = 0; i < change.values.size(); ++i) {
    KAURI_TRY(const bool removed, edit.remove_value(change.description, change.values[i]));
    if (!removed && !permissive)
      return Refusal(ldap::failure(ResultCode::kNoSuchAttribute,
                                   quoted(change.description) +
                                       " has no value equal to value number " +
                                       std::to_string(i + 1) + " of the modification"));
  }
  return Refusal();
}

Result<Refusal> replace_values(EntryEdit& edit, const Modification& change) {
  KAURI_TRY([[maybe_unused]] const bool removed, edit.remove(change.description));
  return add_values(edit, change, false);
}

// Takes the sums of one modification from what the request may still have.
Refusal count_sums(const std::vector<std::string>& values, std::size_t* sums_left) {
  std::size_t sums = 0;
  for (const std::string& value : values) sums += 1 + value.size() / kDigitsPerIncrement;
  if (sums <= *sums_left) {
    *sums_left -= sums;
    return std::nullopt;
  }
  limits::count(limits::Counter::kIncrements);
  return ldap::failure(ResultCode::kAdminLimitExceeded,
                       "the request would increment more than " + std::to_string(kIncrementsMax) +
                           " values, the limit of one request; " +
                           std::to_string(kDigitsPerIncrement) + " digits count as one more");
}

Result<Refusal> increment_values(EntryEdit& edit, const Modification& change,
                                 std::size_t* sums_left) {
  KAURI_TRY(const std::vector<std::string> old_values, edit.values(change.description));
  if (old_values.empty())
    return Refusal(
        ldap::failure(ResultCode::kNoSuchAttribute,
                      "the entry has no " + quoted(change.description) + " to increment"));
  if (Refusal many = count_sums(old_values, sums_left)) return many;
  std::vector<std::string> sums;
  for (const std::string& value : old_values) {
    std::optional<std::string> sum = add_integers(value, change.values.front());
    if (!sum)
      return Refusal(ldap::failure(
          ResultCode::kInvalidAttributeSyntax,
          quoted(change.description) + " cannot be incremented by a value that is no integer"));
    if (auto bad = entry::check_value(change.description, *sum)) {
      return Refusal(to_result(std::move(*bad)));
    }
    sums.push_back(std::move(*sum));
  }
  KAURI_TRY([[maybe_unused]] const bool removed, edit.remove(change.description));
  for (std::string& sum : sums) {
    KAURI_TRY([[maybe_unused]] const bool added,
              edit.add_value(change.description, std::move(sum)));
  }
  return Refusal();
}

Result<Refusal> modify_one(EntryEdit& edit, const Modification& change, bool permissive,
                           std::size_t* sums_left) {
  if (Refusal bad = check_equality_rule(change, edit)) return bad;
  switch (change.operation) {
    case ModifyOperation::kAdd:
      return add_values(edit, change, permissive);
    case ModifyOperation::kDelete:
      return delete_values(edit, change, permissive);
    case ModifyOperation::kReplace:
      return replace_values(edit, change);
    case ModifyOperation::kIncrement:
      return increment_values(edit, change, sums_left);
  }
  return Refusal(ldap::failure(ResultCode::kProtocolError, "the kind of modification is unknown"));
}

bool changes_classes(const schema::Schema& schema, const ModifyOperationRequest& operation) {
  return std::any_of(operation.modifications.begin(), operation.modifications.end(),
                     [&](const Modification& change) {
                       return change.description.type == schema.well_known().object_class;
                     });
}

// The state after all modifications: the values of the RDN are there, the schema holds, the
// structural class is the same as before, where that may have changed (else `old_structural` is
// nullptr).
Result<Refusal> check_outcome(WriteContext& context, EntryEdit& edit, const ldap::Rdn& rdn,
                              const schema::ObjectClass* old_structural, query::Authorizer& who,
                              TxnTarget& target) {
  for (const ldap::Ava& ava : rdn.avas) {
    const schema::AttributeType* type = context.schema().attribute_type(ava.type);
    if (type == nullptr) continue;
    KAURI_TRY(const bool there, edit.has_value({type, {}}, ava.value));
    if (!there)
      return Refusal(ldap::failure(ResultCode::kNotAllowedOnRdn,
                                   "attribute '" + std::string(type->name()) +
                                       "' would lose the value that names the entry; rename the "
                                       "entry instead"));
  }
  if (Refusal bad = check_size(edit.octets())) return bad;
  if (Refusal bad = check_grams(context.core(), edit.values_for_substrings())) return bad;
  const entry::Entry after = edit.preview();
  if (Refusal bad = check_entry_for(who, target, *context.core().dictionary, after)) return bad;
  if (old_structural == nullptr) return Refusal();
  const schema::ObjectClass* structural = entry::structural_class(context.schema(), after);
  if (structural != old_structural)
    return Refusal(ldap::failure(ResultCode::kObjectClassModsProhibited,
                                 "the structural object class cannot be changed from '" +
                                     std::string(old_structural->name()) + "' to '" +
                                     std::string(structural == nullptr ? "" : structural->name()) +
                                     "'"));
  return Refusal();
}

Result<Refusal> check_access(WriteContext& context, const ModifyOperationRequest& operation,
                             const Located& located, query::Authorizer& who, TxnTarget& target) {
  for (const Modification& change : operation.modifications) {
    if (may_attribute(who, target, *context.core().dictionary, change.description,
                      needed_right(change)))
      continue;
    KAURI_TRY(ldap::OperationResult result,
              context.denied(operation.target, located.path, who,
                             "no right to modify " + quoted(change.description)));
    return Refusal(std::move(result));
  }
  // A request without modifications must not tell a hidden entry from a missing one either.
  if (operation.modifications.empty() && !who.may_entry(target, query::Right::kDisclose)) {
    KAURI_TRY(ldap::OperationResult result,
              context.denied(operation.target, located.path, who, "no right to see the entry"));
    return Refusal(std::move(result));
  }
  return Refusal();
}

Result<Refusal> modify_all(WriteContext& context, const ModifyOperationRequest& operation,
                           EntryEdit& edit) {
  const entry::Dictionary& dictionary = *context.core().dictionary;
  std::size_t sums_left = kIncrementsMax;
  for (const Modification& change : operation.modifications) {
    if (Refusal bad = check_form(change)) return bad;
    if (Refusal full = check_description(dictionary, change.description)) return full;
    KAURI_TRY(Refusal bad, modify_one(edit, change, operation.permissive, &sums_left));
    if (bad) return bad;
  }
  return Refusal();
}

}  // namespace

Result<WriteOutcome> apply_modify(WriteContext& context, const ModifyOperationRequest& operation,
                                  query::Authorizer& who) {
  Located located;
  KAURI_TRY(Refusal bad, context.find(operation.target, who, located));
  if (bad) return refused(std::move(*bad));
  const EntryId id = located.id();
  KAURI_TRY(const entry::EntryView view, context.view(id));
  TxnTarget target(id, &view, context.normal_at(operation.target, located.path.size() - 1));
  KAURI_TRY(bad, check_access(context, operation, located, who, target));
  if (bad) return refused(std::move(*bad));
  // The list may be empty (RFC 4511 section 4.6); then nothing is changed, and nobody changed it.
  if (operation.modifications.empty()) return WriteOutcome{};

  KAURI_TRY(const ldap::Dn own_name, ldap::parse_dn(view.rdn()));
  const ldap::Rdn& rdn = own_name.rdns.front();
  EntryEdit edit(context.core(), context.txn(), id, view);
  for (const ldap::Ava& ava : rdn.avas) {
    if (const schema::AttributeType* type = context.schema().attribute_type(ava.type);
        type != nullptr)
      edit.keep_inline(*type);
  }
  const schema::ObjectClass* old_structural = nullptr;
  if (changes_classes(context.schema(), operation))
    old_structural = entry::structural_class(context.schema(), edit.preview());
  KAURI_TRY(bad, modify_all(context, operation, edit));
  if (bad) return refused(std::move(*bad));
  KAURI_TRY(bad, check_outcome(context, edit, rdn, old_structural, who, target));
  if (bad) return refused(std::move(*bad));

  ChangeRecord record;
  record.kind = ChangeKind::kModify;
  record.id = id;
  KAURI_TRY(record.dn, context.dn_text(located.path));
  KAURI_CHECK(stamp_change(context, who, edit, record));
  KAURI_CHECK(edit.prepare());
  record.attributes = edit.take_changes();
  KAURI_CHECK(edit.apply(context.txn(), context.postings()));
  KAURI_CHECK(context.log(record));
  return WriteOutcome{{}, record.csn, id, 0};
}

}  // namespace kauri::backend
