// The server over real sockets with a fake service behind it.
#include "server/server.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "server/fake_service.h"
#include "server/test_client.h"
#include "storage/test_directory.h"

namespace kauri::server {
namespace {

namespace fs = std::filesystem;

constexpr int kCompareDone = 0x6F;
constexpr int kModifyDone = 0x67;
constexpr int kBindDone = 0x61;
constexpr int kEntry = 0x64;
constexpr int kSearchDone = 0x65;
constexpr int kExtendedDone = 0x78;

std::string request(int id, ber::Tag tag, std::string_view body = "") {
  std::string out;
  ldap::append_request(out, id, tag, body);
  return out;
}
std::string compare(int id, std::string_view body = "") {
  return request(id, ber::application_constructed(14), body);
}
std::string search(int id) {
  return request(id, ber::application_constructed(3));
}
std::string modify(int id) {
  return request(id, ber::application_constructed(6));
}
std::string bind(int id) {
  return request(id, ber::application_constructed(0));
}
std::string unbind(int id) {
  return request(id, ldap::kUnbindRequestTag);
}

// Waits for a condition that another thread brings about.
bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class ServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    if (options.endpoints.empty()) options.endpoints.push_back({.host = "127.0.0.1"});
    options.service = &service_;
    options.clock = &Clock::system();
    if (options.workers == 0) options.workers = 2;
    auto server = Server::start(std::move(options));
    ASSERT_TRUE(server.has_value()) << server.error().message();
    server_ = std::move(*server);
  }
  TestClient client(int receive_buffer = 0) {
    TestClient out(server_->uris().front(), receive_buffer);
    EXPECT_TRUE(out.connected());
    return out;
  }
  bool complete_one() {
    return eventually([this] { return service_.complete_one(); });
  }
  static std::pair<int, int> answer(TestClient& client) {
    return id_and_tag(client.read_message());
  }
  using Answer = std::pair<int, int>;

  FakeService service_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, ARequestGetsItsAnswer) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(compare(1)));
  EXPECT_EQ(answer(one), Answer(1, kCompareDone));
  ASSERT_EQ(service_.peers().size(), 1U);
  EXPECT_EQ(service_.peers()[0].address.rfind("127.0.0.1:", 0), 0U);
  EXPECT_TRUE(service_.peers()[0].loopback);
}

// docs/decisions/0008-batch-scheduling.md: losing this costs a third of the speed on shared cores.
TEST_F(ServerTest, WorkersAreScheduledForBatches) {
  start({.workers = 3});
  const auto batch_threads = [] {
    int count = 0;
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
      const pid_t thread = std::stoi(task.path().filename().string());
      if (::sched_getscheduler(thread) == SCHED_BATCH) ++count;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return batch_threads() == 3; })) << batch_threads();
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  TestClient one = client();
  std::string requests;
  for (int id = 1; id <= 5000; ++id) requests += compare(id);
  std::thread sender([&] { EXPECT_TRUE(one.send(requests)); });
  for (int id = 1; id <= 5000; ++id) ASSERT_EQ(answer(one), Answer(id, kCompareDone));
  sender.join();
}

TEST_F(ServerTest, OneOctetAPacket) {
  start();
  TestClient one = client();
  const std::string requests = compare(1, "abc") + compare(2) + compare(3, std::string(200, 'x'));
  for (const char octet : requests) ASSERT_TRUE(one.send({&octet, 1}));
  for (int id = 1; id <= 3; ++id) EXPECT_EQ(answer(one), Answer(id, kCompareDone));
}

TEST_F(ServerTest, AnswersThatCompleteElsewhereArrive) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(modify(1) + modify(2) + compare(3)));
  EXPECT_EQ(answer(one), Answer(3, kCompareDone));
  ASSERT_TRUE(complete_one());
  ASSERT_TRUE(complete_one());
  EXPECT_EQ(answer(one), Answer(1, kModifyDone));
  EXPECT_EQ(answer(one), Answer(2, kModifyDone));
}

TEST_F(ServerTest, ABindHoldsBackWhatFollows) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(bind(1) + compare(2) + bind(3) + compare(4)));
  ASSERT_TRUE(eventually([this] { return service_.handled == 1; }));
  ASSERT_TRUE(complete_one());
  EXPECT_EQ(answer(one), Answer(1, kBindDone));
  EXPECT_EQ(answer(one), Answer(2, kCompareDone));
  EXPECT_EQ(service_.handled, 3);
  ASSERT_TRUE(complete_one());
  EXPECT_EQ(answer(one), Answer(3, kBindDone));
  EXPECT_EQ(answer(one), Answer(4, kCompareDone));
}

