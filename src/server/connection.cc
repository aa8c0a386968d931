#include "server/connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/message.h"
#include "server/worker.h"

namespace kauri::server {
namespace {

using namespace kauri::literals;

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// Answers gathered before they are sent although more requests wait.
constexpr std::size_t kFlushSize = 64_KiB;
// Answers of one turn of the searches of a connection; a turn fits into the output queue.
constexpr std::size_t kTurnSize = 256_KiB;
static_assert(kTurnSize <= limits::kOutputQueueMax);
// Receives in one go before other connections have their turn.
constexpr int kReceivesMax = 4;
// Time for requests that came together, before other connections have their turn.
constexpr std::int64_t kSliceNanos = std::int64_t{limits::kSearchSliceMicros} * 1000;
// How long a connection whose answers are all sent waits for the client's end: closing at once
// would let unread octets turn into a reset, and the client might lose the last answer.
constexpr std::int64_t kLingerNanos = 2 * kNanosPerSecond;
constexpr std::size_t kIdleQueueCapacity = 4_KiB;

std::int64_t seconds(std::uint32_t count) {
  return static_cast<std::int64_t>(count) * kNanosPerSecond;
}

}  // namespace

Connection::Connection(Worker& worker, operation::Peer peer)
    : worker_(worker), transport_(worker.poller(), *this), peer_(std::move(peer)) {}

Connection::~Connection() {
  if (session_ != nullptr && !session_closed_) session_->closed();
}

bool Connection::start(int descriptor) {
  if (!transport_.adopt(descriptor)) return false;
  session_ = worker_.shared().service.session(peer_, worker_.worker_context(), worker_);
  session_->set_output_ready([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->worker_.mark_output(*self);
  });
  first_request_deadline_ = worker_.now() + seconds(worker_.shared().timeouts.first_request);
  arm(first_request_deadline_);
  transport_.set_interest({.readable = true});
  return true;
}

void Connection::arm(std::int64_t deadline_nanos) {
  worker_.wheel().arm(*this, deadline_nanos);
}

void Connection::on_events(std::uint32_t events) {
  if (phase_ == Phase::kClosed) return;
  if ((events & EPOLLIN) != 0) {
    if (phase_ == Phase::kLingering) {
      discard_input();
    } else if (phase_ == Phase::kOpen && !output_blocked() && !input_kept_ &&
               !session_->reading_paused()) {
      // Otherwise something earlier in this round changed the interest; the event comes again.
      receive();
    }
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    send_queued();
    settle();
    return;
  }
  // An error, or a peer that neither sends nor reads any more; nothing that is in flight can reach
  // it. A peer that only ended its half shows as the end of the input instead.
  close("the connection was lost");
}

void Connection::receive() {
  std::vector<char>& buffer = worker_.read_buffer();
  for (int round = 0; round < kReceivesMax; ++round) {
    const Transport::Outcome got = transport_.read(buffer.data(), buffer.size());
    if (got.state == Transport::State::kError) {
      close(std::strerror(got.error));
      return;
    }
    if (got.state == Transport::State::kEnd) input_ended_ = true;
    if (got.state != Transport::State::kDone) break;
    process({buffer.data(), got.size});
    if (phase_ == Phase::kClosed) return;
    // A short receive took all there was. A full one that held requests ends the turn: the loop
    // comes back at once, and the other connections are served in between. Only a message that is
    // larger than the buffer is collected in one go.
    if (got.size < buffer.size() || input_.messages() > 0 || phase_ != Phase::kOpen) break;
    if (finish_reason_ != nullptr) break;
  }
  settle();
}

void Connection::process(std::string_view received) {
  std::string& out = worker_.answers();
  const std::int64_t now = worker_.now();
  std::int64_t slice_started = 0;
  slice_over_ = false;
  const InputBuffer::State state = input_.consume(
      received, [this] { return session_->message_size_max(); },
      [&](std::string_view message) {
        session_->handle(message, now, out);
        if (out.size() >= kFlushSize) send(out);
        if (phase_ == Phase::kClosed || output_blocked() || session_->closing() ||
            session_->reading_paused()) {
          return false;
        }
        // A request that came alone does not pay for a look at the clock.
        if (input_.messages() < 2) return true;
        const std::int64_t time = worker_.shared().clock.monotonic_nanos();
        if (slice_started == 0) slice_started = time;
        slice_over_ = time - slice_started >= kSliceNanos;
        return !slice_over_;
      });
  if (phase_ == Phase::kClosed) return;
  if (state == InputBuffer::State::kBroken) {
    session_->protocol_error(input_.error(), out);
    finish_reason_ = input_.error();
  }
  send(out);
  input_kept_ = state == InputBuffer::State::kStopped && input_.kept_size() > 0;
  if (input_.messages() > 0) first_request_deadline_ = 0;
  if (state != InputBuffer::State::kNeedMore || input_.kept_size() == 0) {
    message_deadline_ = 0;
  } else if (message_deadline_ == 0 || input_.messages() > 0) {
    message_deadline_ = now + seconds(worker_.shared().timeouts.message);
    arm(message_deadline_);
  }
}

void Connection::send(std::string& out) {
  if (out.empty() || phase_ == Phase::kClosed) {
    out.clear();
    return;
  }
  if (output_blocked()) {
    output_.append(out);
  } else {
    const Transport::Outcome sent = transport_.write(out);
    if (sent.state == Transport::State::kError) {
      out.clear();
      close(std::strerror(sent.error));
      return;
    }
    if (sent.size < out.size()) {
      output_.assign(out, sent.size, std::string::npos);
      output_sent_ = 0;
      limits::count(limits::Counter::kOutputQueue);
      stall_deadline_ = worker_.now() + seconds(worker_.shared().timeouts.output_stall);
      arm(stall_deadline_);
    }
  }
  out.clear();
  worker_.trim_answers();
}

void Connection::send_queued() {
  while (output_sent_ < output_.size()) {
    const Transport::Outcome sent =
        transport_.write(std::string_view(output_).substr(output_sent_));
    if (sent.state == Transport::State::kError) {
      close(std::strerror(sent.error));
      return;
    }
    if (sent.state == Transport::State::kWouldBlock) return;
    output_sent_ += sent.size;
    // The kernel reports room when a good part of its buffer is free, not for each octet that a
    // reader takes: so this is progress.
    stall_deadline_ = worker_.now() + seconds(worker_.shared().timeouts.output_stall);
  }
  stall_deadline_ = 0;
  output_sent_ = 0;
  if (output_.capacity() > kIdleQueueCapacity) {
    std::string().swap(output_);
  } else {
    output_.clear();
  }
}

void Connection::account() {
  const std::size_t held = input_.capacity() + output_.capacity();
  const std::size_t large = held > limits::kOutputQueueMax ? held : 0;
  if (large != large_octets) worker_.hold_large(*this, large);
}

std::int64_t Connection::patience_ends() const {
  if (message_deadline_ == 0 || stall_deadline_ == 0) return message_deadline_ + stall_deadline_;
  return std::min(message_deadline_, stall_deadline_);
}

bool Connection::busy() const {
  return input_kept_ || session_->operations_in_flight() > 0 || session_->has_work();
}

void Connection::settle() {
  for (;;) {
    account();
    if (phase_ == Phase::kClosed || phase_ == Phase::kLingering) return;
    if (output_blocked()) {
      transport_.set_interest({.writable = true});
      return;
    }
    if (finish_reason_ != nullptr || session_->closing()) {
      finish(finish_reason_ != nullptr ? finish_reason_ : "unbound");
      return;
    }
    if (!input_kept_ || slice_over_ || session_->reading_paused()) break;
    process({});
  }
  if (session_->has_work() || (input_kept_ && slice_over_)) worker_.queue_turn(*this);
  if (!busy()) {
    if (phase_ == Phase::kDraining) {
      say_goodbye();
      return;
    }
    if (input_ended_) {
      finish("ended by the client");
      return;
    }
  } else if (input_ended_ && end_deadline_ == 0) {
    // A client that only ended its half still gets its answers; one that is gone must not keep an
    // operation for ever.
    end_deadline_ = worker_.now() + seconds(worker_.shared().timeouts.output_stall);
    arm(end_deadline_);
  }
  transport_.set_interest({.readable = phase_ == Phase::kOpen && !input_ended_ && !input_kept_ &&
                                       !session_->reading_paused()});
}

void Connection::say_goodbye() {
  std::string& out = worker_.answers();
  ldap::append_notice_of_disconnection(out, ldap::ResultCode::kUnavailable,
                                       "the server is shutting down");
  finish_reason_ = "server stop";
  send(out);
  settle();
}

void Connection::collect_output() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kLingering) return;
  // Nothing may come behind a Notice of Disconnection that waits to be sent (RFC 4511, 4.4.1).
  if (finish_reason_ != nullptr || session_->closing()) return;
  std::string& out = worker_.answers();
  session_->take_output(out);
  send(out);
  settle();
}

