// WorkingCopy: a copy of a database that a tool changes, put into the place of the old one when it
// is whole. A tool that is ended in the middle, however it is, leaves the old database.
//
// Costs the time and the space of a copy, and spares each transaction of the tool its flush.
// Thread safety: thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backup_file.h"
#include "base/result.h"
#include "storage/storage.h"

namespace kauri::backend {

class WorkingCopy {
 public:
  // Of the database in the directory `path`, in a directory `name` inside it. What an earlier
  // process left there goes, and the copy goes with the object, unless it was put in place. The
  // database is locked as long as this object lives. RETURNS:
  // kNotFound, kBusy, kNoSpace, kIo, kCorruption.
  static Result<std::unique_ptr<WorkingCopy>> make(const std::string& path, std::string_view name);
  // Where the copy is to be opened: with relaxed durability, and closed before put_in_place().
  const std::string& path() const { return directory_.path(); }
  // Flushes the copy and makes it the database. RETURNS: kIo, kNoSpace; the old one is there then.
  Result<void> put_in_place();

 private:
  WorkingCopy(std::unique_ptr<storage::Env> original, const std::string& path)
      : original_(std::move(original)), directory_(path) {}
  Result<void> copy();

  std::unique_ptr<storage::Env> original_;
  TemporaryDirectory directory_;
};

}  // namespace kauri::backend
