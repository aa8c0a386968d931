// The offline commands as a user runs them, in process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "kauri/commands.h"
#include "kaurid/demo.h"
#include "kaurid/setup.h"
#include "security/password.h"
#include "storage/test_directory.h"

namespace kauri::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome kauri(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "kauri");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run(static_cast<int>(pointers.size()), pointers.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

class OfflineTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::string file(const std::string& name, const std::string& text) const {
    return directory_.file(name, text);
  }
  std::string demo_file() const {
    SeededRandom random(5);
    return file("demo.ldif", *kaurid::demo_ldif("dc=example,dc=com", random));
  }

 private:
  storage::TestDirectory directory_;
};

TEST_F(OfflineTest, InitMakesADatabaseOnce) {
  const Outcome made = kauri({"init", "--data", path("d"), "--suffix", "o=x", "--json"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["suffix"], "o=x");
  const Outcome again = kauri({"init", "--data", path("d")});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find(path("d")), std::string::npos);
}

TEST_F(OfflineTest, WhatWasImportedIsExportedAgain) {
  const Outcome imported = kauri({"import", "--data", path("one"), demo_file(), "--json"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  const json report = json::parse(imported.out);
  EXPECT_EQ(report["entries"], 24);
  EXPECT_EQ(report["rejected"], 0);
  const Outcome first = kauri({"export", "--data", path("one")});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("entryUUID: "), std::string::npos);
  EXPECT_NE(first.out.find("dn: uid=alice,ou=people,dc=example,dc=com"), std::string::npos);
  const Outcome copied = kauri({"import", "--data", path("two"), file("copy.ldif", first.out)});
  ASSERT_EQ(copied.status, 0) << copied.err;
  EXPECT_NE(copied.out.find("imported 24 entries"), std::string::npos);
  EXPECT_EQ(kauri({"export", "--data", path("two")}).out, first.out);

  const Outcome part =
      kauri({"export", "--data", path("two"), "--no-operational", "--base",
             "uid=bob,ou=people,dc=example,dc=com", "--output", path("bob.ldif"), "--json"});
  ASSERT_EQ(part.status, 0) << part.err;
  EXPECT_EQ(json::parse(part.out)["entries"], 1);
  std::ifstream in(path("bob.ldif"));
  const std::string bob{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(bob.find("cn: Bob Baker"), std::string::npos);
  EXPECT_EQ(bob.find("entryUUID"), std::string::npos);
}

TEST_F(OfflineTest, RejectsAreNamedWithTheirLines) {
  const std::string ldif = file("bad.ldif",
                                "dn: o=x\nobjectClass: organization\no: x\n\n"
                                "dn: ou=a,o=x\nobjectClass: nosuch\nou: a\n\n"
                                "dn: ou=b,o=x\nobjectClass: organizationalUnit\nou: b\n");
  const Outcome plain = kauri({"import", "--data", path("d"), ldif});
  EXPECT_EQ(plain.status, 1);
  EXPECT_NE(plain.err.find(ldif + ":5: ou=a,o=x: "), std::string::npos) << plain.err;
  EXPECT_NE(plain.err.find("nosuch"), std::string::npos);
  EXPECT_NE(plain.out.find("imported 2 entries"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("1 rejected"), std::string::npos);
  const Outcome as_json = kauri({"import", "--data", path("e"), ldif, "--json"});
  EXPECT_EQ(as_json.status, 1);
  const json report = json::parse(as_json.out);
  ASSERT_EQ(report["rejects"].size(), 1U);
  EXPECT_EQ(report["rejects"][0]["line"], 5);
  EXPECT_EQ(report["rejects"][0]["dn"], "ou=a,o=x");
}

TEST_F(OfflineTest, VerifyAndReindex) {
  ASSERT_EQ(kauri({"import", "--data", path("d"), demo_file()}).status, 0);
  const Outcome verified = kauri({"verify", "--data", path("d"), "--json"});
  EXPECT_EQ(verified.status, 0) << verified.err << verified.out;
  EXPECT_EQ(json::parse(verified.out)["entries"], 24);
  EXPECT_EQ(json::parse(verified.out)["fault_count"], 0);
  EXPECT_EQ(kauri({"reindex", "--data", path("d"), "uid"}).status, 0);
  EXPECT_EQ(kauri({"reindex", "--data", path("d")}).status, 0);
  const Outcome again = kauri({"verify", "--data", path("d")});
  EXPECT_EQ(again.status, 0) << again.err << again.out;
  EXPECT_NE(again.out.find("0 faults"), std::string::npos);
}

TEST_F(OfflineTest, ADatabaseThatIsNotThereIsNamed) {
  for (const std::string command : {"export", "verify", "reindex"}) {
    const Outcome outcome = kauri({command, "--data", path("nosuch")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("there is no database in " + path("nosuch")), std::string::npos)
        << outcome.err;
  }
  EXPECT_FALSE(fs::exists(path("nosuch")));
}

TEST_F(OfflineTest, ADatabaseOfTheConfigurationIsChosenBySuffix) {
  const std::string config =
      file("k.toml", "[[database]]\nsuffix = \"o=x\"\n[[database]]\nsuffix = \"o=y\"\n");
  const auto with = [&](std::string command, std::vector<std::string> rest) {
    rest.insert(rest.begin(), {std::move(command), "--data", path("d"), "--config", config});
    return kauri(rest);
  };
  EXPECT_EQ(with("init", {"--suffix", "O=Y"}).status, 0);
  EXPECT_TRUE(kaurid::database_exists(path("d/db-o=y")));
  const Outcome unnamed = with("export", {});
  EXPECT_EQ(unnamed.status, 1);
  EXPECT_NE(unnamed.err.find("o=x; o=y"), std::string::npos) << unnamed.err;
  const Outcome unknown = with("export", {"--suffix", "o=z"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("o=z"), std::string::npos);
}

TEST_F(OfflineTest, Hash) {
  const std::string password = file("password", "s3cret\n");
  for (const std::string scheme : {"argon2id", "ssha512", "{SSHA256}", "SSHA"}) {
    const Outcome made = kauri({"hash", "--scheme", scheme, "--password-file", password});
    ASSERT_EQ(made.status, 0) << made.err;
    const std::string hash = made.out.substr(0, made.out.find('\n'));
    EXPECT_TRUE(security::verify_password("s3cret", hash)) << hash;
    EXPECT_FALSE(security::verify_password("other", hash));
  }
  const Outcome refused = kauri({"hash", "--scheme", "rot13", "--password-file", password});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("rot13"), std::string::npos);
}

TEST_F(OfflineTest, AnImportOfNoFileLeavesNothingBehind) {
  const Outcome outcome = kauri({"import", "--data", path("d"), path("nosuch.ldif")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("nosuch.ldif"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("d")));
}

// "{CLEAR}" is how 389 DS writes a password in clear, "{CLEARTEXT}" how OpenLDAP does.
TEST_F(OfflineTest, MarkedClearPasswordsAreHashedOnImport) {
  const std::string ldif =
      file("clear.ldif",
           "dn: o=x\nobjectClass: organization\no: x\n\n"
           "dn: cn=a,o=x\nobjectClass: person\nsn: a\n"
           "userPassword: {CLEAR}first-s3cret\n"
           "userPassword: {cleartext}second-s3cret\n"
           "userPassword: third-s3cret\nuserPassword: {SSHA}AAAA\n\n"
           "dn: cn=b,o=x\nobjectClass: person\nsn: b\nuserPassword: {CLEAR}\n");
  const Outcome imported =
      kauri({"import", "--data", path("d"), "--password-scheme", "ssha", ldif});
  EXPECT_EQ(imported.status, 1);
  EXPECT_NE(imported.err.find("clear.ldif:16: cn=b,o=x: a password must not be empty"),
            std::string::npos)
      << imported.err;
  const Outcome exported = kauri({"export", "--data", path("d")});
  EXPECT_EQ(exported.out.find("s3cret"), std::string::npos) << exported.out;
  std::istringstream lines(exported.out);
  std::vector<std::string> stored;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("userPassword: ")) stored.push_back(line.substr(14));
  ASSERT_EQ(stored.size(), 4U) << exported.out;
  EXPECT_TRUE(security::verify_password("first-s3cret", stored[0]));
  EXPECT_TRUE(security::verify_password("second-s3cret", stored[1]));
  EXPECT_TRUE(security::verify_password("third-s3cret", stored[2]));
  EXPECT_EQ(stored[3], "{SSHA}AAAA");
}

TEST_F(OfflineTest, WarningsAboutSchemaFilesAreShown) {
  std::string text = "attributetype ( 1.2.3.1 NAME 'kw1' EQUALITY noSuchMatch SUP name )\n";
  for (int i = 2; i <= 22; ++i) {
    const std::string n = std::to_string(i);
    text += "attributetype ( 1.2.3." + n + " NAME 'kw" + n + "' SYNTAX 1.2.4." + n + " )\n";
  }
  const std::string schema = file("w.schema", text);
  const std::string config = file("w.toml", "[schema]\nfiles = [\"w.schema\"]\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init", "--data", path("d"), "--config", config, "--json"},
        {"import", "--data", path("e"), "--config", config, demo_file(), "--json"},
        {"verify", "--data", path("d"), "--config", config, "--json"}}) {
    const Outcome outcome = kauri(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(json::accept(outcome.out));
    EXPECT_NE(outcome.err.find("kauri: warning: " + schema +
                               ":1:45: attribute type 'kw1': matching rule 'noSuchMatch'"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 21);
    EXPECT_NE(outcome.err.find("kauri: warning: and 2 further warnings"), std::string::npos);
  }
}

// Terminals obey what files and command lines hold.
TEST_F(OfflineTest, NothingFromOutsideIsPrintedRaw) {
  const std::string schema = file("z.schema", "attributetype ( 1.2.3 NAME 'z\x1B[2J' SUP name )\n");
  const std::string config = file("z.toml", "[schema]\nfiles = [\"z.schema\"]\n");
  // dn:: cn=<ESC>[2J<NUL>,o=x; a value that is no integer
  const std::string ldif =
      file("z.ldif",
           "dn: o=x\nobjectClass: organization\n\n"
           "dn:: Y249G1sySixvPXg=\nobjectClass: person\nsn: x\nno\x1Bsuch: x\n\n"
           "dn: ou=\x1B[2J,o=x\nobjectClass: nosuch\n\n"
           "dn:: Y249G1sySixvPXg=\nobjectClass: person\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"init", "--data", path("d"), "--config", config},
        {"import", "--data", path("d"), ldif},
        {"import", "--data", path("d"), path("no\x1B[2J.ldif")},
        {"\x1B[2J"},
        {"init", "--\x1B[2J"},
        {"init", "--data", path("d2"), "--suffix", "\x1B[2J"},
        {"export", "--data", path("d"), "--base", "cn=\x1B[2J,o=x"},
        {"hash", "--scheme", "\x1B[2J", "--password-file", ldif},
        {"import", "--password-scheme", "\x1B[2J", "--data", path("d"), ldif}}) {
    const Outcome outcome = kauri(command);
    EXPECT_NE(outcome.status, 0) << command.front();
    EXPECT_EQ((outcome.out + outcome.err).find('\x1B'), std::string::npos) << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
  }
  // What is no UTF-8 must not end a report either.
  const Outcome report =
      kauri({"export", "--data", path("d"), "--output", path("\xFF.ldif"), "--json"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_TRUE(json::accept(report.out)) << report.out;
}

TEST_F(OfflineTest, CommandLinesThatCannotBeRead) {
  EXPECT_EQ(kauri({}).status, 2);
  const Outcome unknown = kauri({"exprot"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find(
                "kauri: there is no subcommand 'exprot'; did you mean export?; kauri --help"),
            std::string::npos)
      << unknown.err;
  const Outcome missing = kauri({"import", "--data", path("d")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err.rfind("kauri import: ", 0), 0U) << missing.err;
  const Outcome empty = kauri({"init", "--data", path("d"), "--suffix", ""});
  EXPECT_EQ(empty.status, 2) << empty.err;
  EXPECT_FALSE(fs::exists(path("d")));
  EXPECT_EQ(kauri({"--help"}).status, 0);
}

TEST_F(OfflineTest, UsageErrorsAreInWords) {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"import", "--memory", "0", "f"},
       "kauri import: --memory: '0' is no whole number of MiB from 1 to 1048576; kauri import "
       "--help says more\n"},
      {{"import", "--memory", "99999999999999999999", "f"},
       "kauri import: --memory: '99999999999999999999' is no whole number of MiB from 1 to"},
      {{"import", "--threads=-1", "f"},
       "kauri import: --threads: '-1' is no whole number of threads from 0 to 1024;"},
      {{"import", "--rejects-max", "1e3", "f"},
       "kauri import: --rejects-max: '1e3' is no whole number of records, 0 or more;"},
      {{"import"}, "kauri import: FILE is required;"},
      {{"import", "--memory"}, "kauri import: --memory needs a value;"},
      {{"export", "--ouput", "x"},
       "kauri export: there is no option '--ouput'; did you mean --output?;"},
      {{"export", "stray"}, "kauri export: 'stray' is one argument too many;"},
      {{"init", "--suffix", ""}, "kauri init: --suffix: it is empty: a name such as dc=example"},
      {{"--data", "x", "init"},
       "kauri: there is no option '--data'; options stand behind the subcommand that has them;"},
      {{}, "kauri: it needs a subcommand: init, import, "},
      {{"bench"}, "kauri bench: it needs a subcommand: search, "},
      {{"bench", "serach"}, "kauri bench: there is no subcommand 'serach'; did you mean search?;"},
      {{"bench", "search", "--connections", "x"},
       "kauri bench search: --connections: 'x' is no whole number of connections, 1 or more;"},
      {{"bench", "search", "--duration", "x"},
       "kauri bench search: --duration: 'x' is no number of seconds, such as 5 or 0.5;"},
      {{"bench", "search", "--duration", "1", "--count", "1"},
       "kauri bench search: --duration and --count cannot be used together;"},
      {{"bench", "null", "--code", "200"},
       "kauri bench null: --code: '200' is no whole number from 0 to 127;"},
  };
  for (const auto& one : cases) {
    const Outcome outcome = kauri(one.arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err.rfind(one.message, 0), 0U) << outcome.err << one.message;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace kauri::tool
