// kauri import: loads LDIF into a database, in bulk when it is new.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_import_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
