#include "config/configuration.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "config/nearest.h"
#include "config/options.h"
#include "storage/test_directory.h"

namespace kauri::config {
namespace {

std::string error_of(std::string_view text) {
  const Result<Configuration> loaded = load_text(text, "etc/kauri.toml");
  return loaded ? "accepted" : loaded.error().message();
}

constexpr std::string_view kWhole = R"(
listen = ["ldap://127.0.0.1:1389", "ldapi://%2Frun%2Fkauri%2Fldapi", "ldapi://ldapi"]
workers = 3

[admin]
dn = "cn=root,dc=example,dc=com"
password_hash = "{SSHA512}AAAA"

[[database]]
suffix = "dc=example,dc=com"
path = "db/one"
durability = "meta-lazy"

  [[database.index]]
  attribute = "mail"
  kinds = ["eq", "substring"]

  [[database.index]]
  attribute = "description"
  kinds = ["presence"]

[[database]]
suffix = "o=Two"
path = "/srv/two"

[schema]
files = ["schema/a.schema", "/etc/ldap/schema/b.schema"]
nis = "rfc2307bis"

[access]
rules = [
  "to attrs=userPassword by self =xw by anonymous auth",
  """to *
     by users read""",
]

[limits]
search_size_max = 500
message_size_max = "32 MiB"
message_size_anonymous_max = 65_536
look_through_max = 9223372036854775807
connections_max = 10

[log]
access = "access.log"
level = "warning"

[password]
scheme = "ssha512"

[security]
allow_cleartext_bind = true
)";

TEST(Configuration, ReadsEveryTable) {
  const Result<Configuration> loaded = load_text(kWhole, "etc/kauri.toml");
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Configuration& c = *loaded;
  EXPECT_EQ(c.origin, "etc/kauri.toml");
  ASSERT_EQ(c.listen.size(), 3U);
  EXPECT_EQ(c.listen[0].host, "127.0.0.1");
  EXPECT_EQ(c.listen[0].port, 1389);
  EXPECT_EQ(c.listen[1].path, "/run/kauri/ldapi");
  EXPECT_EQ(c.listen[2].path, "etc/ldapi");
  EXPECT_EQ(c.workers, 3U);
  EXPECT_EQ(c.admin_dn, "cn=root,dc=example,dc=com");
  EXPECT_EQ(c.admin_password_hash, "{SSHA512}AAAA");
  ASSERT_EQ(c.databases.size(), 2U);
  EXPECT_EQ(c.databases[0].suffix, "dc=example,dc=com");
  EXPECT_EQ(c.databases[0].path, "etc/db/one");
  EXPECT_EQ(c.databases[0].durability, Durability::kMetaLazy);
  ASSERT_EQ(c.databases[0].indexes.size(), 2U);
  EXPECT_EQ(c.databases[0].indexes[0].attribute, "mail");
  EXPECT_FALSE(c.databases[0].indexes[0].presence);
  EXPECT_TRUE(c.databases[0].indexes[0].equality);
  EXPECT_TRUE(c.databases[0].indexes[0].substring);
  EXPECT_TRUE(c.databases[0].indexes[1].presence);
  EXPECT_EQ(c.place(c.databases[0].indexes[1].position), "etc/kauri.toml:18:3");
  EXPECT_EQ(c.databases[1].path, "/srv/two");
  EXPECT_EQ(c.databases[1].durability, Durability::kDurable);
  EXPECT_EQ(c.schema_files,
            (std::vector<std::string>{"etc/schema/a.schema", "/etc/ldap/schema/b.schema"}));
  EXPECT_EQ(c.nis, NisSchema::kRfc2307bis);
  EXPECT_TRUE(c.has_access_rules);
  ASSERT_EQ(c.access_rules.size(), 2U);
  EXPECT_EQ(c.access_rules[1].text, "to *\n     by users read");
  EXPECT_EQ(c.place(c.access_rules[1].position), "etc/kauri.toml:33:3");
  EXPECT_EQ(c.limits.search_size_max, 500U);
  EXPECT_EQ(c.limits.message_size_max, 32U << 20U);
  EXPECT_EQ(c.limits.message_size_anonymous_max, 65536U);
  EXPECT_EQ(c.limits.look_through_max, 9223372036854775807U);
  EXPECT_EQ(c.limits.connections_max, 10U);
  EXPECT_EQ(c.access_log.where, AccessLogConfiguration::Where::kFile);
  EXPECT_EQ(c.access_log.path, "etc/access.log");
  EXPECT_EQ(c.log_level, LogLevel::kWarning);
  EXPECT_EQ(c.password_scheme, PasswordHash::kSsha512);
  EXPECT_TRUE(c.allow_cleartext_bind);
}

TEST(Configuration, AnEmptyFileIsTheDefaults) {
  const Result<Configuration> loaded = load_text("", "x");
  ASSERT_TRUE(loaded);
  Configuration defaults;
  defaults.origin = "x";
  EXPECT_EQ(*loaded, defaults);
  EXPECT_FALSE(loaded->has_access_rules);
  const Result<Configuration> denied = load_text("access.rules = []", "x");
  ASSERT_TRUE(denied);
  EXPECT_TRUE(denied->has_access_rules);
}

// The declaration of an option and the member it fills name the same default.
TEST(Configuration, DeclaredDefaultsAreThoseOfTheStruct) {
  Configuration configuration;
  for (const Option& option : options()) {
    if (option.required) continue;
    DatabaseConfiguration database;
    IndexConfiguration index;
    OptionTarget target{
        .configuration = configuration, .database = &database, .index = &index, .items = {}};
    OptionValue preset = option.preset;
    const Result<void> assigned = option.assign(target, preset);
    EXPECT_TRUE(assigned) << option.key;
    EXPECT_EQ(database, DatabaseConfiguration{}) << option.key;
    EXPECT_EQ(configuration, Configuration{}) << option.key;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&option.preset)) {
      EXPECT_GE(*number, option.min) << option.key;
      EXPECT_LE(*number, option.max) << option.key;
    }
    EXPECT_FALSE(option.sentence.empty()) << option.key;
    EXPECT_EQ(option.sentence.back(), '.') << option.key;
  }
}

