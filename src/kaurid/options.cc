#include "kaurid/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "kaurid/usage.h"
#include "kaurid/version.h"

namespace kauri::kaurid {

ParsedCommandLine parse_command_line(int argc, const char* const* argv) {
  Options options;
  CLI::App app(
      "kaurid: the Kauri LDAP directory server. It stays in the foreground and prints one "
      "line, \"kaurid ready URI...\", once it accepts connections.",
      "kaurid");
  app.set_version_flag("--version", std::string("kaurid ") + kVersion);
  app.add_option("--data", options.data, "Directory of the data; made when there is none")
      ->capture_default_str();
  app.add_option("--config", options.config, "TOML configuration file");
  app.add_option("--listen", options.listen,
                 "Address to listen on: ldap://HOST:PORT or ldapi://%2FPATH; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--suffix", options.suffix,
                 "Name of the top entry of a new database [dc=example,dc=com]")
      ->check(suffix_name());
  app.add_option("--admin-dn", options.admin_dn, "Name of the administrator [cn=admin,SUFFIX]");
  app.add_option("--admin-password-file", options.admin_password_file,
                 "File whose first line is the administrator's password");
  app.add_flag("--demo", options.demo, "Load a small company tree into an empty database");
  // CLI11 reports by exceptions; they end here.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return {std::nullopt, app.exit(error)};
    std::fprintf(stderr, "%s\n", usage_error(app, error).c_str());
    return {std::nullopt, kUsageStatus};
  }
  return {std::move(options), 0};
}

Result<config::Configuration> effective_configuration(const Options& options) {
  config::Configuration out;
  if (!options.config.empty()) {
    KAURI_TRY(out, config::load_file(options.config));
  }
  if (!options.listen.empty()) {
    out.listen.clear();
    for (const std::string& uri : options.listen) {
      KAURI_TRY(auto address, config::parse_listen_uri(uri));
      out.listen.push_back(std::move(address));
    }
  }
  if (!options.suffix.empty()) {
    if (out.databases.size() > 1) {
      return invalid("--suffix " + options.suffix + " cannot be used with " + options.config +
                     ", which has " + std::to_string(out.databases.size()) + " databases");
    }
    if (out.databases.empty()) out.databases.emplace_back();
    out.databases[0].suffix = options.suffix;
    out.databases[0].position = {};  // it does not stand in the file
  }
  if (!options.admin_dn.empty()) out.admin_dn = options.admin_dn;
  return out;
}

}  // namespace kauri::kaurid
