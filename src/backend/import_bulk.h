// BulkLoader: prepared entries into an environment that is empty, every table in key order. Inside
// backend/ only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/core.h"
#include "backend/import_orphans.h"
#include "backend/import_pipeline.h"
#include "backend/posting_accumulator.h"
#include "base/result.h"

namespace kauri::backend {

// Names that have been imported: 16 octets of digest stand for a normal DN. Thread safety:
// thread-compatible.
class NameTable {
 public:
  struct Item {
    std::array<char, 16> digest{};
    EntryId id;
    EntryId parent;
  };
  NameTable() : slots_(std::size_t{1} << 12U) {}
  const Item* find(const std::array<char, 16>& digest) const;
  // REQUIRES: not there yet.
  void add(const Item& item);

 private:
  std::size_t slot_of(const std::array<char, 16>& digest) const;
  std::vector<Item> slots_;  // id 0 = free
  std::size_t count_ = 0;
};

class BulkLoader {
 public:
  // `core.env` is the new environment; its suffix may be empty: the first entry's name. Runs for
  // sorting go to `spill_directory`.
  BulkLoader(Core& core, std::string spill_directory, std::size_t memory_bytes_max);

  // Takes the entries of a batch in order. Those that cannot be stored get a reason in `reject`;
  // those whose parents have not come yet are set aside. RETURNS: kInvalid when the first entry's
  // name cannot be the suffix, as another stands above it.
  Result<void> take(ImportBatch& batch);
  // After the last batch: what was set aside finds its parents among all entries. Calls back for
  // each that finds none.
  Result<void> take_orphans(const std::function<Result<void>(const PreparedRecord&)>& reject);
  // Builds what is left: names, index, meta.
  Result<void> finish(const std::function<void(const char* phase)>& phase);

  std::uint64_t entries() const { return entries_; }

 private:
  struct Parent {
    EntryId parent;
    std::uint64_t children = 0;
    std::uint64_t descendants = 0;
  };

  // The place of an entry in the tree.
  Result<Placed> place(PreparedRecord& record, EntryId* id);
  bool is_inside(const PreparedRecord& record) const;
  // Counts the new child on its parent and all above.
  void count_below(const NameTable::Item& parent);
  Result<void> set_aside(const ImportBatch& batch, const std::vector<std::uint32_t>& which);
  Result<void> store(PreparedRecord& record, EntryId id);
  Result<std::vector<entry::ExternalAttribute>> store_large(const PreparedRecord& record,
                                                            EntryId id);
  Result<void> put(storage::Table table, std::string_view key, std::string_view value);
  Result<void> commit();
  Result<void> build_names();
  Result<void> build_index();
  Result<void> write_meta();

  Core& core_;
  PostingAccumulator names_;
  PostingAccumulator keys_;
  std::unique_ptr<storage::WriteTxn> txn_;
  std::size_t txn_octets_ = 0;
  NameTable known_;
  OrphanStore orphans_;
  bool suffix_is_first_name_ = false;
  std::string last_parent_dn_;
  std::optional<NameTable::Item> last_parent_;
  std::unordered_map<std::uint64_t, Parent> parents_;
  EntryId next_id_{1};
  std::uint64_t entries_ = 0;
  std::string last_csn_;
};

}  // namespace kauri::backend
