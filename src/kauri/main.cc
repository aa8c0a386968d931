// kauri: the one command-line tool. Each subcommand is a file pair of this folder.
#include <CLI/CLI.hpp>
#include <csignal>

namespace {

int run(int argc, char** argv) {
  int exit_status = 0;
  CLI::App app("Kauri's command-line tool: offline work on a database, and clients of a server",
               "kauri");
  app.set_version_flag("--version", KAURI_VERSION);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return run(argc, argv);
}
