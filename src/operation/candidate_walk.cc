#include "operation/candidate_walk.h"

#include <utility>

#include "base/endian.h"
#include "base/limits.h"

namespace kauri::operation {

using query::CandidateSource;

namespace {
// In a cookie, where a walk by names has its CandidateSource.
constexpr char kByIds = static_cast<char>(CandidateSource::kIds);
}  // namespace

void CandidateWalk::clear() {
  source_ = CandidateSource::kNone;
  ids_ = index::IdSet();
  min_id_ = 0;
  base_pending_ = false;
  scanning_ = false;
  suspend();
  depth_ = 0;
}

void CandidateWalk::start(query::Plan&& plan, const Extent& extent) {
  clear();
  source_ = plan.source;
  ids_ = std::move(plan.ids);
  base_ = extent.base;
  scanning_ = source_ == CandidateSource::kSubtree && extent.whole;
  if (scanning_) {
    // The suffix entry is the first of all; below it means behind it.
    if (!extent.include_base) min_id_ = base_.value();
    return;
  }
  base_pending_ = source_ == CandidateSource::kBase ||
                  (source_ == CandidateSource::kSubtree && extent.include_base);
  if (source_ == CandidateSource::kChildren || source_ == CandidateSource::kSubtree) {
    if (levels_.empty()) levels_.emplace_back();
    levels_[0].parent = base_;
    levels_[0].after.clear();
    depth_ = 1;
  }
}

void CandidateWalk::suspend() {
  scan_.reset();
  for (Level& level : levels_) level.cursor.reset();
}

Result<std::optional<EntryId>> CandidateWalk::next(storage::Txn& txn) {
  if (source_ == CandidateSource::kIds) {
    const std::optional<EntryId> id = ids_.at_or_after(EntryId(min_id_ + 1));
    if (id.has_value()) min_id_ = id->value();
    return id;
  }
  if (scanning_) return next_by_scan(txn);
  while (true) {
    KAURI_TRY(const std::optional<EntryId> id, next_by_name(txn));
    // A walk that took over from a walk by ids leaves out what that one has done.
    if (!id.has_value() || id->value() > min_id_) return id;
  }
}

// Keys of the table of entries are their ids, big-endian (docs/formats/entry.md).
Result<std::optional<EntryId>> CandidateWalk::next_by_scan(storage::Txn& txn) {
  bool found = false;
  if (scan_ == nullptr) {
    KAURI_TRY(scan_, txn.cursor(storage::Table::kEntries));
    std::string first;
    append_big_endian<std::uint64_t>(first, min_id_ + 1);
    KAURI_TRY(found, scan_->seek(first));
  } else {
    KAURI_TRY(found, scan_->next());
  }
  if (!found) return std::optional<EntryId>();
  const std::string_view key = scan_->key();
  if (key.size() != sizeof(std::uint64_t)) {
    return corruption("the table of entries has a key of " + std::to_string(key.size()) +
                      " octets; they have 8");
  }
  min_id_ = load_big_endian<std::uint64_t>(key);
  return std::optional<EntryId>(EntryId(min_id_));
}

Result<std::optional<EntryId>> CandidateWalk::next_by_name(storage::Txn& txn) {
  if (base_pending_) {
    base_pending_ = false;
    return std::optional<EntryId>(base_);
  }
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (!level.cursor.has_value()) {
      KAURI_TRY(level.cursor, index::ChildCursor::open(txn, level.parent, level.after));
    }
    KAURI_TRY(const std::optional<EntryId> child, level.cursor->next());
    if (!child.has_value()) {
      level.cursor.reset();
      --depth_;
      continue;
    }
    level.after = level.cursor->last_key();
    if (source_ == CandidateSource::kSubtree) {
      if (levels_.size() == depth_) levels_.emplace_back();
      levels_[depth_].parent = *child;
      levels_[depth_].after.clear();
      levels_[depth_].cursor.reset();
      ++depth_;
    }
    return child;
  }
  return std::optional<EntryId>();
}

void CandidateWalk::save(std::string& out) const {
  append_big_endian<std::uint64_t>(out, min_id_);
  if (!by_name()) {
    out += kByIds;
    return;
  }
  out += static_cast<char>(source_);
  out += base_pending_ ? '\1' : '\0';
  append_big_endian<std::uint16_t>(out, static_cast<std::uint16_t>(depth_));
  for (std::size_t i = 0; i < depth_; ++i) {
    append_big_endian<std::uint64_t>(out, levels_[i].parent.value());
    append_big_endian<std::uint16_t>(out, static_cast<std::uint16_t>(levels_[i].after.size()));
    out += levels_[i].after;
  }
}

bool CandidateWalk::load(std::string_view in) {
  if (in.size() < 9) return false;
  min_id_ = load_big_endian<std::uint64_t>(in);
  const char source = in[8];
  in.remove_prefix(9);
  if (source == kByIds) return in.empty();
  if (in.size() < 3 || source < 0 || source > static_cast<char>(CandidateSource::kNone)) {
    return false;
  }
  base_pending_ = in[0] != 0;
  const std::size_t depth = load_big_endian<std::uint16_t>(in.substr(1));
  in.remove_prefix(3);
  if (depth > limits::kDnRdnsMax + 1) return false;
  // The order by names has to go on, whatever the plan would choose now.
  source_ = static_cast<CandidateSource>(source);
  scanning_ = false;
  ids_ = index::IdSet();
  depth_ = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    if (in.size() < 10) return false;
    if (levels_.size() == i) levels_.emplace_back();
    Level& level = levels_[i];
    level.parent = EntryId(load_big_endian<std::uint64_t>(in));
    const std::size_t size = load_big_endian<std::uint16_t>(in.substr(8));
    in.remove_prefix(10);
    if (in.size() < size) return false;
    level.after.assign(in.substr(0, size));
    level.cursor.reset();
    in.remove_prefix(size);
    depth_ = i + 1;
  }
  return in.empty();
}

}  // namespace kauri::operation
