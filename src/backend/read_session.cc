#include "backend/read_session.h"

#include "backend/read_session_impl.h"
#include "base/endian.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

// Deeper trees do not exist: a chain of parents that long is a loop in damaged records.
constexpr std::size_t kDepthMax = 100'000;

// The key of an entry without allocating.
class EntryKey {
 public:
  explicit EntryKey(EntryId id) : octets_(to_big_endian(id.value())) {}
  std::string_view view() const {
    return {reinterpret_cast<const char*>(&octets_), sizeof(octets_)};
  }

 private:
  std::uint64_t octets_;
};

Error no_entry(EntryId id, std::string_view why) {
  return corruption("table entries, id " + std::to_string(id.value()) + ": " + std::string(why));
}

}  // namespace

Result<void> ReadSessionImpl::begin_transaction() {
  if (txn_ != nullptr) return txn_->renew();
  KAURI_TRY(txn_, core_.env->begin_read());
  return {};
}

Result<void> ReadSessionImpl::begin() {
  KAURI_ASSERT(!begun_);
  if (const Result<void> begun = begin_transaction(); !begun) {
    // More readers than the lock file has room for are load, nothing that the request has exceeded.
    if (begun.error().code() != ErrorCode::kLimit) return begun;
    return Error(ErrorCode::kBusy, begun.error().message());
  }
  begun_ = true;
  snapshot_ = txn_->id();
  external_.set(txn_.get());
  // The snapshot first, then the announcements: what the snapshot shows has been announced by now.
  // An announcement of a commit that the snapshot does not show yet drops the cache too, which is
  // needless but right: an earlier one may hide behind it.
  if (core_.names.last_cached_change.load() > names_as_of_) names_.clear();
  names_as_of_ = snapshot_;
  return {};
}

void ReadSessionImpl::end() {
  if (!begun_) return;
  txn_->reset();
  begun_ = false;
}

storage::Txn& ReadSessionImpl::txn() {
  KAURI_ASSERT(begun_);
  return *txn_;
}

Result<EntryId> ReadSessionImpl::child(EntryId parent, std::string_view normal_rdn) {
  if (const EntryId known = names_.find_child(parent, normal_rdn); known.value() != 0) return known;
  KAURI_TRY(const std::optional<EntryId> found, index::find_child(*txn_, parent, normal_rdn));
  if (!found) return EntryId();
  // What is in the table of names has children.
  if (names_.find(*found) != nullptr) names_.store_child(parent, normal_rdn, *found);
  return *found;
}

Result<Resolution> ReadSessionImpl::resolve(const std::vector<std::string>& normal_rdns) {
  const std::size_t suffix_count = core_.suffix_rdns.size();
  KAURI_ASSERT(begun_ && normal_rdns.size() >= suffix_count);
  std::size_t below = normal_rdns.size() - suffix_count;
  Resolution resolution;
  EntryId before;
  KAURI_TRY(EntryId at, child(EntryId(), core_.suffix_normal));
  std::string_view rdn = core_.suffix_normal;
  while (at.value() != 0 && below != 0) {
    const std::string_view next_rdn = normal_rdns[below - 1];
    KAURI_TRY(const EntryId next, child(at, next_rdn));
    if (next.value() == 0) {
      resolution.deepest = at;
      resolution.rdns_missing = below;
      return resolution;
    }
    names_.store_child(before, rdn, at);  // it has a child
    before = at;
    at = next;
    rdn = next_rdn;
    --below;
  }
  if (at.value() == 0) {
    resolution.rdns_missing = below + suffix_count;
    return resolution;
  }
  resolution.deepest = at;
  resolution.id = at;
  return resolution;
}

Result<std::optional<entry::EntryView>> ReadSessionImpl::entry(EntryId id) {
  KAURI_ASSERT(begun_);
  KAURI_TRY(const std::optional<std::string_view> record,
            txn_->get(storage::Table::kEntries, EntryKey(id).view()));
  if (!record) return std::optional<entry::EntryView>();
  KAURI_TRY(const entry::EntryView view, parse_entry(core_, id, *record));
  return std::optional<entry::EntryView>(view);
}

