// kaurid: the Kauri LDAP directory server (DESIGN section 10).
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>

#include "base/limit_counters.h"
#include "kaurid/directory.h"
#include "kaurid/options.h"
#include "kaurid/signals.h"
#include "kaurid/usage.h"
#include "server/event_log.h"

namespace {

using kauri::server::log_event;
using kauri::server::Severity;

// Blocks the signals that main() waits for before any library's constructors run: until then, and
// that is while the kernel and the dynamic linker load the program, they end the process.
// Nothing is initialized here, not even a sanitizer's run time: hence the bare system call.
__attribute__((no_sanitize("address", "undefined", "thread"))) void block_signals_first(int, char**,
                                                                                        char**) {
  constexpr auto bit = [](int signal) {
    return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
  };
  static constexpr std::uint64_t kMask = bit(SIGTERM) | bit(SIGINT) | bit(SIGHUP) | bit(SIGUSR1);
  ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kMask, nullptr, sizeof(kMask));
}
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kFirstOfAll)(int, char**, char**) = block_signals_first;

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
  kauri::kaurid::take_signals();
  const auto command_line = kauri::kaurid::parse_command_line(argc, argv);
  if (!command_line.options) return command_line.exit_code;
  auto directory = [&] {
    const kauri::kaurid::StartWatch watch;
    return kauri::kaurid::Directory::start(*command_line.options);
  }();
  if (!directory) {
    std::fputs(kauri::kaurid::error_lines("kaurid", directory.error().message()).c_str(), stderr);
    return 1;
  }
  print_password(**directory);
  print_ready(**directory);
  const sigset_t signals = kauri::kaurid::awaited_signals();
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
