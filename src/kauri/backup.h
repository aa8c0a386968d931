// kauri backup: a backup of a database, or of the changes since one, offline or from the running
// server. Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_backup_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
