#include "kauri/import.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/offline.h"
#include "base/clock.h"
#include "base/random.h"
#include "kauri/offline.h"
#include "kaurid/setup.h"
#include "kaurid/usage.h"
#include "security/password.h"

namespace kauri::tool {
namespace {

constexpr std::uint64_t kMemoryMibMax = std::uint64_t{1} << 20U;
constexpr std::uint64_t kThreadsMax = 1024;

struct Options {
  DatabaseChoice choice;
  std::vector<std::string> files;
  std::string scheme;
  std::uint64_t rejects_max = 0;
  std::uint64_t memory_mib = 1024;
  unsigned threads = 0;
  bool no_operational = false;
  bool json = false;
};

Result<security::PasswordScheme> scheme_of(const Options& options,
                                           const config::Configuration& config) {
  if (!options.scheme.empty()) return security::parse_scheme(options.scheme);
  return kaurid::password_scheme(config.password_scheme);
}

std::string describe(const backend::Reject& reject) {
  std::string out = reject.file + ":" + std::to_string(reject.line) + ": ";
  if (!reject.dn.empty()) out += reject.dn + ": ";
  return out + reject.reason;
}

nlohmann::json to_json(const backend::Reject& reject) {
  return {
      {"file", reject.file}, {"line", reject.line}, {"dn", reject.dn}, {"reason", reject.reason}};
}

void print_summary(const backend::ImportReport& report, const std::string& path,
                   const nlohmann::json* rejects) {
  const double rate = report.seconds > 0 ? static_cast<double>(report.entries) / report.seconds : 0;
  if (rejects != nullptr) {
    const nlohmann::json out = {{"path", path},
                                {"entries", report.entries},
                                {"rejected", report.rejected},
                                {"seconds", report.seconds},
                                {"entries_per_second", rate},
                                {"rejects", *rejects}};
    print_json(out);
    return;
  }
  std::printf("imported %llu entries in %.2f s (%.0f entries/s), %llu rejected\n",
              static_cast<unsigned long long>(report.entries), report.seconds, rate,
              static_cast<unsigned long long>(report.rejected));
}

// RETURNS: the exit status.
Result<int> run(const Options& options) {
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  KAURI_TRY(const security::PasswordScheme scheme, scheme_of(options, chosen.config));
  // Before anything is made: a file that is not there must not leave an empty database behind.
  for (const std::string& file : options.files) {
    if (file == "-" || ::access(file.c_str(), R_OK) == 0) continue;
    return Error(ErrorCode::kNotFound, "cannot read " + file + ": " + std::strerror(errno));
  }
  KAURI_CHECK(kaurid::make_data_directory(options.choice.data));
  ProgressPrinter printer;
  std::mutex rejects_mutex;
  nlohmann::json rejects = nlohmann::json::array();

  backend::ImportOptions wanted;
  wanted.database = chosen.options;
  wanted.database.create = true;
  wanted.files = options.files;
  wanted.rejects_max = options.rejects_max;
  wanted.threads = options.threads;
  wanted.memory_bytes_max = options.memory_mib << 20U;
  wanted.keep_operational = !options.no_operational;
  wanted.progress = [&printer](const backend::ImportProgress& progress) { printer.show(progress); };
  wanted.reject = [&](const backend::Reject& reject) {
    if (!options.json) {
      printer.line(describe(reject));
      return;
    }
    const std::lock_guard lock(rejects_mutex);
    rejects.push_back(to_json(reject));
  };
  const auto report = backend::import_ldif(
      wanted, chosen.schema, Clock::system(), Random::system(), [&](std::string_view value) {
        return security::stored_password(value, scheme, Random::system());
      });
  printer.finish();
  if (!report) return report.error();
  print_summary(*report, chosen.options.path, options.json ? &rejects : nullptr);
  return report->rejected > 0 ? 1 : 0;
}

}  // namespace

void add_import_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand(
      "import",
      "Load LDIF files; the database is made when there is none, with --suffix or the "
      "first entry's name as its suffix");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("FILE", options->files, "LDIF files; - is standard input")->required();
  command->add_option("--password-scheme", options->scheme,
                      "How clear passwords are hashed: argon2id, ssha512, ssha256, ssha");
  command
      ->add_option("--rejects-max", options->rejects_max,
                   "Stop after this many rejected records; 0 = never")
      ->check(kaurid::whole_number("records"));
  command->add_option("--memory", options->memory_mib, "MiB for sorting")
      ->capture_default_str()
      ->check(kaurid::whole_number("MiB", 1, kMemoryMibMax));
  command->add_option("--threads", options->threads, "0 = one for each core")
      ->check(kaurid::whole_number("threads", 0, kThreadsMax));
  command->add_flag("--no-operational", options->no_operational,
                    "Make entryUUID, timestamps and the like anew instead of keeping the file's");
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    const auto result = run(*options);
    exit_status = result ? *result : fail("import", result.error());
  });
}

}  // namespace kauri::tool
