// The parts of kaurid and a whole running directory, in process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/database.h"
#include "base/clock.h"
#include "base/random.h"
#include "kaurid/admin_password.h"
#include "kaurid/demo.h"
#include "kaurid/directory.h"
#include "kaurid/options.h"
#include "kaurid/setup.h"
#include "security/password.h"
#include "server/test_client.h"
#include "storage/test_directory.h"

namespace kauri::kaurid {
namespace {

namespace fs = std::filesystem;

class KauridTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::string file(const std::string& name, const std::string& text) const {
    return directory_.file(name, text);
  }
  Options options() const {
    Options out;
    out.data = path("data");
    out.listen = {"ldap://127.0.0.1:0"};
    return out;
  }
  static std::string text_of(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  storage::TestDirectory directory_;
};

// Result code of a simple bind on a new connection.
int bind_code(const Directory& directory, std::string_view dn, std::string_view password) {
  server::TestClient client(directory.uris().front());
  std::string request;
  ldap::append_simple_bind_request(request, 1, dn, password);
  if (!client.send(request)) return -1;
  const std::string answer = client.read_message();
  ber::Reader outer(answer);
  ber::Reader message = outer.nested(ber::kSequence);
  message.integer();
  const std::string_view body = message.element(ber::application_constructed(1));
  ldap::ResultView result;
  if (!ldap::decode_result(body, result)) return -1;
  return static_cast<int>(result.code);
}

std::optional<Options> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kaurid");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data()).options;
}

TEST_F(KauridTest, CommandLine) {
  const auto all = parse({"--data", "/d", "--config", "c.toml", "--listen", "ldap://h:1",
                          "--listen", "ldapi://%2Fs", "--suffix", "o=x", "--admin-dn", "cn=a,o=x",
                          "--admin-password-file", "p", "--demo"});
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->data, "/d");
  EXPECT_EQ(all->config, "c.toml");
  EXPECT_EQ(all->listen, (std::vector<std::string>{"ldap://h:1", "ldapi://%2Fs"}));
  EXPECT_EQ(all->suffix, "o=x");
  EXPECT_EQ(all->admin_dn, "cn=a,o=x");
  EXPECT_EQ(all->admin_password_file, "p");
  EXPECT_TRUE(all->demo);
  const auto defaults = parse({});
  ASSERT_TRUE(defaults.has_value());
  EXPECT_EQ(defaults->data, "./kauri-data");
  EXPECT_FALSE(defaults->demo);
}

TEST_F(KauridTest, CommandLinesThatAreRefused) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(parse({"--nosuch"}).has_value());
  EXPECT_FALSE(parse({"--listen"}).has_value());
  EXPECT_FALSE(parse({"stray"}).has_value());
  EXPECT_FALSE(parse({"--suffix", ""}).has_value());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.rfind("kaurid: ", 0), 0U) << text;
  EXPECT_NE(text.find("--nosuch"), std::string::npos);
  EXPECT_NE(text.find("--suffix"), std::string::npos);
  const char* const arguments[] = {"kaurid", "--nosuch"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(parse_command_line(2, arguments).exit_code, 2);
  testing::internal::GetCapturedStderr();
}

