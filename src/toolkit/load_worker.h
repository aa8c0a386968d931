// LoadWorker: one thread of a load test with its share of the connections.
//
// Closed loop: each connection keeps `depth` requests outstanding, and an answer makes the next
// request at once. Open loop (LoadOptions::rate): requests have intended starts that lie equally
// far apart; one that is due takes any free place of any connection, and waits while there is none.
// Either way a request carries its intended start, from which its latency is taken. For each
// wake-up of a connection there is one recv() and one send(), and the steady state allocates
// nothing.
//
// In a mix, binds go over a second connection beside each one, so that the identity of the first
// stays what it is. With `reconnect` each operation has a connection of its own.
//
// Thread safety: connect() and run() are confined to the worker's thread; progress() and
// take_interval() may be called from any; take() after run() has returned.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "toolkit/load_types.h"
#include "toolkit/message_head.h"
#include "toolkit/operation_source.h"
#include "toolkit/unique_fd.h"
#include "toolkit/workload.h"

namespace kauri::toolkit {

// Moments on the monotonic clock.
struct Schedule {
  std::int64_t start_nanos = 0;    // the first intended start of an open loop
  std::int64_t measure_nanos = 0;  // the warm-up is over
  std::int64_t end_nanos = 0;      // no more requests; far away when a count ends the run
};

struct Progress {
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> measured{0};  // of these, within the measured window
  std::atomic<std::uint64_t> errors{0};
};

class LoadWorker {
 public:
  // `options`, `mix` and `clock` must outlive it. `index` of `options.threads` workers.
  LoadWorker(const LoadOptions& options, const Mix& mix, Clock& clock, unsigned index);
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;
  ~LoadWorker();

  // Opens and binds this worker's connections; with `reconnect` one, to see whether that works.
  // RETURNS: kIo, or kInvalid for a refused bind.
  Result<void> connect();
  // Until the schedule or the count ends and all answers are there. RETURNS: kIo when epoll fails.
  Result<void> run(const Schedule& schedule);

  const Progress& progress() const { return progress_; }
  // Adds the latencies since the last call to `out`, but for those of the last tenth of a second.
  void take_interval(Histogram& out);

  struct Outcome {
    LoadResult part;                      // without the fields that belong to the whole run
    std::int64_t finished_nanos = 0;      // when the last measured operation ended
    std::int64_t measured_cpu_nanos = 0;  // of this thread in the window
    std::int64_t measured_wall_nanos = 0;
    bool ended_early = true;  // not by the schedule
  };
  Outcome take() { return std::move(outcome_); }

 private:
  // A place for one outstanding request.
  struct Slot {
    ldap::MessageId id = 0;  // 0: free
    bool measured = false;
    NextOperation operation;
    std::int64_t intended_nanos = 0;
    std::int64_t made_nanos = 0;
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
    std::string after_bind;        // not empty: a bind's answer comes first, then this is sent
    Connection* binder = nullptr;  // where binds of this connection's places go
    Connection* home = nullptr;    // of a binder: whose places it serves
  };
  struct Place {  // a free slot
    Connection* connection = nullptr;
    std::uint32_t slot = 0;
  };
  // First in, first out, so that all connections get work when there is less than they could do.
  class PlaceRing {
   public:
    // REQUIRES: never more than `size` places at a time.
    void reserve(std::size_t size) { places_.resize(std::max<std::size_t>(1, size)); }
    bool empty() const { return count_ == 0; }
    const Place& front() const { return places_[head_]; }
    void push(const Place& place) { places_[(head_ + count_++) % places_.size()] = place; }
    void pop() {
      head_ = (head_ + 1) % places_.size();
      --count_;
    }
    void clear() { count_ = 0; }

   private:
    std::vector<Place> places_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
  };
  struct Draw {
    NextOperation operation;
    std::int64_t intended_nanos = 0;
    bool measured = false;
  };
  enum class Taken : std::uint8_t { kGoOn, kGone, kLast };

  // load_worker.cc: what is asked when, and what is made of the answers.
  void fill_places();
  Result<void> poll_once();
  Result<void> wait_for_events();
  std::int64_t wait_nanos() const;
  std::int64_t due_nanos(std::uint64_t index) const;
  std::uint64_t first_due_at(std::int64_t moment) const;
  bool draw(Draw& out);
  bool draw_new(Draw& out);
  bool over(std::int64_t intended, bool measured);
  Connection* start(const Place& place, const Draw& drawn);
  void next_in(Connection& connection, std::uint32_t slot);
  void finish(Connection& connection, std::size_t index, const MessageHead& head);
  bool check(const Slot& slot, int code, const MessageHead& head);
  void count_not_started();
  void find_stalled();
  void pass_boundaries();
  void end_window();
  void publish_interval();
  void error(std::uint64_t& counter, std::uint64_t count, const std::string& what);

  // load_worker_io.cc: connections and their octets.
  Result<void> add_connection(Connection* home);
  Result<UniqueFd> open_connection();
  Result<void> bind_connection(int fd);
  bool reopen(Connection& connection, bool bind_first);
  void unbind(Connection& connection);
  Result<void> watch_new(Connection& connection, std::uint32_t events);
  void serve(Connection& connection, std::uint32_t events);
  bool receive(Connection& connection, int flags);
  bool take_messages(Connection& connection, std::string_view stream);
  Taken take_message(Connection& connection, const MessageHead& head);
  bool take_bind_answer(Connection& connection, const MessageHead& head);
  bool flush(Connection& connection);
  void flush_or_drop(Connection& connection);
  void watch(Connection& connection, bool write);
  void drop(Connection& connection, std::uint64_t& counter, const std::string& why,
            std::uint64_t counted = 0);
  std::string system_reason(const char* what) const;

  const LoadOptions& options_;
  const Mix& mix_;
  Clock& clock_;
  unsigned index_;
  OperationSource source_;
  std::uint64_t serial_;        // of the next request
  std::uint64_t quota_;         // measured requests still to be made
  std::uint64_t errors_quota_;  // errors that end the run
  unsigned slot_bits_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  PlaceRing free_;             // places without work
  std::vector<Place> failed_;  // places whose connection was lost, free again a moment later
  std::size_t outstanding_ = 0;
  std::uint64_t paced_ = 0;  // requests of the open loop that were started
  std::string input_;
  UniqueFd epoll_;
  bool alone_ = false;  // one connection, in a closed loop: recv() itself waits
  Schedule schedule_;
  std::int64_t now_ = 0;  // read once after each recv()
  std::int64_t stall_check_nanos_ = 0;
  bool stopped_ = false;  // no more requests
  bool measuring_ = false;
  std::int64_t measure_cpu_ = 0;
  std::int64_t measure_wall_ = 0;
  bool ended_ = false;
  Histogram interval_;
  std::int64_t publish_nanos_ = 0;
  Outcome outcome_;
  std::mutex published_mutex_;
  Histogram published_;  // guarded by published_mutex_
  alignas(64) Progress progress_;
};

}  // namespace kauri::toolkit
