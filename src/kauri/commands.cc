#include "kauri/commands.h"

#include <CLI/CLI.hpp>

#include "kauri/bench.h"
#include "kauri/export.h"
#include "kauri/hash.h"
#include "kauri/import.h"
#include "kauri/init.h"
#include "kauri/reindex.h"
#include "kauri/verify.h"

namespace kauri::tool {

int run(int argc, const char* const* argv) {
  int exit_status = 0;
  CLI::App app("Kauri's command-line tool: offline work on a database, and clients of a server",
               "kauri");
  app.set_version_flag("--version", KAURI_VERSION);
  app.require_subcommand(1);
  add_init_command(app, exit_status);
  add_import_command(app, exit_status);
  add_export_command(app, exit_status);
  add_verify_command(app, exit_status);
  add_reindex_command(app, exit_status);
  add_hash_command(app, exit_status);
  add_bench_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return exit_status;
}

}  // namespace kauri::tool