void Connection::run_turn() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kLingering || output_blocked()) return;
  slice_over_ = false;
  if (input_kept_ && !session_->reading_paused()) process({});
  if (phase_ == Phase::kClosed) return;
  if (!output_blocked() && finish_reason_ == nullptr && session_->has_work()) {
    std::string& out = worker_.answers();
    session_->run_turn(out, kTurnSize);
    send(out);
  }
  settle();
}

void Connection::begin_drain() {
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kDraining;
  first_request_deadline_ = 0;
  settle();
}

void Connection::close_session() {
  if (session_closed_) return;
  session_closed_ = true;
  session_->closed();
}

void Connection::finish(const char* reason) {
  finish_reason_ = reason;
  close_session();
  if (input_ended_) {
    close(reason);
    return;
  }
  phase_ = Phase::kLingering;
  input_.clear();
  first_request_deadline_ = 0;
  message_deadline_ = 0;
  // Most clients end their connection with the Unbind: then there is nothing to wait for.
  discard_input();
  if (phase_ == Phase::kClosed) return;
  transport_.shutdown_write();
  transport_.set_interest({.readable = true});
  end_deadline_ = worker_.now() + kLingerNanos;
  arm(end_deadline_);
}

void Connection::discard_input() {
  std::vector<char>& buffer = worker_.read_buffer();
  for (int round = 0; round < kReceivesMax; ++round) {
    const Transport::Outcome got = transport_.read(buffer.data(), buffer.size());
    if (got.state == Transport::State::kWouldBlock) break;
    if (got.state != Transport::State::kDone) {
      close(finish_reason_);
      return;
    }
  }
}

