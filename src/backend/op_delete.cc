// Delete (RFC 4511 section 4.8).
#include "backend/large_values.h"
#include "backend/write_context.h"
#include "index/index_keys.h"
#include "index/posting.h"

namespace kauri::backend {
namespace {

using ldap::ResultCode;

Result<Refusal> check_delete(WriteContext& context, const TargetName& name, const Located& located,
                             query::Authorizer& who) {
  KAURI_TRY(const entry::EntryView view, context.view(located.id()));
  TxnTarget target(located.id(), &view, context.normal_at(name, located.path.size() - 1));
  KAURI_TRY(const bool may_children,
            context.may_children(name, located.above(), who, query::Right::kDelete));
  if (!may_children || !who.may_entry(target, query::Right::kDelete)) {
    KAURI_TRY(ldap::OperationResult result,
              context.denied(name, located.path, who, "no right to delete the entry"));
    return Refusal(std::move(result));
  }
  KAURI_TRY(const index::SubordinateCounts counts,
            index::subordinate_counts(context.txn(), located.id()));
  // How many there are is not told: some may be hidden.
  if (counts.children != 0)
    return Refusal(ldap::failure(ResultCode::kNotAllowedOnNonLeaf,
                                 "the entry has entries below it; delete those first"));
  return Refusal();
}

// The whole entry, with the values outside its record.
Result<entry::Entry> read_whole(WriteContext& context, EntryId id,
                                std::vector<entry::ExternalAttribute>* external) {
  KAURI_TRY(const entry::EntryView view, context.view(id));
  entry::Entry entry = entry::decode_entry(view, *context.core().dictionary, external);
  for (const entry::ExternalAttribute& one : *external) {
    KAURI_TRY(std::vector<std::string> values,
              read_large_values(context.txn(), id, one.number, one.value_count));
    entry.find_or_add(context.core().dictionary->description(one.number)).values =
        std::move(values);
  }
  return entry;
}

}  // namespace

Result<void> erase_leaf(WriteContext& context, const TargetName& name, const Located& located,
                        ChangeRecord& record) {
  const EntryId id = located.id();
  std::vector<entry::ExternalAttribute> external;
  KAURI_TRY(entry::Entry entry, read_whole(context, id, &external));
  record.kind = ChangeKind::kDelete;
  record.id = id;
  KAURI_TRY(record.dn, context.dn_text(located.path));
  if (const entry::Attribute* uuid = entry.find(*context.schema().well_known().entry_uuid);
      uuid != nullptr && !uuid->values.empty())
    record.entry_uuid = parse_uuid(uuid->values.front());

  storage::WriteTxn& txn = context.txn();
  for (std::string& key : index::keys_of_entry(entry, context.core().catalog, context.schema()))
    context.postings().erase(std::move(key), id);
  for (entry::Attribute& attribute : entry.attributes)
    record.attributes.push_back(
        {attribute.description.to_string(), std::move(attribute.values), {}});
  for (const entry::ExternalAttribute& one : external) {
    KAURI_TRY([[maybe_unused]] const std::uint64_t erased, erase_large_values(txn, id, one.number));
  }
  KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(storage::Table::kEntries, entry_key(id)));
  const std::string_view normal_rdn = located.above().empty()
                                          ? std::string_view(context.core().suffix_normal)
                                          : std::string_view(name.normal_rdns.front());
  KAURI_CHECK(index::erase_child(txn, entry.parent, normal_rdn));
  return context.change_counts(located.above(), -1, -1);
}

Result<WriteOutcome> apply_delete(WriteContext& context, const DeleteOperation& operation,
                                  query::Authorizer& who) {
  const TargetName& name = operation.target;
  Located located;
  KAURI_TRY(Refusal bad, context.find(name, who, located));
  if (!bad) {
    KAURI_TRY(bad, check_delete(context, name, located, who));
  }
  if (bad) return refused(std::move(*bad));

  const Stamp stamp = context.stamp(who);
  ChangeRecord record;
  record.csn = stamp.csn;
  KAURI_CHECK(erase_leaf(context, name, located, record));
  KAURI_CHECK(context.log(record));
  return WriteOutcome{{}, stamp.csn, located.id(), 0};
}

}  // namespace kauri::backend