// Case H17: too large before authentication; the limit grows with it; others are unharmed.
TEST_F(ServerTest, OversizedMessagesGetANoticeAndTheEnd) {
  start();
  TestClient other = client();
  TestClient one = client();
  std::string head = compare(1, std::string(1 << 20, 'x'));
  // The server may close before all of it is sent.
  (void)one.send(head);
  EXPECT_EQ(answer(one), Answer(0, kExtendedDone));
  EXPECT_TRUE(one.ended());

  TestClient bound = client();
  ASSERT_TRUE(bound.send(bind(1)));
  ASSERT_TRUE(complete_one());
  EXPECT_EQ(answer(bound), Answer(1, kBindDone));
  ASSERT_TRUE(bound.send(compare(2, std::string(1000, 'x'))));
  EXPECT_EQ(answer(bound), Answer(2, kCompareDone));
  (void)bound.send(compare(3, std::string(10'000, 'x')));
  EXPECT_EQ(answer(bound), Answer(0, kExtendedDone));
  EXPECT_TRUE(bound.ended());

  ASSERT_TRUE(other.send(compare(9)));
  EXPECT_EQ(answer(other), Answer(9, kCompareDone));
}

TEST_F(ServerTest, StreamsThatAreNoLdapAreEnded) {
  start();
  for (const std::string& stream : {std::string("GET / HTTP/1.0\r\n\r\n"), std::string("\x16\x03"),
                                    std::string("\x30\x80"), std::string(1000, '\0')}) {
    TestClient one = client();
    ASSERT_TRUE(one.send(stream));
    EXPECT_EQ(answer(one), Answer(0, kExtendedDone));
    EXPECT_TRUE(one.ended());
  }
  EXPECT_TRUE(eventually([this] { return server_->connection_count() == 0; }));
}

// Case H09.
TEST_F(ServerTest, NothingRunsBehindAnUnbind) {
  start();
  for (int round = 0; round < 200; ++round) {
    const int before = service_.handled;
    TestClient one = client();
    ASSERT_TRUE(one.send(compare(1) + unbind(2) + compare(3)));
    EXPECT_EQ(answer(one), Answer(1, kCompareDone));
    EXPECT_TRUE(one.ended());
    EXPECT_EQ(service_.handled, before + 2);
  }
  EXPECT_TRUE(eventually([this] { return server_->connection_count() == 0; }));
  EXPECT_EQ(service_.closed, 200);
}

TEST_F(ServerTest, AHalfClosedClientStillGetsItsAnswers) {
  start();
  service_.entries = 100;
  TestClient one = client();
  ASSERT_TRUE(one.send(compare(1) + modify(2) + search(3)));
  one.end_sending();
  EXPECT_EQ(answer(one), Answer(1, kCompareDone));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(answer(one), Answer(3, kEntry));
  EXPECT_EQ(answer(one), Answer(3, kSearchDone));
  ASSERT_TRUE(complete_one());
  EXPECT_EQ(answer(one), Answer(2, kModifyDone));
  EXPECT_TRUE(one.ended());
}

TEST_F(ServerTest, AClientThatVanishesFreesItsConnection) {
  start();
  {
    TestClient one = client();
    ASSERT_TRUE(one.send(modify(1)));
    ASSERT_TRUE(eventually([this] { return service_.handled == 1; }));
    const linger reset{1, 0};
    ::setsockopt(one.descriptor(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  }
  EXPECT_TRUE(eventually([this] { return server_->connection_count() == 0; }));
  // The write's completion finds nobody, and that harms nothing.
  ASSERT_TRUE(complete_one());
  TestClient two = client();
  ASSERT_TRUE(two.send(compare(1)));
  EXPECT_EQ(answer(two), Answer(1, kCompareDone));
}

// Case T16: a slow reader stops the producer and the reading of its requests.
TEST_F(ServerTest, ASlowReaderStopsItsSearchAndLosesNothing) {
  start({.workers = 1});
  service_.entries = 60'000;  // about 60 MiB
  TestClient slow = client(16 * 1024);
  ASSERT_TRUE(slow.send(search(1)));
  // The turns stop when the socket's buffers and the queue are full.
  int turns = -1;
  ASSERT_TRUE(eventually([&] {
    const int now = service_.turns;
    const bool still = now > 0 && now == turns;
    turns = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return still;
  }));
  EXPECT_LT(turns, 60'000 / 16);
  ASSERT_TRUE(slow.send(compare(2)));
  // Another connection of the same worker is not touched.
  TestClient other = client();
  ASSERT_TRUE(other.send(compare(1)));
  EXPECT_EQ(answer(other), Answer(1, kCompareDone));
  EXPECT_EQ(service_.handled, 2);
  int entries = 0;
  bool compared = false;
  for (;;) {
    const auto [id, tag] = answer(slow);
    if (tag == kEntry) ++entries;
    if (tag == kCompareDone) compared = true;
    if (tag != kEntry && tag != kCompareDone) {
      EXPECT_EQ(tag, kSearchDone);
      break;
    }
  }
  EXPECT_EQ(entries, 60'000);
  EXPECT_TRUE(compared || answer(slow) == Answer(2, kCompareDone));
}

TEST_F(ServerTest, AReaderThatStandsStillIsClosed) {
  start({.timeouts = {.output_stall = 1}});
  service_.entries = 60'000;
  TestClient slow = client(16 * 1024);
  ASSERT_TRUE(slow.send(search(1)));
  EXPECT_TRUE(eventually([this] { return service_.closed == 1; }));
}

// A long search of one connection leaves room for the requests of another on the same worker.
TEST_F(ServerTest, LongSearchesTakeTurns) {
  start({.workers = 1});
  service_.entries = 2000;
  TestClient one = client();
  TestClient two = client();
  std::thread reader([&] {
    for (;;) {
      if (answer(one) == Answer(1, kSearchDone)) return;
    }
  });
  ASSERT_TRUE(one.send(search(1)));
  ASSERT_TRUE(two.send(search(2) + compare(3)));
  EXPECT_EQ(answer(two), Answer(3, kCompareDone));
  int entries = 0;
  while (answer(two).second == kEntry) ++entries;
  EXPECT_EQ(entries, 2000);
  reader.join();
}

TEST_F(ServerTest, ClientsThatSendNothingWholeAreClosed) {
  start({.timeouts = {.first_request = 1}});
  TestClient silent = client();
  TestClient partial = client();
  ASSERT_TRUE(partial.send("\x30"));
  EXPECT_TRUE(silent.ended());
  EXPECT_TRUE(partial.ended());
}

TEST_F(ServerTest, AMessageThatStaysIncompleteEndsItsConnection) {
  start({.timeouts = {.message = 1}});
  TestClient one = client();
  TestClient idle = client();
  ASSERT_TRUE(idle.send(compare(1)));
  EXPECT_EQ(answer(idle), Answer(1, kCompareDone));
  const std::string second = compare(2);
  ASSERT_TRUE(one.send(compare(1) + second.substr(0, 4)));
  EXPECT_EQ(answer(one), Answer(1, kCompareDone));
  EXPECT_TRUE(one.ended());
  // A connection without a started message may be idle for as long as it likes.
  ASSERT_TRUE(idle.send(compare(2)));
  EXPECT_EQ(answer(idle), Answer(2, kCompareDone));
}

TEST_F(ServerTest, ConnectionsBeyondTheLimitAreTurnedAway) {
  start({.connections_max = 2});
  TestClient one = client();
  TestClient two = client();
  for (TestClient* each : {&one, &two}) {
    ASSERT_TRUE(each->send(compare(1)));
    EXPECT_EQ(answer(*each), Answer(1, kCompareDone));
  }
  TestClient three = client();
  EXPECT_EQ(answer(three), Answer(0, kExtendedDone));
  EXPECT_TRUE(three.ended());
  one.close();
  ASSERT_TRUE(eventually([this] { return server_->connection_count() == 1; }));
  TestClient four = client();
  ASSERT_TRUE(four.send(compare(1)));
  EXPECT_EQ(answer(four), Answer(1, kCompareDone));
}

// Case T17: without descriptors the server turns connections away instead of spinning, and
// recovers.
TEST_F(ServerTest, RunningOutOfDescriptorsIsSurvived) {
  start();
  TestClient before = client();
  ASSERT_TRUE(before.send(compare(1)));
  EXPECT_EQ(answer(before), Answer(1, kCompareDone));
  const int waiting = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(waiting, 0);
  rlimit original{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &original), 0);
  rlimit low = original;
  low.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  // Everything is taken but the client's own socket: accepting it finds no descriptor.
  TestClient refused = TestClient::with_descriptor(waiting);
  std::vector<int> fillers;
  for (int filler = 0; (filler = ::dup(STDERR_FILENO)) >= 0;) fillers.push_back(filler);
  ASSERT_EQ(errno, EMFILE);
  EXPECT_TRUE(refused.connect(server_->uris().front()));
  EXPECT_TRUE(refused.ended());
  for (const int filler : fillers) ::close(filler);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &original), 0);
  TestClient after = client();
  for (TestClient* each : {&before, &after}) {
    ASSERT_TRUE(each->send(compare(2)));
    EXPECT_EQ(answer(*each), Answer(2, kCompareDone));
  }
}

TEST_F(ServerTest, StopTellsIdleClientsAndFinishesWhatIsInFlight) {
  start();
  service_.entries = 500;
  TestClient idle = client();
  TestClient writing = client();
  ASSERT_TRUE(idle.send(compare(1)));
  EXPECT_EQ(answer(idle), Answer(1, kCompareDone));
  ASSERT_TRUE(writing.send(modify(1) + search(2)));
  ASSERT_TRUE(eventually([this] { return service_.handled == 3; }));
  const std::string uri = server_->uris().front();
  std::thread stopper([this] { server_->stop(std::chrono::seconds(20)); });
  EXPECT_EQ(answer(idle), Answer(0, kExtendedDone));
  EXPECT_TRUE(idle.ended());
  idle.close();
  ASSERT_TRUE(complete_one());
  bool modified = false;
  int entries = 0;
  bool searched = false;
  while (!modified || !searched) {
    const auto [id, tag] = answer(writing);
    ASSERT_NE(id, -1);
    modified = modified || tag == kModifyDone;
    searched = searched || tag == kSearchDone;
    if (tag == kEntry) ++entries;
  }
  EXPECT_EQ(entries, 500);
  EXPECT_EQ(answer(writing), Answer(0, kExtendedDone));
  EXPECT_TRUE(writing.ended());
  writing.close();
  stopper.join();
  EXPECT_EQ(server_->connection_count(), 0U);
  EXPECT_FALSE(TestClient(uri).connected());
}

TEST_F(ServerTest, StopDropsWhatDoesNotEndInTime) {
  start();
  TestClient stuck = client();
  ASSERT_TRUE(stuck.send(modify(1)));
  ASSERT_TRUE(eventually([this] { return service_.handled == 1; }));
  server_->stop(std::chrono::milliseconds(50));
  EXPECT_TRUE(stuck.ended());
  EXPECT_EQ(server_->connection_count(), 0U);
  // A completion that comes later is dropped by the executor.
  EXPECT_TRUE(service_.complete_one());
  server_.reset();
}

class UnixSocketTest : public ServerTest {
 protected:
  void TearDown() override { server_.reset(); }
  std::string path() const { return directory_.path("ldapi"); }
  ServerOptions options() const {
    ServerOptions out;
    out.endpoints.push_back({.kind = Endpoint::Kind::kUnix, .path = path(), .mode = 0600});
    return out;
  }
  storage::TestDirectory directory_;
};

TEST_F(UnixSocketTest, ServesAndTellsWhoConnects) {
  start(options());
  EXPECT_EQ(server_->uris().front().rfind("ldapi://%2F", 0), 0U);
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  TestClient one = TestClient::to_path(path());
  ASSERT_TRUE(one.send(compare(1)));
  EXPECT_EQ(answer(one), Answer(1, kCompareDone));
  EXPECT_EQ(service_.peers()[0].address.rfind("ldapi:uid=" + std::to_string(::getuid()), 0), 0U);
  EXPECT_TRUE(service_.peers()[0].loopback);
  server_->stop(std::chrono::seconds(1));
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(UnixSocketTest, AStaleSocketIsReplacedAndALiveOneIsNot) {
  {
    auto sockets = listen_on(options().endpoints[0]);
    ASSERT_TRUE(sockets.has_value());
    const auto second = listen_on(options().endpoints[0]);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code(), ErrorCode::kBusy);
    ::close((*sockets)[0].descriptor);  // the file stays behind, as after a crash
  }
  ASSERT_TRUE(fs::exists(path()));
  start(options());
  TestClient one = TestClient::to_path(path());
  ASSERT_TRUE(one.send(compare(1)));
  EXPECT_EQ(answer(one), Answer(1, kCompareDone));
}

TEST_F(UnixSocketTest, PathsThatCannotBeSockets) {
  std::ofstream(path()) << "not a socket";
  auto refused = listen_on(options().endpoints[0]);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("is no socket"), std::string::npos);
  refused = listen_on({.kind = Endpoint::Kind::kUnix, .path = std::string(200, 'x')});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("200"), std::string::npos);
}

TEST(Endpoint, ATakenPortIsNamed) {
  auto first = listen_on({.host = "127.0.0.1"});
  ASSERT_TRUE(first.has_value());
  const auto second = listen_on({.host = "127.0.0.1", .port = (*first)[0].endpoint.port});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::kBusy);
  EXPECT_NE(second.error().message().find(to_uri((*first)[0].endpoint)), std::string::npos);
  ::close((*first)[0].descriptor);
}

TEST(Endpoint, NamesThatAreNoAddress) {
  const auto refused = listen_on({.host = "not a host"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("not a host"), std::string::npos);
}

TEST(Endpoint, Uris) {
  EXPECT_EQ(to_uri({.host = "::1", .port = 389}), "ldap://[::1]:389");
  EXPECT_EQ(to_uri({.host = "localhost", .port = 1}), "ldap://localhost:1");
  EXPECT_EQ(to_uri({.kind = Endpoint::Kind::kUnix, .path = "/a b/c"}), "ldapi://%2Fa%20b%2Fc");
}

}  // namespace
}  // namespace kauri::server
