#include "kauri/export.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

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

Error write_error(const std::string& path) {
  return {ErrorCode::kIo,
          "cannot write " + (path == "-" ? "standard output" : path) + ": " + std::strerror(errno)};
}

// LDIF has no end mark: a part of an export would pass for a whole one. So a file has its name only
// when all is in it, and until then another one. What is no file (a pipe, a device) is written to.
class Output {
 public:
  static Result<Output> open(const std::string& path) {
    struct stat info {};
    const bool other = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    Output out(path, path == "-" || other ? path : path + ".partial");
    out.file_ = path == "-" ? stdout : std::fopen(out.written_.c_str(), "wbe");
    if (out.file_ == nullptr) return write_error(out.written_);
    return out;
  }
  Output(Output&& other) noexcept
      : path_(std::move(other.path_)),
        written_(std::move(other.written_)),
        file_(std::exchange(other.file_, nullptr)) {}
  Output& operator=(Output&&) = delete;
  ~Output() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (written_ != path_) ::unlink(written_.c_str());
  }

  Result<void> write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return {};
    return write_error(written_);
  }
  // All of it is there.
  Result<void> finish() {
    if (std::fflush(file_) != 0) return write_error(written_);
    if (file_ == stdout) return {};
    if (std::fclose(std::exchange(file_, nullptr)) == 0 &&
        (written_ == path_ || std::rename(written_.c_str(), path_.c_str()) == 0))
      return {};
    const Error failure = write_error(written_);
    if (written_ != path_) ::unlink(written_.c_str());
    return failure;
  }

 private:
  Output(std::string path, std::string written)
      : path_(std::move(path)), written_(std::move(written)) {}

  std::string path_;
  std::string written_;
  std::FILE* file_ = nullptr;
};

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
  KAURI_TRY(Output output, Output::open(options.output));
  KAURI_TRY(const std::uint64_t entries,
            backend::export_ldif(*database, what,
                                 [&output](std::string_view text) { return output.write(text); }));
  KAURI_CHECK(output.finish());
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
