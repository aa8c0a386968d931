// ModifyDN (RFC 4511 section 4.9): rename and move, of whole subtrees in the time of one entry,
// since entries hold only their own RDN and their parent's id.
#include <algorithm>

#include "backend/entry_edit.h"
#include "backend/large_values.h"
#include "backend/write_context.h"
#include "base/planted_fault.h"
#include "ldap/dn.h"

namespace kauri::backend {
namespace {

using ldap::ResultCode;

// Where the entry is and where it goes.
struct Places {
  Located from;
  Located superior;  // == the present parent unless the request names another
  const TargetName* superior_name = nullptr;  // of the request, or nullptr
};

Result<Refusal> locate_places(WriteContext& context, const ModifyDnOperation& operation,
                              query::Authorizer& who, Places& places) {
  KAURI_TRY(Refusal bad, context.find(operation.target, who, places.from));
  if (bad) return bad;
  const std::span<const EntryId> above = places.from.above();
  places.superior.path.assign(above.begin(), above.end());
  if (!operation.new_superior) return Refusal();
  places.superior_name = &*operation.new_superior;
  KAURI_TRY(places.superior, context.locate(*operation.new_superior));
  return Refusal();
}

Result<Refusal> check_superior(WriteContext& context, const Places& places,
                               query::Authorizer& who) {
  if (places.superior_name == nullptr) return Refusal();
  const Located& superior = places.superior;
  if (superior.outside)
    return Refusal(
        ldap::failure(ResultCode::kAffectsMultipleDsas,
                      "the new superior is outside of the suffix " + context.core().suffix));
  if (!superior.found()) {
    KAURI_TRY(ldap::OperationResult missing,
              context.no_such_object(*places.superior_name, superior.path, who));
    missing.diagnostic = "the new superior does not exist";
    return Refusal(std::move(missing));
  }
  KAURI_TRY(const bool may_add,
            context.may_children(*places.superior_name, superior.path, who, query::Right::kAdd));
  if (!may_add) {
    KAURI_TRY(ldap::OperationResult result,
              context.denied(*places.superior_name, superior.path, who,
                             "no right to add entries below the new superior"));
    if (result.code == ResultCode::kNoSuchObject)
      result.diagnostic = "the new superior does not exist";
    return Refusal(std::move(result));
  }
  if (std::find(superior.path.begin(), superior.path.end(), places.from.id()) !=
      superior.path.end())
    return Refusal(
        ldap::failure(ResultCode::kUnwillingToPerform, "an entry cannot be moved below itself"));
  KAURI_TRY(const entry::EntryView view, context.view(superior.id()));
  KAURI_TRY(const bool alias, context.is_alias(view));
  if (alias)
    return Refusal(ldap::failure(ResultCode::kAliasProblem,
                                 "the new superior is an alias: nothing can be below it"));
  return Refusal();
}

bool may_naming(WriteContext& context, query::Authorizer& who, TxnTarget& target,
                const ldap::Rdn& rdn, query::Right right) {
  return std::all_of(rdn.avas.begin(), rdn.avas.end(), [&](const ldap::Ava& ava) {
    const schema::AttributeType* type = context.schema().attribute_type(ava.type);
    return type == nullptr ||
           may_attribute(who, target, *context.core().dictionary, {type, {}}, right);
  });
}

// The rights on the entry and on its present parent (slapd.access(5), "OPERATION REQUIREMENTS").
Result<Refusal> check_access(WriteContext& context, const ModifyDnOperation& operation,
                             const Places& places, const entry::EntryView& view,
                             const ldap::Rdn& old_rdn, query::Authorizer& who) {
  const TargetName& name = operation.target;
  TxnTarget target(places.from.id(), &view, context.normal_at(name, places.from.path.size() - 1));
  KAURI_TRY(bool allowed,
            context.may_children(name, places.from.above(), who, query::Right::kDelete));
  if (allowed && places.superior_name == nullptr) {
    KAURI_TRY(allowed, context.may_children(name, places.from.above(), who, query::Right::kAdd));
  }
  allowed = allowed && who.may_entry(target, query::Right::kWrite) &&
            may_naming(context, who, target, operation.new_rdn, query::Right::kAdd) &&
            (!operation.delete_old_rdn ||
             may_naming(context, who, target, old_rdn, query::Right::kDelete));
  if (allowed) return Refusal();
  KAURI_TRY(ldap::OperationResult result,
            context.denied(name, places.from.path, who, "no right to rename the entry"));
  return Refusal(std::move(result));
}

Result<Refusal> check_free(WriteContext& context, const ModifyDnOperation& operation,
                           const Places& places) {
  if (places.from.above().empty())
    return Refusal(ldap::failure(ResultCode::kUnwillingToPerform,
                                 "the suffix entry cannot be renamed or moved"));
  const std::size_t rdns = context.core().suffix_rdns.size() + places.superior.path.size();
  KAURI_TRY(const std::string superior_dn, context.dn_text(places.superior.path));
  const std::string new_dn = ldap::join_dn(ldap::to_string(operation.new_rdn), superior_dn);
  if (Refusal bad = check_new_name(new_dn, rdns)) return bad;
  KAURI_TRY(
      const std::optional<EntryId> taken,
      index::find_child(context.txn(), places.superior.path.back(), operation.new_normal_rdn));
  if (taken && *taken != places.from.id())
    return Refusal(ldap::failure(ResultCode::kEntryAlreadyExists,
                                 "an entry with the new name exists already"));
  return Refusal();
}

bool same_ava(const schema::Schema& schema, const ldap::Ava& a, const ldap::Ava& b) {
  const schema::AttributeType* type = schema.attribute_type(a.type);
  return type != nullptr && type == schema.attribute_type(b.type) &&
         value_identity(schema, *type, a.value) == value_identity(schema, *type, b.value);
}

bool has_ava(const schema::Schema& schema, const ldap::Rdn& rdn, const ldap::Ava& wanted) {
  return std::any_of(rdn.avas.begin(), rdn.avas.end(),
                     [&](const ldap::Ava& ava) { return same_ava(schema, ava, wanted); });
}

// A value that is in the new name too comes back, spelled as it is there.
Result<void> remove_old_values(const schema::Schema& schema, EntryEdit& edit,
                               const ldap::Rdn& old_rdn) {
  for (const ldap::Ava& ava : old_rdn.avas) {
    const schema::AttributeType* type = schema.attribute_type(ava.type);
    if (type == nullptr) continue;
    KAURI_TRY([[maybe_unused]] const bool removed, edit.remove_value({type, {}}, ava.value));
  }
  return {};
}

Result<Refusal> change_values(WriteContext& context, const ModifyDnOperation& operation,
                              const ldap::Rdn& old_rdn, EntryEdit& edit, query::Authorizer& who,
                              TxnTarget& target) {
  const schema::Schema& schema = context.schema();
  const bool keeps = KAURI_PLANTED_FAULT("move-keeps-old-value") && operation.new_superior;
  if (operation.delete_old_rdn && !keeps) KAURI_CHECK(remove_old_values(schema, edit, old_rdn));
  for (const ldap::Ava& ava : operation.new_rdn.avas) {
    const schema::AttributeType* type = schema.attribute_type(ava.type);
    // check_naming says what is wrong with such a type.
    if (type == nullptr || type->operational() || type->equality == nullptr) continue;
    edit.keep_inline(*type);
    if (!has_ava(schema, old_rdn, ava)) {
      if (auto bad = entry::check_value({type, {}}, ava.value))
        return Refusal(to_result(std::move(*bad)));
    }
    KAURI_TRY([[maybe_unused]] const bool added, edit.add_value({type, {}}, ava.value));
  }
  const entry::Entry after = edit.preview();
  if (Refusal bad = check_entry_for(who, target, *context.core().dictionary, after)) return bad;
  if (auto bad = entry::check_naming(schema, after, operation.new_rdn))
    return Refusal(to_result(std::move(*bad)));
  return Refusal();
}

}  // namespace

Result<void> move_in_tree(WriteContext& context, const TreeMove& move) {
  const EntryId old_parent = move.old_above.back();
  const EntryId new_parent = move.new_above.back();
  storage::WriteTxn& txn = context.txn();
  if (old_parent != new_parent || move.old_normal_rdn != move.new_normal_rdn) {
    KAURI_CHECK(index::erase_child(txn, old_parent, move.old_normal_rdn));
    KAURI_CHECK(index::put_child(txn, new_parent, move.new_normal_rdn, move.id));
  }
  KAURI_TRY(const index::SubordinateCounts counts, index::subordinate_counts(txn, move.id));
  context.state().renamed = true;
  if (counts.children != 0) context.state().cached_names_changed = true;
  if (old_parent == new_parent) return {};
  const auto size = static_cast<std::int64_t>(counts.descendants + 1);
  KAURI_CHECK(context.change_counts(move.old_above, -1, -size));
  return context.change_counts(move.new_above, 1, size);
}

Result<WriteOutcome> apply_modify_dn(WriteContext& context, const ModifyDnOperation& operation,
                                     query::Authorizer& who) {
  Places places;
  KAURI_TRY(Refusal bad, locate_places(context, operation, who, places));
  if (bad) return refused(std::move(*bad));
  const EntryId id = places.from.id();
  KAURI_TRY(const entry::EntryView view, context.view(id));
  KAURI_TRY(const ldap::Dn own_name, ldap::parse_dn(view.rdn()));
  const ldap::Rdn& old_rdn = own_name.rdns.front();
  KAURI_TRY(bad, check_access(context, operation, places, view, old_rdn, who));
  if (!bad) {
    KAURI_TRY(bad, check_superior(context, places, who));
  }
  if (!bad) {
    KAURI_TRY(bad, check_free(context, operation, places));
  }
  if (bad) return refused(std::move(*bad));
  EntryEdit edit(context.core(), context.txn(), id, view);
  TxnTarget target(id, &view, context.normal_at(operation.target, places.from.path.size() - 1));
  KAURI_TRY(bad, change_values(context, operation, old_rdn, edit, who, target));
  if (bad) return refused(std::move(*bad));

  ChangeRecord record;
  record.kind = ChangeKind::kModifyDn;
  record.id = id;
  KAURI_TRY(record.dn, context.dn_text(places.from.path));
  KAURI_TRY(const std::string superior_dn, context.dn_text(places.superior.path));
  const std::string new_rdn = ldap::to_string(operation.new_rdn);
  record.new_dn = ldap::join_dn(new_rdn, superior_dn);
  KAURI_CHECK(stamp_change(context, who, edit, record));
  edit.set_rdn(new_rdn);
  edit.set_parent(places.superior.path.back());
  KAURI_CHECK(edit.prepare());
  record.attributes = edit.take_changes();
  KAURI_CHECK(edit.apply(context.txn(), context.postings()));
  KAURI_CHECK(
      move_in_tree(context, {id, places.from.above(), places.superior.path,
                             operation.target.normal_rdns.front(), operation.new_normal_rdn}));
  KAURI_CHECK(context.log(record));
  return WriteOutcome{{}, record.csn, id, 0};
}

}  // namespace kauri::backend
