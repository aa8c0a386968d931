#include "backend/verify_changes.h"

#include <memory>
#include <optional>
#include <unordered_map>

#include "backend/change_log.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {

constexpr std::string_view kEntryCsn = "entryCSN";

// What the last record of an entry says of it.
struct Last {
  std::uint64_t sequence = 0;
  bool deleted = false;
  bool seen = false;
  std::string csn;  // entryCSN after the change; empty when no record of the log has one
  std::string dn;
};

class ChangeChecker {
 public:
  ChangeChecker(Core& core, storage::Txn& txn, const ChangeCheck& check)
      : core_(core), txn_(txn), check_(check) {}

  Result<std::uint64_t> run() {
    KAURI_CHECK(read_log());
    // A log that cannot be read, or that was off when the last change was made, says nothing
    // certain.
    if (faults_ != 0 || !check_.compare_entries || last_csn_ != check_.last_csn)
      return std::uint64_t{0};
    KAURI_CHECK(compare_entries());
    for (const auto& [id, last] : last_)
      if (!last.deleted && !last.seen)
        fault(last.sequence, "entry " + std::to_string(id) + ", \"" + last.dn +
                                 "\", which it left in the directory, does not exist");
    return records_;
  }

 private:
  void fault(std::string text) {
    ++faults_;
    check_.fault("table changes" + std::move(text));
  }
  void fault(std::uint64_t sequence, const std::string& text) {
    fault(", sequence " + std::to_string(sequence) + ": " + text);
  }

  Result<void> read_log();
  void take(std::uint64_t sequence, ChangeRecord&& record);
  Result<void> compare_entries();
  void compare(EntryId id, std::string_view rdn, std::string_view csn);

  Core& core_;
  storage::Txn& txn_;
  const ChangeCheck& check_;
  std::unordered_map<std::uint64_t, Last> last_;
  std::string first_csn_;      // of the oldest record behind which none is missing
  std::string last_csn_;       // of the newest
  std::uint64_t records_ = 0;  // from first_csn_ on
  std::uint64_t faults_ = 0;
};

Result<void> ChangeChecker::read_log() {
  KAURI_TRY(const ChangeLogPosition position, read_change_position(txn_));
  for (std::uint64_t sequence = position.first; sequence < position.next; ++sequence) {
    Result<std::optional<ChangeRecord>> record = read_change(txn_, sequence);
    if (!record) {
      ++faults_;
      check_.fault(record.error().message());
      continue;
    }
    if (!*record) {
      fault(": sequence " + std::to_string(sequence) + " is missing");
      continue;
    }
    if ((*record)->csn <= last_csn_)
      fault(sequence, "CSN " + (*record)->csn + " does not follow " + last_csn_);
    // The log can be off for a time, which leaves no gap in the sequences.
    if ((*record)->previous_csn != last_csn_ || first_csn_.empty()) {
      last_.clear();
      records_ = 0;
      first_csn_ = (*record)->csn;
    }
    last_csn_ = (*record)->csn;
    ++records_;
    if (check_.compare_entries) take(sequence, std::move(**record));
    check_.advance(sequence);
  }
  if (last_csn_ > check_.last_csn)
    fault(": the last CSN " + last_csn_ + " is later than the database's, " + check_.last_csn);
  return {};
}

void ChangeChecker::take(std::uint64_t sequence, ChangeRecord&& record) {
  Last& last = last_[record.id.value()];
  last.sequence = sequence;
  last.deleted = record.kind == ChangeKind::kDelete;
  last.dn = record.kind == ChangeKind::kModifyDn ? std::move(record.new_dn) : std::move(record.dn);
  if (last.deleted) last.dn.clear();
  for (AttributeChange& change : record.attributes)
    if (change.description == kEntryCsn && !change.added.empty())
      last.csn = std::move(change.added.back());
}

Result<void> ChangeChecker::compare_entries() {
  const std::optional<AttributeNumber> number =
      core_.dictionary->find({core_.schema->well_known().entry_csn, {}});
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn_.cursor(storage::Table::kEntries));
  std::uint64_t done = 0;
  Result<bool> found = cursor->first();
  for (; !found || *found; found = cursor->next()) {
    if (!found && (found.error().code() != ErrorCode::kCorruption || !cursor->at_record()))
      return found.error();
    // Keys and records that are damaged are faults of the entries, and known by now.
    if (found && cursor->key().size() == sizeof(std::uint64_t)) {
      const EntryId id(load_big_endian<std::uint64_t>(cursor->key()));
      if (const Result<entry::EntryView> view = entry::EntryView::parse(cursor->value())) {
        const std::optional<entry::AttributeSlot> slot =
            number ? view->find(*number) : std::nullopt;
        std::string_view csn;
        if (slot && !slot->external)
          for (const std::string_view value : slot->values) csn = value;
        compare(id, view->rdn(), csn);
      } else if (const auto last = last_.find(id.value()); last != last_.end()) {
        last->second.seen = true;
      }
    }
    check_.advance(++done);
  }
  return {};
}

void ChangeChecker::compare(EntryId id, std::string_view rdn, std::string_view csn) {
  const auto found = last_.find(id.value());
  if (found == last_.end()) {
    if (csn > first_csn_)
      fault(": no record of the last change of entry " + std::to_string(id.value()) +
            ", which its entryCSN " + std::string(csn) + " puts after the oldest one");
    return;
  }
  Last& last = found->second;
  last.seen = true;
  const std::string entry = "entry " + std::to_string(id.value());
  if (last.deleted) {
    fault(last.sequence, entry + ", which it deleted, exists");
    return;
  }
  if (!last.csn.empty() && last.csn != csn)
    fault(last.sequence, entry + " has the entryCSN " + std::string(csn) +
                             ", and its last change left it " + last.csn);
  if (!last.dn.starts_with(rdn) || (last.dn.size() > rdn.size() && last.dn[rdn.size()] != ','))
    fault(last.sequence, entry + " has the RDN \"" + std::string(rdn) +
                             "\", and its last change was of \"" + last.dn + "\"");
}

}  // namespace

Result<std::uint64_t> verify_changes(Core& core, storage::Txn& txn, const ChangeCheck& check) {
  return ChangeChecker(core, txn, check).run();
}

}  // namespace kauri::backend
