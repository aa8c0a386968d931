// kauri bench: load tests over LDAP, thin over src/toolkit.
//
// Every subcommand of kauri is a file pair like this one with one add_..._command function.
// Thread safety: confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace kauri::tool {

// Adds `bench` to `app`. The callback of a chosen subcommand runs inside CLI::App::parse() and puts
// the exit status of the program into `exit_status`, which must outlive `app`.
void add_bench_command(CLI::App& app, int& exit_status);

}  // namespace kauri::tool
