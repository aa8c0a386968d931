// Connection: one client on its worker: octets in, whole messages to the operation::Session, its
// answers out, and every deadline of base/limits.h.
//
// Reading stops while output waits (a slow reader costs one bounded queue) and while the session
// asks for a pause. Requests that came together are handled for a slice of time; the rest takes
// turns with the other connections. Buffers beyond limits::kOutputQueueMax count for the worker's
// share of memory, see Worker::hold_large(). Thread safety: confined to its worker. Lifetime: the
// worker's table holds a shared_ptr until the connection is closed, and one until the round of the
// loop that closed it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "operation/service.h"
#include "server/input_buffer.h"
#include "server/poller.h"
#include "server/timer_wheel.h"
#include "server/transport.h"

namespace kauri::server {

class Worker;

class Connection final : public Poller::Target,
                         public TimerEntry,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Worker& worker, operation::Peer peer);
  ~Connection() override;

  // Takes the descriptor. False: refused, the descriptor is still the caller's.
  bool start(int descriptor);
  const operation::Peer& peer() const { return peer_; }

  // The worker calls these.
  void collect_output();  // answers that completed elsewhere are there
  void run_turn();        // one slice of the requests and searches that wait
  void begin_drain();     // no further requests; close when what is in flight has ended
  // Ends the connection now. `reason` is a static sentence or errno's text; it goes to the log.
  void close(const char* reason);
  // Gives back the memory of a closed connection before it goes. REQUIRES: neither its messages nor
  // its answers are being walked.
  void drop_buffers();
  // When what is in its buffers has to have moved on, in monotonic nanoseconds; 0 = no such time.
  std::int64_t patience_ends() const;
  void on_events(std::uint32_t events) override;
  std::int64_t on_timer(std::int64_t now_nanos) override;

  // Marks for the worker's lists, so that a connection is in each of them once.
  bool turn_queued = false;
  bool output_marked = false;
  // What it has in Worker::hold_large().
  std::size_t large_octets = 0;

 private:
  enum class Phase : std::uint8_t {
    kOpen,
    kDraining,   // the server stops: requests that arrived are finished, none is read any more
    kLingering,  // everything is sent; waits for the peer's end so that it can read all of it
    kClosed,
  };

  void receive();
  void discard_input();
  // Hands the messages in `received` and those kept to the session; sends answers as they fill up.
  void process(std::string_view received);
  // Sends `out` or queues what the socket does not take; `out` is empty then.
  void send(std::string& out);
  void send_queued();
  // Tells the worker of buffers that are larger than what every connection may have.
  void account();
  // Decides what the connection waits for next.
  void settle();
  bool output_blocked() const { return !output_.empty(); }
  bool busy() const;
  void say_goodbye();               // Notice of Disconnection of a server that stops
  void finish(const char* reason);  // all is sent: end the connection gracefully
  void close_session();
  void arm(std::int64_t deadline_nanos);

  Worker& worker_;
  Transport transport_;
  std::shared_ptr<operation::Session> session_;
  InputBuffer input_;
  std::string output_;           // octets that the socket did not take yet
  std::size_t output_sent_ = 0;  // of them, already sent

  // Deadlines in monotonic nanoseconds; 0 = none.
  std::int64_t first_request_deadline_ = 0;
  std::int64_t message_deadline_ = 0;
  std::int64_t stall_deadline_ = 0;
  std::int64_t end_deadline_ = 0;  // of lingering, and of work left after the peer's end

  operation::Peer peer_;
  const char* finish_reason_ = nullptr;  // set: close as soon as the output is sent
  Phase phase_ = Phase::kOpen;
  bool input_ended_ = false;  // the peer sends no more
  bool input_kept_ = false;   // messages wait in input_ for a pause to end, or for a turn
  bool slice_over_ = false;   // the last ones handled took long: the kept ones wait for a turn
  bool session_closed_ = false;
};

}  // namespace kauri::server
