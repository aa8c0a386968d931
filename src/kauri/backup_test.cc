// kauri backup and kauri restore as a user runs them, in process.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "backend/backup_file.h"
#include "backend/backup_stream.h"
#include "base/random.h"
#include "kauri/backup_target.h"
#include "kauri/testing/command.h"
#include "kaurid/backup_socket.h"
#include "kaurid/demo.h"
#include "kaurid/directory.h"

namespace kauri::tool {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class BackupCommand : public CommandTest {
 protected:
  // A database of 24 entries in "d", and a second one in "two" that has one entry more.
  void import_demo() {
    SeededRandom random(5);
    const std::string demo = file("demo.ldif", *kaurid::demo_ldif("dc=example,dc=com", random));
    ASSERT_EQ(run_command({"import", "--data", path("d"), demo}).status, 0);
  }
  // Entries that come to a database go through its change log.
  void import_one(const std::string& name) {
    const std::string ldif = file(name + ".ldif", "dn: ou=" + name +
                                                      ",dc=example,dc=com\n"
                                                      "objectClass: organizationalUnit\nou: " +
                                                      name + "\n");
    ASSERT_EQ(run_command({"import", "--data", path("d"), ldif}).status, 0);
  }
  json backup(const std::string& to, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"backup", "--data", path("d"), "--to", path(to), "--json"});
    const CommandOutcome outcome = run_command(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json::parse(outcome.out) : json();
  }
  std::string ldif_of(const std::string& data) {
    return run_command({"export", "--data", path(data)}).out;
  }
};

