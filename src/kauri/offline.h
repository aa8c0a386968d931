// What the offline commands share: which database they work on, how they report. Thread safety:
// ProgressPrinter is thread-safe, the rest is confined to the main thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "backend/database.h"
#include "backend/offline.h"
#include "base/result.h"
#include "config/configuration.h"
#include "schema/schema.h"

namespace kauri::tool {

// --data, --config and --suffix as every offline command takes them.
struct DatabaseChoice {
  std::string data = "./kauri-data";
  std::string config;
  std::string suffix;

  void add_to(CLI::App& command);
};

// The database that was chosen, not opened.
struct ChosenDatabase {
  config::Configuration config;
  std::shared_ptr<const schema::Schema> schema;
  backend::DatabaseOptions options;
};
// Warnings about its schema files go to standard error. RETURNS: mistakes of the configuration;
// kInvalid when it has several databases and none was
// named, kNotFound when it has none with that suffix.
Result<ChosenDatabase> choose_database(const DatabaseChoice& choice);
// Opens it as it is. RETURNS: kNotFound when there is none, kBusy while a server has it.
struct OpenOptions {
  bool start_writer = false;  // without it the database is only read
  // As in backend::DatabaseOptions. A tool has the time to look at all pages that it reads.
  storage::PageExtent page_extent = storage::PageExtent::kWhole;
  storage::TableSet page_tables = storage::kAllTables;
  storage::PageReport* page_report = nullptr;
};
Result<std::unique_ptr<backend::Database>> open_database(const ChosenDatabase& chosen,
                                                         OpenOptions options);

// Prints a report on standard output, on one line. What is no UTF-8 in it (names of files, parts of
// what was refused) is replaced.
void print_json(const nlohmann::json& report);

// Prints "kauri COMMAND: message" on standard error. RETURNS: 1, the exit status.
int fail(const std::string& command, const Error& error);

// Progress on standard error: one line that is rewritten on a terminal, else a line now and then.
class ProgressPrinter {
 public:
  ProgressPrinter();
  void show(const backend::ImportProgress& progress);
  // Of work whose whole size is known: "backup: 12% of 5000000 records".
  void count(const char* phase, std::uint64_t done, std::uint64_t all);
  // Text that must stay, on one line: ends the rewritten line first. A newline is added.
  void line(const std::string& text);
  void finish();

 private:
  void clear_line();
  // Shows the text that `make` makes, if the last one is long enough ago.
  void show_text(const std::function<std::string()>& make);

  const bool terminal_;
  std::mutex mutex_;
  std::int64_t shown_nanos_ = 0;  // guarded by mutex_
  std::size_t width_ = 0;         // guarded by mutex_; of the line that is rewritten
};

}  // namespace kauri::tool
