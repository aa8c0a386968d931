// What one client may take from the others: time of their worker, and memory. Over real sockets
// with a fake service behind them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/testing/cost.h"
#include "base/units.h"
#include "server/fake_service.h"
#include "server/server.h"
#include "server/test_client.h"
#include "server/worker.h"

namespace kauri::server {
namespace {

using namespace kauri::literals;

constexpr int kCompareDone = 0x6F;
constexpr int kEntry = 0x64;
constexpr int kSearchDone = 0x65;

std::string compare(int id) {
  std::string out;
  ldap::append_request(out, id, ber::application_constructed(14), "");
  return out;
}
std::string search(int id) {
  std::string out;
  ldap::append_request(out, id, ber::application_constructed(3), "");
  return out;
}

// Waits for a condition that another thread brings about.
bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class SlowClientTest : public testing::Test {
 protected:
  void start(ServerOptions options) {
    options.endpoints.push_back({.host = "127.0.0.1"});
    options.service = &service_;
    options.clock = &Clock::system();
    options.workers = 1;
    auto server = Server::start(std::move(options));
    ASSERT_TRUE(server.has_value()) << server.error().message();
    server_ = std::move(*server);
  }
  std::unique_ptr<TestClient> client() {
    auto out = std::make_unique<TestClient>(server_->uris().front(), 16 * 1024);
    EXPECT_TRUE(out->connected());
    return out;
  }
  std::size_t open() const { return server_->connection_count(); }

  FakeService service_;
  std::unique_ptr<Server> server_;
};

// Requests that are cheap in octets and dear in time come in one packet: whoever asks meanwhile
// waits for a few of them, not for all.
TEST_F(SlowClientTest, ManyRequestsInOnePacketLeaveRoomForOthers) {
  start({});
  service_.compare_micros = 2000;
  constexpr int kMany = 500;
  std::string many;
  for (int id = 1; id <= kMany; ++id) many += compare(id);
  const auto greedy = client();
  const auto other = client();
  ASSERT_TRUE(greedy->send(many));
  ASSERT_TRUE(eventually([this] { return service_.handled > 0; }));
  ASSERT_TRUE(other->send(compare(1)));
  EXPECT_EQ(id_and_tag(other->read_message()), std::make_pair(1, kCompareDone));
  EXPECT_LT(service_.handled, kMany / 2);
  for (int id = 1; id <= kMany; ++id) {
    ASSERT_EQ(id_and_tag(greedy->read_message()), std::make_pair(id, kCompareDone));
  }
}

// The client's end does not cut off what it sent before, whatever turns that takes.
TEST_F(SlowClientTest, RequestsThatWaitForATurnAreAnsweredAfterAHalfClose) {
  start({});
  service_.compare_micros = 500;
  std::string many;
  for (int id = 1; id <= 50; ++id) many += compare(id);
  const auto one = client();
  ASSERT_TRUE(one->send(many));
  one->end_sending();
  for (int id = 1; id <= 50; ++id) {
    ASSERT_EQ(id_and_tag(one->read_message()), std::make_pair(id, kCompareDone));
  }
  EXPECT_TRUE(one->ended());
}

// Answers of one message that are larger than the output queue have one share for all clients of a
// worker: past it, clients that stand still are let go, and one that reads gets everything.
TEST_F(SlowClientTest, LargeAnswersOfReadersThatStandStillAreBounded) {
  constexpr std::size_t kEntrySize = 12_MiB;
  start({.large_buffers_max = 3 * kEntrySize});
  service_.entries = 1;
  service_.entry_size = kEntrySize;
  std::vector<std::unique_ptr<TestClient>> stalled;
  for (int i = 0; i < 8; ++i) {
    stalled.push_back(client());
    ASSERT_TRUE(stalled.back()->send(search(1)));
    ASSERT_TRUE(eventually([&] { return service_.turns > i; }));
  }
  // Some of an answer is in the socket's buffers, so that the share holds a few.
  EXPECT_TRUE(eventually([this] { return open() <= 4; })) << open() << " connections";
  EXPECT_GE(open(), 2U);
  const auto reader = client();
  ASSERT_TRUE(reader->send(search(1)));
  EXPECT_EQ(id_and_tag(reader->read_message()), std::make_pair(1, kEntry));
  EXPECT_EQ(id_and_tag(reader->read_message()), std::make_pair(1, kSearchDone));
}

// A round of the loop may find many such clients: those that it lets go keep nothing until it ends.
TEST_F(SlowClientTest, LargeAnswersOfOneRoundAreBounded) {
  constexpr std::size_t kEntrySize = 12_MiB;
  constexpr int kClients = 20;
  service_.entries = 1;
  service_.entry_size = kEntrySize;
  service_.answers_at_once = true;
  Worker::Shared shared{service_, Clock::system(), nullptr, {}, 2 * kEntrySize};
  auto worker = Worker::make(shared);
  ASSERT_TRUE(worker.has_value());
  std::vector<int> clients;
  for (int i = 0; i < kClients; ++i) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    operation::Peer peer;
    peer.connection = static_cast<std::uint64_t>(i) + 1;
    shared.connections.fetch_add(1);
    (*worker)->adopt(ends[0], std::move(peer));
    clients.push_back(ends[1]);
  }
  (*worker)->run_round(0);
  const std::string request = search(1);
  for (const int one : clients)
    ASSERT_EQ(::send(one, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  const MemoryPeak peak;
  (*worker)->run_round(0);
  // Two that may stay, one that is let go for it, and one in the making with its copy.
  EXPECT_LE(peak.growth(), static_cast<std::int64_t>(8 * kEntrySize));
  EXPECT_LE(shared.connections, 2U);
  for (const int one : clients) ::close(one);
  (*worker)->run_round(0);
}

TEST_F(SlowClientTest, OneLargeAnswerIsNeverTooLarge) {
  start({.large_buffers_max = 0});
  service_.entries = 1;
  service_.entry_size = 12_MiB;
  const auto reader = client();
  ASSERT_TRUE(reader->send(search(1)));
  EXPECT_EQ(id_and_tag(reader->read_message()), std::make_pair(1, kEntry));
  EXPECT_EQ(id_and_tag(reader->read_message()), std::make_pair(1, kSearchDone));
}

// Octets of a large message that does not become whole count as well.
TEST_F(SlowClientTest, LargeRequestsThatDoNotBecomeWholeAreBounded) {
  service_.message_size_max = 16_MiB;
  start({.large_buffers_max = 8_MiB});
  const std::string part = std::string("\x30\x84\x00\xf0\x00\x00", 6) + std::string(3_MiB, '\0');
  std::vector<std::unique_ptr<TestClient>> senders;
  for (int i = 0; i < 8; ++i) {
    senders.push_back(client());
    // Who is let go while it sends cannot send the rest.
    (void)senders.back()->send(part);
  }
  // Connections that were not accepted yet must not count as ended ones.
  const auto gone = [&] {
    return std::count_if(senders.begin(), senders.end(),
                         [](const auto& one) { return one->gone(); });
  };
  EXPECT_TRUE(eventually([&] { return gone() >= 5; })) << gone() << " ended";
  EXPECT_LE(gone(), 7);
}

// What the accepted socket has from the one that listens: few unsent octets in the kernel, and
// questions to a peer that is silent for long.
TEST_F(SlowClientTest, AcceptedSocketsAreBounded) {
  start({});
  const auto one = client();
  ASSERT_TRUE(one->send(compare(1)));
  EXPECT_EQ(id_and_tag(one->read_message()), std::make_pair(1, kCompareDone));
  sockaddr_in own{};
  socklen_t size = sizeof(own);
  ASSERT_EQ(::getsockname(one->descriptor(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  int accepted = -1;
  for (int descriptor = 3; descriptor < 1000 && accepted < 0; ++descriptor) {
    sockaddr_in peer{};
    size = sizeof(peer);
    const bool found = ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
                       peer.sin_family == AF_INET && peer.sin_port == own.sin_port;
    if (found) accepted = descriptor;
  }
  ASSERT_GE(accepted, 0);
  const auto option = [accepted](int level, int name) {
    int value = -1;
    socklen_t length = sizeof(value);
    EXPECT_EQ(::getsockopt(accepted, level, name, &value, &length), 0);
    return value;
  };
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NOTSENT_LOWAT), limits::kUnsentOctetsMax);
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), limits::kKeepAliveSeconds);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), limits::kKeepAliveAgainSeconds);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 5);
}

}  // namespace
}  // namespace kauri::server
