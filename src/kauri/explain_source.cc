#include "kauri/explain_source.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "ber/reader.h"
#include "ldap/client.h"
#include "ldap/oids.h"
#include "toolkit/endpoint.h"
#include "toolkit/message_head.h"
#include "toolkit/result_text.h"

namespace kauri::tool {
namespace {

constexpr ldap::MessageId kBindId = 1;
constexpr ldap::MessageId kSearchId = 2;
constexpr std::int64_t kNanosOfSecond = 1'000'000'000;

class Connection {
 public:
  static Result<Connection> open(const std::string& uri, unsigned timeout_seconds) {
    KAURI_TRY(toolkit::Endpoint endpoint, toolkit::resolve_uri(uri));
    KAURI_TRY(toolkit::UniqueFd fd, toolkit::connect_to(endpoint, timeout_seconds));
    return Connection(std::move(endpoint), std::move(fd), timeout_seconds);
  }

  Result<void> send(std::string_view octets) {
    while (!octets.empty()) {
      const ssize_t sent = ::send(fd_.get(), octets.data(), octets.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0)
        return Error(ErrorCode::kIo,
                     "cannot send to " + endpoint_.text + ": " + std::strerror(errno));
      octets.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }

  // Hands messages to the reader until `enough` is true.
  template <class Enough>
  Result<void> receive(ExplainReader& reader, Enough enough) {
    const std::int64_t deadline =
        Clock::system().monotonic_nanos() + std::int64_t{timeout_seconds_} * kNanosOfSecond;
    std::array<char, 65536> block;
    while (true) {
      KAURI_CHECK(take_messages(reader));
      if (enough()) return {};
      // The time limit of the socket begins anew with each octet that a slow server says.
      const bool late = Clock::system().monotonic_nanos() > deadline;
      const ssize_t got = late ? -1 : ::recv(fd_.get(), block.data(), block.size(), 0);
      if (!late && got < 0 && errno == EINTR) continue;
      if (late || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))) {
        return Error(ErrorCode::kIo, "no whole answer from " + endpoint_.text + " within " +
                                         std::to_string(timeout_seconds_) +
                                         " s; --timeout sets another time, --plan-only asks for "
                                         "the plan alone");
      }
      if (got <= 0) {
        return Error(ErrorCode::kIo,
                     "no answer from " + endpoint_.text + ": " +
                         (got == 0 ? "the server closed the connection" : std::strerror(errno)));
      }
      stream_.append(block.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  Connection(toolkit::Endpoint endpoint, toolkit::UniqueFd fd, unsigned timeout_seconds)
      : endpoint_(std::move(endpoint)), fd_(std::move(fd)), timeout_seconds_(timeout_seconds) {}

  Result<void> take_messages(ExplainReader& reader) {
    std::size_t taken = 0;
    const std::string_view stream = stream_;
    for (;;) {
      const ber::Frame frame =
          ber::find_message(stream.substr(taken), toolkit::kMessageSizeTakenMax);
      if (frame.state == ber::Frame::State::kBroken)
        return invalid("what " + endpoint_.text + " answers is not LDAP: " + frame.error);
      if (frame.state == ber::Frame::State::kIncomplete) break;
      KAURI_CHECK(reader.take(stream.substr(taken, frame.size)));
      taken += frame.size;
    }
    stream_.erase(0, taken);
    return {};
  }

  toolkit::Endpoint endpoint_;
  toolkit::UniqueFd fd_;
  unsigned timeout_seconds_;
  std::string stream_;  // received and not taken yet
};

}  // namespace

Result<void> ExplainReader::take(std::string_view octets) {
  ldap::Message message;
  const ldap::DecodeResult decoded = ldap::decode_message(octets, message, ldap::Sender::kServer);
  if (!decoded.ok()) return invalid(std::string("the answer is not LDAP: ") + decoded.why);
  const bool notice = message.id == 0;
  const bool of_bind = message.tag == ber::application_constructed(
                                          static_cast<unsigned>(ldap::Operation::kBindResponse)) &&
                       message.id == kBindId;
  const bool of_search =
      message.tag ==
          ber::application_constructed(static_cast<unsigned>(ldap::Operation::kSearchResultDone)) &&
      message.id == kSearchId;
  if (!notice && !of_bind && !of_search) return {};  // an entry, a reference
  const int code = toolkit::read_result_code(message.body);
  const std::string text = toolkit::describe_result(code, message.body);
  if (notice) return invalid("the server closes the connection: " + text);
  if (of_bind) {
    if (code != 0) return invalid("the bind was answered with " + text);
    bound_ = true;
    return {};
  }
  done_ = true;
  answer_.code = code;
  answer_.diagnostic = text;
  const ldap::ControlView* plan = ldap::find_control(message, ldap::oids::kExplain);
  has_plan_ = plan != nullptr && plan->value.has_value();
  if (has_plan_) answer_.plan = std::string(*plan->value);
  return {};
}

Result<ExplainAnswer> ExplainReader::answer() const {
  if (has_plan_) return answer_;
  if (answer_.code != 0) return invalid("the search was answered with " + answer_.diagnostic);
  return invalid(
      "the answer has no plan: the root DSE and the subschema entry have none, and other servers "
      "than Kauri do not explain themselves");
}

Result<void> append_bind(std::string& out, const ExplainQuestion& question) {
  ldap::append_simple_bind_request(out, kBindId, question.bind_dn, question.password);
  return {};
}

Result<void> append_search(std::string& out, const ExplainQuestion& question) {
  auto filter = ldap::parse_filter(question.filter);
  if (!filter) return filter.error().with_context("the filter " + question.filter);
  ldap::append_search_request(out, kSearchId, question.search, *filter,
                              {ldap::explain_control(question.mode)});
  return {};
}

Result<ExplainAnswer> explain_online(const std::string& uri, const ExplainQuestion& question,
                                     unsigned timeout_seconds) {
  std::string search;
  KAURI_CHECK(append_search(search, question));
  KAURI_TRY(Connection connection, Connection::open(uri, timeout_seconds));
  ExplainReader reader;
  if (!question.bind_dn.empty()) {
    std::string bind;
    KAURI_CHECK(append_bind(bind, question));
    KAURI_CHECK(connection.send(bind));
    KAURI_CHECK(connection.receive(reader, [&] { return reader.bound(); }));
  }
  KAURI_CHECK(connection.send(search));
  KAURI_CHECK(connection.receive(reader, [&] { return reader.done(); }));
  std::string unbind;
  ldap::append_unbind_request(unbind, kSearchId + 1);
  // All that was asked for is here; a server that is gone already changes nothing.
  (void)connection.send(unbind);
  return reader.answer();
}

}  // namespace kauri::tool
