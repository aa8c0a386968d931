// kaurid: the Kauri LDAP directory server (DESIGN section 10).
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <sstream>
#include <string>

#include "base/limit_counters.h"
#include "kaurid/directory.h"
#include "kaurid/options.h"
#include "kaurid/usage.h"
#include "server/event_log.h"

namespace {

using kauri::server::log_event;
using kauri::server::Severity;

// Signals are taken by sigwaitinfo() in the main thread alone; every thread inherits this mask.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at the size limit fails like a full disk
  return set;
}

void print_ready(const kauri::kaurid::Directory& directory) {
  std::string line = "kaurid ready";
  for (const std::string& uri : directory.uris()) line += " " + uri;
  std::puts(line.c_str());
  std::fflush(stdout);
}

void print_password(const kauri::kaurid::Directory& directory) {
  if (directory.generated_password().empty()) return;
  std::fprintf(stderr,
               "kaurid: the administrator is %s with password %s (made now and shown only this "
               "once; its hash is kept in the data directory)\n",
               directory.admin_dn().c_str(), directory.generated_password().c_str());
}

void reload(kauri::kaurid::Directory& directory) {
  const auto result = directory.reload();
  if (result) {
    log_event(Severity::kInfo, "the configuration was reloaded");
    return;
  }
  // One event for each mistake, as each is one line.
  std::istringstream lines(result.error().message());
  for (std::string line; std::getline(lines, line);) log_event(Severity::kError, line);
  log_event(Severity::kError, "the reload failed and changed nothing");
}

// Asked for, it tells of none as well.
void log_limits(bool asked) {
  const std::string counted = kauri::limits::counted_text();
  if (!asked && counted.empty()) return;
  log_event(Severity::kInfo,
            "limits met since the start: " + (counted.empty() ? std::string("none") : counted));
}

}  // namespace

int main(int argc, char** argv) {
  const sigset_t signals = block_signals();
  const auto command_line = kauri::kaurid::parse_command_line(argc, argv);
  if (!command_line.options) return command_line.exit_code;
  auto directory = kauri::kaurid::Directory::start(*command_line.options);
  if (!directory) {
    std::fputs(kauri::kaurid::error_lines("kaurid", directory.error().message()).c_str(), stderr);
    return 1;
  }
  print_password(**directory);
  print_ready(**directory);
  for (;;) {
    siginfo_t info{};
    if (sigwaitinfo(&signals, &info) < 0) continue;
    if (info.si_signo == SIGUSR1) {
      log_limits(true);
    } else if (info.si_signo == SIGHUP) {
      reload(**directory);
    } else {
      break;
    }
  }
  log_event(Severity::kInfo, "stopping");
  (*directory)->stop();
  log_limits(false);
  return 0;
}
