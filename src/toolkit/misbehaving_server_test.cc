// What the load client makes of servers that do not keep to the protocol.
#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <thread>

#include "ldap/client.h"
#include "toolkit/load_run.h"
#include "toolkit/message_head.h"
#include "toolkit/testing/servers.h"

namespace kauri::toolkit {
namespace {

using testing::mix_for;
using testing::OneAnswer;

std::string result_message(ldap::MessageId id, ldap::Operation operation, int code = 0) {
  std::string out;
  ldap::OperationResult result;
  result.code = static_cast<ldap::ResultCode>(code);
  ldap::append_result(out, id, operation, result);
  return out;
}

std::string entry_message(ldap::MessageId id) {
  std::string out;
  ldap::append_search_entry_head(out, id, "cn=x", 0);
  return out;
}

TEST(MisbehavingServer, LostConnectionIsAnErrorForAllThatWasOutstanding) {
  const OneAnswer server("", true);
  LoadOptions options = server.load();
  options.count = 100;
  options.depth = 7;
  const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.lost, 7U);
  EXPECT_EQ(result->all.operations, 0U);
  EXPECT_EQ(result->connections_lost, 1U);
  EXPECT_TRUE(result->out_of_connections);
}

TEST(MisbehavingServer, AnswersThatAreNoneAreErrors) {
  std::string notice;
  ldap::append_notice_of_disconnection(notice, ldap::ResultCode::kUnavailable, "going down");
  const std::string done = result_message(kMessageIdFirst, ldap::Operation::kSearchResultDone);
  const std::pair<std::string, const char*> table[] = {
      {result_message(kMessageIdFirst + 77, ldap::Operation::kSearchResultDone),
       "which no request waits for"},
      {result_message(kMessageIdFirst, ldap::Operation::kAddResponse),
       "protocolOp tag 9 instead of 5"},
      {entry_message(kMessageIdFirst + 1), "which no request waits for"},
      {notice, "unavailable (going down)"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "not an LDAP message"},
      {std::string("\x30\x84\x7F\xFF\xFF\xFF", 6), "not an LDAP message"},
      {std::string("\x30\x80\x02\x01\x01\0\0", 7), "not an LDAP message"},
      {result_message(kMessageIdFirst, ldap::Operation::kSearchResultDone, 120),
       "search with number 0 was answered with"},
  };
  for (const auto& [answer, expected] : table) {
    const OneAnswer server(answer);
    const auto result = run_load(server.load(), mix_of(*make_workload({})));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->errors.total(), 1U) << "one request, one error: " << expected;
    EXPECT_NE(result->errors.first.find(expected), std::string::npos) << result->errors.first;
  }
}

TEST(MisbehavingServer, AnEntryForAModifyIsAnError) {
  const OneAnswer server(entry_message(kMessageIdFirst));
  const auto result = run_load(server.load(), mix_for(WorkloadKind::kModify));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.broken_answer, 1U);
  EXPECT_NE(result->errors.first.find("protocolOp tag 4 instead of 7"), std::string::npos);
}

TEST(MisbehavingServer, TooManyEntriesAreCounted) {
  std::string answer;
  for (int i = 0; i < 1000; ++i) answer += entry_message(kMessageIdFirst);
  answer += result_message(kMessageIdFirst, ldap::Operation::kSearchResultDone);
  const OneAnswer server(answer);
  const auto result = run_load(server.load(), mix_of(*make_workload({.expect_entries = "1"})));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_entries, 1U);
  EXPECT_EQ(result->all.entries, 1000U);
}

TEST(MisbehavingServer, TheSameAnswerTwiceIsAnError) {
  const std::string done = result_message(kMessageIdFirst, ldap::Operation::kSearchResultDone);
  const OneAnswer server(done + done);
  LoadOptions options = server.load();
  options.count = 2;
  const auto result = run_load(options, mix_of(*make_workload({})));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->all.operations, 1U);
  EXPECT_EQ(result->errors.broken_answer, 1U) << result->errors.first;
}

TEST(MisbehavingServer, SilenceEndsAtTheTimeLimit) {
  for (const bool open_loop : {false, true}) {
    const OneAnswer server("");
    LoadOptions options = server.load();
    options.timeout_seconds = 0.1;
    if (open_loop) options.rate = 1000;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->errors.no_answer, 1U);
    EXPECT_EQ(result->errors.total(), 1U) << result->errors.lost;
    EXPECT_EQ(result->all.operations, 0U);
  }
}

// Each request that did not get its right answer is one error, whatever happened to its connection.
TEST(MisbehavingServer, ErrorsAreAsManyAsRequests) {
  const std::tuple<std::string, std::uint64_t LoadErrors::*, std::uint64_t> table[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", &LoadErrors::broken_answer, 1},
      {result_message(kMessageIdFirst + 77, ldap::Operation::kSearchResultDone),
       &LoadErrors::broken_answer, 1},
      {result_message(kMessageIdFirst, ldap::Operation::kAddResponse), &LoadErrors::broken_answer,
       1},
      {"", &LoadErrors::no_answer, 5},
  };
  for (const auto& [answer, counter, counted] : table) {
    const OneAnswer server(answer);
    LoadOptions options = server.load();
    options.depth = 5;
    options.count = 100;
    options.timeout_seconds = answer.empty() ? 0.1 : 30;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->errors.*counter, counted) << result->errors.first;
    EXPECT_EQ(result->errors.total(), 5U) << result->errors.first;
  }
}

