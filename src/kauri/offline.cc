#include "kauri/offline.h"

#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/random.h"
#include "kaurid/options.h"
#include "kaurid/setup.h"
#include "kaurid/usage.h"
#include "schema/dn_normal.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

constexpr std::int64_t kTerminalIntervalNanos = 200'000'000;
constexpr std::int64_t kPlainIntervalNanos = 5'000'000'000;
// A screen of them.
constexpr std::size_t kSchemaWarningsMax = 20;

Result<bool> same_dn(const schema::Schema& schema, const std::string& one,
                     const std::string& other) {
  KAURI_TRY(const std::string first, schema::normalize_dn(schema, one));
  KAURI_TRY(const std::string second, schema::normalize_dn(schema, other));
  return first == second;
}

// Which of several configured databases `suffix` names.
Result<backend::DatabaseOptions> pick(const std::vector<backend::DatabaseOptions>& all,
                                      const std::string& suffix, const schema::Schema& schema,
                                      const std::string& origin) {
  std::string served;
  for (const backend::DatabaseOptions& options : all) {
    if (!suffix.empty()) {
      KAURI_TRY(const bool same, same_dn(schema, options.suffix, suffix));
      if (same) return options;
    }
    served += served.empty() ? "" : "; ";
    served += options.suffix;
  }
  if (suffix.empty()) {
    return invalid(origin + " has several databases (" + served + "): name one with --suffix");
  }
  return Error(ErrorCode::kNotFound,
               origin + " has no database with the suffix " + suffix + ", only " + served);
}

}  // namespace

void DatabaseChoice::add_to(CLI::App& command) {
  command.add_option("--data", data, "Directory of the data")->capture_default_str();
  command.add_option("--config", config, "TOML configuration file: schema, indexes, databases");
  command.add_option("--suffix", suffix, "Which database: the name of its top entry")
      ->check(kaurid::suffix_name());
}

Result<ChosenDatabase> choose_database(const DatabaseChoice& choice) {
  ChosenDatabase out;
  kaurid::Options options;
  options.config = choice.config;
  KAURI_TRY(out.config, kaurid::effective_configuration(options));
  KAURI_TRY(kaurid::LoadedSchema schema, kaurid::make_schema(out.config));
  kaurid::write_warnings(schema.warnings, kSchemaWarningsMax, [](const std::string& line) {
    std::fprintf(stderr, "kauri: warning: %s\n", text::visible(line).c_str());
  });
  out.schema = std::move(schema.schema);
  KAURI_CHECK(kaurid::check_databases(out.config, *out.schema));
  if (!choice.suffix.empty()) {
    if (const auto name = schema::normalize_dn(*out.schema, choice.suffix); !name)
      return name.error().with_context("--suffix");
  }
  const std::vector<backend::DatabaseOptions> all =
      kaurid::database_options(out.config, choice.data);
  if (out.config.databases.empty()) {
    out.options = all.front();
    out.options.suffix = choice.suffix;
  } else if (all.size() == 1 && choice.suffix.empty()) {
    out.options = all.front();
  } else {
    KAURI_TRY(out.options, pick(all, choice.suffix, *out.schema, choice.config));
  }
  return out;
}

Result<std::unique_ptr<backend::Database>> open_database(const ChosenDatabase& chosen,
                                                         OpenOptions open_options) {
  backend::DatabaseOptions options = chosen.options;
  options.create = false;
  options.start_writer = open_options.start_writer;
  options.read_only = !open_options.start_writer;
  options.page_extent = open_options.page_extent;
  options.page_tables = open_options.page_tables;
  options.page_report = open_options.page_report;
  if (!kaurid::database_exists(options.path)) {
    return Error(ErrorCode::kNotFound, "there is no database in " + options.path);
  }
  return backend::Database::open(options, chosen.schema, Clock::system(), Random::system());
}

void print_json(const nlohmann::json& report) {
  std::printf("%s\n",
              report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int fail(const std::string& command, const Error& error) {
  std::fputs(kaurid::error_lines("kauri " + command, error.message()).c_str(), stderr);
  return 1;
}

ProgressPrinter::ProgressPrinter() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressPrinter::clear_line() {
  if (width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
  width_ = 0;
}

void ProgressPrinter::show_text(const std::function<std::string()>& make) {
  const std::int64_t now = Clock::system().monotonic_nanos();
  const std::lock_guard lock(mutex_);
  const std::int64_t interval = terminal_ ? kTerminalIntervalNanos : kPlainIntervalNanos;
  if (shown_nanos_ != 0 && now - shown_nanos_ < interval) return;
  // The first plain line comes after an interval: a short run prints none.
  const bool first = shown_nanos_ == 0;
  shown_nanos_ = now;
  if (first && !terminal_) return;
  const std::string text = make();
  if (terminal_) {
    clear_line();
    width_ = text.size();
    std::fprintf(stderr, "%s", text.c_str());
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

void ProgressPrinter::show(const backend::ImportProgress& progress) {
  show_text([&progress] {
    std::string text =
        std::string(progress.phase) + ": " + std::to_string(progress.entries) + " entries";
    if (progress.bytes_total > 0) {
      text += ", " + std::to_string(progress.bytes_read * 100 / progress.bytes_total) + "% of " +
              std::to_string(progress.bytes_total >> 20U) + " MiB read";
    }
    return text;
  });
}

void ProgressPrinter::count(const char* phase, std::uint64_t done, std::uint64_t all) {
  constexpr std::uint64_t kEvery = 4096;  // records; asking for the time costs more than one
  if (done % kEvery != 0) return;
  show_text([&] {
    const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
    return std::string(phase) + ": " + std::to_string(percent) + "% of " + std::to_string(all) +
           " records";
  });
}

void ProgressPrinter::line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_line();
  std::fprintf(stderr, "%s\n", text::visible(text).c_str());
}

void ProgressPrinter::finish() {
  const std::lock_guard lock(mutex_);
  clear_line();
  std::fflush(stderr);
}

}  // namespace kauri::tool
