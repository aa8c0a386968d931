// The connections of a LoadWorker: opening and binding them, octets in and out.
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ldap/client.h"
#include "ldap/message.h"
#include "toolkit/load_worker.h"
#include "toolkit/result_text.h"

namespace kauri::toolkit {

namespace {

constexpr std::size_t kReceiveSize = std::size_t{128} << 10U;
constexpr ber::Tag kBindAnswerTag = ber::application_constructed(1);
constexpr ber::Tag kEntryTag = ber::application_constructed(4);
constexpr ber::Tag kReferenceTag = ber::application_constructed(19);
constexpr ber::Tag kIntermediateTag = ber::application_constructed(25);
constexpr ldap::MessageId kBindId = 1;
constexpr ldap::MessageId kUnbindId = 2;

}  // namespace

// Adds a connection, open unless each operation opens its own; a binder when it has a home.
Result<void> LoadWorker::add_connection(Connection* home) {
  auto connection = std::make_unique<Connection>();
  connection->slots.resize(options_.depth);
  connection->home = home;
  if (home != nullptr) home->binder = connection.get();
  if (!options_.reconnect) {
    KAURI_TRY(connection->fd, open_connection());
    KAURI_CHECK(watch_new(*connection, EPOLLIN));
  }
  connections_.push_back(std::move(connection));
  return {};
}

Result<UniqueFd> LoadWorker::open_connection() {
  const auto seconds = static_cast<unsigned>(std::max(1.0, options_.timeout_seconds));
  KAURI_TRY(UniqueFd fd, connect_to(options_.endpoint, seconds));
  if (!options_.bind_dn.empty()) {
    KAURI_CHECK(bind_connection(fd.get()));
  }
  KAURI_CHECK(set_nonblocking(fd.get()));
  return fd;
}

Result<void> LoadWorker::bind_connection(int fd) {
  std::string request;
  ldap::append_simple_bind_request(request, kBindId, options_.bind_dn, options_.bind_password);
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return Error(ErrorCode::kIo, system_reason("cannot send a bind request"));
  }
  std::size_t size = 0;
  MessageHead head;
  for (;;) {
    if (size == input_.size()) return invalid("the answer to a bind is unreasonably large");
    const ssize_t received = recv(fd, input_.data() + size, input_.size() - size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) return Error(ErrorCode::kIo, system_reason("no answer to a bind"));
    if (received == 0) {
      return Error(ErrorCode::kIo, "the server closed the connection instead of answering a bind");
    }
    size += static_cast<std::size_t>(received);
    const HeadState state = read_message_head({input_.data(), size}, head);
    if (state == HeadState::kBroken) return invalid("the answer to a bind is not LDAP");
    if (state == HeadState::kComplete) break;
  }
  const int code = read_result_code(head.body);
  if (head.tag != kBindAnswerTag || code != 0) {
    return invalid("the bind as '" + options_.bind_dn + "' was answered with " +
                   describe_result(code, head.body));
  }
  return {};
}

// A new connection for one operation, not waited for. False when it could not even be begun.
bool LoadWorker::reopen(Connection& connection, bool bind_first) {
  connection.carry.clear();
  connection.out.clear();
  connection.sent = 0;
  connection.after_bind.clear();
  connection.wants_write = false;
  auto fd = begin_connecting(options_.endpoint);
  if (!fd) {
    drop(connection, outcome_.part.errors.no_connection, fd.error().message());
    return false;
  }
  connection.fd = *std::move(fd);
  if (const auto watched = watch_new(connection, EPOLLIN); !watched) {
    drop(connection, outcome_.part.errors.no_connection, watched.error().message());
    return false;
  }
  if (bind_first) {
    ldap::append_simple_bind_request(connection.out, kBindId, options_.bind_dn,
                                     options_.bind_password);
  }
  return true;
}

// Ends a connection whose operation is done. Nothing that the server could still say is waited for.
void LoadWorker::unbind(Connection& connection) {
  std::string request;
  ldap::append_unbind_request(request, kUnbindId);
  const ssize_t sent =
      send(connection.fd.get(), request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0 && measuring_ && !ended_) {
    outcome_.part.octets_sent += static_cast<std::uint64_t>(sent);
  }
  connection.fd.reset();
}

