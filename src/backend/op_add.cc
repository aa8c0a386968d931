// Add (RFC 4511 section 4.7).
#include "backend/write_context.h"
#include "base/assert.h"
#include "index/index_keys.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

using ldap::ResultCode;

// The attributes of the request as an entry: each description once, nothing that only the server
// may write.
Refusal take_attributes(const entry::Dictionary& dictionary, const AddOperation& operation,
                        entry::Entry& entry) {
  for (const entry::Attribute& attribute : operation.attributes) {
    const std::string name = attribute.description.to_string();
    if (attribute.description.type->no_user_modification)
      return ldap::failure(ResultCode::kConstraintViolation,
                           "attribute '" + name + "' is maintained by the server alone");
    if (attribute.values.empty())
      return ldap::failure(ResultCode::kProtocolError, "attribute '" + name + "' has no values");
    if (entry.find(attribute.description) != nullptr)
      return ldap::failure(ResultCode::kAttributeOrValueExists,
                           "attribute '" + name + "' is given more than once");
    if (Refusal full = check_description(dictionary, attribute.description)) return full;
    entry.attributes.push_back(attribute);
  }
  return std::nullopt;
}

void set_operational(WriteContext& context, const Stamp& stamp, entry::Entry& entry) {
  const schema::WellKnown& known = context.schema().well_known();
  const schema::ObjectClass* structural = entry::structural_class(context.schema(), entry);
  KAURI_ASSERT(structural != nullptr);  // check_entry found one
  entry.set(*known.structural_object_class, std::string(structural->name()));
  entry.set(*known.entry_uuid, format_uuid(context.core().random->uuid()));
  entry.set(*known.creators_name, stamp.name);
  entry.set(*known.create_timestamp, stamp.time);
  entry.set(*known.modifiers_name, stamp.name);
  entry.set(*known.modify_timestamp, stamp.time);
  entry.set(*known.entry_csn, stamp.csn);
}

// Whether the requester may add it, and the place is free.
Result<Refusal> check_place(WriteContext& context, const TargetName& name, const Located& located,
                            query::Authorizer& who) {
  if (located.missing > 1) {
    KAURI_TRY(ldap::OperationResult result, context.no_such_object(name, located.path, who));
    result.diagnostic = "the parent of the entry to add does not exist";
    return Refusal(std::move(result));
  }
  KAURI_TRY(const bool may_children,
            context.may_children(name, located.above(), who, query::Right::kAdd));
  if (!may_children) {
    KAURI_TRY(ldap::OperationResult result,
              context.denied(name, located.above(), who, "no right to add entries here"));
    if (result.code == ResultCode::kNoSuchObject)
      result.diagnostic = "the parent of the entry to add does not exist";
    return Refusal(std::move(result));
  }
  TxnTarget target(EntryId(), nullptr, schema::join_normal(name.normal_rdns));
  if (!who.may_entry(target, query::Right::kAdd))
    return Refusal(ldap::failure(ResultCode::kInsufficientAccessRights,
                                 "no right to add an entry with this name"));
  if (located.found())
    return Refusal(ldap::failure(ResultCode::kEntryAlreadyExists, "the entry exists already"));
  if (located.path.empty()) return Refusal();
  KAURI_TRY(const entry::EntryView parent, context.view(located.path.back()));
  KAURI_TRY(const bool alias, context.is_alias(parent));
  if (alias)
    return Refusal(ldap::failure(ResultCode::kAliasProblem,
                                 "the parent is an alias: nothing can be added below it"));
  return Refusal();
}

}  // namespace

Result<WriteOutcome> apply_add(WriteContext& context, const AddOperation& operation,
                               query::Authorizer& who) {
  const TargetName& name = operation.target;
  Located located;
  KAURI_TRY(Refusal bad_place, context.place(name, located));
  if (!bad_place) {
    KAURI_TRY(bad_place, check_place(context, name, located, who));
  }
  if (bad_place) return refused(std::move(*bad_place));

  const bool is_suffix = located.path.empty();
  const ldap::Rdn& rdn = name.dn.rdns.front();
  entry::Entry entry;
  entry.rdn = is_suffix ? ldap::to_string(name.dn) : ldap::to_string(rdn);
  if (!is_suffix) entry.parent = located.path.back();
  KAURI_TRY(const std::string parent_dn, context.dn_text(located.path));
  // The names above may be stored in a longer spelling than the request has.
  if (Refusal bad = check_new_name(ldap::join_dn(entry.rdn, parent_dn), name.dn.rdns.size()))
    return refused(std::move(*bad));
  if (Refusal bad = take_attributes(*context.core().dictionary, operation, entry))
    return refused(std::move(*bad));
  if (Refusal bad = complete_entry(context.schema(), rdn, entry, operation.values_are_distinct))
    return refused(std::move(*bad));
  std::vector<std::string> keys =
      index::keys_of_entry(entry, context.core().catalog, context.schema());
  const std::size_t keyed = entry.attributes.size();
  if (Refusal bad = check_grams(context.core(), entry, keys)) return refused(std::move(*bad));

  const Stamp stamp = context.stamp(who);
  set_operational(context, stamp, entry);
  const EntryId id = context.take_id();
  ChangeRecord record;
  record.kind = ChangeKind::kAdd;
  record.csn = stamp.csn;
  record.id = id;
  record.dn = ldap::join_dn(entry.rdn, parent_dn);
  record.entry_uuid =
      parse_uuid(entry.find(*context.schema().well_known().entry_uuid)->values.front());
  const std::string_view normal_rdn =
      is_suffix ? std::string_view(context.core().suffix_normal) : name.normal_rdns.front();
  KAURI_CHECK(store_new_entry(context, {id, &rdn, normal_rdn, std::move(keys), keyed}, entry));
  for (entry::Attribute& attribute : entry.attributes)
    record.attributes.push_back(
        {attribute.description.to_string(), {}, std::move(attribute.values)});
  KAURI_CHECK(context.change_counts(located.path, 1, 1));
  KAURI_CHECK(context.log(record));
  return WriteOutcome{{}, stamp.csn, id, 0};
}

}  // namespace kauri::backend
