#include "kauri/hash.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/random.h"
#include "kauri/offline.h"
#include "kaurid/admin_password.h"
#include "security/password.h"

namespace kauri::tool {
namespace {

struct Options {
  std::string scheme = "argon2id";
  std::string password_file = "-";
  bool json = false;
};

Result<void> run(const Options& options) {
  KAURI_TRY(const security::PasswordScheme scheme, security::parse_scheme(options.scheme));
  KAURI_TRY(const std::string password, kaurid::read_password_file(options.password_file));
  KAURI_TRY(const std::string hash, security::hash_password(password, scheme, Random::system()));
  if (options.json) {
    const nlohmann::json out = {{"hash", hash}};
    print_json(out);
  } else {
    std::printf("%s\n", hash.c_str());
  }
  return {};
}

}  // namespace

void add_hash_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand(
      "hash",
      "Hash a password for userPassword or [admin] password_hash; it is the first line of "
      "standard input or of --password-file, so that it stands in no process list");
  const auto options = std::make_shared<Options>();
  command->add_option("--scheme", options->scheme, "argon2id, ssha512, ssha256 or ssha")
      ->capture_default_str();
  command
      ->add_option("--password-file", options->password_file,
                   "File whose first line is the password; - is standard input")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("hash", result.error());
  });
}

}  // namespace kauri::tool