// Runs `act` and returns what it wrote to standard error.
template <class Act>
std::string errors_of(Act act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

TEST_F(KauridTest, SchemaWarningsAreLoggedAtStartAndOnReload) {
  const auto write_schema = [this](const std::string& text) { return file("w.schema", text); };
  const std::string schema =
      write_schema("attributetype ( 1.2.3.1 NAME 'kwOne' EQUALITY noSuchMatch SUP name )\n");
  Options given = options();
  given.config = file("k.toml", "[schema]\nfiles = [\"w.schema\"]\n");
  std::unique_ptr<Directory> directory;
  const std::string started = errors_of([&] {
    auto result = Directory::start(given);
    ASSERT_TRUE(result.has_value()) << result.error().message();
    directory = std::move(*result);
  });
  ASSERT_NE(directory, nullptr);
  const std::string warning = "kaurid warning: schema: " + schema +
                              ":1:47: attribute type 'kwOne': matching rule 'noSuchMatch' is "
                              "unknown; caseIgnoreMatch stands in\n";
  EXPECT_NE(started.find(warning), std::string::npos) << started;

  const auto reload = [&] { EXPECT_TRUE(directory->reload().has_value()); };
  const std::string same = errors_of(reload);
  EXPECT_NE(same.find(warning), std::string::npos) << same;
  EXPECT_EQ(same.find("next start"), std::string::npos) << same;

  write_schema("attributetype ( 1.2.3.1 NAME 'kwOther' SUP name )\n");
  const std::string changed = errors_of(reload);
  EXPECT_NE(changed.find("take effect at the next start: schema"), std::string::npos) << changed;
  EXPECT_EQ(changed.find("noSuchMatch"), std::string::npos) << changed;

  write_schema("attributetype ( 1.2.3.1 NAME\n");
  const std::string broken = errors_of(reload);
  EXPECT_NE(broken.find("the next start would fail: " + schema + ":1:"), std::string::npos)
      << broken;
}

TEST_F(KauridTest, TheCommandLineGoesOverTheFile) {
  Options given = options();
  given.config = file("k.toml",
                      "listen = [\"ldap://127.0.0.1:1\"]\n"
                      "[admin]\ndn = \"cn=file,o=x\"\n"
                      "[[database]]\nsuffix = \"o=x\"\n");
  given.admin_dn = "cn=line,o=x";
  const auto config = effective_configuration(given);
  ASSERT_TRUE(config.has_value()) << config.error().message();
  ASSERT_EQ(config->listen.size(), 1U);
  EXPECT_EQ(config->listen[0].port, 0);
  EXPECT_EQ(config->admin_dn, "cn=line,o=x");
  EXPECT_EQ(config->databases.at(0).suffix, "o=x");

  given.listen = {"http://x"};
  const auto refused = effective_configuration(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("http://x"), std::string::npos);
}

TEST_F(KauridTest, OneSuffixForSeveralDatabasesIsRefused) {
  Options given = options();
  given.config = file("k.toml", "[[database]]\nsuffix = \"o=x\"\n[[database]]\nsuffix = \"o=y\"\n");
  given.suffix = "o=z";
  const auto refused = effective_configuration(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("o=z"), std::string::npos);
}

TEST_F(KauridTest, DatabasesHavePlacesOfTheirOwn) {
  Options given = options();
  given.config = file("k.toml",
                      "[[database]]\nsuffix = \"o=x\"\n[[database]]\nsuffix = \"o=y y\"\n"
                      "[[database]]\nsuffix = \"o=z\"\npath = \"/elsewhere\"\n");
  const auto config = effective_configuration(given);
  ASSERT_TRUE(config.has_value()) << config.error().message();
  const auto all = database_options(*config, "/data");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].path, "/data/db");
  EXPECT_EQ(all[1].path, "/data/db-o=y_y");
  EXPECT_EQ(all[2].path, "/elsewhere");
}

TEST_F(KauridTest, TheAdministratorsPasswordIsMadeOnceAndKept) {
  AdminPasswordSource source;
  source.data = path("");
  source.scheme = security::PasswordScheme::kSsha512;
  SeededRandom random(1);
  const auto made = admin_password(source, random);
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(made->generated.size(), 24U);
  EXPECT_TRUE(security::verify_password(made->generated, made->hash));
  EXPECT_FALSE(fs::exists(path("admin.hash")));
  ASSERT_TRUE(keep_admin_password(*made, path("")).has_value());
  const auto again = admin_password(source, random);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->hash, made->hash);
  EXPECT_TRUE(again->generated.empty());
  const auto mode = fs::status(path("admin.hash")).permissions();
  EXPECT_EQ(mode, fs::perms::owner_read | fs::perms::owner_write);

  source.file = file("password", "from file\r\nsecond line\n");
  const auto from_file = admin_password(source, random);
  ASSERT_TRUE(from_file.has_value());
  EXPECT_TRUE(security::verify_password("from file", from_file->hash));
}

TEST_F(KauridTest, PasswordSourcesThatCannotServe) {
  SeededRandom random(1);
  AdminPasswordSource source;
  source.data = path("");
  source.file = path("nosuch");
  EXPECT_EQ(admin_password(source, random).error().code(), ErrorCode::kNotFound);
  source.file = file("empty", "\nsecret\n");
  EXPECT_EQ(admin_password(source, random).error().code(), ErrorCode::kInvalid);
  source.file = file("long", std::string(5000, 'x'));
  EXPECT_EQ(admin_password(source, random).error().code(), ErrorCode::kLimit);
  source.file.clear();
  source.configured_hash = "secret";
  EXPECT_EQ(admin_password(source, random).error().code(), ErrorCode::kInvalid);
  source.configured_hash = "{NOSUCH}abc";
  EXPECT_EQ(admin_password(source, random).error().code(), ErrorCode::kInvalid);
  source.configured_hash.clear();
  file("admin.hash", "no hash\n");
  const auto damaged = admin_password(source, random);
  ASSERT_FALSE(damaged.has_value());
  EXPECT_NE(damaged.error().message().find("admin.hash"), std::string::npos);
}

