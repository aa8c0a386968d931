// kauri bench null: a server that answers with prepared octets, to see what the client can do.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

// Adds `null` to `bench`; `exit_status` as for add_bench_command().
void add_bench_null_command(CLI::App& bench, int& exit_status);

}  // namespace kauri::tool
