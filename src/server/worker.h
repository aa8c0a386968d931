// Worker: one thread with its event loop, its connections, its timers and what an
// operation::Service keeps for a thread.
//
// Thread safety: adopt(), post(), begin_drain() and stop() may be called from any
// thread; everything else is confined to the worker's own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "operation/service.h"
#include "server/poller.h"
#include "server/server.h"
#include "server/timer_wheel.h"

namespace kauri::server {

class Connection;

class Worker final : public operation::Executor {
 public:
  // What all workers share.
  struct Shared {
    operation::Service& service;
    Clock& clock;
    operation::AccessLog* access_log;
    Timeouts timeouts;
    std::size_t large_buffers_max;
    std::atomic<std::size_t> connections{0};  // open, on all workers
    std::mutex idle_mutex{};
    std::condition_variable idle{};  // told under idle_mutex when `connections` falls to 0

    void connection_ended();
  };

  static Result<std::unique_ptr<Worker>> make(Shared& shared);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start();
  // One round of the loop on the caller's thread, which waits for at most `timeout_ms` (-1: for
  // ever). start() runs them until stop(); without a thread they are for tests, with time of their
  // own.
  void run_round(int timeout_ms);
  // Takes a connected, non-blocking socket; counted in Shared::connections already.
  void adopt(int descriptor, operation::Peer peer);
  void post(std::function<void()> job) override;
  void begin_drain();
  // Ends the thread; connections that are left are dropped. Idempotent.
  void stop();

  // --- For connections ---
  Shared& shared() { return shared_; }
  Poller& poller() { return *poller_; }
  operation::WorkerContext& worker_context() { return *worker_context_; }
  TimerWheel& wheel() { return wheel_; }
  // Monotonic nanoseconds at the begin of this round of the loop: when what is handled now became
  // ready.
  std::int64_t now() const { return now_; }
  // Receives land here and answers are gathered here; both are free between handlers.
  std::vector<char>& read_buffer() { return read_buffer_; }
  std::string& answers() { return answers_; }
  // Gives back what an unusually large batch of answers took.
  void trim_answers();
  void queue_turn(Connection& connection);
  void mark_output(Connection& connection);
  // The connection has large buffers of so many octets now (0: none any more). When all of them
  // together pass Shared::large_buffers_max, those connections end whose clients are the nearest to
  // the end of their patience: they read or send the least. The last one may always stay.
  void hold_large(Connection& connection, std::size_t octets);
  // The connection is closed. Drops the reference that the worker holds.
  void forget(Connection& connection, std::string_view reason);

 private:
  Worker(Shared& shared, std::unique_ptr<Poller> poller,
         std::unique_ptr<operation::WorkerContext> worker_context);

  void run();
  void run_jobs();
  void run_next_turn();
  void flush_marked();
  int timeout_ms() const;
  void add_connection(int descriptor, operation::Peer peer);
  void log_connection(std::string_view kind, const operation::Peer& peer, std::string_view detail);
  // The connections now, kept alive while they are walked.
  std::vector<std::shared_ptr<Connection>> snapshot() const;

  Shared& shared_;
  std::unique_ptr<Poller> poller_;
  std::thread thread_;

  // Jobs from other threads, handed over in batches.
  std::mutex jobs_mutex_;
  std::vector<std::function<void()>> jobs_;  // guarded by jobs_mutex_
  bool stopped_ = false;                     // guarded by jobs_mutex_
  std::atomic<bool> jobs_waiting_{false};

  // Confined to the worker's thread.
  TimerWheel wheel_;
  std::int64_t now_;
  bool draining_ = false;
  bool ending_ = false;
  std::vector<std::function<void()>> running_jobs_;
  std::vector<char> read_buffer_;
  std::string answers_;
  std::unique_ptr<operation::WorkerContext> worker_context_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::deque<std::shared_ptr<Connection>> turns_;
  std::vector<std::shared_ptr<Connection>> marked_;
  std::vector<Connection*> large_;                   // open connections with large buffers
  std::size_t large_octets_ = 0;                     // of all of them
  std::vector<std::shared_ptr<Connection>> closed_;  // kept until the round ends
};

}  // namespace kauri::server
