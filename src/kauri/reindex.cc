#include "kauri/reindex.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/offline.h"
#include "base/clock.h"
#include "kauri/offline.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  std::vector<std::string> attributes;
  bool json = false;
};

Result<void> run(const Options& options) {
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  KAURI_TRY(const auto database, open_database(chosen, {.start_writer = true}));
  ProgressPrinter printer;
  const std::int64_t started = Clock::system().monotonic_nanos();
  const auto result = backend::reindex(
      *database, options.attributes,
      [&printer](const backend::ImportProgress& progress) { printer.show(progress); });
  printer.finish();
  if (!result) return result.error();
  const double seconds =
      static_cast<double>(Clock::system().monotonic_nanos() - started) / 1'000'000'000;
  if (options.json) {
    const nlohmann::json out = {{"attributes", options.attributes}, {"seconds", seconds}};
    print_json(out);
  } else {
    std::printf("indexes built in %.2f s\n", seconds);
  }
  return {};
}

}  // namespace

void add_reindex_command(CLI::App& app, int& exit_status) {
  CLI::App* const command =
      app.add_subcommand("reindex", "Build indexes anew from the entries of a database");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("ATTRIBUTE", options->attributes, "Attributes to index; all when none");
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("reindex", result.error());
  });
}

}  // namespace kauri::tool
