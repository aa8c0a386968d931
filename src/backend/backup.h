// Backups: one consistent state of a database, or what changed since one, as a stream of octets
// (docs/formats/backup.md). Reading them back: backup_stream.h, restore.h.
//
// Both read one snapshot from beginning to end. One that fails ends the stream with the reason.
// Pages that the writer frees meanwhile cannot be used again before the end, so the file grows by
// about what is written in that time. Thread safety: thread-safe; the database may be written to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "backend/backup_stream.h"
#include "backend/database.h"
#include "base/result.h"

namespace kauri::backend {

// How many records of how many; called now and then.
using BackupProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct BackupOptions {
  std::string program;  // for the header
  BackupProgress progress = {};
};

// The whole database. Each record is checked on the way, and whether they fit one another
// (backup_check.h). RETURNS: the header; kCorruption for damage, with the table and what to do, and
// what storage and sink return.
Result<BackupHeader> write_backup(Database& database, const BackupOptions& options,
                                  const OctetSink& sink);

// The changes that were made on the state with the CSN `since` and later. RETURNS: kNotFound when
// the change log does not lead from there to the present state: dropped, never recorded, or no
// state of this database.
Result<BackupHeader> write_changes(Database& database, const std::string& since,
                                   const BackupOptions& options, const OctetSink& sink);

}  // namespace kauri::backend
