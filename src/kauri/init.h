// kauri init: makes an empty database.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_init_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
