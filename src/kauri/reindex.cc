#include "kauri/reindex.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/offline.h"
#include "backend/working_copy.h"
#include "base/clock.h"
#include "kauri/offline.h"
#include "kaurid/setup.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  std::vector<std::string> attributes;
  bool json = false;
};

// On a copy, so that whoever ends it leaves the indexes that were there.
Result<void> reindex_copy(const ChosenDatabase& chosen, const std::vector<std::string>& attributes,
                          ProgressPrinter& printer) {
  KAURI_TRY(const auto copy, backend::WorkingCopy::make(chosen.options.path, "reindex.tmp"));
  ChosenDatabase work = chosen;
  work.options.path = copy->path();
  work.options.durability = storage::Durability::kRelaxed;
  {
    KAURI_TRY(const auto database, open_database(work, {.start_writer = true}));
    const auto result = backend::reindex(
        *database, attributes,
        [&printer](const backend::ImportProgress& progress) { printer.show(progress); });
    printer.finish();
    if (!result) return result.error();
    KAURI_CHECK(database->env().sync());
  }
  return copy->put_in_place();
}

Result<void> run(const Options& options) {
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  if (!kaurid::database_exists(chosen.options.path))
    return Error(ErrorCode::kNotFound, "there is no database in " + chosen.options.path);
  ProgressPrinter printer;
  const std::int64_t started = Clock::system().monotonic_nanos();
  KAURI_CHECK(reindex_copy(chosen, options.attributes, printer));
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
  CLI::App* const command = app.add_subcommand("reindex",
                                               "Build indexes anew from the entries of a database, "
                                               "on a copy that takes its place at the end");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("ATTRIBUTE", options->attributes, "Attributes to index; all when none");
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("reindex", result.error());
  });
}

}  // namespace kauri::tool
