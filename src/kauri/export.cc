#include "kauri/export.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "backend/offline.h"
#include "kauri/offline.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  std::string base;
  std::string output = "-";
  bool no_operational = false;
  bool json = false;
};

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

Error write_error(const std::string& output) {
  return {ErrorCode::kIo, "cannot write " + (output == "-" ? "standard output" : output) + ": " +
                              std::strerror(errno)};
}

Result<void> run(const Options& options) {
  if (options.json && options.output == "-") {
    return invalid("--json reports on standard output, where the LDIF goes: name --output FILE");
  }
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  backend::ExportOptions what;
  what.operational = !options.no_operational;
  what.base = options.base;
  KAURI_TRY(const auto database,
            open_database(chosen, {.page_tables = backend::tables_of_export(what)}));
  File file(options.output == "-" ? stdout : std::fopen(options.output.c_str(), "wbe"));
  if (file == nullptr) return write_error(options.output);
  const auto write = [&](std::string_view text) -> Result<void> {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) == text.size()) return {};
    return write_error(options.output);
  };
  KAURI_TRY(const std::uint64_t entries, backend::export_ldif(*database, what, write));
  if (std::fflush(file.get()) != 0) return write_error(options.output);
  if (options.json) {
    const nlohmann::json out = {{"entries", entries}, {"file", options.output}};
    print_json(out);
  }
  return {};
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand("export", "Write a database as LDIF");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("--base", options->base, "Only this entry and what is below it");
  command->add_option("--output", options->output, "File to write; - is standard output")
      ->capture_default_str();
  command->add_flag("--no-operational", options->no_operational,
                    "Leave out entryUUID, timestamps and the like");
  command->add_flag("--json", options->json, "Report as JSON (needs --output FILE)");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("export", result.error());
  });
}

}  // namespace kauri::tool
