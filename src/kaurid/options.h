// The command line of kaurid (DESIGN section 10). Thread safety: immutable values and functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/configuration.h"

namespace kauri::kaurid {

struct Options {
  std::string data = "./kauri-data";
  std::string config;
  std::vector<std::string> listen;
  std::string suffix;
  std::string admin_dn;
  std::string admin_password_file;
  bool demo = false;
};

struct ParsedCommandLine {
  std::optional<Options> options;  // nothing: the text was printed and the program ends
  int exit_code = 0;
};

// Prints help, version and usage errors itself.
ParsedCommandLine parse_command_line(int argc, const char* const* argv);

// The configuration that file and command line make together: the command line wins.
// RETURNS: what load_file returns; kInvalid for options that contradict the file.
Result<config::Configuration> effective_configuration(const Options& options);

}  // namespace kauri::kaurid
