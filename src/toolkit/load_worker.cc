#include "toolkit/load_worker.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "ldap/client.h"
#include "ldap/message.h"

namespace kauri::toolkit {

namespace {

constexpr std::size_t kInputSize = std::size_t{128} << 10U;
constexpr int kPollMillis = 100;  // so that the end of a run is seen when nothing arrives
constexpr std::int64_t kStallCheckNanos = 1'000'000'000;
constexpr int kEvents = 256;

constexpr ber::Tag kEntryTag = ber::application_constructed(4);
constexpr ber::Tag kReferenceTag = ber::application_constructed(19);
constexpr ber::Tag kIntermediateTag = ber::application_constructed(25);

// The share of `total` that worker `index` of `workers` gets.
std::uint64_t share(std::uint64_t total, std::uint64_t workers, std::uint64_t index) {
  return total / workers + (index < total % workers ? 1 : 0);
}

// What an LDAPResult says, for people.
std::string describe_result(int code, std::string_view body) {
  ldap::ResultView view;
  std::string out = code < 0 ? "a result that is not BER"
                             : std::string(to_string(static_cast<ldap::ResultCode>(code)));
  if (ldap::decode_result(body, view) && !view.diagnostic.empty()) {
    out += " (" + std::string(view.diagnostic.substr(0, 300)) + ")";
  }
  return out;
}

}  // namespace

LoadWorker::LoadWorker(const LoadOptions& options, const Workload& workload, Clock& clock,
                       unsigned index)
    : options_(options),
      workload_(workload),
      clock_(clock),
      index_(index),
      numbers_({options.low, options.high, options.order, options.seed, index,
                static_cast<unsigned>(options.threads)}),
      // Serials of threads and of runs with other seeds lie far apart.
      serial_((options.seed << 48U) ^ (std::uint64_t{index} << 40U)),
      quota_(options.count ? share(*options.count, options.threads, index) : 0),
      slot_bits_(static_cast<unsigned>(std::bit_width(options.depth - 1))) {
  input_.resize(kInputSize);
}

LoadWorker::~LoadWorker() = default;

Result<void> LoadWorker::connect() {
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return Error(ErrorCode::kIo, system_reason("cannot make an epoll instance"));
  const std::uint64_t count = share(options_.connections, options_.threads, index_);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto connection = std::make_unique<Connection>();
    KAURI_TRY(connection->fd, open_connection());
    connection->slots.resize(options_.depth);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = connection.get();
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->fd.get(), &event) != 0) {
      return Error(ErrorCode::kIo, system_reason("cannot watch a connection"));
    }
    connections_.push_back(std::move(connection));
  }
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
  ldap::append_simple_bind_request(request, 1, options_.bind_dn, options_.bind_password);
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
  if (head.tag != ber::application_constructed(1) || code != 0) {
    return invalid("the bind as '" + options_.bind_dn + "' was answered with " +
                   describe_result(code, head.body));
  }
  return {};
}

Result<void> LoadWorker::run(const Schedule& schedule) {
  schedule_ = schedule;
  now_ = clock_.monotonic_nanos();
  stall_check_nanos_ = now_ + kStallCheckNanos;
  outcome_.finished_nanos = schedule.measure_nanos;
  start_all();
  while (outstanding_ > 0) {
    KAURI_CHECK(poll_once());
    pass_boundaries();
    if (now_ >= stall_check_nanos_) find_stalled();
  }
  if (measuring_ && !ended_) {
    outcome_.measured_cpu_nanos = thread_cpu_nanos() - measure_cpu_;
    outcome_.measured_wall_nanos = clock_.monotonic_nanos() - measure_wall_;
  }
  connections_.clear();
  return {};
}

void LoadWorker::start_all() {
  pass_boundaries();
  for (auto& connection : connections_) {
    for (std::size_t i = 0; i < connection->slots.size(); ++i) issue(*connection, i);
    if (!flush(*connection)) drop(*connection, system_reason("cannot send"));
  }
}

