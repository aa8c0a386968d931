// LoadWorker: one thread of a load test with its share of the connections.
//
// Closed loop: each connection keeps `depth` requests outstanding, and an answer makes the next
// request at once. Every request carries its intended start, from which its latency is taken: in a
// closed loop that is the moment it is made; a paced loop would put the time of its schedule there.
// For each wake-up of a connection there is one recv() and one send(), and the steady state
// allocates nothing.
//
// Thread safety: connect() and run() are confined to the worker's thread; progress() may be read by
// any; take() after run() has returned.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "toolkit/load_types.h"
#include "toolkit/message_head.h"
#include "toolkit/number_source.h"
#include "toolkit/unique_fd.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// Moments on the monotonic clock.
struct Schedule {
  std::int64_t measure_nanos = 0;  // the warm-up is over
  std::int64_t end_nanos = 0;      // no more requests; far away when a count ends the run
};

struct Progress {
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> errors{0};
  std::atomic<std::uint64_t> latency_nanos{0};  // sum
};

class LoadWorker {
 public:
  // `options`, `workload` and `clock` must outlive it. `index` of `options.threads` workers.
  LoadWorker(const LoadOptions& options, const Workload& workload, Clock& clock, unsigned index);
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;
  ~LoadWorker();

  // Opens and binds this worker's connections. RETURNS: kIo, or kInvalid for a refused bind.
  Result<void> connect();
  // Until the schedule or the count ends and all answers are there. RETURNS: kIo when epoll fails.
  Result<void> run(const Schedule& schedule);

  const Progress& progress() const { return progress_; }

  struct Outcome {
    LoadResult part;                      // without the fields that belong to the whole run
    std::int64_t finished_nanos = 0;      // when the last measured operation ended
    std::int64_t measured_cpu_nanos = 0;  // of this thread in the window
    std::int64_t measured_wall_nanos = 0;
  };
  Outcome take() { return std::move(outcome_); }

 private:
  // A place for one outstanding request.
  struct Slot {
    ldap::MessageId id = 0;  // 0: free
    bool measured = false;
    std::int64_t intended_nanos = 0;
    std::uint64_t number = 0;
    std::uint64_t entries = 0;
  };
  struct Connection {
    UniqueFd fd;
    std::vector<Slot> slots;
    std::size_t outstanding = 0;
    std::string out;
    std::size_t sent = 0;
    std::string carry;  // the start of a message that has not arrived whole
    bool wants_write = false;
  };

  Result<UniqueFd> open_connection();
  Result<void> bind_connection(int fd);
  void start_all();
  Result<void> poll_once();
  void serve(Connection& connection, std::uint32_t events);
  bool receive(Connection& connection);
  bool take_messages(Connection& connection, std::string_view stream);
  bool take_message(Connection& connection, const MessageHead& head);
  void finish(Connection& connection, std::size_t index, const MessageHead& head);
  void check(const Slot& slot, int code, const MessageHead& head);
  void issue(Connection& connection, std::size_t index);
  bool may_issue();
  bool flush(Connection& connection);
  void watch(Connection& connection, bool write);
  void drop(Connection& connection, const std::string& why);
  void find_stalled();
  void pass_boundaries();
  void error(std::uint64_t& counter, std::uint64_t count, const std::string& what);
  std::string system_reason(const char* what) const;

  const LoadOptions& options_;
  const Workload& workload_;
  Clock& clock_;
  unsigned index_;
  NumberSource numbers_;
  std::uint64_t serial_;  // of the next request
  std::uint64_t quota_;   // measured requests still to be made
  unsigned slot_bits_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::size_t outstanding_ = 0;
  std::string input_;
  UniqueFd epoll_;
  Schedule schedule_;
  std::int64_t now_ = 0;  // read once after each recv()
  std::int64_t stall_check_nanos_ = 0;
  bool stopped_ = false;  // no more requests
  bool measuring_ = false;
  std::int64_t measure_cpu_ = 0;
  std::int64_t measure_wall_ = 0;
  bool ended_ = false;
  Outcome outcome_;
  alignas(64) Progress progress_;
};

}  // namespace kauri::toolkit