Result<void> LoadWorker::watch_new(Connection& connection, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &connection;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.fd.get(), &event) != 0) {
    return Error(ErrorCode::kIo, system_reason("cannot watch a connection"));
  }
  return {};
}

void LoadWorker::serve(Connection& connection, std::uint32_t events) {
  if (!connection.fd) return;
  if ((events & EPOLLOUT) != 0) flush_or_drop(connection);
  if (!connection.fd || (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  if (receive(connection, MSG_DONTWAIT)) flush_or_drop(connection);
}

// False when the connection is gone.
bool LoadWorker::receive(Connection& connection, int flags) {
  const std::size_t kept = connection.carry.size();
  if (input_.size() < kept + kReceiveSize) input_.resize(kept + kReceiveSize);
  std::memcpy(input_.data(), connection.carry.data(), kept);
  const ssize_t received =
      recv(connection.fd.get(), input_.data() + kept, input_.size() - kept, flags);
  now_ = clock_.monotonic_nanos();
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (received <= 0) {
    const bool never_open =
        received < 0 && options_.reconnect && connection.sent == 0 && !connection.out.empty();
    drop(connection, never_open ? outcome_.part.errors.no_connection : outcome_.part.errors.lost,
         received == 0 ? "the server closed the connection"
                       : system_reason(never_open ? "cannot connect" : "the connection broke"));
    return false;
  }
  if (now_ >= schedule_.measure_nanos && now_ < schedule_.end_nanos) {
    outcome_.part.octets_received += static_cast<std::uint64_t>(received);
  }
  connection.carry.clear();
  pass_boundaries();
  return take_messages(connection, {input_.data(), kept + static_cast<std::size_t>(received)});
}

bool LoadWorker::take_messages(Connection& connection, std::string_view stream) {
  while (!stream.empty()) {
    MessageHead head;
    const HeadState state = read_message_head(stream, head);
    if (state == HeadState::kIncomplete) {
      connection.carry = stream;
      return true;
    }
    if (state == HeadState::kBroken) {
      error(outcome_.part.errors.broken_answer, 1, "an answer is not an LDAP message");
      drop(connection, outcome_.part.errors.lost, "closed after an answer that is not LDAP", 1);
      return false;
    }
    const Taken taken = take_message(connection, head);
    if (taken == Taken::kGone) return false;
    stream.remove_prefix(head.size);
    if (taken == Taken::kGoOn) continue;
    if (!stream.empty()) {
      error(outcome_.part.errors.broken_answer, 1,
            "more messages followed the answer to the only request of a connection");
    }
    return false;
  }
  return true;
}

LoadWorker::Taken LoadWorker::take_message(Connection& connection, const MessageHead& head) {
  LoadErrors& errors = outcome_.part.errors;
  if (head.id == 0) {
    drop(connection, errors.lost,
         "the server ended the connection with " +
             describe_result(read_result_code(head.body), head.body));
    return Taken::kGone;
  }
  if (!connection.after_bind.empty()) {
    return take_bind_answer(connection, head) ? Taken::kGoOn : Taken::kGone;
  }
  const auto index =
      static_cast<std::size_t>(static_cast<std::uint32_t>(head.id) & ((1U << slot_bits_) - 1));
  if (index >= connection.slots.size() || connection.slots[index].id != head.id) {
    error(errors.broken_answer, 1,
          "an answer has message ID " + std::to_string(head.id) + ", which no request waits for");
    drop(connection, errors.lost, "closed after an answer for no request", 1);
    return Taken::kGone;
  }
  Slot& slot = connection.slots[index];
  const Workload& workload = mix_.parts[slot.operation.part].workload;
  if (head.tag == workload.answer_tag) {
    finish(connection, index, head);
    if (options_.reconnect) unbind(connection);
    next_in(connection, static_cast<std::uint32_t>(index));
    if (options_.reconnect) return Taken::kLast;
  } else if (head.tag == kEntryTag && workload.kind == WorkloadKind::kSearch) {
    ++slot.entries;
  } else if (head.tag == kReferenceTag && workload.kind == WorkloadKind::kSearch) {
    if (measuring_ && !ended_) ++outcome_.part.references;
  } else if (head.tag != kIntermediateTag) {
    error(errors.broken_answer, 1,
          "an answer has protocolOp tag " + std::to_string(head.tag & 0x1FU) + " instead of " +
              std::to_string(workload.answer_tag & 0x1FU));
    drop(connection, errors.lost, "closed after an answer to another operation", 1);
    return Taken::kGone;
  }
  // The next operation may have found its own connection broken, and this one's pair with it.
  return connection.fd ? Taken::kGoOn : Taken::kGone;
}

// The answer to the bind in front of an operation. False when the connection is gone.
bool LoadWorker::take_bind_answer(Connection& connection, const MessageHead& head) {
  const int code = read_result_code(head.body);
  if (head.id != kBindId || head.tag != kBindAnswerTag || code != 0) {
    drop(connection, outcome_.part.errors.no_connection,
         "the bind as '" + options_.bind_dn + "' was answered with " +
             describe_result(code, head.body));
    return false;
  }
  connection.out += connection.after_bind;
  connection.after_bind.clear();
  return true;
}

// False when the connection is broken.
bool LoadWorker::flush(Connection& connection) {
  if (!connection.fd) return true;
  const std::size_t rest = connection.out.size() - connection.sent;
  if (rest > 0) {
    const ssize_t sent = send(connection.fd.get(), connection.out.data() + connection.sent, rest,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) {
      connection.sent += static_cast<std::size_t>(sent);
      if (measuring_ && !ended_) outcome_.part.octets_sent += static_cast<std::uint64_t>(sent);
    }
  }
  const bool done = connection.sent == connection.out.size();
  if (done) {
    connection.out.clear();
    connection.sent = 0;
  }
  if (connection.wants_write == done) watch(connection, !done);
  return true;
}

void LoadWorker::flush_or_drop(Connection& connection) {
  if (flush(connection)) return;
  const bool connecting = options_.reconnect && connection.sent == 0;
  drop(connection, connecting ? outcome_.part.errors.no_connection : outcome_.part.errors.lost,
       system_reason(connecting ? "cannot connect" : "cannot send"));
}

void LoadWorker::watch(Connection& connection, bool write) {
  connection.wants_write = write;
  epoll_event event{};
  event.events = EPOLLIN | (write ? std::uint32_t{EPOLLOUT} : 0U);
  event.data.ptr = &connection;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event);
}

// Counts what was outstanding, but for `counted` requests that are errors already. The object
// stays, since events of this round may name it.
void LoadWorker::drop(Connection& connection, std::uint64_t& counter, const std::string& why,
                      std::uint64_t counted) {
  if (!connection.fd && connection.outstanding == 0) return;
  connection.fd.reset();
  if (!stopped_ && !options_.reconnect && connection.home == nullptr) {
    ++outcome_.part.connections_lost;
  }
  if (connection.outstanding > counted) {
    error(counter, connection.outstanding - counted, why);
  } else if (counted == 0 && !stopped_) {
    error(counter, 1, why);  // when the run is over, a server may close what is idle
  }
  outstanding_ -= connection.outstanding;
  connection.outstanding = 0;
  for (std::uint32_t i = 0; i < connection.slots.size(); ++i) {
    if (connection.slots[i].id == 0) continue;
    connection.slots[i].id = 0;
    if (options_.reconnect) failed_.push_back({&connection, i});
  }
  // A connection and its binder are of no use without each other.
  Connection* const pair = connection.home != nullptr ? connection.home : connection.binder;
  if (pair == nullptr) return;
  // It was not the server that closed this one, so it is no error of its own when it was idle.
  drop(*pair, counter, "closed with its pair: " + why, pair->outstanding == 0 ? 1 : 0);
}

std::string LoadWorker::system_reason(const char* what) const {
  return std::string(what) + " to " + options_.endpoint.text + ": " + std::strerror(errno);
}

}  // namespace kauri::toolkit
