// The states of the things that the load of tests/lib/write_load.py changes, out of a database.
// Thread safety: thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger.h"
#include "schema/schema.h"

namespace kauri::write_log {

struct Examined {
  States states;
  std::vector<std::string> faults;  // of the database itself, and of entries half changed
};

// Opens the database of a directory as after a crash, verifies every table and reads the states.
// RETURNS: an error when it cannot be opened or read.
Result<Examined> examine(const std::string& directory,
                         const std::shared_ptr<const schema::Schema>& schema);

}  // namespace kauri::write_log
