// The signals of kaurid. TERM and INT stop it, HUP reloads, USR1 tells of limits: main() waits for
// them, every thread has them blocked. PIPE and XFSZ are ignored: a socket that is closed and a
// file at its size limit fail like any other write.
//
// A signal that comes while the server starts is kept until it serves. TERM and INT end a start as
// well, which can hang (a password from a pipe, a log that is one): see StartWatch.
#pragma once

#include <csignal>
#include <thread>

namespace kauri::kaurid {

// The four that main() waits for.
sigset_t awaited_signals();
// Blocks those and ignores the two others. REQUIRES: no other thread runs.
void take_signals();

// While it lives, TERM or INT gives the start two seconds more to come to its end, where the signal
// is found and stops the server as ever; a start that takes longer ends with the process, status 0,
// as if power failed: what a start writes allows for that. Without two descriptors it watches
// nothing.
// Thread safety: confined to a thread.
class StartWatch {
 public:
  StartWatch();
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  void watch() const;

  int signals_ = -1;  // readable while TERM or INT is pending; never read
  int over_ = -1;     // readable when the start is over
  std::thread thread_;
};

}  // namespace kauri::kaurid
