// kauri export: writes a database as LDIF.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_export_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