TEST_F(KauridTest, TheDemonstrationTreeIsLoadedOnceBelowAnyTopEntry) {
  int number = 0;
  for (const std::string suffix : {"dc=example,dc=com", "o=Example", "ou=x,dc=y", "c=DE"}) {
    backend::DatabaseOptions database;
    database.path = path("db" + std::to_string(number++));
    database.suffix = suffix;
    const auto schema = make_schema({});
    ASSERT_TRUE(schema.has_value());
    const auto first = load_demo(database, schema->schema, Clock::system(), Random::system());
    ASSERT_TRUE(first.has_value()) << suffix << ": " << first.error().message();
    EXPECT_TRUE(*first);
    const auto second = load_demo(database, schema->schema, Clock::system(), Random::system());
    ASSERT_TRUE(second.has_value()) << second.error().message();
    EXPECT_FALSE(*second);
  }
  const auto refused = demo_ldif("uid=x,dc=y", Random::system());
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("uid=x,dc=y"), std::string::npos);
}

TEST_F(KauridTest, ADirectoryServesAndKeepsItsAdministrator) {
  Options given = options();
  given.demo = true;
  std::string password;
  {
    const auto directory = Directory::start(given);
    ASSERT_TRUE(directory.has_value()) << directory.error().message();
    EXPECT_EQ((*directory)->admin_dn(), "cn=admin,dc=example,dc=com");
    password = (*directory)->generated_password();
    EXPECT_EQ(bind_code(**directory, "cn=admin,dc=example,dc=com", password), 0);
    EXPECT_EQ(bind_code(**directory, "cn=admin,dc=example,dc=com", "wrong"), 49);
    EXPECT_EQ(bind_code(**directory, "uid=alice,ou=people,dc=example,dc=com", "alice-demo"), 0);
    EXPECT_EQ(bind_code(**directory, "cn=wiki,ou=services,dc=example,dc=com", "wiki-demo"), 0);
  }
  const auto again = Directory::start(given);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_TRUE((*again)->generated_password().empty());
  EXPECT_EQ(bind_code(**again, "cn=admin,dc=example,dc=com", password), 0);
}

TEST_F(KauridTest, AStartThatFailsLateLosesNoPassword) {
  Options other = options();
  other.data = path("other");
  const auto first = Directory::start(other);
  ASSERT_TRUE(first.has_value()) << first.error().message();
  Options given = options();
  given.listen = {(*first)->uris().front()};
  ASSERT_FALSE(Directory::start(given).has_value());
  EXPECT_FALSE(fs::exists(path("data/admin.hash")));
  const auto second = Directory::start(options());
  ASSERT_TRUE(second.has_value()) << second.error().message();
  const std::string password = (*second)->generated_password();
  ASSERT_FALSE(password.empty());
  EXPECT_EQ(bind_code(**second, "cn=admin,dc=example,dc=com", password), 0);
}

TEST_F(KauridTest, AReloadMakesNoPasswordThatNobodySees) {
  const auto directory = Directory::start(options());
  ASSERT_TRUE(directory.has_value()) << directory.error().message();
  const std::string password = (*directory)->generated_password();
  fs::remove(path("data/admin.hash"));
  ASSERT_FALSE((*directory)->reload().has_value());
  EXPECT_FALSE(fs::exists(path("data/admin.hash")));
  EXPECT_EQ(bind_code(**directory, "cn=admin,dc=example,dc=com", password), 0);
}

TEST_F(KauridTest, TwoServersCannotShareTheirData) {
  const auto first = Directory::start(options());
  ASSERT_TRUE(first.has_value()) << first.error().message();
  const auto second = Directory::start(options());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::kBusy) << second.error().message();
}

