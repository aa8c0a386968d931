#include "backend/restore_replay.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "backend/core.h"
#include "backend/entry_edit.h"
#include "base/limits.h"
#include "index/dn_index.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

Error misfit(std::string why) {
  return invalid(std::move(why));
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

Result<TargetName> name_of(const Core& core, const std::string& dn) {
  TargetName name;
  KAURI_TRY(name.dn, ldap::parse_dn(dn));
  KAURI_TRY(name.normal_rdns, schema::normalize_rdns(*core.schema, name.dn));
  if (name.dn.empty()) return misfit("its DN is empty");
  return name;
}

Result<schema::AttributeDescription> description_of(const Core& core, const std::string& text) {
  auto description = core.schema->attribute_description(text);
  if (!description)
    return misfit("the schema does not define attribute " + quoted(text) +
                  "; give the configuration that the server has");
  if (const Refusal full = check_description(*core.dictionary, *description))
    return misfit(full->diagnostic);
  return std::move(*description);
}

Result<std::vector<schema::AttributeDescription>> descriptions_of(const Core& core,
                                                                  const ChangeRecord& record) {
  std::vector<schema::AttributeDescription> out;
  std::unordered_set<std::string> seen;
  for (const AttributeChange& attribute : record.attributes) {
    KAURI_TRY(auto description, description_of(core, attribute.description));
    if (!seen.insert(description.to_string()).second)
      return misfit("it names attribute " + quoted(attribute.description) + " twice");
    out.push_back(std::move(description));
  }
  return out;
}

// Attributes and values in one order, whatever order they were stored in.
std::vector<AttributeChange> ordered(std::vector<AttributeChange> attributes) {
  for (AttributeChange& one : attributes) {
    std::sort(one.removed.begin(), one.removed.end());
    std::sort(one.added.begin(), one.added.end());
  }
  std::sort(attributes.begin(), attributes.end(),
            [](const auto& a, const auto& b) { return a.description < b.description; });
  return attributes;
}

// Of a change that was made again, what it did has to be what the record says.
Result<void> check_same(const ChangeRecord& made, const ChangeRecord& record) {
  if (made.entry_uuid != record.entry_uuid) return misfit("the entry has another entryUUID");
  const std::vector<AttributeChange> is = ordered(made.attributes);
  const std::vector<AttributeChange> should = ordered(record.attributes);
  if (is == should) return {};
  for (const AttributeChange& one : should) {
    if (std::find(is.begin(), is.end(), one) == is.end())
      return misfit("attribute " + quoted(one.description) + " has other values than it had then");
  }
  return misfit("attributes would change that did not change then");
}

// The entry that a record is about, which exists.
Result<Located> locate_entry(WriteContext& context, const ChangeRecord& record,
                             const TargetName& name) {
  KAURI_TRY(Located located, context.locate(name));
  if (!located.found()) return misfit("there is no such entry");
  if (located.id() != record.id)
    return misfit("the entry has id " + std::to_string(located.id().value()) + ", not " +
                  std::to_string(record.id.value()));
  KAURI_TRY(const std::string dn, context.dn_text(located.path));
  if (dn != record.dn) return misfit("the entry's DN is spelled " + quoted(dn));
  return located;
}

Result<void> take_attributes(WriteContext& context, const ChangeRecord& record,
                             entry::Entry& entry) {
  KAURI_TRY(std::vector<schema::AttributeDescription> descriptions,
            descriptions_of(context.core(), record));
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const AttributeChange& change = record.attributes[i];
    if (change.added.empty())
      return misfit("attribute " + quoted(change.description) + " has no values");
    entry.attributes.push_back({std::move(descriptions[i]), change.added});
    if (const auto bad = entry::check_duplicates(context.schema(), entry.attributes.back()))
      return misfit(bad->diagnostic);
  }
  if (const Refusal bad = check_size(entry)) return misfit(bad->diagnostic);
  return {};
}

// The RDN in front of the parent's DN, with the octets that it had, not as it would be written
// today.
Result<std::string> rdn_above(const std::string& dn, const std::string& parent_dn) {
  const std::size_t below = parent_dn.size() + 1;
  if (dn.size() <= below || !dn.ends_with(parent_dn) || dn[dn.size() - below] != ',')
    return misfit("its parent's DN is spelled " + quoted(parent_dn));
  return dn.substr(0, dn.size() - below);
}

