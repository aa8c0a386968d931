// BackupCheck: whether the records of a backup belong to one another, so that no backup carries
// damage on in silence (docs/formats/backup.md, "What is checked").
//
// A checksum says that a record is as it was written, not that all are there and under their own
// keys. The records of a whole database pass here once, in the order of a backup, and everything
// that leads to an entry has to find it: its name, the parent's id in it, the lists of the indexes,
// the values that it keeps outside. It knows formats only, so that the maker of a backup and the
// reader of a file ask the same. What needs the schema (names, what an index should hold) is left
// to verify(). Memory: 1 KiB for each 8,192 ids in use. Thread safety: thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backup_stream.h"
#include "base/result.h"
#include "base/strong_id.h"

namespace kauri::backend {

class BackupCheck {
 public:
  // The next record, as readers of the tables see it. RETURNS: kCorruption with table and key.
  Result<void> add(const BackupRecord& record);
  // After the last record: whether none was missing.
  Result<void> finish();

 private:
  // The ids of one block of 8,192 (docs/formats/index.md).
  static constexpr std::size_t kWords = 128;
  struct Block {
    std::uint64_t number = 0;
    std::array<std::uint64_t, kWords> ids{};
  };
  struct LargeAttribute {
    std::uint64_t entry = 0;
    std::uint32_t number = 0;
    std::uint32_t values = 0;
  };

  Result<void> check_order(const BackupRecord& record);
  // Of a table whose records have all passed.
  Result<void> end_table(storage::Table table);
  Result<void> end_entries();
  Result<void> end_names();
  Result<void> end_children();
  Result<void> end_list();
  Result<void> end_values();

  Result<void> add_meta(std::string_view key, std::string_view value);
  Result<void> add_entry(std::string_view key, std::string_view value);
  Result<void> add_name(std::string_view key, std::string_view value);
  Result<void> add_posting(std::string_view key, std::string_view value);
  Result<void> add_inline(std::string_view key, std::string_view value);
  Result<void> add_block(std::string_view key, std::string_view value);
  Result<void> add_value(std::string_view key);
  Result<void> add_change(std::string_view key, std::string_view value);

  const Block* block(std::uint64_t number) const;
  bool exists(std::uint64_t id) const;

  storage::Table table_ = storage::Table::kMeta;
  std::string key_;  // of the record before; empty at the begin of a table

  std::uint64_t next_id_ = 0;
  std::uint32_t attributes_ = 0;        // of the dictionary
  std::vector<std::uint32_t> indexes_;  // those that can be read

  std::vector<Block> blocks_;  // ids of the entries, by rising number
  std::uint64_t entries_ = 0;
  // The sum of a hash of each entry's id and parent, and of those that the names have: equal when
  // each entry has its name below its parent, in whatever order they come.
  std::uint64_t links_ = 0;
  std::uint64_t named_links_ = 0;

  std::uint64_t names_ = 0;
  std::uint64_t parent_ = 0;  // whose names pass
  std::uint64_t children_ = 0;
  std::uint64_t children_due_ = 0;

  std::string list_;  // the key of the index's list whose blocks pass; empty when none is open
  std::uint64_t listed_ = 0;
  std::uint64_t listed_due_ = 0;

  std::vector<LargeAttribute> large_;
  std::size_t large_at_ = 0;  // whose values pass
  std::uint32_t values_ = 0;

  std::uint64_t sequence_ = 0;  // of the last change
};

}  // namespace kauri::backend