TEST(Configuration, AccessLogWords) {
  const auto access_log = [](std::string_view text) {
    const Result<Configuration> loaded = load_text(text, "etc/x");
    return loaded ? loaded->access_log
                  : AccessLogConfiguration{AccessLogConfiguration::Where::kFile, "refused"};
  };
  using Where = AccessLogConfiguration::Where;
  EXPECT_EQ(access_log("log.access = \"-\""), (AccessLogConfiguration{Where::kStandardOutput, ""}));
  EXPECT_EQ(access_log("log.access = \"off\""), (AccessLogConfiguration{Where::kOff, ""}));
  EXPECT_EQ(access_log("log.access = \"off.log\""),
            (AccessLogConfiguration{Where::kFile, "etc/off.log"}));
  const Result<Configuration> slow =
      load_text("log.slow = \"slow.log\"\nlog.slow_milliseconds = 250", "etc/x");
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->slow_log, (AccessLogConfiguration{Where::kFile, "etc/slow.log"}));
  EXPECT_EQ(slow->slow_milliseconds, 250U);
  EXPECT_EQ(slow->access_log, AccessLogConfiguration{});
}

TEST(Configuration, MistakesNameFileLineColumnKeyAndWhatWasExpected) {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"[limits]\nsearch_sise_max = 1",
       "etc/kauri.toml:2:1: key 'limits.search_sise_max': is unknown; did you mean "
       "'search_size_max'?"},
      {"lisen = []", "etc/kauri.toml:1:1: key 'lisen': is unknown; did you mean 'listen'?"},
      {"[limit]\nx = 1", "etc/kauri.toml:1:2: key 'limit': is unknown; did you mean 'limits'?"},
      {"[admin]\nqqqqqqq = 1",
       "etc/kauri.toml:2:1: key 'admin.qqqqqqq': is unknown; expected dn or password_hash"},
      {"scheme = \"ssha\"",
       "etc/kauri.toml:1:1: key 'scheme': is unknown here; it belongs into [password]"},
      {"[log]\nlisten = []",
       "etc/kauri.toml:2:1: key 'log.listen': is unknown here; it belongs before the first table"},
      // Case E19: a number is a number.
      {"[limits]\nsearch_size_max = \"12abc\"",
       "etc/kauri.toml:2:19: key 'limits.search_size_max': found the string \"12abc\"; expected a "
       "number of entries from 0 to 4294967295"},
      {"[limits]\nsearch_size_max = \"\"",
       "etc/kauri.toml:2:19: key 'limits.search_size_max': found the string \"\"; expected a "
       "number of entries from 0 to 4294967295"},
      {"[limits]\nmessage_size_max = \"12abc\"",
       "etc/kauri.toml:2:20: key 'limits.message_size_max': found the string \"12abc\"; expected a "
       "number of octets from 1024 to 1073741824, or a string such as \"16 MiB\""},
      {"[limits]\nmessage_size_max = \"\"",
       "etc/kauri.toml:2:20: key 'limits.message_size_max': found the string \"\"; expected a "
       "number of octets from 1024 to 1073741824, or a string such as \"16 MiB\""},
      {"[limits]\nmessage_size_max = \"9007199254740993 GiB\"",
       "etc/kauri.toml:2:20: key 'limits.message_size_max': found the string \"9007199254740993 "
       "GiB\"; expected a number of octets from 1024 to 1073741824, or a string such as \"16 "
       "MiB\""},
      {"workers = -1",
       "etc/kauri.toml:1:11: key 'workers': found the number -1; expected a number of threads from "
       "0 to 1024"},
      {"workers = 1.5",
       "etc/kauri.toml:1:11: key 'workers': found a floating-point number; expected a number of "
       "threads from 0 to 1024"},
      {"workers = 2026-01-01",
       "etc/kauri.toml:1:11: key 'workers': found a date or time; expected a number of threads "
       "from 0 to 1024"},
      {"listen = \"ldap://x\"",
       "etc/kauri.toml:1:10: key 'listen': found the string \"ldap://x\"; expected a list of "
       "strings"},
      {"listen = [1]", "etc/kauri.toml:1:11: key 'listen': found the number 1; expected a string"},
      {"listen = [\"http://x\"]",
       "etc/kauri.toml:1:10: key 'listen': 'http://x' is no address to listen on; expected "
       "ldap://HOST:PORT or ldapi://%2FPATH"},
      {"listen = [\"ldaps://x\"]",
       "etc/kauri.toml:1:10: key 'listen': 'ldaps://x' asks for TLS, which is not available in "
       "this version"},
      {"[tls]\ncert = \"a.pem\"",
       "etc/kauri.toml:2:1: key 'tls.cert': TLS is not available in this version"},
      {"[tls]", "etc/kauri.toml:1:2: key 'tls': TLS is not available in this version"},
      {"[sasl]\nmap = []",
       "etc/kauri.toml:2:1: key 'sasl.map': SASL is not available in this version"},
      {"[metrics]\nlisten = \"x\"",
       "etc/kauri.toml:2:1: key 'metrics.listen': the metrics listener is not available in this "
       "version"},
      {"[admin]\npassword_hash = \"secret\"",
       "etc/kauri.toml:2:17: key 'admin.password_hash': the value is no stored password such as "
       "{SSHA512}...; `kauri hash` makes one from a password"},
      {"admin = 1",
       "etc/kauri.toml:1:1: key 'admin': found the number 1; expected the table [admin]"},
      {"[database]\nsuffix = \"dc=x\"",
       "etc/kauri.toml:1:2: key 'database': found a table; expected tables [[database]]"},
      {"database = [1]",
       "etc/kauri.toml:1:13: key 'database': found the number 1; expected tables [[database]]"},
      {"[[database]]\npath = \"x\"",
       "etc/kauri.toml:1:1: key 'database.suffix': is missing in this [[database]]"},
      {"[[database]]\nsuffix = \"\"",
       "etc/kauri.toml:2:10: key 'database.suffix': the suffix is empty; expected a DN such as "
       "dc=example,dc=com"},
      {"[[database]]\nsuffix = \"dc=x\"\ndurability = \"none\"",
       "etc/kauri.toml:3:14: key 'database.durability': found the string \"none\"; expected "
       "durable, meta-lazy or relaxed"},
      {"[[database]]\nsuffix = \"dc=a, dc=x\"\n[[database]]\nsuffix = \"DC=a,dc=x\"",
       "etc/kauri.toml:3:1: key 'database.suffix': \"DC=a,dc=x\" is already the suffix of the "
       "database in line 1"},
      {"[[database]]\nsuffix = \"dc=a\"\npath = \"d\"\n[[database]]\nsuffix = \"dc=b\"\npath = "
       "\"d\"",
       "etc/kauri.toml:4:1: key 'database.path': \"etc/d\" is already the path of the database in "
       "line 1"},
      {"[[database]]\nsuffix = \"dc=a\"\n[[database.index]]\nattribute = \"cn\"\nkinds = []",
       "etc/kauri.toml:5:9: key 'database.index.kinds': the list is empty; expected at least one "
       "of presence, equality and substring"},
      {"[[database]]\nsuffix = \"dc=a\"\n[[database.index]]\nattribute = \"cn\"\nkinds = [\"eq\", "
       "\"approx\"]",
       "etc/kauri.toml:5:16: key 'database.index.kinds': found the string \"approx\"; expected "
       "presence, equality, substring, pres, eq or sub"},
      {"[[database]]\nsuffix = \"dc=a\"\nindex = [{attribute = \"cn\", kinds = [\"eq\"]}, "
       "{attribute = \"CN\", kinds = [\"sub\"]}]",
       "etc/kauri.toml:3:46: key 'database.index.attribute': \"CN\" is already indexed by the "
       "table in line 3"},
      {"[security]\nallow_cleartext_bind = \"yes\"",
       "etc/kauri.toml:2:24: key 'security.allow_cleartext_bind': found the string \"yes\"; "
       "expected true or false"},
      {"[password]\nscheme = \"md5\"",
       "etc/kauri.toml:2:10: key 'password.scheme': found the string \"md5\"; expected argon2id, "
       "ssha512, ssha256 or ssha"},
      {"[log]\naccess = \"\"",
       "etc/kauri.toml:2:10: key 'log.access': the path is empty; expected a path, \"-\" or "
       "\"off\""},
      {"[schema]\nfiles = [\"a\\u0000b\"]",
       "etc/kauri.toml:2:10: key 'schema.files': the string holds a NUL character"},
      {"[limits]\nmessage_size_max = 2048\nmessage_size_anonymous_max = 4096",
       "etc/kauri.toml: key 'limits.message_size_anonymous_max': 4096 is more than "
       "limits.message_size_max, 2048"},
      // Two mistakes, two lines, in the order of the file.
      {"workers = \"x\"\n[admin]\ndn = 7",
       "etc/kauri.toml:1:11: key 'workers': found the string \"x\"; expected a number of threads "
       "from 0 to 1024\n"
       "etc/kauri.toml:3:6: key 'admin.dn': found the number 7; expected a string"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.text), c.message) << c.text;
}

