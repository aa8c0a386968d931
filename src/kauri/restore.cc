#include "kauri/restore.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/backup_file.h"
#include "backend/restore.h"
#include "base/clock.h"
#include "base/random.h"
#include "kauri/offline.h"
#include "kaurid/setup.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  std::string from;
  std::vector<std::string> changes;
  std::string until;
  bool force = false;
  bool verify = false;
  bool json = false;
};

Result<backend::RestoreSource> open_source(const std::string& path) {
  KAURI_TRY(backend::InputFile file, backend::InputFile::open(path));
  const auto shared = std::make_shared<backend::InputFile>(std::move(file));
  return backend::RestoreSource{
      shared->path(), [shared](char* out, std::size_t size) { return shared->read(out, size); }};
}

// Of several configured databases the backup says which it is; a stream cannot be read twice.
Result<DatabaseChoice> choice_for(const Options& options) {
  DatabaseChoice choice = options.choice;
  if (!choice.suffix.empty() || choice.config.empty() || options.from == "-") return choice;
  KAURI_TRY(backend::RestoreSource source, open_source(options.from));
  const auto reader = backend::BackupReader::open(source.octets);
  if (!reader) return reader.error().with_context(source.name);
  choice.suffix = reader->header().suffix;
  return choice;
}

void print(const backend::RestoreReport& report, const std::string& path, bool json) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  if (json) {
    const nlohmann::json out = {{"path", path},
                                {"suffix", report.backup.suffix},
                                {"entries", report.entries},
                                {"backup_csn", report.backup.csn},
                                {"changes", report.changes},
                                {"csn", report.csn},
                                {"seconds", report.seconds}};
    print_json(out);
    return;
  }
  std::printf(
      "restored %llu entries of %s into %s in %.2f s, %llu changes after the backup, CSN %s\n",
      number(report.entries), text::visible(report.backup.suffix).c_str(),
      text::visible(path).c_str(), report.seconds, number(report.changes),
      report.csn.empty() ? "(none)" : report.csn.c_str());
}

Result<void> run(const Options& options) {
  KAURI_TRY(backend::RestoreSource backup, open_source(options.from));
  std::vector<backend::RestoreSource> changes;
  for (const std::string& path : options.changes) {
    KAURI_TRY(backend::RestoreSource one, open_source(path));
    changes.push_back(std::move(one));
  }
  KAURI_TRY(const DatabaseChoice choice, choice_for(options));
  KAURI_TRY(const ChosenDatabase chosen, choose_database(choice));
  KAURI_CHECK(kaurid::make_data_directory(options.choice.data));
  ProgressPrinter printer;
  backend::RestoreOptions wanted;
  wanted.database = chosen.options;
  wanted.replace = options.force;
  wanted.verify = options.verify;
  wanted.until = options.until;
  wanted.progress = [&printer](const char* phase, std::uint64_t done, std::uint64_t all) {
    printer.count(phase, done, all);
  };
  const auto report = backend::restore(wanted, std::move(backup), std::move(changes), chosen.schema,
                                       Clock::system(), Random::system());
  printer.finish();
  if (!report) return report.error();
  print(*report, chosen.options.path, options.json);
  return {};
}

}  // namespace

void add_restore_command(CLI::App& app, int& exit_status) {
  CLI::App* const command =
      app.add_subcommand("restore", "Make a database from a backup, as of then or any time after");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("--from", options->from, "The backup; - is standard input")->required();
  command
      ->add_option("--changes", options->changes,
                   "Changes after it, from backup --changes-since; may be repeated, in any order")
      ->allow_extra_args(false);
  command->add_option(
      "--until", options->until,
      "Changes up to this CSN or time in UTC (2026-01-31T23:59:59Z), no later ones");
  command->add_flag("--force", options->force, "Replace the database that is there");
  command->add_flag("--verify", options->verify,
                    "Check every table before the database takes its place");
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("restore", result.error());
  });
}

}  // namespace kauri::tool
