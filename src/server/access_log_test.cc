#include "server/access_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "server/event_log.h"
#include "server/log_text.h"
#include "server/slow_log.h"
#include "storage/test_directory.h"

namespace kauri::server {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class AccessLogTest : public testing::Test {
 protected:
  std::string path() const { return directory_.path("access.log"); }
  static std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

 private:
  storage::TestDirectory directory_;
};

operation::OperationRecord sample() {
  operation::OperationRecord record;
  record.connection = 7;
  record.operation = 3;
  record.message_id = 4;
  record.kind = "SEARCH";
  record.dn = "dc=example,dc=com";
  record.identity = "uid=alice,dc=example,dc=com";
  record.result = 0;
  record.arrived_wall_micros = 1'767'323'045'678'901;  // 2026-01-02T03:04:05.678901Z
  record.wtime_nanos = 1;
  record.optime_nanos = 2;
  record.etime_nanos = 3;
  record.entries = 9;
  record.scope = "sub";
  record.filter = "(uid=a)";
  record.index_terms = "(uid=a):eq:1";
  record.plan = "indexes:1:proved examined:1 matched:1";
  record.notes = "U";
  return record;
}

TEST_F(AccessLogTest, ALineHasEveryField) {
  std::string line;
  append_record(line, sample());
  ASSERT_EQ(line.back(), '\n');
  const json expected = {{"time", "2026-01-02T03:04:05.678901Z"},
                         {"conn", 7},
                         {"op", 3},
                         {"kind", "SEARCH"},
                         {"msgid", 4},
                         {"dn", "dc=example,dc=com"},
                         {"identity", "uid=alice,dc=example,dc=com"},
                         {"scope", "sub"},
                         {"filter", "(uid=a)"},
                         {"result", 0},
                         {"entries", 9},
                         {"terms", "(uid=a):eq:1"},
                         {"plan", "indexes:1:proved examined:1 matched:1"},
                         {"notes", "U"},
                         {"wtime", 1},
                         {"optime", 2},
                         {"etime", 3}};
  EXPECT_EQ(json::parse(line), expected);
}

TEST_F(AccessLogTest, SlowOperationsStandInTheirOwnFileToo) {
  const std::string slow_path = path() + ".slow";
  for (const bool all : {true, false}) {
    auto log = AccessLogFile::open(all ? path() : std::string());
    auto slow = AccessLogFile::open(slow_path);
    ASSERT_TRUE(log && slow);
    SlowLog both(**log, **slow, 1'000'000);
    EXPECT_TRUE(both.enabled());
    operation::OperationRecord record = sample();
    record.etime_nanos = 999'999;
    both.log(record);
    record.etime_nanos = 1'000'000;
    both.log(record);
    (*log)->flush();
    (*slow)->flush();
  }
  EXPECT_EQ(lines_of(path()).size(), 2U);
  const std::vector<std::string> slow = lines_of(slow_path);
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_EQ(json::parse(slow[0])["etime"], 1'000'000);
  EXPECT_EQ(json::parse(slow[0])["plan"], "indexes:1:proved examined:1 matched:1");
  auto off = AccessLogFile::open("");
  ASSERT_TRUE(off);
  EXPECT_FALSE(SlowLog(**off, **off, 0).enabled());
}

// Cases J15 and T32.
TEST_F(AccessLogTest, TextOfClientsStaysInsideOneBoundedLine) {
  operation::OperationRecord record = sample();
  record.dn = "cn=a\r\nb\x1b[2J\xff\xc2\x85\"\\" + std::string(1, '\0') + "\xe2\x80\xa8z";
  record.filter.clear();
  for (int i = 0; i < 60'000; ++i) record.filter += '\n';
  record.diagnostic = std::string(100'000, '\x01');
  record.identity = std::string(100'000, '\xff');
  std::string line;
  append_record(line, record);
  EXPECT_LE(line.size(), 12'000U);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  for (const char octet : line.substr(0, line.size() - 1)) {
    ASSERT_GE(static_cast<unsigned char>(octet), 0x20U);
    ASSERT_LT(static_cast<unsigned char>(octet), 0x7FU);
  }
  const json parsed = json::parse(line);
  EXPECT_EQ(parsed["dn"],
            "cn=a\r\nb\x1b[2J\\xff\xc2\x85\"\\" + std::string(1, '\0') + "\xe2\x80\xa8z");
  const std::string filter = parsed["filter"];
  EXPECT_NE(filter.find("...(60000 octets)"), std::string::npos);
}

TEST_F(AccessLogTest, Utf8IsKept) {
  std::string out;
  append_escaped(out, "cn=J\xc3\xbcrgen \xe2\x82\xac", 100);
  EXPECT_EQ(out, "cn=J\xc3\xbcrgen \xe2\x82\xac");
}

TEST_F(AccessLogTest, ThreadsLoseNothingAndLinesStayWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 2000;
  {
    auto log = AccessLogFile::open(path());
    ASSERT_TRUE(log.has_value());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&log, t] {
        operation::OperationRecord record = sample();
        record.connection = static_cast<std::uint64_t>(t);
        for (int i = 0; i < kLines; ++i) {
          record.operation = i;
          (*log)->log(record);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ((*log)->dropped(), 0U);
  }  // the end writes what is left
  std::vector<int> next(kThreads, 0);
  for (const std::string& line : lines_of(path())) {
    const json parsed = json::parse(line);
    int& expected = next[parsed["conn"].get<std::size_t>()];
    EXPECT_EQ(parsed["op"], expected);
    ++expected;
  }
  for (const int count : next) EXPECT_EQ(count, kLines);
}

TEST_F(AccessLogTest, ReopenFollowsARotation) {
  auto log = AccessLogFile::open(path());
  ASSERT_TRUE(log.has_value());
  (*log)->log(sample());
  (*log)->flush();
  fs::rename(path(), path() + ".1");
  ASSERT_TRUE((*log)->reopen().has_value());
  (*log)->log(sample());
  (*log)->log(sample());
  (*log)->flush();
  EXPECT_EQ(lines_of(path() + ".1").size(), 1U);
  EXPECT_EQ(lines_of(path()).size(), 2U);
}

// A file that may not grow stands for a full volume: a write takes what fits and then fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t octets) : former_action_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &former_), 0);
    rlimit limit = former_;
    limit.rlim_cur = octets;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &former_), 0);
    std::signal(SIGXFSZ, former_action_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit former_{};
  void (*former_action_)(int);
};

TEST_F(AccessLogTest, AFullVolumeIsToldOnceAndTheLogGoesOnWhenThereIsRoom) {
  auto log = AccessLogFile::open(path());
  ASSERT_TRUE(log.has_value());
  std::string line;
  append_record(line, sample());
  testing::internal::CaptureStderr();
  {
    const FileSizeLimit full(2 * line.size() + 40);  // two lines and a part of the third
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) (*log)->log(sample());
      (*log)->flush();
    }
    EXPECT_EQ(lines_of(path()).size(), 2U);
  }
  EXPECT_EQ((*log)->dropped(), 10U);
  (*log)->log(sample());
  (*log)->flush();
  (*log)->log(sample());
  (*log)->flush();
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << told;
  EXPECT_NE(told.find(path() + " cannot be written: File too large"), std::string::npos) << told;
  EXPECT_NE(told.find(path() + " can be written again"), std::string::npos) << told;
  const std::vector<std::string> lines = lines_of(path());
  ASSERT_EQ(lines.size(), 5U);
  std::int64_t dropped = 0;
  for (const std::string& each : lines) {
    const json parsed = json::parse(each);  // whole lines only
    if (parsed["kind"] == "DROPPED") dropped += parsed["lines"].get<std::int64_t>();
  }
  EXPECT_EQ(dropped, 10);
}

// Where nothing can be taken back, the torn line gets its end before the next begins.
TEST_F(AccessLogTest, ATornLineOfAPipeGetsItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  ASSERT_EQ(::fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
  std::cout.flush();
  const int standard_output = ::dup(STDOUT_FILENO);
  ASSERT_GE(standard_output, 0);
  ASSERT_EQ(::dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
  auto log = AccessLogFile::open("-");
  ASSERT_EQ(::dup2(standard_output, STDOUT_FILENO), STDOUT_FILENO);
  ::close(standard_output);
  ASSERT_TRUE(log.has_value());
  std::string text;
  const auto read_all = [&] {
    char buffer[8192];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
  };
  testing::internal::CaptureStderr();
  for (int i = 0; i < 40; ++i) (*log)->log(sample());
  (*log)->flush();
  read_all();
  ASSERT_NE(text.back(), '\n');
  (*log)->log(sample());
  (*log)->flush();
  read_all();
  (void)testing::internal::GetCapturedStderr();
  std::istringstream lines(text);
  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  std::uint64_t dropped = 0;
  for (std::string line; std::getline(lines, line);) {
    const json parsed = json::parse(line, nullptr, false);
    if (parsed.is_discarded()) {
      ++torn;
    } else if (parsed["kind"] == "DROPPED") {
      dropped += parsed["lines"].get<std::uint64_t>();
    } else {
      ++whole;
    }
  }
  EXPECT_EQ(torn, 1U);
  EXPECT_EQ(whole + dropped, 41U);
  log->reset();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(AccessLogTest, APathThatCannotBeOpenedIsNamed) {
  const auto log = AccessLogFile::open("/nosuch/dir/access.log");
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code(), ErrorCode::kIo);
  EXPECT_NE(log.error().message().find("/nosuch/dir/access.log"), std::string::npos);
}

TEST_F(AccessLogTest, OffMeansOff) {
  const auto log = AccessLogFile::open("");
  ASSERT_TRUE(log.has_value());
  EXPECT_FALSE((*log)->enabled());
  (*log)->log(sample());
  (*log)->flush();
}

TEST(EventLog, ARepeatedEventIsOneLineASecond) {
  const std::int64_t started = Clock::system().monotonic_nanos();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 1000; ++i) log_repeated_event(Severity::kError, "the same");
  log_repeated_event(Severity::kError, "another");
  const std::string text = testing::internal::GetCapturedStderr();
  const std::int64_t seconds = (Clock::system().monotonic_nanos() - started) / 1'000'000'000;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 2) << text;
  EXPECT_LE(lines, seconds + 2) << text;
  EXPECT_NE(text.find("kaurid error: the same"), std::string::npos);
  EXPECT_NE(text.find("kaurid error: another"), std::string::npos);
}

}  // namespace
}  // namespace kauri::server
