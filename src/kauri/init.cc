#include "kauri/init.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "kauri/offline.h"
#include "kaurid/setup.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  bool json = false;
};

Result<void> run(const Options& options) {
  KAURI_TRY(ChosenDatabase chosen, choose_database(options.choice));
  if (chosen.options.suffix.empty()) chosen.options.suffix = kaurid::kDefaultSuffix;
  if (kaurid::database_exists(chosen.options.path)) {
    return Error(ErrorCode::kExists, "there is a database in " + chosen.options.path + " already");
  }
  KAURI_CHECK(kaurid::make_data_directory(options.choice.data));
  chosen.options.create = true;
  KAURI_TRY(const auto database, backend::Database::open(chosen.options, chosen.schema,
                                                         Clock::system(), Random::system()));
  if (options.json) {
    const nlohmann::json out = {{"path", chosen.options.path}, {"suffix", database->suffix()}};
    print_json(out);
  } else {
    std::printf("made an empty database for %s in %s\n", database->suffix().c_str(),
                chosen.options.path.c_str());
  }
  return {};
}

}  // namespace

void add_init_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand("init", "Make an empty database");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("init", result.error());
  });
}

}  // namespace kauri::tool
