#include "toolkit/null_responder.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ldap/client.h"
#include "ldap/message.h"
#include "toolkit/request_template.h"

namespace kauri::toolkit {

namespace {

constexpr std::size_t kInputSize = std::size_t{64} << 10U;
constexpr std::size_t kOutputMax = std::size_t{256} << 10U;  // then requests are left unread
constexpr std::size_t kEntrySizeMin = 100;
constexpr std::size_t kEntrySizeMax = std::size_t{1} << 20U;
constexpr std::size_t kEntriesMax = 1000;
constexpr ber::Tag kTagNumber = 0x1F;

Error system_error(const char* what) {
  return {ErrorCode::kIo, std::string(what) + ": " + std::strerror(errno)};
}

// An entry whose message has `size` octets, or up to 3 less where a length takes another octet.
std::string make_entry(std::size_t size) {
  const auto encode = [](std::size_t filler) {
    std::string attributes;
    const std::string text(filler, 'x');
    ldap::append_attribute(attributes, "description", {text});
    std::string out;
    ldap::append_search_entry_head(out, kMessageIdFirst, "uid=null,dc=example,dc=com",
                                   attributes.size());
    return out + attributes;
  };
  std::size_t filler = size - encode(0).size();
  std::string out = encode(filler);
  while (out.size() > size) out = encode(--filler);
  return out;
}

}  // namespace

NullResponder::NullResponder(const NullResponderOptions& options) : options_(options) {
  const std::string entry = make_entry(options.entry_size);
  for (std::size_t i = 0; i < options.entries; ++i) add_canned(search_, entry);
  for (unsigned request = 0; request < 32; ++request) {
    auto answer_to = ldap::response_to(ber::application_constructed(request));
    if (!answer_to) answer_to = ldap::response_to(ber::application(request));  // del is primitive
    if (!answer_to) continue;
    const bool compare = *answer_to == ldap::Operation::kCompareResponse;
    ldap::OperationResult result;
    result.code = compare ? ldap::ResultCode::kCompareTrue
                          : static_cast<ldap::ResultCode>(options.result_code);
    std::string message;
    ldap::append_result(message, kMessageIdFirst, *answer_to, result);
    if (*answer_to == ldap::Operation::kSearchResultDone) {
      add_canned(search_, message);
      results_[request] = search_;
    } else {
      add_canned(results_[request], message);
    }
  }
}

void NullResponder::add_canned(Canned& canned, std::string_view message) {
  const ber::Frame frame = ber::find_message(message, message.size());
  canned.ids_at.push_back(canned.octets.size() + frame.header_size + 2);
  canned.octets += message;
}

Result<std::unique_ptr<NullResponder>> NullResponder::listen(const Endpoint& endpoint,
                                                             const NullResponderOptions& options) {
  if (options.entry_size < kEntrySizeMin || options.entry_size > kEntrySizeMax) {
    return invalid("an entry of " + std::to_string(options.entry_size) + " octets is not in the " +
                   "range of " + std::to_string(kEntrySizeMin) + " to " +
                   std::to_string(kEntrySizeMax));
  }
  if (options.entries > kEntriesMax) {
    return invalid(std::to_string(options.entries) + " entries for each search are more than " +
                   std::to_string(kEntriesMax));
  }
  if (options.result_code < 0 || options.result_code > 127) {
    return invalid("the result code " + std::to_string(options.result_code) +
                   " is not in the range of 0 to 127");
  }
  std::unique_ptr<NullResponder> out(new NullResponder(options));
  KAURI_CHECK(out->open(endpoint));
  return out;
}

Result<void> NullResponder::open(const Endpoint& endpoint) {
  KAURI_TRY(listener_, listen_on(endpoint));
  if (endpoint.address.ss_family != AF_UNIX) {
    KAURI_TRY(port_, local_port(listener_.get()));
  }
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !wake_) return system_error("cannot make an epoll instance");
  for (const int fd : {listener_.get(), wake_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return system_error("cannot watch a socket");
    }
  }
  input_.resize(kInputSize);
  return {};
}

