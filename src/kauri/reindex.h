// kauri reindex: builds the indexes of a database anew from its entries.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_reindex_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