TEST_F(KauridTest, AReloadTakesOverAndAMistakeChangesNothing) {
  SeededRandom random(3);
  const auto hash = [&random](std::string_view password) {
    return *security::hash_password(password, security::PasswordScheme::kSsha256, random);
  };
  const auto write = [&](std::string_view password, const std::string& rest) {
    return file("k.toml", "[admin]\npassword_hash = \"" + hash(password) + "\"\n" + rest);
  };
  const std::string admin = "cn=admin,dc=example,dc=com";
  Options given = options();
  given.config = write("one", "");
  const auto directory = Directory::start(given);
  ASSERT_TRUE(directory.has_value()) << directory.error().message();
  EXPECT_EQ(bind_code(**directory, admin, "one"), 0);
  write("two", "");
  ASSERT_TRUE((*directory)->reload().has_value());
  EXPECT_EQ(bind_code(**directory, admin, "two"), 0);
  EXPECT_EQ(bind_code(**directory, admin, "one"), 49);
  for (const std::string mistake : {"[access]\nrules = [\"to nonsense\"]\n", "[limits]\nx = 1\n"}) {
    write("three", mistake);
    const auto result = (*directory)->reload();
    ASSERT_FALSE(result.has_value());
    EXPECT_NE(result.error().message().find("k.toml"), std::string::npos)
        << result.error().message();
    EXPECT_EQ(bind_code(**directory, admin, "two"), 0);
  }
}

TEST_F(KauridTest, AReloadNamesWhatWaitsForTheNextStart) {
  Options given = options();
  given.config = file("k.toml", "");
  const auto directory = Directory::start(given);
  ASSERT_TRUE(directory.has_value()) << directory.error().message();
  file("k.toml", "[limits]\nfirst_request_seconds_max = 7\n");
  testing::internal::CaptureStderr();
  ASSERT_TRUE((*directory)->reload().has_value());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("limits.first_request_seconds_max"), std::string::npos) << text;
}

TEST_F(KauridTest, EachMistakenAccessRuleIsNamed) {
  Options given = options();
  given.config =
      file("k.toml", "[access]\nrules = [\"to nonsense\", \"to * by * none\", \"by what\"]\n");
  const auto refused = Directory::start(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("rule 1"), std::string::npos)
      << refused.error().message();
  EXPECT_NE(refused.error().message().find("rule 3"), std::string::npos)
      << refused.error().message();
}

// What a newcomer's files have wrong is told with its place, all of it at once, and leaves no half
// a database behind.
TEST_F(KauridTest, MistakesAreToldWithTheirPlaces) {
  file("dup.schema",
       "attributetype ( 1.2.3.4 NAME 'kwDup' SUP name )\n"
       "attributetype ( 1.2.3.4 NAME 'kwOther' SUP cn )\n");
  const std::string k = path("k.toml");
  const struct {
    const char* text;
    std::string message;
  } cases[] = {
      {"[[database]]\nsuffix = \"not a dn\"\n",
       k + ":1:1: key 'database.suffix': the DN \"not a dn\" is not valid at octet 5: '=' is"},
      {"[[database]]\nsuffix = \"o=x\"\n[[database.index]]\nattribute = \"mial\"\n"
       "kinds = [\"equality\"]\n[[database.index]]\nattribute = \"jpegPhoto\"\n"
       "kinds = [\"substring\"]\n",
       k + ":3:1: key 'database.index': index of attribute 'mial': the schema has no such type\n" +
           k + ":6:1: key 'database.index': index of attribute 'jpegPhoto': kind 'sub' needs"},
      {"[schema]\nfiles = [\"nosuch.schema\"]\n",
       k + ": key 'schema.files': cannot open schema file " + path("nosuch.schema") + ": No such"},
      {"[schema]\nfiles = [\"dup.schema\"]\n",
       path("dup.schema") + ":2:17: OID 1.2.3.4 is defined already, and differently, at " +
           path("dup.schema") + ":1:17"},
      {"[access]\nrules = [\n  \"to * by users reed\",\n  \"to * by * read\",\n  \"by *\"]\n",
       k +
           ":3:3: access rule 1, column 15: found 'reed'; expected none, disclose, auth, compare, "
           "search, read, add, delete, write or manage, or '=', '+' or '-' and letters of "
           "mwazrscxd0\n" +
           k + ":5:3: access rule 3, column 1: found 'by'; expected 'to'"},
      {"[limits]\nsearch_size_max = -5\n[listn]\nx = 1\n",
       k +
           ":2:19: key 'limits.search_size_max': found the number -5; expected a number of entries "
           "from 0 to 4294967295\n" +
           k + ":3:2: key 'listn': is unknown; did you mean 'listen'?"},
  };
  for (const auto& one : cases) {
    Options given = options();
    given.config = file("k.toml", one.text);
    const auto refused = Directory::start(given);
    ASSERT_FALSE(refused.has_value()) << one.text;
    EXPECT_EQ(refused.error().message().rfind(one.message, 0), 0U) << refused.error().message();
    EXPECT_FALSE(fs::exists(path("data/db/data.mdb"))) << one.text;
  }
  Options given = options();
  given.suffix = "not a dn";
  const auto refused = Directory::start(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message().rfind("--suffix: the DN \"not a dn\" is not valid", 0), 0U)
      << refused.error().message();
  EXPECT_FALSE(fs::exists(path("data/db/data.mdb")));
}

