// WriteContext: one write transaction as the operations see it: names, entries, access, stamps,
// change log.
//
// Every operation first checks all it needs through the reading half and only then calls the
// changing half, so that one that is refused has changed nothing. Thread safety: confined to the
// writer thread. Inside backend/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/csn.h"
#include "backend/database.h"
#include "entry/entry_view.h"
#include "entry/schema_check.h"
#include "index/dn_index.h"
#include "index/posting_changes.h"
#include "query/access.h"

namespace kauri::backend {

// What a batch changes beside the tables; copied before it and put back when it fails.
struct BatchState {
  EntryId next_id{1};
  ChangeLogPosition log;
  std::string last_csn;
  std::uint32_t persisted_attributes = 0;  // dictionary numbers in the meta table
  bool renamed = false;                    // see NameChanges
  bool cached_names_changed = false;
};

// A name walked from the suffix entry down as far as entries exist.
struct Located {
  std::vector<EntryId> path;  // root first
  std::size_t missing = 0;    // entries of the name below the last of `path`
  bool outside = false;       // the name is not at or below the suffix
  bool found() const { return !outside && missing == 0; }
  EntryId id() const { return path.back(); }
  // The entries above the one named. REQUIRES: found() or missing == 1.
  std::span<const EntryId> above() const {
    return std::span(path).first(missing == 0 ? path.size() - 1 : path.size());
  }
};

// An entry inside the transaction, or one that is not there (yet).
class TxnTarget final : public query::AccessTarget {
 public:
  TxnTarget(EntryId id, const entry::EntryView* view, std::string normal_dn)
      : id_(id), view_(view), normal_dn_(std::move(normal_dn)) {}
  EntryId id() const override { return id_; }
  const entry::EntryView* entry() const override { return view_; }
  std::string_view normal_dn() override { return normal_dn_; }

 private:
  EntryId id_;
  const entry::EntryView* view_;
  std::string normal_dn_;
};

// Nothing when the operation may go on.
using Refusal = std::optional<ldap::OperationResult>;

// Who and when of a change.
struct Stamp {
  std::string csn;
  std::string time;  // GeneralizedTime
  std::string name;  // DN of the requester
};

class EntryEdit;

class WriteContext {
 public:
  WriteContext(Core& core, storage::WriteTxn& txn, CsnGenerator& csns, BatchState& state)
      : core_(core), txn_(txn), csns_(csns), state_(state) {}

  Core& core() { return core_; }
  const schema::Schema& schema() const { return *core_.schema; }
  storage::WriteTxn& txn() { return txn_; }
  BatchState& state() { return state_; }
  // To be flushed before the commit, by whoever made the context.
  index::PostingChanges& postings() { return postings_; }

  // --- Reading ---
  Result<Located> locate(const TargetName& name);
  // The same for the name that a request is about: noSuchObject when it lies outside of the suffix.
  Result<Refusal> place(const TargetName& name, Located& out);
  // And for an entry that has to be there: no_such_object() when it is not.
  Result<Refusal> find(const TargetName& name, query::Authorizer& who, Located& out);
  // VALID UNTIL: the transaction changes.
  Result<entry::EntryView> view(EntryId id);
  // DN text of the last entry of a path; "" of an empty one.
  Result<std::string> dn_text(std::span<const EntryId> path);
  // The normal DN of the entry at `depth` entries below the suffix entry on the way to `name`.
  std::string normal_at(const TargetName& name, std::size_t depth) const;
  Result<bool> is_alias(const entry::EntryView& view);

  // noSuchObject with the deepest entry of `path` that the requester may know of. What it says of
  // an entry that is hidden and of one that is missing is the same.
  Result<ldap::OperationResult> no_such_object(const TargetName& name,
                                               std::span<const EntryId> path,
                                               query::Authorizer& who);
  // insufficientAccessRights where the requester may know of the last entry of `path`, else as if
  // it were missing.
  Result<ldap::OperationResult> denied(const TargetName& name, std::span<const EntryId> path,
                                       query::Authorizer& who, const std::string& why);
  // Whether `who` has the right on `children` of the last entry of `above` (of the empty DN where
  // that is empty).
  Result<bool> may_children(const TargetName& name, std::span<const EntryId> above,
                            query::Authorizer& who, query::Right right);

  // --- Changing ---
  EntryId take_id();
  Stamp stamp(const query::Authorizer& who);
  // The CSN of a change that is not made in somebody's name.
  std::string next_csn();
  // Changes from now on are later than `csn`, which an entry brought with it.
  void observe_csn(const std::string& csn);
  // Adds to the counts of all entries of `above` (root first); `children` to those of the last
  // alone.
  Result<void> change_counts(std::span<const EntryId> above, std::int64_t children,
                             std::int64_t descendants);
  // Appends the record of the change that was stamped last, and links it to the one before.
  Result<void> log(ChangeRecord& record);

