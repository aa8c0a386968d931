// kauri restore: a database from a backup, and from the changes after it to a point in time.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_restore_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
