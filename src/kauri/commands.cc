#include "kauri/commands.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "kauri/backup.h"
#include "kauri/bench.h"
#include "kauri/explain.h"
#include "kauri/export.h"
#include "kauri/hash.h"
#include "kauri/import.h"
#include "kauri/init.h"
#include "kauri/reindex.h"
#include "kauri/restore.h"
#include "kauri/verify.h"
#include "kaurid/usage.h"

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
  add_backup_command(app, exit_status);
  add_restore_command(app, exit_status);
  add_explain_command(app, exit_status);
  add_hash_command(app, exit_status);
  add_bench_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "%s\n", kaurid::usage_error(app, error).c_str());
    return kaurid::kUsageStatus;
  }
  return exit_status;
}

}  // namespace kauri::tool
