// ReadSession: what one thread needs to read a database: a renewable snapshot, names, entries,
// large values.
//
// Thread safety: confined to one thread at a time. Views are VALID UNTIL end(). The name cache (ids
// of non-leaf entries
// -> DN, normal DN, parent) outlives snapshots: it is dropped when a rename was committed since
// (the snapshot's id is compared with Database::last_rename_txn()).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "entry/entry_view.h"
#include "index/dn_index.h"
#include "query/access.h"

namespace kauri::backend {

struct Resolution {
  std::optional<EntryId> id;     // the entry; nothing = noSuchObject
  EntryId deepest;               // the deepest ancestor that exists (0: not even the suffix entry)
  std::size_t rdns_missing = 0;  // RDNs of the name below `deepest`
};

class ReadSession {
 public:
  virtual ~ReadSession() = default;

  virtual Database& database() = 0;
  // Takes the newest snapshot. REQUIRES: not begun.
  virtual Result<void> begin() = 0;
  // Gives it back. Idempotent.
  virtual void end() = 0;
  virtual bool begun() const = 0;
  virtual storage::Txn& txn() = 0;
  virtual std::uint64_t snapshot() const = 0;

  // Walks a name, given leaf first, from the suffix down. REQUIRES: the name is at or below the
  // suffix.
  virtual Result<Resolution> resolve(const std::vector<std::string>& normal_rdns) = 0;
  // nullopt when there is no such entry. VALID UNTIL: end().
  virtual Result<std::optional<entry::EntryView>> entry(EntryId id) = 0;
  // Of an id that another record of this snapshot names. RETURNS: kCorruption when there is no such
  // entry. VALID UNTIL: end().
  virtual Result<entry::EntryView> required_entry(EntryId id) = 0;
  // DN text of an entry whose view is at hand: own RDN + the parent's DN from the cache. Appends to
  // `out`.
  virtual Result<void> append_dn(const entry::EntryView& view, std::string& out) = 0;
  virtual Result<void> append_normal_dn(const entry::EntryView& view, std::string& out) = 0;
  virtual Result<std::string> dn(EntryId id) = 0;
  virtual Result<std::string> normal_dn(EntryId id) = 0;
  // Whether the entry, whose view is at hand, lies at or below `ancestor`.
  virtual Result<bool> is_at_or_below(EntryId id, const entry::EntryView& view,
                                      EntryId ancestor) = 0;
  virtual Result<index::SubordinateCounts> counts(EntryId id) = 0;
  virtual entry::ExternalValues& external() = 0;
};

// An AccessTarget over a stored entry.
class StoredTarget final : public query::AccessTarget {
 public:
  StoredTarget(ReadSession& session, EntryId id, const entry::EntryView& view)
      : session_(session), id_(id), view_(view) {}
  EntryId id() const override { return id_; }
  const entry::EntryView* entry() const override { return &view_; }
  std::string_view normal_dn() override;  // empty on an error, which denies

 private:
  ReadSession& session_;
  EntryId id_;
  const entry::EntryView& view_;
  std::string normal_dn_;
  bool made_ = false;
};

}  // namespace kauri::backend
