// kauri explain: how a server, or a database that none has open, would answer a search
// (docs/reference/explain.md). Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

void add_explain_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
