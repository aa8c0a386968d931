#include "toolkit/load_run.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "ldap/client.h"
#include "toolkit/load_report.h"
#include "toolkit/null_responder.h"

namespace kauri::toolkit {
namespace {

// A null responder on a thread of its own.
class Responder {
 public:
  explicit Responder(const NullResponderOptions& options = {}) {
    responder_ = *NullResponder::listen(*resolve_host_port("127.0.0.1:0"), options);
    thread_ = std::thread([this] { EXPECT_TRUE(responder_->run()); });
  }
  ~Responder() {
    responder_->stop();
    thread_.join();
  }
  LoadOptions load() const {
    LoadOptions out;
    out.endpoint = *resolve_uri("ldap://127.0.0.1:" + std::to_string(responder_->port()));
    out.high = 999;
    return out;
  }

 private:
  std::unique_ptr<NullResponder> responder_;
  std::thread thread_;
};

// A server that accepts one connection, waits for a first request, and says `answer` to it.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer, bool close_then = false) {
    listener_ = *listen_on(*resolve_host_port("127.0.0.1:0"));
    port_ = *local_port(listener_.get());
    thread_ = std::thread([this, answer = std::move(answer), close_then] {
      pollfd wait{listener_.get(), POLLIN, 0};
      poll(&wait, 1, 10'000);
      const UniqueFd peer(accept(listener_.get(), nullptr, nullptr));
      char octets[4096];
      if (recv(peer.get(), octets, sizeof(octets), 0) <= 0) return;
      send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
      // The client closes when it is done.
      while (!close_then && recv(peer.get(), octets, sizeof(octets), 0) > 0) continue;
    });
  }
  ~OneAnswer() { thread_.join(); }
  LoadOptions load() const {
    LoadOptions out;
    out.endpoint = *resolve_uri("ldap://127.0.0.1:" + std::to_string(port_));
    out.count = 1;
    return out;
  }

 private:
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

Workload workload_of(WorkloadKind kind) {
  return *make_workload({.kind = kind,
                         .high = 999,
                         .filter = "(uid=user.{n})",
                         .password = kind == WorkloadKind::kBind ? "secret" : ""});
}

TEST(LoadRun, CountIsExactForEveryWorkload) {
  const Responder responder;
  for (const WorkloadKind kind :
       {WorkloadKind::kSearch, WorkloadKind::kBind, WorkloadKind::kModify, WorkloadKind::kAdd,
        WorkloadKind::kCompare, WorkloadKind::kDelete}) {
    LoadOptions options = responder.load();
    options.count = 1001;
    options.connections = 5;
    options.threads = 2;
    options.depth = kind == WorkloadKind::kBind ? 1 : 3;
    const auto result = run_load(options, workload_of(kind));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->operations, 1001U) << to_string(kind);
    EXPECT_EQ(result->errors.total(), 0U) << to_string(kind) << ": " << result->errors.first;
    EXPECT_EQ(result->latency.count(), 1001U);
    EXPECT_EQ(result->codes[kind == WorkloadKind::kCompare ? 6 : 0], 1001U);
    EXPECT_EQ(result->entries, kind == WorkloadKind::kSearch ? 1001U : 0U);
    EXPECT_GT(result->seconds, 0);
    EXPECT_GT(result->client_cpu_seconds, 0);
  }
}

TEST(LoadRun, DurationAndWarmupAndServerUse) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.duration_seconds = 0.2;
  options.warmup_seconds = 0.05;
  options.connections = 2;
  options.depth = 4;
  options.expect_entries = 1;
  options.server_pid = getpid();
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_DOUBLE_EQ(result->seconds, 0.2);
  EXPECT_GT(result->operations, 10U);
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
  ASSERT_TRUE(result->server);
  EXPECT_GT(result->server->end.rss_bytes, 0U);
  EXPECT_GT(result->octets_received, result->operations * 500);
}

TEST(LoadRun, WrongNumberOfEntriesIsAnError) {
  const Responder responder({.entries = 2});
  LoadOptions options = responder.load();
  options.count = 50;
  options.expect_entries = 1;
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_entries, 50U);
  EXPECT_NE(result->errors.first.find("returned 2 entries; 1 were expected"), std::string::npos);
}

TEST(LoadRun, WrongCodesAreErrorsUnlessAccepted) {
  const Responder responder({.result_code = 32});
  LoadOptions options = responder.load();
  options.count = 10;
  auto result = run_load(options, workload_of(WorkloadKind::kDelete));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.wrong_code, 10U);
  EXPECT_EQ(result->codes[32], 10U);
  EXPECT_NE(result->errors.first.find("noSuchObject"), std::string::npos) << result->errors.first;
  options.accepted_codes = {32};
  result = run_load(options, workload_of(WorkloadKind::kDelete));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.total(), 0U);
}

TEST(LoadRun, OnceEndsWithTheRange) {
  const Responder responder;
  LoadOptions options = responder.load();
  options.order = Order::kOnce;
  options.high = 99;
  options.duration_seconds = 60;
  options.connections = 3;
  options.threads = 2;
  const auto result = run_load(options, workload_of(WorkloadKind::kAdd));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->operations, 100U);
  EXPECT_TRUE(result->range_used_up);
  EXPECT_LT(result->seconds, 30);
}

