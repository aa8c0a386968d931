// FaultEnv: an Env that fails where a test says, to drive every path behind a failing disk.
//
// A fault is "the n-th call of this kind from now" (1 = the next one). A failed commit has stored
// nothing, as LMDB promises. Thread safety: thread-safe, as the wrapped Env is; a FaultPlan may be
// changed while the Env is used.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "storage/storage.h"

namespace kauri::storage {

enum class FaultPoint : std::uint8_t {
  kRead,    // get, and each positioning of a cursor
  kWrite,   // put, append, erase, clear
  kCommit,  // commit, and Env::sync
  kBegin,   // begin_read, begin_write, renew
};
inline constexpr std::size_t kFaultPointCount = 4;

class FaultPlan {
 public:
  // The n-th call at `point` fails with `code`; with `repeat` all later ones too, until clear().
  // REQUIRES: n >= 1.
  void fail(FaultPoint point, std::uint64_t n, ErrorCode code, bool repeat = false);
  void clear();
  // Calls at `point` since the plan was made, failed ones included; tells a test when its loop over
  // n is done.
  std::uint64_t calls(FaultPoint point) const;
  std::uint64_t failures() const { return failures_.load(); }

  // Counts a call. RETURNS: the error that is due.
  Result<void> pass(FaultPoint point);

 private:
  struct Rule {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> fail_at{0};  // in terms of `calls`; 0 = never
    std::atomic<ErrorCode> code{ErrorCode::kIo};
    std::atomic<bool> repeat{false};
  };
  std::array<Rule, kFaultPointCount> rules_;
  std::atomic<std::uint64_t> failures_{0};
};

// Wraps `env`; `plan` is shared with the test.
std::unique_ptr<Env> make_fault_env(std::unique_ptr<Env> env, std::shared_ptr<FaultPlan> plan);

}  // namespace kauri::storage