Result<void> replay_add(WriteContext& context, const ChangeRecord& record) {
  Core& core = context.core();
  KAURI_TRY(const TargetName name, name_of(core, record.dn));
  KAURI_TRY(const Located located, context.locate(name));
  if (located.outside) return misfit("it is outside of the suffix " + core.suffix);
  if (located.missing == 0) return misfit("the entry exists already");
  if (located.missing > 1) return misfit("its parent does not exist");
  if (record.id != context.state().next_id)
    return misfit("the entry had id " + std::to_string(record.id.value()) +
                  " and would now get id " + std::to_string(context.state().next_id.value()));
  const bool is_suffix = located.path.empty();
  KAURI_TRY(const std::string parent_dn, context.dn_text(located.path));
  entry::Entry entry;
  entry.rdn = record.dn;
  if (!is_suffix) {
    entry.parent = located.path.back();
    KAURI_TRY(entry.rdn, rdn_above(record.dn, parent_dn));
  }
  KAURI_CHECK(take_attributes(context, record, entry));
  const std::string_view normal_rdn =
      is_suffix ? std::string_view(core.suffix_normal) : std::string_view(name.normal_rdns.front());
  KAURI_CHECK(
      store_new_entry(context, {context.take_id(), &name.dn.rdns.front(), normal_rdn}, entry));
  return context.change_counts(located.path, 1, 1);
}

Result<void> replay_delete(WriteContext& context, const ChangeRecord& record) {
  KAURI_TRY(const TargetName name, name_of(context.core(), record.dn));
  KAURI_TRY(const Located located, locate_entry(context, record, name));
  KAURI_TRY(const index::SubordinateCounts counts,
            index::subordinate_counts(context.txn(), located.id()));
  if (counts.children != 0) return misfit("the entry has entries below it");
  ChangeRecord made;
  KAURI_CHECK(erase_leaf(context, name, located, made));
  return check_same(made, record);
}

void keep_naming_inline(WriteContext& context, const ldap::Rdn& rdn, EntryEdit& edit) {
  for (const ldap::Ava& ava : rdn.avas) {
    if (const schema::AttributeType* type = context.schema().attribute_type(ava.type);
        type != nullptr)
      edit.keep_inline(*type);
  }
}

// Takes out what went and puts in what came. What could not be is found by check_same().
Result<void> change_values(WriteContext& context, const ChangeRecord& record, EntryEdit& edit) {
  KAURI_TRY(const std::vector<schema::AttributeDescription> descriptions,
            descriptions_of(context.core(), record));
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const AttributeChange& change = record.attributes[i];
    // All of them at once: an attribute that was emptied may have come back into the record.
    if (!change.removed.empty() && change.removed.size() == edit.count(descriptions[i])) {
      KAURI_TRY([[maybe_unused]] const bool removed, edit.remove(descriptions[i]));
    } else {
      for (const std::string& value : change.removed) {
        KAURI_TRY([[maybe_unused]] const bool removed, edit.remove_value(descriptions[i], value));
      }
    }
    for (const std::string& value : change.added) {
      KAURI_TRY([[maybe_unused]] const bool added, edit.add_value(descriptions[i], value));
    }
  }
  return {};
}

// The rest of Modify and ModifyDN: compares with the record, then writes.
Result<void> finish_edit(WriteContext& context, const ChangeRecord& record, EntryEdit& edit) {
  const schema::WellKnown& known = context.schema().well_known();
  ChangeRecord made;
  KAURI_TRY(const std::vector<std::string> uuid, edit.values({known.entry_uuid, {}}));
  if (!uuid.empty()) made.entry_uuid = parse_uuid(uuid.front());
  KAURI_CHECK(edit.prepare());
  made.attributes = edit.take_changes();
  KAURI_CHECK(check_same(made, record));
  return edit.apply(context.txn(), context.postings());
}

Result<void> replay_modify(WriteContext& context, const ChangeRecord& record) {
  KAURI_TRY(const TargetName name, name_of(context.core(), record.dn));
  KAURI_TRY(const Located located, locate_entry(context, record, name));
  KAURI_TRY(const entry::EntryView view, context.view(located.id()));
  EntryEdit edit(context.core(), context.txn(), located.id(), view);
  keep_naming_inline(context, name.dn.rdns.front(), edit);
  KAURI_CHECK(change_values(context, record, edit));
  return finish_edit(context, record, edit);
}

