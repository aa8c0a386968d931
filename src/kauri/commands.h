// All subcommands of kauri behind one call. Thread safety: confined to the main thread.
#pragma once

namespace kauri::tool {

// Parses the command line, runs the command, prints what it says. RETURNS: the exit status: 0 done,
// 1 refused or faults found, more than 1 a command line that cannot be read.
int run(int argc, const char* const* argv);

}  // namespace kauri::tool
