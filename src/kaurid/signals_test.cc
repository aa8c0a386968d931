// Signals at every moment of a start, at a kaurid of its own.
#include "kaurid/signals.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "storage/test_directory.h"

namespace kauri::kaurid {
namespace {

constexpr std::chrono::seconds kPatience(60);

class SignalsTest : public testing::Test {
 protected:
  ~SignalsTest() override {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  std::string path(const std::string& name) const { return directory_.path(name); }

  // Starts kaurid; its standard output and error go into the file "log".
  void start(std::vector<std::string> arguments, const std::string& early_signal = {}) {
    const std::string log = path("log");
    arguments.insert(arguments.begin(),
                     {KAURI_KAURID, "--data", path("data"), "--listen", "ldap://127.0.0.1:0"});
    std::vector<std::string> environment = {
        "LD_PRELOAD=" + (early_signal.empty() ? std::string() : KAURI_EARLY_SIGNAL),
        "KAURI_EARLY_SIGNAL=" + early_signal, "ASAN_OPTIONS=verify_asan_link_order=0"};
    std::vector<char*> argv = pointers(arguments);
    std::vector<char*> envp = pointers(environment);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    const int failed = posix_spawn(&pid_, KAURI_KAURID, &files, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&files);
    ASSERT_EQ(failed, 0);
    ended_ = false;
  }

  std::string log() const {
    std::ifstream in(path("log"), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Until the log says so; false when kaurid ends before.
  bool says(const std::string& text) {
    return until([&] { return log().find(text) != std::string::npos; });
  }
  // Until kaurid ends. RETURNS: its exit status; 1000 and the signal that ended it; -1 when it does
  // not end.
  int status() {
    until([] { return false; });
    if (!ended_) return -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
  }
  void send(int signal) const { ASSERT_EQ(::kill(pid_, signal), 0); }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }
  template <class Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!ended_ && std::chrono::steady_clock::now() < end) {
      if (condition()) return true;
      if (::waitpid(pid_, &status_, WNOHANG) == pid_) {
        ended_ = true;
        pid_ = -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
  }

  storage::TestDirectory directory_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// The constructors of libraries take a third of the time before main(), in which these ended the
// process.
TEST_F(SignalsTest, QuestionBeforeMainIsKept) {
  start({}, std::to_string(SIGUSR1));
  EXPECT_TRUE(says("limits met since the start: none")) << log();
  send(SIGTERM);
  EXPECT_EQ(status(), 0) << log();
}

TEST_F(SignalsTest, ReloadBeforeMainIsKept) {
  start({}, std::to_string(SIGHUP));
  EXPECT_TRUE(says("the configuration was reloaded")) << log();
  send(SIGINT);
  EXPECT_EQ(status(), 0) << log();
}

TEST_F(SignalsTest, StopBeforeMainStops) {
  start({}, std::to_string(SIGTERM));
  EXPECT_EQ(status(), 0) << log();
  EXPECT_NE(log().find("stopping"), std::string::npos) << log();
}

// A start that waits for a password that nobody writes.
TEST_F(SignalsTest, StopEndsAStartThatHangs) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string pipe = path("password" + std::to_string(signal));
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    start({"--admin-password-file", pipe});
    const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // when kaurid reads
    ASSERT_GE(writer, 0);
    send(SIGUSR1);  // kept; does not hide the next one
    send(signal);
    EXPECT_EQ(status(), 0) << log();
    EXPECT_NE(log().find("stopped while it was starting"), std::string::npos) << log();
    ::close(writer);
  }
}

}  // namespace
}  // namespace kauri::kaurid