Result<entry::EntryView> ReadSessionImpl::required_entry(EntryId id) {
  KAURI_TRY(const std::optional<entry::EntryView> view, entry(id));
  if (!view) return no_entry(id, "other records name this entry, but it does not exist");
  return *view;
}

Result<const NameCache::Name*> ReadSessionImpl::name(EntryId id) {
  if (const NameCache::Name* known = names_.find(id); known != nullptr) [[likely]]
    return known;
  return load_name(id);
}

Result<const NameCache::Name*> ReadSessionImpl::load_name(EntryId id) {
  // Up to an ancestor that is known or to the suffix entry, then down again.
  climb_.clear();
  NameCache::Name above;
  for (EntryId at = id; at.value() != 0;) {
    if (const NameCache::Name* known = names_.find(at); known != nullptr) {
      above = *known;
      break;
    }
    climb_.push_back(at);
    if (climb_.size() > kDepthMax) return no_entry(id, "its chain of parents does not end");
    KAURI_TRY(const entry::EntryView view, required_entry(at));
    at = view.parent();
  }
  const NameCache::Name* stored = nullptr;
  while (!climb_.empty()) {
    const EntryId at = climb_.back();
    climb_.pop_back();
    KAURI_TRY(const entry::EntryView view, required_entry(at));
    NameCache::Name next{at, view.parent(), {}, {}};
    if (view.parent().value() == 0) {
      next.dn = view.rdn();
      next.normal_dn = core_.suffix_normal;
    } else {
      next.dn = ldap::join_dn(view.rdn(), above.dn);
      KAURI_TRY(const std::string own, schema::normalize_dn(*core_.schema, view.rdn()));
      next.normal_dn = above.normal_dn + own;
    }
    above = next;
    stored = names_.store(std::move(next));
  }
  if (stored == nullptr) return no_entry(id, "other records name this id, which no entry has");
  return stored;
}

Result<void> ReadSessionImpl::append_dn(const entry::EntryView& view, std::string& out) {
  out.append(view.rdn());
  if (view.parent().value() == 0) return {};
  KAURI_TRY(const NameCache::Name* parent, name(view.parent()));
  out.push_back(',');
  out.append(parent->dn);
  return {};
}

Result<void> ReadSessionImpl::append_normal_dn(const entry::EntryView& view, std::string& out) {
  if (view.parent().value() == 0) {
    out.append(core_.suffix_normal);
    return {};
  }
  KAURI_TRY(const std::string own, schema::normalize_dn(*core_.schema, view.rdn()));
  KAURI_TRY(const NameCache::Name* parent, name(view.parent()));
  out.append(parent->normal_dn).append(own);
  return {};
}

Result<std::string> ReadSessionImpl::dn(EntryId id) {
  if (const NameCache::Name* known = names_.find(id); known != nullptr) return known->dn;
  KAURI_TRY(const entry::EntryView view, required_entry(id));
  std::string out;
  KAURI_CHECK(append_dn(view, out));
  return out;
}

Result<std::string> ReadSessionImpl::normal_dn(EntryId id) {
  if (const NameCache::Name* known = names_.find(id); known != nullptr) return known->normal_dn;
  KAURI_TRY(const entry::EntryView view, required_entry(id));
  std::string out;
  KAURI_CHECK(append_normal_dn(view, out));
  return out;
}

Result<bool> ReadSessionImpl::is_at_or_below(EntryId id, const entry::EntryView& view,
                                             EntryId ancestor) {
  if (id == ancestor) return true;
  std::size_t depth = 0;
  for (EntryId at = view.parent(); at.value() != 0; ++depth) {
    if (at == ancestor) return true;
    if (depth > kDepthMax) return no_entry(id, "its chain of parents does not end");
    KAURI_TRY(const NameCache::Name* above, name(at));
    at = above->parent;
  }
  return false;
}

Result<index::SubordinateCounts> ReadSessionImpl::counts(EntryId id) {
  KAURI_ASSERT(begun_);
  return index::subordinate_counts(*txn_, id);
}

std::string_view StoredTarget::normal_dn() {
  if (!made_) {
    made_ = true;
    if (!session_.append_normal_dn(view_, normal_dn_)) normal_dn_.clear();
  }
  return normal_dn_;
}

}  // namespace kauri::backend
