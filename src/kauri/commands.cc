#include "kauri/commands.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "config/nearest.h"
#include "kauri/bench.h"
#include "kauri/export.h"
#include "kauri/hash.h"
#include "kauri/import.h"
#include "kauri/init.h"
#include "kauri/reindex.h"
#include "kauri/verify.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

// Of command lines that cannot be read.
constexpr int kUsageStatus = 2;

bool has_subcommand(const CLI::App& app, const std::string& word) {
  for (const CLI::App* one : app.get_subcommands({}))
    if (one->get_name() == word) return true;
  return false;
}

int unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  const std::string_view near = config::nearest(word, {names.begin(), names.end()});
  const std::string advice =
      near.empty() ? "there are " + all : "did you mean " + std::string(near) + "?";
  std::fprintf(stderr, "kauri: there is no subcommand %s; %s\n", text::quoted(word).c_str(),
               advice.c_str());
  return kUsageStatus;
}

}  // namespace

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
  if (argc > 1 && argv[1][0] != '-' && !has_subcommand(app, argv[1]))
    return unknown_subcommand(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::string name = "kauri";
    for (const CLI::App* one : app.get_subcommands()) name += " " + one->get_name();
    std::fprintf(stderr, "%s: %s; %s --help says more\n", name.c_str(),
                 text::visible(error.what()).c_str(), name.c_str());
    return kUsageStatus;
  }
  return exit_status;
}

}  // namespace kauri::tool
