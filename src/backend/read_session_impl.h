// The ReadSession of an open database. Inside backend/ only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/name_cache.h"
#include "backend/read_session.h"

namespace kauri::backend {

class ReadSessionImpl final : public ReadSession {
 public:
  ReadSessionImpl(Database& database, Core& core) : database_(database), core_(core) {}
  ~ReadSessionImpl() override = default;

  Database& database() override { return database_; }
  Result<void> begin() override;
  void end() override;
  bool begun() const override { return begun_; }
  storage::Txn& txn() override;
  std::uint64_t snapshot() const override { return snapshot_; }
  Result<Resolution> resolve(const std::vector<std::string>& normal_rdns) override;
  Result<std::optional<entry::EntryView>> entry(EntryId id) override;
  Result<void> append_dn(const entry::EntryView& view, std::string& out) override;
  Result<void> append_normal_dn(const entry::EntryView& view, std::string& out) override;
  Result<std::string> dn(EntryId id) override;
  Result<std::string> normal_dn(EntryId id) override;
  Result<bool> is_at_or_below(EntryId id, const entry::EntryView& view, EntryId ancestor) override;
  Result<index::SubordinateCounts> counts(EntryId id) override;
  entry::ExternalValues& external() override { return external_; }

 private:
  Result<void> begin_transaction();
  // The name of an entry that has children. VALID UNTIL: the next call that may load a name.
  Result<const NameCache::Name*> name(EntryId id);
  Result<const NameCache::Name*> load_name(EntryId id);
  Result<EntryId> child(EntryId parent, std::string_view normal_rdn);
  Result<entry::EntryView> required_entry(EntryId id) override;

  Database& database_;
  Core& core_;
  std::unique_ptr<storage::ReadTxn> txn_;
  bool begun_ = false;
  std::uint64_t snapshot_ = 0;
  NameCache names_;
  std::uint64_t names_as_of_ = 0;  // the snapshot for which what is in names_ is true
  TxnExternalValues external_;
  std::vector<EntryId> climb_;
};

}  // namespace kauri::backend
