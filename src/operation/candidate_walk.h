// CandidateWalk: the candidates of one plan one after another, across snapshots. It keeps a
// position, never a transaction: suspend() drops what belongs to the snapshot. Internal to
// operation/.
//
// Thread safety: thread-compatible. Every candidate of a walk over ids is above min_id(); a walk
// over names continues behind the last key seen, so entries added or deleted meanwhile do no harm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/dn_index.h"
#include "query/planner.h"
#include "storage/storage.h"

namespace kauri::operation {

class CandidateWalk {
 public:
  // Starts over with a plan for `base`. `include_base`: the base itself is in scope. `whole`: the
  // subtree is the whole database, whose entries are read in the order of their ids.
  struct Extent {
    EntryId base;
    bool include_base = true;
    bool whole = false;
  };
  void start(query::Plan&& plan, const Extent& extent);
  void clear();

  // The next candidate, or nothing at the end. RETURNS: kCorruption, kIo.
  Result<std::optional<EntryId>> next(storage::Txn& txn);
  // Lets go of the snapshot.
  void suspend();

  // The position for a cookie, and back. load() is called after start(): a position in the names
  // overrides a plan by ids. RETURNS: false when the octets are no position.
  void save(std::string& out) const;
  bool load(std::string_view in);

 private:
  struct Level {
    EntryId parent;
    std::string after;  // key of the child seen last
    std::optional<index::ChildCursor> cursor;
  };
  // True when candidates come in the order of the tree rather than in that of their ids.
  bool by_name() const { return source_ != query::CandidateSource::kIds && !scanning_; }
  Result<std::optional<EntryId>> next_by_scan(storage::Txn& txn);
  Result<std::optional<EntryId>> next_by_name(storage::Txn& txn);

  query::CandidateSource source_ = query::CandidateSource::kNone;
  index::IdSet ids_;
  bool scanning_ = false;  // kSubtree: all entries by their ids
  std::unique_ptr<storage::Cursor> scan_;
  std::uint64_t min_id_ = 0;  // ids up to this one are done
  EntryId base_;
  bool base_pending_ = false;
  std::size_t depth_ = 0;      // levels in use
  std::vector<Level> levels_;  // the way down to the position; memory is kept beyond depth_
};

}  // namespace kauri::operation
