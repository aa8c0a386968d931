#include "kauri/bench_null.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "kauri/bench_options.h"
#include "kauri/offline.h"
#include "kaurid/usage.h"
#include "toolkit/endpoint.h"
#include "toolkit/null_responder.h"

namespace kauri::tool {

namespace {

constexpr std::uint64_t kResultCodeMax = 127;  // in one octet

struct Arguments {
  std::string listen = "127.0.0.1:1390";
  toolkit::NullResponderOptions responder;
};

Result<std::unique_ptr<toolkit::NullResponder>> listen(const Arguments& arguments) {
  KAURI_TRY(const auto endpoint, toolkit::resolve_host_port(arguments.listen));
  return toolkit::NullResponder::listen(endpoint, arguments.responder);
}

Result<void> run(const Arguments& arguments, toolkit::NullResponder* responder) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const std::string host = arguments.listen.substr(0, arguments.listen.rfind(':'));
  std::printf("kauri bench null ready ldap://%s:%u\n", host.c_str(), responder->port());
  std::fflush(stdout);
  std::thread waiter([&responder, &signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    responder->stop();
  });
  const auto outcome = responder->run();
  if (!outcome) kill(getpid(), SIGTERM);  // wakes the waiter
  waiter.join();
  return outcome;
}

}  // namespace

void add_bench_null_command(CLI::App& bench, int& exit_status) {
  CLI::App* const command = bench.add_subcommand(
      "null",
      "Answer every request with prepared octets: what a load test against it shows is the limit "
      "of the client. Prints one line when ready; ends on SIGTERM");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--listen", arguments->listen, "HOST:PORT; port 0 takes a free one")
      ->capture_default_str();
  command->add_option("--entries", arguments->responder.entries, "Entries for each search")
      ->capture_default_str()
      ->check(kaurid::whole_number("entries"));
  command
      ->add_option("--entry-size", arguments->responder.entry_size, "Octets of an entry's message")
      ->capture_default_str()
      ->check(kaurid::whole_number("octets"));
  command
      ->add_option("--code", arguments->responder.result_code,
                   "Result code of every answer but those to compare")
      ->capture_default_str()
      ->check(kaurid::whole_number("", 0, kResultCodeMax));
  command->callback([arguments, &exit_status] {
    const auto responder = listen(*arguments);
    if (!responder) {
      exit_status = plan_failed("bench null", responder.error());
      return;
    }
    if (const auto result = run(*arguments, responder->get()); !result) {
      exit_status = fail("bench null", result.error());
    }
  });
}

}  // namespace kauri::tool
