// kauri: the one command-line tool. Each subcommand is a file pair of this folder, listed in
// commands.cc.
#include <csignal>

#include "kauri/commands.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return kauri::tool::run(argc, argv);
}