void NullResponder::stop() {
  const std::uint64_t one = 1;
  // The counter cannot be full, so the write cannot fail.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

Result<void> NullResponder::run() {
  std::array<epoll_event, 256> events;
  for (;;) {
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0) {
      if (errno == EINTR) continue;
      return system_error("epoll_wait failed");
    }
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == wake_.get()) return {};
      if (fd == listener_.get()) {
        accept_all();
      } else {
        serve(fd, events[static_cast<std::size_t>(i)].events);
      }
    }
  }
}

void NullResponder::accept_all() {
  for (;;) {
    UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) return;
    const int one = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd.get();
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0) continue;
    const auto index = static_cast<std::size_t>(fd.get());
    if (index >= connections_.size()) connections_.resize(index + 1);
    connections_[index] = std::make_unique<Connection>();
    connections_[index]->fd = std::move(fd);
  }
}

void NullResponder::serve(int fd, std::uint32_t events) {
  const auto index = static_cast<std::size_t>(fd);
  if (index >= connections_.size() || !connections_[index]) return;
  Connection& connection = *connections_[index];
  bool open = true;
  if ((events & EPOLLOUT) != 0) open = flush(connection);
  // While answers wait, EPOLLIN is not asked for, but errors and hang-ups come all the same.
  if (open && !connection.wants_write) open = read_requests(connection);
  if (!open) connections_[index].reset();
}

bool NullResponder::read_requests(Connection& connection) {
  const std::size_t kept = connection.carry.size();
  if (input_.size() < kept + kInputSize) input_.resize(kept + kInputSize);
  std::memcpy(input_.data(), connection.carry.data(), kept);
  const ssize_t received = recv(connection.fd.get(), input_.data() + kept, input_.size() - kept, 0);
  if (received < 0) return errno == EAGAIN || errno == EINTR;
  if (received == 0) return false;
  connection.carry.clear();
  const std::string_view stream(input_.data(), kept + static_cast<std::size_t>(received));
  return answer_all(connection, stream) && flush(connection);
}

bool NullResponder::answer_all(Connection& connection, std::string_view stream) {
  while (!stream.empty()) {
    MessageHead head;
    const HeadState state = read_message_head(stream, head);
    if (state == HeadState::kBroken) return false;
    if (state == HeadState::kIncomplete) {
      connection.carry = stream;
      return true;
    }
    if (head.tag == ldap::kUnbindRequestTag) return false;
    answer(head, connection.out);
    stream.remove_prefix(head.size);
  }
  return true;
}

void NullResponder::answer(const MessageHead& head, std::string& out) const {
  const Canned& canned = results_[head.tag & kTagNumber];
  const auto id = static_cast<std::uint32_t>(head.id);
  const std::size_t start = out.size();
  out += canned.octets;
  for (const std::size_t at : canned.ids_at) {
    // Ids below 2^24 get leading zeros, which every client of ours and of others reads.
    for (unsigned i = 0; i < 4; ++i) {
      out[start + at + i] = static_cast<char>(id >> (24U - 8U * i));
    }
  }
}

bool NullResponder::flush(Connection& connection) {
  if (connection.sent < connection.out.size()) {
    const ssize_t sent = send(connection.fd.get(), connection.out.data() + connection.sent,
                              connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) connection.sent += static_cast<std::size_t>(sent);
  }
  const bool done = connection.sent == connection.out.size();
  if (done) {
    connection.out.clear();
    connection.sent = 0;
    if (connection.out.capacity() > kOutputMax) connection.out.shrink_to_fit();
  }
  if (connection.wants_write == done) watch(connection, !done);
  return true;
}

void NullResponder::watch(Connection& connection, bool write) {
  connection.wants_write = write;
  epoll_event event{};
  event.events = write ? EPOLLOUT : EPOLLIN;
  event.data.fd = connection.fd.get();
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event);
}

}  // namespace kauri::toolkit