TEST_F(KauridTest, ALineMoreInTheFileIsNoChangeOfTheDatabase) {
  const std::string database =
      "[[database]]\nsuffix = \"o=x\"\n[[database.index]]\nattribute = \"mail\"\n"
      "kinds = [\"equality\"]\n";
  Options given = options();
  given.config = file("k.toml", database);
  const auto directory = Directory::start(given);
  ASSERT_TRUE(directory.has_value()) << directory.error().message();
  file("k.toml", "# a remark\n" + database);
  EXPECT_EQ(errors_of([&] { EXPECT_TRUE((*directory)->reload().has_value()); }), "");
  // What the next start would refuse is refused now.
  file("k.toml", database + "[[database.index]]\nattribute = \"mial\"\nkinds = [\"equality\"]\n");
  const auto refused = (*directory)->reload();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("'mial'"), std::string::npos);
}

TEST_F(KauridTest, DamagedDataIsTheEventLogsBusiness) {
  Options given = options();
  given.demo = true;
  { ASSERT_TRUE(Directory::start(given).has_value()); }
  backend::DatabaseOptions database;
  database.path = path("data/db");
  database.suffix = "dc=example,dc=com";
  {
    const auto opened = backend::Database::open(database, make_schema({})->schema, Clock::system(),
                                                Random::system());
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    auto txn = (*opened)->env().begin_write();
    ASSERT_TRUE(txn.has_value());
    std::vector<std::string> keys;
    {
      auto cursor = (*txn)->cursor(storage::Table::kEntries);
      ASSERT_TRUE(cursor.has_value());
      for (auto found = (*cursor)->first(); found && *found; found = (*cursor)->next())
        keys.emplace_back((*cursor)->key());
    }
    for (const std::string& key : keys)
      ASSERT_TRUE((*txn)->put(storage::Table::kEntries, key, "damaged").has_value());
    ASSERT_TRUE((*txn)->commit().has_value());
  }
  given.demo = false;
  const auto directory = Directory::start(given);
  ASSERT_TRUE(directory.has_value()) << directory.error().message();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(bind_code(**directory, "uid=alice,ou=people,dc=example,dc=com", "alice-demo"), 80);
  (*directory)->stop();
  const std::string text = testing::internal::GetCapturedStderr();
  const std::size_t first = text.find("kaurid error: an operation failed: table entries, id ");
  EXPECT_NE(first, std::string::npos) << text;
}

TEST_F(KauridTest, OperationsStandInTheAccessLog) {
  Options given = options();
  given.config = file("k.toml", "[log]\naccess = \"access.log\"\n");
  {
    const auto directory = Directory::start(given);
    ASSERT_TRUE(directory.has_value()) << directory.error().message();
    EXPECT_EQ(bind_code(**directory, "cn=x\r\n\x1b,dc=example,dc=com", "wrong"), 49);
    EXPECT_EQ(bind_code(**directory, "cn=x,dc=example,dc=com", "wrong"), 49);
  }
  std::vector<std::string> kinds;
  std::ifstream in(path("access.log"));
  for (std::string line; std::getline(in, line);) {
    const auto parsed = nlohmann::json::parse(line);
    if (parsed["conn"] == 2) kinds.push_back(parsed["kind"]);
    if (parsed["kind"] != "BIND") continue;
    EXPECT_GE(parsed["etime"].get<std::int64_t>(), parsed["wtime"].get<std::int64_t>());
    EXPECT_EQ(parsed["result"], 49);
    if (parsed["conn"] == 1) {
      EXPECT_EQ(parsed["dn"], "cn=x\r\n\x1b,dc=example,dc=com");
    }
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"CONNECT", "BIND", "DISCONNECT"}));
}

TEST_F(KauridTest, MistakesAtTheStartAreOneSentence) {
  Options given = options();
  given.suffix = "not a dn";
  auto refused = Directory::start(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("not a dn"), std::string::npos);
  given = options();
  given.data = file("plain", "");
  refused = Directory::start(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("plain"), std::string::npos);
  given = options();
  given.config = path("nosuch.toml");
  refused = Directory::start(given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("nosuch.toml"), std::string::npos);
}

}  // namespace
}  // namespace kauri::kaurid
