// export_ldif() (offline.h).
#include <unordered_map>

#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/offline.h"
#include "backend/read_session.h"
#include "base/endian.h"
#include "index/id_set.h"
#include "ldap/dn.h"
#include "ldif/writer.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

constexpr std::size_t kWriteAtOnce = std::size_t{256} << 10U;

// Writes in the order of ids, which is the order of addition. An entry that was moved below one
// with a higher id waits until that is written.
class Exporter {
 public:
  Exporter(Database& database, ReadSession& session, const ExportOptions& options,
           const std::function<Result<void>(std::string_view)>& write)
      : core_(database.core()), session_(session), options_(options), write_(write), ldif_(out_) {}

  Result<std::uint64_t> run() {
    KAURI_CHECK(find_base());
    ldif_.version();
    KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor,
              session_.txn().cursor(storage::Table::kEntries));
    KAURI_TRY(bool found, cursor->first());
    while (found) {
      if (cursor->key().size() != sizeof(std::uint64_t))
        return corruption("table entries: a key has not 8 octets");
      KAURI_CHECK(visit(EntryId(load_big_endian<std::uint64_t>(cursor->key()))));
      KAURI_TRY(found, cursor->next());
    }
    if (!waiting_.empty())
      return corruption("table entries: the parents of " + std::to_string(waiting_.size()) +
                        " entries do not exist; run verify");
    KAURI_CHECK(flush(0));
    return count_;
  }

 private:
  Result<void> find_base() {
    if (options_.base.empty()) return {};
    KAURI_TRY(const ldap::Dn dn, ldap::parse_dn(options_.base));
    KAURI_TRY(const std::vector<std::string> rdns, schema::normalize_rdns(*core_.schema, dn));
    const std::string normal = schema::join_normal(rdns);
    Error missing(ErrorCode::kNotFound, "there is no entry \"" + options_.base + "\"");
    if (!schema::is_same_or_below(normal, core_.suffix_normal)) return missing;
    KAURI_TRY(const Resolution resolution, session_.resolve(rdns));
    if (!resolution.id) return missing;
    base_ = *resolution.id;
    return {};
  }

  Result<void> visit(EntryId id) {
    std::vector<EntryId> ready = {id};
    while (!ready.empty()) {
      const EntryId at = ready.back();
      ready.pop_back();
      KAURI_TRY(const std::optional<entry::EntryView> view, session_.entry(at));
      if (!view)
        return corruption("table entries, id " + std::to_string(at.value()) + ": it is missing");
      if (view->parent().value() != 0 && !written_.contains(view->parent())) {
        waiting_[view->parent().value()].push_back(at);
        continue;
      }
      KAURI_CHECK(write_entry(at, *view));
      if (waiting_.empty()) continue;
      if (const auto children = waiting_.find(at.value()); children != waiting_.end()) {
        ready.insert(ready.end(), children->second.begin(), children->second.end());
        waiting_.erase(children);
      }
    }
    return {};
  }

  Result<void> write_entry(EntryId id, const entry::EntryView& view) {
    written_.add(id);
    if (base_.value() != 0) {
      KAURI_TRY(const bool wanted, session_.is_at_or_below(id, view, base_));
      if (!wanted) return {};
    }
    std::string dn;
    KAURI_CHECK(session_.append_dn(view, dn));
    ldif_.dn(dn);
    for (std::size_t i = 0; i < view.attribute_count(); ++i) {
      const entry::AttributeSlot slot = view.attribute(i);
      if (slot.operational && !options_.operational) continue;
      KAURI_CHECK(write_attribute(id, slot));
    }
    ldif_.end_record();
    ++count_;
    return flush(kWriteAtOnce);
  }

  Result<void> write_attribute(EntryId id, const entry::AttributeSlot& slot) {
    const std::string_view name = core_.dictionary->text(slot.number);
    if (!slot.external) {
      for (const std::string_view value : slot.values) ldif_.attribute(name, value);
      return {};
    }
    KAURI_TRY(const std::vector<std::string> values,
              read_large_values(session_.txn(), id, slot.number, slot.value_count));
    for (const std::string& value : values) {
      ldif_.attribute(name, value);
      KAURI_CHECK(flush(kWriteAtOnce));
    }
    return {};
  }

  Result<void> flush(std::size_t above) {
    if (out_.size() <= above) return {};
    KAURI_CHECK(write_(out_));
    out_.clear();
    return {};
  }

  Core& core_;
  ReadSession& session_;
  const ExportOptions& options_;
  const std::function<Result<void>(std::string_view)>& write_;
  std::string out_;
  ldif::Writer ldif_;
  EntryId base_;
  index::IdSet written_;
  std::unordered_map<std::uint64_t, std::vector<EntryId>> waiting_;  // by the parent they wait for
  std::uint64_t count_ = 0;
};

}  // namespace

storage::TableSet tables_of_export(const ExportOptions& options) {
  using storage::Table;
  storage::TableSet tables = storage::table_set(Table::kMeta, Table::kEntries, Table::kValues);
  // The base is found by its name.
  if (!options.base.empty()) tables |= storage::table_set(Table::kDn);
  return tables;
}

Result<std::uint64_t> export_ldif(Database& database, const ExportOptions& options,
                                  const std::function<Result<void>(std::string_view)>& write) {
  KAURI_TRY(const std::unique_ptr<ReadSession> session, database.read_session());
  KAURI_CHECK(session->begin());
  Exporter exporter(database, *session, options, write);
  return exporter.run();
}

}  // namespace kauri::backend
