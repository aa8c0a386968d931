// kauri verify: checks every table of a database against its entries.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_verify_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
