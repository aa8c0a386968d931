// kauri hash: makes the stored form of a password.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_hash_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