// Where the entry goes: the path to its new parent.
Result<std::vector<EntryId>> new_place(WriteContext& context, const ChangeRecord& record,
                                       const TargetName& new_name) {
  TargetName superior;
  superior.normal_rdns.assign(new_name.normal_rdns.begin() + 1, new_name.normal_rdns.end());
  KAURI_TRY(const Located located, context.locate(superior));
  if (!located.found()) return misfit("the new parent does not exist");
  if (std::find(located.path.begin(), located.path.end(), record.id) != located.path.end())
    return misfit("the new parent is the entry itself or below it");
  KAURI_TRY(const std::optional<EntryId> taken,
            index::find_child(context.txn(), located.id(), new_name.normal_rdns.front()));
  if (taken && *taken != record.id) return misfit("an entry with the new name exists already");
  return located.path;
}

Result<void> replay_modify_dn(WriteContext& context, const ChangeRecord& record) {
  KAURI_TRY(const TargetName name, name_of(context.core(), record.dn));
  KAURI_TRY(const TargetName new_name, name_of(context.core(), record.new_dn));
  KAURI_TRY(const Located located, locate_entry(context, record, name));
  if (located.above().empty()) return misfit("the suffix entry cannot be renamed");
  KAURI_TRY(const std::vector<EntryId> superior, new_place(context, record, new_name));
  KAURI_TRY(const std::string superior_dn, context.dn_text(superior));
  KAURI_TRY(std::string new_rdn, rdn_above(record.new_dn, superior_dn));
  KAURI_TRY(const entry::EntryView view, context.view(located.id()));
  EntryEdit edit(context.core(), context.txn(), located.id(), view);
  keep_naming_inline(context, new_name.dn.rdns.front(), edit);
  KAURI_CHECK(change_values(context, record, edit));
  edit.set_rdn(std::move(new_rdn));
  edit.set_parent(superior.back());
  KAURI_CHECK(finish_edit(context, record, edit));
  return move_in_tree(context, {record.id, located.above(), superior, name.normal_rdns.front(),
                                new_name.normal_rdns.front()});
}

Result<void> replay(WriteContext& context, const ChangeRecord& record) {
  switch (record.kind) {
    case ChangeKind::kAdd:
      return replay_add(context, record);
    case ChangeKind::kDelete:
      return replay_delete(context, record);
    case ChangeKind::kModify:
      return replay_modify(context, record);
    case ChangeKind::kModifyDn:
      return replay_modify_dn(context, record);
  }
  return misfit("its kind is unknown");
}

}  // namespace

Replay::Replay(Core& core, BatchState state)
    : core_(core), state_(std::move(state)), csns_(*core.clock, 0) {}

Result<std::unique_ptr<Replay>> Replay::start(Database& database) {
  KAURI_TRY(BatchState state, read_batch_state(database.core()));
  return std::unique_ptr<Replay>(new Replay(database.core(), std::move(state)));
}

Result<void> Replay::check_link(const ChangeRecord& record) const {
  if (!record.previous_csn)
    return misfit("it was made by an older program and does not name the state before it");
  if (*record.previous_csn != state_.last_csn)
    return misfit("it was made on the state of CSN \"" + *record.previous_csn +
                  "\" and this is the state of CSN \"" + state_.last_csn +
                  "\": changes between them are missing, or it is of another history");
  if (record.csn <= state_.last_csn || !parse_csn(record.csn))
    return misfit("its CSN does not follow \"" + state_.last_csn + "\"");
  return {};
}

Result<void> Replay::apply(const ChangeRecord& record, std::size_t octets) {
  const auto in_context = [&](const Error& error) {
    return error.with_context("the change with CSN " + record.csn + " of " + quoted(record.dn) +
                              " does not fit");
  };
  if (const Result<void> linked = check_link(record); !linked) return in_context(linked.error());
  if (txn_ == nullptr) {
    KAURI_TRY(txn_, core_.env->begin_write());
  }
  WriteContext context(core_, *txn_, csns_, state_);
  context.observe_csn(record.csn);
  if (const Result<void> done = replay(context, record); !done) return in_context(done.error());
  KAURI_CHECK(context.postings().flush(*txn_));
  context.observe_csn(csn_after(record));
  KAURI_CHECK(append_change(*txn_, state_.log, record, core_.change_log_records_max));
  txn_octets_ += octets;
  ++txn_changes_;
  const bool full =
      txn_octets_ >= limits::kCommitBytesMax || txn_changes_ >= limits::kCommitOperationsMax;
  return full ? finish() : Result<void>();
}

Result<void> Replay::finish() {
  if (txn_ == nullptr) return {};
  const std::unique_ptr<storage::WriteTxn> txn = std::move(txn_);
  txn_octets_ = 0;
  txn_changes_ = 0;
  KAURI_CHECK(write_batch_state(core_, *txn, state_));
  return txn->commit();
}

}  // namespace kauri::backend