// A bind's second connection is closed with the first one; what nobody asked it for is not lost.
TEST(MisbehavingServer, AnIdlePairOfALostConnectionIsNoError) {
  const OneAnswer server("", true);
  Mix mix;
  mix.parts.push_back({*make_workload({.kind = WorkloadKind::kSearch}), 1'000'000});
  mix.parts.push_back({*make_workload({.kind = WorkloadKind::kBind, .password = "secret"}), 1});
  const auto result = run_load(server.load(), mix);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.total(), 1U) << result->errors.first;
}

// A stall of the server must show in the latency of all requests that were due meanwhile, though
// only one of them could be on its way.
TEST(MisbehavingServer, AnOpenLoopCountsTheWaitingOfRequestsThatCouldNotBeMade) {
  const OneAnswer server("");
  LoadOptions options = server.load();
  options.count.reset();
  options.rate = 1000;
  options.duration_seconds = 0.3;
  options.timeout_seconds = 0.5;
  const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.no_answer, 1U);
  EXPECT_EQ(result->not_started, 299U);
  EXPECT_EQ(result->all.latency.count(), 299U);
  EXPECT_GT(result->all.latency.at_quantile(0.99), 290'000'000U);
  EXPECT_GT(result->all.latency.at_quantile(0.5), 140'000'000U);
}

// Periods that are no whole number of nanoseconds must not make one request more or less.
TEST(MisbehavingServer, WhatCouldNotBeMadeIsCountedExactly) {
  const std::tuple<double, double, std::uint64_t> table[] = {
      {300, 0.1, 30}, {333, 0.3, 100}, {700, 0.01, 7}, {30'000, 0.1, 3000}};
  for (const auto& [rate, seconds, due] : table) {
    const OneAnswer server("");
    LoadOptions options = server.load();
    options.count.reset();
    options.rate = rate;
    options.duration_seconds = seconds;
    options.timeout_seconds = 0.4;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->not_started + result->errors.no_answer, due) << rate;
    EXPECT_EQ(result->all.latency.count(), result->not_started);
  }
}

// Answers one connection's searches, the first one not before open() is called.
class GatedServer {
 public:
  GatedServer() {
    listener_ = *listen_on(*resolve_host_port("127.0.0.1:0"));
    endpoint_ = *resolve_uri("ldap://127.0.0.1:" + std::to_string(*local_port(listener_.get())));
    thread_ = std::thread([this] { serve(); });
  }
  ~GatedServer() {
    open();
    thread_.join();
  }
  const Endpoint& endpoint() const { return endpoint_; }
  void open() {
    if (!opened_) gate_.set_value();
    opened_ = true;
  }

 private:
  void serve() {
    pollfd wait{listener_.get(), POLLIN, 0};
    poll(&wait, 1, 10'000);
    const UniqueFd peer(accept(listener_.get(), nullptr, nullptr));
    gate_.get_future().wait();
    char octets[4096];
    for (;;) {
      const ssize_t size = recv(peer.get(), octets, sizeof(octets), 0);
      if (size <= 0) return;
      MessageHead head;
      if (read_message_head({octets, static_cast<std::size_t>(size)}, head) !=
          HeadState::kComplete) {
        return;
      }
      const std::string answer = result_message(head.id, ldap::Operation::kSearchResultDone);
      send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }

  UniqueFd listener_;
  Endpoint endpoint_;
  std::promise<void> gate_;
  bool opened_ = false;
  std::thread thread_;
};

// The other half: requests that could be made once the server went on have waited too.
TEST(MisbehavingServer, AStallShowsInAllRequestsThatWereDueMeanwhile) {
  GatedServer server;
  LoadOptions options;
  options.endpoint = server.endpoint();
  options.rate = 100;
  options.duration_seconds = 0.6;
  options.interval_seconds = 0.1;
  options.on_interval = [&](const Interval& interval) {
    if (interval.seconds >= 0.3) server.open();
  };
  const auto result = run_load(options, mix_of(*make_workload({})));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
  ASSERT_EQ(result->all.latency.count(), 60U);
  // Of the requests due in the first 0.3 s, those of the first 0.15 s have waited for 0.15 s and
  // more; a slow machine makes them more, never fewer.
  EXPECT_GE(result->all.latency.at_quantile(1 - 14.0 / 60), 150'000'000U);
}

TEST(MisbehavingServer, ARefusedConnectionOfOneOperationIsAnError) {
  // The trial connection is accepted by the queue of the listener alone; nobody answers the rest.
  UniqueFd listener = *listen_on(*resolve_host_port("127.0.0.1:0"));
  LoadOptions options;
  options.endpoint =
      *resolve_uri("ldap://127.0.0.1:" + std::to_string(*local_port(listener.get())));
  options.reconnect = true;
  options.errors_max = 5;
  options.duration_seconds = 600;
  options.interval_seconds = 0.1;
  options.timeout_seconds = 1;
  options.on_interval = [&](const Interval&) { listener.reset(); };
  const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->too_many_errors);
  EXPECT_GE(result->errors.no_connection, 4U) << result->errors.first;
}

TEST(MisbehavingServer, AServerThatIsNotThereIsNamed) {
  std::uint16_t port = 0;
  {
    const UniqueFd listener = *listen_on(*resolve_host_port("127.0.0.1:0"));
    port = *local_port(listener.get());
  }
  LoadOptions options;
  options.endpoint = *resolve_uri("ldap://127.0.0.1:" + std::to_string(port));
  for (const bool reconnect : {false, true}) {
    options.reconnect = reconnect;
    const auto result = run_load(options, mix_for(WorkloadKind::kSearch));
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("cannot connect to ldap://127.0.0.1:"),
              std::string::npos)
        << result.error().message();
  }
}

}  // namespace
}  // namespace kauri::toolkit
