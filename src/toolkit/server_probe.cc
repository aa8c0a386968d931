#include "toolkit/server_probe.h"

#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "ldap/client.h"
#include "ldap/filter.h"
#include "ldap/message.h"
#include "toolkit/message_head.h"
#include "toolkit/result_text.h"

namespace kauri::toolkit {

namespace {

constexpr std::size_t kAnswerSizeMax = std::size_t{1} << 20U;
constexpr std::size_t kValueSizeMax = 200;
constexpr ber::Tag kEntryTag = ber::application_constructed(4);
constexpr ber::Tag kDoneTag = ber::application_constructed(5);

void take_entry(std::string_view body, ServerSoftware& out) {
  ldap::EntryMessageView entry;
  if (!ldap::decode_search_entry(body, entry)) return;
  for (const auto& attribute : entry.attributes) {
    if (attribute.values.empty()) continue;
    const std::string value(attribute.values.front().substr(0, kValueSizeMax));
    if (attribute.description == "vendorName") out.vendor = value;
    if (attribute.description == "vendorVersion") out.version = value;
  }
}

// Takes the messages that are there whole off `stream`. True when the last one was the result.
Result<bool> take_messages(std::string& stream, ServerSoftware& out) {
  for (;;) {
    MessageHead head;
    const HeadState state = read_message_head(stream, head);
    if (state == HeadState::kIncomplete) return false;
    if (state == HeadState::kBroken) return invalid("the answer about the root DSE is not LDAP");
    if (head.tag == kEntryTag) take_entry(head.body, out);
    if (head.tag == kDoneTag) {
      const int code = read_result_code(head.body);
      if (code == 0) return true;
      return invalid("the root DSE was answered with " + describe_result(code, head.body));
    }
    stream.erase(0, head.size);
  }
}

}  // namespace

Result<ServerSoftware> probe_server(const Endpoint& endpoint, unsigned timeout_seconds) {
  KAURI_TRY(const UniqueFd fd, connect_to(endpoint, timeout_seconds));
  KAURI_TRY(const ldap::Filter filter, ldap::parse_filter("(objectClass=*)"));
  ldap::SearchRequestText request;
  request.scope = ldap::Scope::kBase;
  request.attributes = {"vendorName", "vendorVersion"};
  std::string octets;
  ldap::append_search_request(octets, 1, request, filter);
  if (send(fd.get(), octets.data(), octets.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(octets.size())) {
    return Error(ErrorCode::kIo, "cannot send to " + endpoint.text + ": " + std::strerror(errno));
  }
  ServerSoftware out;
  std::string stream;
  std::size_t all = 0;
  std::array<char, 4096> block;
  const std::int64_t deadline =
      Clock::system().monotonic_nanos() + std::int64_t{timeout_seconds} * 1'000'000'000;
  while (all < kAnswerSizeMax) {
    // The time limit of the socket begins anew with each octet that a slow server says.
    if (Clock::system().monotonic_nanos() > deadline) {
      return Error(ErrorCode::kIo, "no whole answer from " + endpoint.text +
                                       " about its root DSE within " +
                                       std::to_string(timeout_seconds) + " s");
    }
    const ssize_t received = recv(fd.get(), block.data(), block.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) {
      return Error(ErrorCode::kIo,
                   "no answer from " + endpoint.text + " about its root DSE: " +
                       (received == 0 ? "the server closed the connection" : std::strerror(errno)));
    }
    all += static_cast<std::size_t>(received);
    stream.append(block.data(), static_cast<std::size_t>(received));
    KAURI_TRY(const bool done, take_messages(stream, out));
    if (done) return out;
  }
  return invalid("the answer about the root DSE is larger than " + std::to_string(kAnswerSizeMax) +
                 " octets");
}

}  // namespace kauri::toolkit