TEST_F(BackupCommand, WhatWasBackedUpIsRestored) {
  import_demo();
  const json report = backup("b");
  EXPECT_EQ(report["entries"], 24);
  EXPECT_EQ(report["content"], "database");
  EXPECT_EQ(report["suffix"], "dc=example,dc=com");
  EXPECT_EQ(report["online"], false);
  EXPECT_EQ(report["octets"], octets_of(path("b")).size());
  EXPECT_THAT(names_in("."), testing::Not(testing::Contains("b.partial")));
  struct stat info {};
  ASSERT_EQ(::stat(path("b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);  // password hashes are in it

  const CommandOutcome restored =
      run_command({"restore", "--data", path("r"), "--from", path("b")});
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(restored.out, HasSubstr("restored 24 entries of dc=example,dc=com"));
  EXPECT_EQ(ldif_of("r"), ldif_of("d"));
  EXPECT_EQ(run_command({"verify", "--data", path("r")}).status, 0);
  const CommandOutcome again = run_command({"restore", "--data", path("r"), "--from", path("b")});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  const CommandOutcome forced =
      run_command({"restore", "--data", path("r"), "--from", path("b"), "--force", "--json"});
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_EQ(json::parse(forced.out)["entries"], 24);
}

TEST_F(BackupCommand, ARunningServerGivesTheSame) {
  import_demo();
  const json offline = backup("offline");
  kaurid::Options options;
  options.data = path("d");
  options.listen = {"ldap://127.0.0.1:0"};
  auto server = kaurid::Directory::start(options);
  ASSERT_TRUE(server) << server.error().message();
  const json online = backup("online", {"--verify"});
  EXPECT_EQ(online["online"], true);
  EXPECT_EQ(online["csn"], offline["csn"]);
  EXPECT_EQ(online["records"], offline["records"]);
  EXPECT_EQ(online["octets"], offline["octets"]);
  const CommandOutcome refused =
      run_command({"backup", "--data", path("d"), "--to", path("c"), "--changes-since",
                   "20200101120000.000000Z#000000#000#000000"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("the changes since CSN 2020"));
  EXPECT_THAT(names_in("."), testing::Not(testing::Contains(HasSubstr("c"))));
  const CommandOutcome in_use =
      run_command({"restore", "--data", path("d"), "--from", path("online"), "--force"});
  EXPECT_EQ(in_use.status, 1);
  EXPECT_THAT(in_use.err, HasSubstr("in use by process"));
}

// As one that a damaged page ends.
TEST_F(BackupCommand, AServerThatGoesAway) {
  import_demo();
  auto listener = kaurid::listen_for_backups(path("d") + "/db");
  ASSERT_TRUE(listener) << listener.error().message();
  std::thread server([&listener] {
    pollfd waiting = {listener->get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, -1), 1);
    const backend::FileHandle client(::accept(listener->get(), nullptr, nullptr));
    char line[64];
    EXPECT_GT(::recv(client.get(), line, sizeof(line), 0), 0);
    EXPECT_EQ(::send(client.get(), "kauri", 5, MSG_NOSIGNAL), 5);
  });
  const CommandOutcome outcome = run_command({"backup", "--data", path("d"), "--to", path("gone")});
  server.join();
  kaurid::remove_backup_socket(path("d") + "/db");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the server went away after 5 octets"));
  EXPECT_THAT(names_in("."), testing::Not(testing::Contains(HasSubstr("gone"))));
}

TEST_F(BackupCommand, ADirectoryTakesMany) {
  import_demo();
  std::filesystem::create_directory(path("many"));
  const std::string first = backup("many")["file"];
  const std::string second = backup("many", {"--verify"})["file"];
  backup("many", {"--changes-after", first});
  EXPECT_NE(first, second);
  const testing::Matcher<std::string> name =
      testing::MatchesRegex("dc=example,dc=com-[0-9]+T[0-9]+\\.[0-9]+Z\\.backup");
  EXPECT_THAT(names_in("many"), ElementsAre(name, name, testing::EndsWith(".changes")));
}

TEST_F(BackupCommand, StandardOutputAndInput) {
  import_demo();
  const CommandOutcome out = run_command({"backup", "--data", path("d"), "--to", "-"});
  ASSERT_EQ(out.status, 0) << out.err;
  EXPECT_THAT(out.err, HasSubstr("24 entries"));
  const std::string stream = file("stream", out.out);
  EXPECT_EQ(run_command({"backup", "--check", stream}).status, 0);
  const int saved = ::dup(STDIN_FILENO);
  {
    const backend::FileHandle in(::open(stream.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::dup2(in.get(), STDIN_FILENO), STDIN_FILENO);
    const CommandOutcome restored = run_command({"restore", "--data", path("r"), "--from", "-"});
    EXPECT_EQ(restored.status, 0) << restored.err;
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(ldif_of("r"), ldif_of("d"));
}

TEST_F(BackupCommand, ChangesLeadToEachState) {
  import_demo();
  backup("b");
  const std::string before = ldif_of("d");
  import_one("first");
  const json one = backup("c1", {"--changes-after", path("b")});
  const std::string middle = ldif_of("d");
  import_one("second");
  const json two = backup("c2", {"--changes-since", one["csn"]});
  EXPECT_EQ(one["content"], "changes");
  EXPECT_EQ(one["records"], 1);
  EXPECT_EQ(two["since"], one["csn"]);
  const auto restored = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"restore", "--data", path("r"), "--from", path("b"), "--force", "--verify"});
    const CommandOutcome outcome = run_command(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return ldif_of("r");
  };
  EXPECT_EQ(restored({}), before);
  EXPECT_EQ(restored({"--changes", path("c1")}), middle);
  EXPECT_EQ(restored({"--changes", path("c2"), "--changes", path("c1")}), ldif_of("d"));
  EXPECT_EQ(restored({"--changes", path("c2"), "--changes", path("c1"), "--until", one["csn"]}),
            middle);
  const CommandOutcome hole = run_command(
      {"restore", "--data", path("r"), "--from", path("b"), "--force", "--changes", path("c2")});
  EXPECT_EQ(hole.status, 1);
  EXPECT_THAT(hole.err, AllOf(HasSubstr(path("c2")), HasSubstr("are missing")));
  EXPECT_EQ(ldif_of("r"), middle);
}

TEST_F(BackupCommand, CheckTellsWhatAFileHolds) {
  import_demo();
  backup("b");
  const CommandOutcome good = run_command({"backup", "--check", path("b"), "--json"});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(json::parse(good.out)["entries"], 24);
  std::string octets = octets_of(path("b"));
  octets[octets.size() / 2] = static_cast<char>(octets[octets.size() / 2] ^ 1);
  for (const std::string& bad : {file("bad", octets), file("cut", octets.substr(0, 5000)),
                                 file("empty", ""), file("text", "dn: dc=example,dc=com\n")}) {
    const CommandOutcome outcome = run_command({"backup", "--check", bad});
    EXPECT_EQ(outcome.status, 1) << bad;
    EXPECT_THAT(outcome.err, HasSubstr(bad + ": "));
    const CommandOutcome restored = run_command({"restore", "--data", path("r"), "--from", bad});
    EXPECT_EQ(restored.status, 1) << bad;
    EXPECT_THAT(restored.err, HasSubstr(bad + ": "));
    EXPECT_FALSE(std::filesystem::exists(path("r/db/data.mdb")));
  }
}

TEST_F(BackupCommand, MistakesAreNamed) {
  import_demo();
  backup("b");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"backup", "--data", path("d")}, "--to"},
      {{"backup", "--data", path("d"), "--to", path("x"), "--check", path("b")}, "--check"},
      {{"backup", "--data", path("d"), "--to", path("b")}, path("b") + " is there already"},
      {{"backup", "--data", path("d"), "--to", path("no/x")}, path("no/x")},
      {{"backup", "--data", path("d"), "--to", "-", "--verify"}, "standard output"},
      {{"backup", "--data", path("d"), "--to", "-", "--json"}, "standard output"},
      {{"backup", "--data", path("none"), "--to", path("x")}, "there is no database in"},
      {{"backup", "--data", path("d"), "--to", path("x"), "--changes-since", "2026"}, "no CSN"},
      {{"backup", "--data", path("d"), "--to", path("x"), "--changes-after", path("q")}, path("q")},
      {{"backup", "--check", path("d")}, "is a directory"},
      {{"restore", "--data", path("r"), "--from", path("q")}, "cannot open " + path("q")},
      {{"restore", "--data", path("r"), "--from", path("b"), "--changes", path("q")}, path("q")},
      {{"restore", "--data", path("r"), "--from", path("b"), "--until", "2026"},
       "needs the changes"},
      {{"restore", "--data", path("r"), "--from", path("b"), "--suffix", "o=x"}, "o=x"},
  };
  for (const auto& [command, why] : cases) {
    const CommandOutcome outcome = run_command(command);
    EXPECT_EQ(outcome.status, 1) << why;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  }
  EXPECT_EQ(run_command({"restore", "--data", path("r")}).status, 2);
  EXPECT_THAT(names_in("."), testing::Not(testing::Contains(HasSubstr("partial"))));
}

