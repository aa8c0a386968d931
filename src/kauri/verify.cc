#include "kauri/verify.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/offline.h"
#include "kauri/offline.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

struct Options {
  DatabaseChoice choice;
  bool json = false;
};

void print(const backend::VerifyReport& report, const Options& options) {
  if (options.json) {
    const nlohmann::json out = {{"entries", report.entries},
                                {"index_keys", report.index_keys},
                                {"changes", report.changes},
                                {"fault_count", report.fault_count},
                                {"faults", report.faults}};
    print_json(out);
    return;
  }
  for (const std::string& fault : report.faults) std::printf("%s\n", text::visible(fault).c_str());
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  if (report.fault_count > report.faults.size()) {
    std::printf("... and %llu further faults\n", number(report.fault_count - report.faults.size()));
  }
  std::printf("%llu entries, %llu index keys and %llu change records checked, %llu faults\n",
              number(report.entries), number(report.index_keys), number(report.changes),
              number(report.fault_count));
}

// RETURNS: the exit status.
Result<int> run(const Options& options) {
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  storage::PageReport pages;
  const auto database = open_database(chosen, {.page_report = &pages});
  if (!database) {
    // Pages so damaged that no table can be read: they are all there is to tell.
    if (pages.fault_count == 0) return database.error();
    backend::VerifyReport unread;
    unread.faults = pages.faults;
    unread.fault_count = pages.fault_count;
    print(unread, options);
    return 1;
  }
  ProgressPrinter printer;
  const auto report = backend::verify(
      **database, [&printer](const backend::ImportProgress& progress) { printer.show(progress); },
      pages);
  printer.finish();
  if (!report) return report.error();
  print(*report, options);
  return report->fault_count > 0 ? 1 : 0;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand(
      "verify", "Check every table of a database against its entries; exit status 1 on faults");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    const auto result = run(*options);
    exit_status = result ? *result : fail("verify", result.error());
  });
}

}  // namespace kauri::tool