 private:
  Core& core_;
  storage::WriteTxn& txn_;
  CsnGenerator& csns_;
  BatchState& state_;
  std::string previous_csn_;  // of the state before the last stamp
  index::PostingChanges postings_;
};

// Stamps a change of an entry: in the entry itself (modifiersName, modifyTimestamp, entryCSN) and
// in the record of the change, with the entry's UUID.
Result<void> stamp_change(WriteContext& context, const query::Authorizer& who, EntryEdit& edit,
                          ChangeRecord& record);

// An attribute description for an access question: the number where the dictionary has one.
bool may_attribute(query::Authorizer& who, query::AccessTarget& target,
                   const entry::Dictionary& dictionary,
                   const schema::AttributeDescription& description, query::Right right);
// entry::check_entry() of what `target` would become, in words for `who`: a violation that rests on
// attributes which he may not read is not explained.
Refusal check_entry_for(query::Authorizer& who, query::AccessTarget& target,
                        const entry::Dictionary& dictionary, const entry::Entry& after);
ldap::OperationResult to_result(entry::SchemaViolation violation);
// The binary form of an entryUUID value; zeros when it is none.
std::array<unsigned char, 16> parse_uuid(std::string_view text);
// Descriptions are kept for ever, so clients must not be able to make any number of them.
inline constexpr std::size_t kDescriptionsMax = 100'000;
// Octets of all values in the record of one entry; adminLimitExceeded. Far above what one request
// can bring, far below what the record can hold.
inline constexpr std::size_t kEntryOctetsMax = std::size_t{256} << 20U;

// adminLimitExceeded when the dictionary is full and does not have the description.
Refusal check_description(const entry::Dictionary& dictionary,
                          const schema::AttributeDescription& description);
// adminLimitExceeded when an entry would have more than kEntryOctetsMax.
Refusal check_size(const entry::Entry& entry);
Refusal check_size(std::size_t octets);
// invalidDNSyntax when an entry would get a name, of so many RDNs, that no request could give.
Refusal check_new_name(std::string_view dn, std::size_t rdns);
// adminLimitExceeded when there are more trigrams than limits::kNewGramsMax and its like allow:
// among the keys of a new entry, or those of the values that a modify brings.
Refusal check_grams(const Core& core, const entry::Entry& entry,
                    const std::vector<std::string>& keys);
Refusal check_grams(const Core& core, const std::vector<entry::Attribute>& added);
// The content of a new entry: values of the RDN that are not given are added; then duplicates,
// object classes and names are checked. `distinct`: that no attribute has equal values is known.
Refusal complete_entry(const schema::Schema& schema, const ldap::Rdn& rdn, entry::Entry& entry,
                       bool distinct = false);
// Where the database stands, as the tables say.
Result<BatchState> read_batch_state(Core& core);
// Before a commit: the meta records of `state`, and the dictionary's new numbers.
Result<void> write_batch_state(Core& core, storage::WriteTxn& txn, BatchState& state);
// Writes a new entry: record, values outside it, dn key, index. REQUIRES: an id above all others.
struct NewEntry {
  EntryId id;
  const ldap::Rdn* rdn = nullptr;
  std::string_view normal_rdn;  // of the suffix entry: the normal suffix
  // The index keys of so many of the entry's attributes, the first ones, where they are known.
  std::vector<std::string> keys = {};
  std::size_t keyed = 0;
};
Result<void> store_new_entry(WriteContext& context, NewEntry which, entry::Entry& entry);

// Takes an entry without children out of every table; `record` gets all of a delete but its CSN.
Result<void> erase_leaf(WriteContext& context, const TargetName& name, const Located& located,
                        ChangeRecord& record);
// Moves names and counts of an entry that is renamed, or moves, with all below it.
struct TreeMove {
  EntryId id;
  std::span<const EntryId> old_above;  // root first, at least the suffix entry
  std::span<const EntryId> new_above;
  std::string_view old_normal_rdn;
  std::string_view new_normal_rdn;
};
Result<void> move_in_tree(WriteContext& context, const TreeMove& move);

// --- The operations. An Error is an unexpected failure: the transaction has to be aborted. ---
Result<WriteOutcome> apply_add(WriteContext& context, const AddOperation& operation,
                               query::Authorizer& who);
Result<WriteOutcome> apply_delete(WriteContext& context, const DeleteOperation& operation,
                                  query::Authorizer& who);
Result<WriteOutcome> apply_modify(WriteContext& context, const ModifyOperationRequest& operation,
                                  query::Authorizer& who);
Result<WriteOutcome> apply_modify_dn(WriteContext& context, const ModifyDnOperation& operation,
                                     query::Authorizer& who);

inline WriteOutcome refused(ldap::OperationResult result) {
  return {std::move(result), {}, EntryId(), 0};
}
inline WriteOutcome refused(ldap::ResultCode code, std::string diagnostic) {
  return refused(ldap::failure(code, std::move(diagnostic)));
}

}  // namespace kauri::backend