void Connection::close(const char* reason) {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  if (large_octets != 0) worker_.hold_large(*this, 0);
  close_session();
  transport_.close();
  worker_.forget(*this, finish_reason_ != nullptr ? finish_reason_ : reason);
}

void Connection::drop_buffers() {
  input_.clear();
  std::string().swap(output_);
  output_sent_ = 0;
}

std::int64_t Connection::on_timer(std::int64_t now_nanos) {
  // close() drops the worker's reference, which may be the last one.
  const std::shared_ptr<Connection> self = shared_from_this();
  if (phase_ == Phase::kClosed) return 0;
  const auto due = [now_nanos](std::int64_t deadline) {
    return deadline != 0 && deadline <= now_nanos;
  };
  if (due(first_request_deadline_)) {
    limits::count(limits::Counter::kFirstRequestSeconds);
    close("no request in time");
  } else if (due(message_deadline_)) {
    limits::count(limits::Counter::kMessageSeconds);
    close("a message did not arrive whole in time");
  } else if (due(stall_deadline_)) {
    limits::count(limits::Counter::kOutputStallSeconds);
    close("the client does not read");
  } else if (due(end_deadline_)) {
    close("the client did not end in time");
  }
  if (phase_ == Phase::kClosed) return 0;
  std::int64_t next = 0;
  for (const std::int64_t deadline :
       {first_request_deadline_, message_deadline_, stall_deadline_, end_deadline_}) {
    if (deadline != 0 && (next == 0 || deadline < next)) next = deadline;
  }
  return next;
}

}  // namespace kauri::server
