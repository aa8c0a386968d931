// Restoring a database from a backup, and from a backup and the changes after it to a point in time
// (docs/formats/backup.md).
//
// The new database is built in a directory of its own inside the old one's; its file takes the
// place of the old one in one step, when it is whole and on stable storage. So whatever happens on
// the way, even kill -9, the old state is there or the new one. No server may have the database.
// Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backup_stream.h"
#include "backend/csn.h"
#include "backend/database.h"
#include "backend/offline.h"
#include "base/result.h"

namespace kauri::backend {

// A backup or a part of a change log, with the name that messages give it.
struct RestoreSource {
  std::string name;
  OctetSource octets;
};

// The last moment whose changes count, those of the moment itself included: a CSN, or a time in UTC
// as GeneralizedTime ("20260131235959Z", "20260131235959.5Z") or ISO 8601
// ("2026-01-31T23:59:59Z"). RETURNS: kInvalid with the forms that are understood.
Result<Csn> parse_moment(std::string_view text);

struct RestoreOptions {
  // Where to. A suffix that is not empty has to be that of the backup.
  DatabaseOptions database;
  bool replace = false;  // a database that is there
  bool verify = false;   // the whole new database, before it takes its place
  std::string until;     // parse_moment(); empty: all changes that are given
  std::function<void(const char* phase, std::uint64_t done, std::uint64_t all)> progress = {};
};

struct RestoreReport {
  BackupHeader backup;
  std::uint64_t entries = 0;  // of the new database
  std::uint64_t changes = 0;  // made again
  std::string csn;            // of the new database
  double seconds = 0;
};

// RETURNS: kExists for a database that is there and not to be replaced, kBusy while a process has
// it, kInvalid and kCorruption for backups and changes that are damaged or do not fit one another,
// with the name of the source.
Result<RestoreReport> restore(const RestoreOptions& options, RestoreSource backup,
                              std::vector<RestoreSource> changes,
                              std::shared_ptr<const schema::Schema> schema, Clock& clock,
                              Random& random);

}  // namespace kauri::backend