TEST_F(BackupCommand, OfSeveralDatabasesTheBackupKnowsItsOwn) {
  const std::string config = file("k.toml",
                                  "[[database]]\nsuffix = \"dc=example,dc=com\"\npath = \"one\"\n"
                                  "[[database]]\nsuffix = \"o=x\"\npath = \"two\"\n");
  ASSERT_EQ(
      run_command({"init", "--data", path("d"), "--config", config, "--suffix", "o=x"}).status, 0);
  const std::vector<std::string> with = {"--data", path("d"), "--config", config};
  const auto call = [&with](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, with.begin(), with.end());
    return run_command(arguments);
  };
  ASSERT_EQ(call({"backup", "--suffix", "o=x", "--to", path("b")}).status, 0);
  std::filesystem::remove_all(path("two"));
  const CommandOutcome restored = call({"restore", "--from", path("b")});
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_TRUE(std::filesystem::exists(path("two/data.mdb")));
  EXPECT_FALSE(std::filesystem::exists(path("one/data.mdb")));
  const CommandOutcome wrong =
      call({"restore", "--from", path("b"), "--suffix", "dc=example,dc=com", "--force"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("the backup has the suffix \"o=x\""));
}

TEST_F(BackupCommand, TwoAtOnceDoNotMix) {
  import_demo();
  const backend::FileHandle other(::open(path("b.partial").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  const CommandOutcome outcome = run_command({"backup", "--data", path("d"), "--to", path("b")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("is being written by another process"));
}

// What a killed one left is used again, and is not longer than what comes.
TEST_F(BackupCommand, LeftoversAreNoHindrance) {
  import_demo();
  file("b.partial", std::string(1'000'000, 'x'));
  backup("b");
  EXPECT_EQ(run_command({"backup", "--check", path("b")}).status, 0);
  EXPECT_THAT(names_in("."), testing::Not(testing::Contains("b.partial")));
}

TEST(BackupFileName, TellsSuffixAndTime) {
  backend::BackupHeader header;
  header.suffix = "o=A & B/C,c=de";
  header.made_micros = 1'700'000'000'000'042;
  EXPECT_EQ(backup_file_name(header), "o=A___B_C,c=de-20231114T221320.000042Z.backup");
  header.content = backend::BackupContent::kChanges;
  header.suffix = std::string(1000, 'x');
  EXPECT_LT(backup_file_name(header).size(), 200U);
  EXPECT_TRUE(backup_file_name(header).ends_with("Z.changes"));
}

}  // namespace
}  // namespace kauri::tool
