// Backups from a running server: the socket, who is answered, and how it ends.
#include "kaurid/backup_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "backend/backup_stream.h"
#include "backend/offline.h"
#include "base/clock.h"
#include "base/random.h"
#include "kaurid/backup_socket.h"
#include "kaurid/directory.h"
#include "kaurid/setup.h"

namespace kauri::kaurid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BackupServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kauri-b-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    data_ = root_ / "data";
  }
  void TearDown() override {
    directory_.reset();
    fs::remove_all(root_);
  }

  void start(bool demo = true) {
    Options options;
    options.data = data_.string();
    options.listen = {"ldap://127.0.0.1:0"};
    options.demo = demo;
    auto directory = Directory::start(options);
    ASSERT_TRUE(directory) << directory.error().message();
    directory_ = std::move(*directory);
  }
  std::string database() const { return (data_ / "db").string(); }
  std::string socket_path() const { return database() + "/backup.sock"; }

  // A connection that has sent `line`.
  backend::FileHandle connect(const std::string& line) const {
    backend::FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    EXPECT_EQ(::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
    return socket;
  }
  // What the stream on it says, or what is wrong with it.
  static std::string read(int socket) {
    auto reader =
        backend::BackupReader::open([socket](char* out, std::size_t size) -> Result<std::size_t> {
          const ssize_t count = ::recv(socket, out, size, 0);
          if (count < 0) return Error(ErrorCode::kIo, "broken");
          return static_cast<std::size_t>(count);
        });
    if (!reader) return reader.error().message();
    for (;;) {
      const auto record = reader->next();
      if (!record) return record.error().message();
      if (!*record) return std::to_string(reader->header().entries) + " entries";
    }
  }
  std::string answer_to(const std::string& line) const { return read(connect(line).get()); }

  fs::path root_;
  fs::path data_;
  std::unique_ptr<Directory> directory_;
};

TEST_F(BackupServiceTest, RequestsAreLines) {
  EXPECT_EQ(encode_backup_request({}), "backup 1\n");
  EXPECT_EQ(encode_backup_request({true, "c"}), "changes 1 c\n");
  EXPECT_FALSE(decode_backup_request("backup 1")->changes);
  EXPECT_EQ(decode_backup_request("changes 1 c")->since, "c");
  EXPECT_EQ(decode_backup_request("changes 1 ")->since, "");
  for (const char* bad : {"", "backup", "backup 2", "backup 1 ", "changes 1", "changes 2 c"})
    EXPECT_FALSE(decode_backup_request(bad)) << bad;
}

TEST_F(BackupServiceTest, ARunningServerGivesBackups) {
  start();
  EXPECT_EQ(answer_to("backup 1\n"), "24 entries");
  EXPECT_EQ(answer_to("backup 1\n"), "24 entries");
  EXPECT_THAT(answer_to("changes 1 \n"), HasSubstr("the changes since CSN"));
  EXPECT_THAT(answer_to("give me all\n"), HasSubstr("did not understand"));
  EXPECT_THAT(answer_to(std::string(1000, 'x') + "\n"), HasSubstr("did not understand"));
  // A client that goes does no harm.
  { const backend::FileHandle gone = connect("backup 1\n"); }
  { const backend::FileHandle gone = connect("back"); }
  EXPECT_EQ(answer_to("backup 1\n"), "24 entries");
}

TEST_F(BackupServiceTest, TheSocketIsForItsOwnerAndGoesWithTheServer) {
  start();
  struct stat info {};
  ASSERT_EQ(::lstat(socket_path().c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  directory_.reset();
  EXPECT_NE(::lstat(socket_path().c_str(), &info), 0);
  const auto none = BackupConnection::open(database(), {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST_F(BackupServiceTest, WhatAKilledServerLeftBehindIsReplaced) {
  start();
  directory_.reset();
  {
    const auto left = listen_for_backups(database());
    ASSERT_TRUE(left) << left.error().message();
  }
  const auto none = BackupConnection::open(database(), {});
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_FALSE(*none);
  start();
  EXPECT_EQ(answer_to("backup 1\n"), "24 entries");
}

TEST_F(BackupServiceTest, AFileInItsPlaceIsNoReasonNotToServe) {
  fs::create_directories(database());
  std::ofstream(socket_path()) << "somebody's notes";
  testing::internal::CaptureStderr();
  start();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is there and no socket"));
  directory_.reset();
  EXPECT_TRUE(fs::exists(socket_path()));
}

TEST_F(BackupServiceTest, LongPathsWork) {
  data_ = root_ / std::string(100, 'a') / std::string(100, 'b');
  fs::create_directories(data_.parent_path());
  start();
  auto open = BackupConnection::open(database(), {});
  ASSERT_TRUE(open) << open.error().message();
  ASSERT_TRUE(*open);
  BackupConnection connection = std::move(**open);
  const auto reader = backend::BackupReader::open(
      [&connection](char* out, std::size_t size) { return connection.read(out, size); });
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(reader->header().entries, 24U);
}

// More than the buffers of a socket hold.
TEST_F(BackupServiceTest, AClientThatTakesNothingDoesNotHoldTheServer) {
  {
    const std::string ldif = (root_ / "big.ldif").string();
    std::ofstream out(ldif);
    out << "dn: dc=example,dc=com\nobjectClass: domain\nobjectClass: extensibleObject\n"
           "dc: example\n";
    for (int i = 0; i < 64; ++i) out << "description: " << i << std::string(60'000, 'x') << "\n";
    out.close();
    backend::ImportOptions import;
    import.database = database_options({}, data_.string()).front();
    import.files = {ldif};
    const auto done = backend::import_ldif(import, make_schema({})->schema, Clock::system(),
                                           Random::system(), nullptr);
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(done->entries, 1U);
  }
  start(false);
  const backend::FileHandle stalled = connect("backup 1\n");
  char octet = 0;
  ASSERT_EQ(::recv(stalled.get(), &octet, 1, 0), 1);  // it is being made
  const std::int64_t began = Clock::system().monotonic_nanos();
  directory_->stop();
  EXPECT_LT(Clock::system().monotonic_nanos() - began, 20'000'000'000);
  EXPECT_THAT(read(stalled.get()), testing::Not(HasSubstr("entries")));
}

TEST_F(BackupServiceTest, OtherUsersAreRefused) {
  if (::geteuid() != 0) return;  // only root can be somebody else
  start();
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(data_.c_str(), 0755), 0);
  const auto as_nobody = [this] {
    const pid_t child = ::fork();
    if (child == 0) {
      int status = 3;
      if (::setuid(65534) == 0) {
        backend::FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socket_path().copy(address.sun_path, sizeof(address.sun_path) - 1);
        const auto* generic = reinterpret_cast<const sockaddr*>(&address);
        status = ::connect(socket.get(), generic, sizeof(address)) != 0          ? 1
                 : read(socket.get()).find("the user whom") != std::string::npos ? 2
                                                                                 : 0;
      }
      ::_exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(as_nobody(), 1);  // by the file's mode
  ASSERT_EQ(::chmod(socket_path().c_str(), 0777), 0);
  EXPECT_EQ(as_nobody(), 2);  // and by who it is
}

}  // namespace
}  // namespace kauri::kaurid