Result<void> LoadWorker::poll_once() {
  std::array<epoll_event, kEvents> events;
  const int count = epoll_wait(epoll_.get(), events.data(), kEvents, kPollMillis);
  if (count < 0 && errno != EINTR) {
    return Error(ErrorCode::kIo, system_reason("epoll_wait failed"));
  }
  if (count <= 0) now_ = clock_.monotonic_nanos();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    serve(*static_cast<Connection*>(event.data.ptr), event.events);
  }
  return {};
}

void LoadWorker::serve(Connection& connection, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && !flush(connection)) {
    drop(connection, system_reason("cannot send"));
    return;
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  if (receive(connection) && !flush(connection)) drop(connection, system_reason("cannot send"));
}

// False when the connection is gone.
bool LoadWorker::receive(Connection& connection) {
  const std::size_t kept = connection.carry.size();
  if (input_.size() < kept + kInputSize) input_.resize(kept + kInputSize);
  std::memcpy(input_.data(), connection.carry.data(), kept);
  const ssize_t received = recv(connection.fd.get(), input_.data() + kept, input_.size() - kept, 0);
  now_ = clock_.monotonic_nanos();
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (received <= 0) {
    drop(connection, received == 0 ? "the server closed the connection"
                                   : system_reason("the connection broke"));
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
      drop(connection, "closed after an answer that is not LDAP");
      return false;
    }
    if (!take_message(connection, head)) return false;
    stream.remove_prefix(head.size);
  }
  return true;
}

bool LoadWorker::take_message(Connection& connection, const MessageHead& head) {
  if (head.id == 0) {
    const int code = read_result_code(head.body);
    drop(connection, "the server ended the connection with " + describe_result(code, head.body));
    return false;
  }
  const auto index =
      static_cast<std::size_t>(static_cast<std::uint32_t>(head.id) & ((1U << slot_bits_) - 1));
  if (index >= connection.slots.size() || connection.slots[index].id != head.id) {
    error(outcome_.part.errors.broken_answer, 1,
          "an answer has message ID " + std::to_string(head.id) + ", which no request waits for");
    drop(connection, "closed after an answer for no request");
    return false;
  }
  Slot& slot = connection.slots[index];
  if (head.tag == workload_.answer_tag) {
    finish(connection, index, head);
    issue(connection, index);
  } else if (head.tag == kEntryTag && workload_.kind == WorkloadKind::kSearch) {
    ++slot.entries;
  } else if (head.tag == kReferenceTag && workload_.kind == WorkloadKind::kSearch) {
    if (measuring_ && !ended_) ++outcome_.part.references;
  } else if (head.tag != kIntermediateTag) {
    error(outcome_.part.errors.broken_answer, 1,
          "an answer has protocolOp tag " + std::to_string(head.tag & 0x1FU) + " instead of " +
              std::to_string(workload_.answer_tag & 0x1FU));
    drop(connection, "closed after an answer to another operation");
    return false;
  }
  return true;
}

void LoadWorker::finish(Connection& connection, std::size_t index, const MessageHead& head) {
  Slot& slot = connection.slots[index];
  const int code = read_result_code(head.body);
  check(slot, code, head);
  const auto latency =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ - slot.intended_nanos));
  const bool measured = options_.count ? slot.measured : measuring_ && !ended_;
  if (measured) {
    LoadResult& part = outcome_.part;
    ++part.operations;
    part.entries += slot.entries;
    part.latency.record(latency);
    const auto place = static_cast<std::size_t>(std::clamp(code, 0, 127));
    ++part.codes[place];
    outcome_.finished_nanos = now_;
  }
  // One writer: a plain add is enough, and costs no locked instruction.
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  };
  add(progress_.operations, 1);
  add(progress_.latency_nanos, latency);
  slot.id = 0;
  --connection.outstanding;
  --outstanding_;
}

void LoadWorker::check(const Slot& slot, int code, const MessageHead& head) {
  LoadErrors& errors = outcome_.part.errors;
  if (code != workload_.right_code &&
      std::find(options_.accepted_codes.begin(), options_.accepted_codes.end(), code) ==
          options_.accepted_codes.end()) {
    error(errors.wrong_code, 1,
          "operation with number " + std::to_string(slot.number) + " was answered with " +
              describe_result(code, head.body));
  } else if (options_.expect_entries && slot.entries != *options_.expect_entries) {
    error(errors.wrong_entries, 1,
          "operation with number " + std::to_string(slot.number) + " returned " +
              std::to_string(slot.entries) + " entries; " +
              std::to_string(*options_.expect_entries) + " were expected");
  }
}