TEST(Configuration, BrokenTomlIsToldWithItsPlace) {
  for (const auto& [text, place] : {
           std::pair<std::string_view, std::string_view>{"workers = ", "etc/kauri.toml:1:"},
           {"workers = 1\nworkers = 2", "etc/kauri.toml:2:"},
           {"[admin\n", "etc/kauri.toml:1:"},
           {"a = \"x", "etc/kauri.toml:1:"},
           {"workers = 99999999999999999999", "etc/kauri.toml:1:"},
           {"x = '''", "etc/kauri.toml:1:"},
       }) {
    const std::string message = error_of(text);
    EXPECT_TRUE(message.starts_with(place)) << message;
  }
  EXPECT_EQ(error_of("workers = 1\n# \xff"), "etc/kauri.toml:2:1: this line is not UTF-8");
  std::string nested = "workers = ";
  for (int i = 0; i < 100'000; ++i) nested += '[';
  EXPECT_TRUE(error_of(nested).starts_with("etc/kauri.toml:1:"));
  std::string dotted = "a";
  for (int i = 0; i < 100'000; ++i) dotted += ".a";
  EXPECT_EQ(error_of(dotted + " = 1"), "etc/kauri.toml:1:34: more than 16 dots in one name");
  EXPECT_EQ(error_of("[admin]\ndn = \"................................\" # ....................."),
            "accepted");
}

TEST(Configuration, ManyMistakesStayOneScreen) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "unknown" + std::to_string(i) + " = 1\n";
  const std::string message = error_of(text);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 19);
}

TEST(Configuration, FilesAreReadOrRefused) {
  const storage::TestDirectory directory;
  const std::string& base = directory.path();
  const std::string path = directory.path("kauri.toml");
  const Result<Configuration> missing = load_file(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message(),
            "the configuration file " + path + " cannot be read: No such file or directory");
  const Result<Configuration> is_directory = load_file(base);
  ASSERT_FALSE(is_directory);
  EXPECT_EQ(is_directory.error().code(), ErrorCode::kIo);
  std::ofstream(path) << "[[database]]\nsuffix = \"dc=x\"\npath = \"db\"\n";
  const Result<Configuration> loaded = load_file(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->databases.at(0).path, base + "/db");
  std::ofstream(path) << std::string(kFileSizeMax + 1, '#');
  const Result<Configuration> large = load_file(path);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::kLimit);
}

TEST(Nearest, FindsTheMeantWord) {
  const std::vector<std::string_view> known = {"listen", "workers", "database", "limits"};
  EXPECT_EQ(nearest("lisetn", known), "listen");
  EXPECT_EQ(nearest("LIMIT", known), "limits");
  EXPECT_EQ(nearest("databases", known), "database");
  EXPECT_EQ(nearest("tls", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'l'), known), "");
}

// docs/reference/configuration.md is made from the declarations. After a change of them:
// KAURI_UPDATE_REFERENCE=1 kauri_config_test --gtest_filter=Reference.*
TEST(Reference, PageIsCurrent) {
  const std::string path = KAURI_SOURCE_DIR "/docs/reference/configuration.md";
  if (::getenv("KAURI_UPDATE_REFERENCE") != nullptr) std::ofstream(path) << reference_page();
  std::ifstream file(path);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(page, reference_page()) << "set KAURI_UPDATE_REFERENCE=1 to write it anew";
}

TEST(Reference, NamesEveryOption) {
  const std::string page = reference_page();
  for (const Option& option : options()) {
    EXPECT_NE(page.find("| `" + std::string(option.key) + "` |"), std::string::npos) << option.key;
  }
}

}  // namespace
}  // namespace kauri::config