TEST(LoadRun, EntriesLargerThanTheBufferArrive) {
  const Responder responder({.entries = 3, .entry_size = 300'000});
  LoadOptions options = responder.load();
  options.count = 20;
  options.depth = 4;
  options.expect_entries = 3;
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->errors.total(), 0U) << result->errors.first;
  EXPECT_EQ(result->entries, 60U);
}

TEST(LoadRun, LostConnectionIsAnErrorForAllThatWasOutstanding) {
  const OneAnswer server("", true);
  LoadOptions options = server.load();
  options.count = 100;
  options.depth = 7;
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.lost, 7U);
  EXPECT_EQ(result->operations, 0U);
}

TEST(LoadRun, AnswersThatAreNoneAreErrors) {
  std::string other_id;
  ldap::append_result(other_id, kMessageIdFirst + 77, ldap::Operation::kSearchResultDone, {});
  std::string other_operation;
  ldap::append_result(other_operation, kMessageIdFirst, ldap::Operation::kAddResponse, {});
  std::string notice;
  ldap::append_notice_of_disconnection(notice, ldap::ResultCode::kUnavailable, "going down");
  const std::pair<std::string, const char*> table[] = {
      {other_id, "which no request waits for"},
      {other_operation, "protocolOp tag 9 instead of 5"},
      {notice, "unavailable (going down)"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "not an LDAP message"},
  };
  for (const auto& [answer, expected] : table) {
    const OneAnswer server(answer);
    const auto result = run_load(server.load(), workload_of(WorkloadKind::kSearch));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->errors.total(), 0U);
    EXPECT_NE(result->errors.first.find(expected), std::string::npos) << result->errors.first;
  }
}

TEST(LoadRun, SilenceEndsAtTheTimeLimit) {
  const OneAnswer server("");
  LoadOptions options = server.load();
  options.timeout_seconds = 0.1;
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->errors.no_answer, 1U);
}

TEST(LoadRun, RefusedBindStopsEverything) {
  const Responder responder({.result_code = 49});
  LoadOptions options = responder.load();
  options.bind_dn = "cn=admin,dc=x";
  options.connections = 3;
  options.threads = 3;
  const auto result = run_load(options, workload_of(WorkloadKind::kSearch));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("'cn=admin,dc=x' was answered with invalidCredentials"),
            std::string::npos)
      << result.error().message();
}

TEST(LoadRun, OptionsAreChecked) {
  LoadOptions options;
  const Workload search = workload_of(WorkloadKind::kSearch);
  const auto message = [&](const LoadOptions& changed, const Workload& workload) {
    const auto result = run_load(changed, workload);
    return result ? std::string("no error") : result.error().message();
  };
  options.depth = 2;
  EXPECT_NE(message(options, workload_of(WorkloadKind::kBind)).find("one bind at a time"),
            std::string::npos);
  options.depth = kDepthMax + 1;
  EXPECT_NE(message(options, search).find("range of 1 to 4096"), std::string::npos);
  options.depth = 1;
  options.threads = 2;
  EXPECT_NE(message(options, search).find("each thread needs a connection"), std::string::npos);
  options.threads = 1;
  options.duration_seconds = 0;
  EXPECT_NE(message(options, search).find("measures nothing"), std::string::npos);
  options.duration_seconds = 1;
  options.server_pid = 2'000'000'000;
  EXPECT_NE(message(options, search).find("no process 2000000000"), std::string::npos);
}

TEST(LoadReport, JsonAndTextCarryTheResult) {
  const Responder responder;
  LoadRecord record;
  record.options = responder.load();
  record.options.count = 100;
  record.options.server_pid = getpid();
  record.workload = workload_of(WorkloadKind::kSearch);
  record.notes = {{"dataset", "a=b"}};
  record.machine = describe_machine();
  record.result = *run_load(record.options, record.workload);
  record.result.errors.first = "octets \xFF that are no UTF-8";
  record.result.busiest_thread = 0.95;
  const auto json = nlohmann::json::parse(report_json(record));
  EXPECT_EQ(json["operations"], 100);
  EXPECT_EQ(json["result_codes"]["success"], 100);
  EXPECT_EQ(json["notes"]["dataset"], "a=b");
  EXPECT_EQ(json["options"]["count"], 100);
  EXPECT_GT(json["latency_us"]["p99"].get<double>(), 0);
  EXPECT_EQ(json["warnings"].size(), warnings_of(record).size());
  const std::string text = report_text(record);
  EXPECT_NE(text.find("operations    100 in "), std::string::npos) << text;
  EXPECT_NE(text.find("the client was the bottleneck"), std::string::npos) << text;
  EXPECT_NE(text.find("dataset=a=b"), std::string::npos) << text;
}

TEST(NullResponder, OptionsAreChecked) {
  const auto any = *resolve_host_port("127.0.0.1:0");
  EXPECT_FALSE(NullResponder::listen(any, {.entry_size = 10}));
  EXPECT_FALSE(NullResponder::listen(any, {.entries = 100'000}));
  EXPECT_FALSE(NullResponder::listen(any, {.result_code = 300}));
}

}  // namespace
}  // namespace kauri::toolkit