bool LoadWorker::may_issue() {
  if (stopped_) return false;
  if (now_ >= schedule_.end_nanos || (options_.count && measuring_ && quota_ == 0)) {
    stopped_ = true;
  }
  return !stopped_;
}

void LoadWorker::issue(Connection& connection, std::size_t index) {
  if (!may_issue()) return;
  const auto number = numbers_.next();
  if (!number) {
    outcome_.part.range_used_up = true;
    stopped_ = true;
    return;
  }
  Slot& slot = connection.slots[index];
  const std::uint32_t generations =
      static_cast<std::uint32_t>(ldap::kMessageIdMax - kMessageIdFirst) >> slot_bits_;
  slot.id = kMessageIdFirst +
            static_cast<ldap::MessageId>(((generation_++ % generations) << slot_bits_) | index);
  slot.measured = measuring_;
  slot.intended_nanos = now_;
  slot.number = *number;
  slot.entries = 0;
  if (options_.count && measuring_) --quota_;
  workload_.requests.append(connection.out, slot.id, *number, serial_++);
  ++connection.outstanding;
  ++outstanding_;
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

void LoadWorker::watch(Connection& connection, bool write) {
  connection.wants_write = write;
  epoll_event event{};
  event.events = EPOLLIN | (write ? std::uint32_t{EPOLLOUT} : 0U);
  event.data.ptr = &connection;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event);
}

// Counts what was outstanding as lost. The object stays, since events of this round may name it.
void LoadWorker::drop(Connection& connection, const std::string& why) {
  if (!connection.fd) return;
  connection.fd.reset();
  // An idle connection that a server closes at the end of the run is no error.
  if (connection.outstanding > 0) {
    error(outcome_.part.errors.lost, connection.outstanding, why);
  }
  outstanding_ -= connection.outstanding;
  connection.outstanding = 0;
  for (Slot& slot : connection.slots) slot.id = 0;
}

void LoadWorker::find_stalled() {
  stall_check_nanos_ = now_ + kStallCheckNanos;
  const auto limit = static_cast<std::int64_t>(options_.timeout_seconds * 1e9);
  for (auto& connection : connections_) {
    std::uint64_t late = 0;
    for (const Slot& slot : connection->slots) {
      if (slot.id != 0 && now_ - slot.intended_nanos > limit) ++late;
    }
    if (late == 0 || !connection->fd) continue;
    const std::uint64_t others = connection->outstanding - late;
    error(outcome_.part.errors.no_answer, late,
          "no answer within " + std::to_string(options_.timeout_seconds) + " s");
    outstanding_ -= late;
    connection->outstanding = others;
    drop(*connection, "closed after a request without an answer");
  }
}

// Notes CPU and wall time when the measured window begins and ends.
void LoadWorker::pass_boundaries() {
  if (!measuring_ && now_ >= schedule_.measure_nanos) {
    measuring_ = true;
    measure_cpu_ = thread_cpu_nanos();
    measure_wall_ = now_;
  }
  if (!ended_ && now_ >= schedule_.end_nanos) {
    ended_ = true;
    outcome_.measured_cpu_nanos = thread_cpu_nanos() - measure_cpu_;
    outcome_.measured_wall_nanos = now_ - measure_wall_;
  }
}

void LoadWorker::error(std::uint64_t& counter, std::uint64_t count, const std::string& what) {
  counter += count;
  if (outcome_.part.errors.first.empty()) outcome_.part.errors.first = what;
  progress_.errors.fetch_add(count, std::memory_order_relaxed);
}

std::string LoadWorker::system_reason(const char* what) const {
  return std::string(what) + " to " + options_.endpoint.text + ": " + std::strerror(errno);
}

}  // namespace kauri::toolkit
