// Import and export.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backend/posting_accumulator.h"
#include "backend/testing/world.h"
#include "text/base64.h"

namespace kauri::backend {
namespace {

constexpr std::string_view kTree = R"(version: 1

dn: dc=example,dc=com
objectClass: domain
dc: example
entryUUID: 597ae2f6-16a6-1027-98f4-d28b5365dc14
entryCSN: 20200101120000.000000Z#000001#002#000000
createTimestamp: 20200101120000Z
creatorsName: cn=old

dn: ou=p,dc=example,dc=com
objectClass: organizationalUnit

dn: uid=a,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
uid: a
cn: A
sn: Sa
userPassword: secret
userPassword: {SSHA}abc

)";

class ImportTest : public ::testing::Test {
 protected:
  void SetUp() override { path_ = directory_.path() + "/db"; }

  std::string file(std::string_view text) {
    const std::string path = directory_.path() + "/in" + std::to_string(files_++) + ".ldif";
    std::ofstream(path) << text;
    return path;
  }
  Result<ImportReport> import(std::string_view text, ImportOptions options = {}) {
    options.database.path = path_;
    if (options.files.empty()) options.files = {file(text)};
    options.threads = 2;
    options.reject = [this](const Reject& reject) { rejects_.push_back(reject); };
    return import_ldif(options, fixture_schema(), clock_, random_,
                       [](std::string_view value) -> Result<std::string> {
                         if (value == "unfit") return invalid("the password is unfit");
                         return value.starts_with('{') ? std::string(value)
                                                       : "{TEST}" + std::string(value);
                       });
  }
  std::unique_ptr<Database> open() {
    DatabaseOptions options;
    options.path = path_;
    options.start_writer = false;
    auto opened = Database::open(options, fixture_schema(), clock_, random_);
    EXPECT_TRUE(opened) << opened.error().message();
    return std::move(*opened);
  }
  std::string export_text(Database& database, ExportOptions options = {}) {
    std::string text;
    const auto done = export_ldif(database, options, [&](std::string_view part) -> Result<void> {
      text += part;
      return {};
    });
    EXPECT_TRUE(done) << done.error().message();
    return text;
  }
  void expect_clean(Database& database, std::uint64_t entries) {
    const auto report = verify(database, {});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->entries, entries);
    for (const std::string& fault : report->faults) ADD_FAILURE() << fault;
  }

  storage::TestDirectory directory_;
  std::string path_;
  int files_ = 0;
  ManualClock clock_;
  SeededRandom random_{3};
  std::vector<Reject> rejects_;
};

TEST_F(ImportTest, TakesWhatItIsGiven) {
  const auto report = import(kTree);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 3U);
  EXPECT_EQ(report->rejected, 0U);
  const auto database = open();
  EXPECT_EQ(database->suffix(), kSuffix);
  expect_clean(*database, 3);
  const std::string text = export_text(*database);
  EXPECT_NE(text.find("entryUUID: 597ae2f6-16a6-1027-98f4-d28b5365dc14\n"), std::string::npos);
  EXPECT_NE(text.find("entryCSN: 20200101120000.000000Z#000001#002#000000\n"), std::string::npos);
  EXPECT_NE(text.find("userPassword: {TEST}secret\n"), std::string::npos);
  EXPECT_NE(text.find("userPassword: {SSHA}abc\n"), std::string::npos);
  EXPECT_NE(text.find("\nou: p\n"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/import.tmp"));
}

TEST_F(ImportTest, ComesBackFromItsExport) {
  ASSERT_TRUE(import(kTree));
  const std::string first = export_text(*open());
  std::filesystem::remove_all(path_);
  const auto again = import(first);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(export_text(*open()), first);
  EXPECT_TRUE(rejects_.empty());
}

TEST_F(ImportTest, ExportsAPart) {
  ASSERT_TRUE(import(kTree));
  const auto database = open();
  ExportOptions options;
  options.base = "OU=p, dc=example,dc=com";
  options.operational = false;
  const std::string text = export_text(*database, options);
  EXPECT_EQ(text.find("dn: dc=example"), std::string::npos);
  EXPECT_NE(text.find("dn: uid=a,ou=p,dc=example,dc=com\n"), std::string::npos);
  EXPECT_EQ(text.find("entryUUID"), std::string::npos);
  options.base = "ou=none,dc=example,dc=com";
  const auto sink = [](std::string_view) -> Result<void> { return {}; };
  EXPECT_EQ(export_ldif(*database, options, sink).error().code(), ErrorCode::kNotFound);
}

TEST_F(ImportTest, RejectsNameTheLine) {
  std::string marks;
  for (int i = 0; i < 31; ++i) marks += "\u0301";
  const std::string text = std::string(kTree) + R"(dn: uid=nosn,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
cn: x

dn: uid=bad,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
cn: x
sn: x
nosuch: x

dn: cn=orphan,ou=none,dc=example,dc=com
objectClass: person
sn: x

dn: uid=a,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
cn: x
sn: x

dn: cn=x,dc=other
objectClass: person
sn: x

dn: uid=a,ou=p,dc=example,dc=com
changetype: delete

this is no LDIF

dn: uid=marks,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
cn: x
sn: x
description:: )" + text::encode_base64("q" + marks) +
                           R"(

dn: uid=last,ou=p,dc=example,dc=com
objectClass: inetOrgPerson
cn: x
sn: x
)";
  const auto report = import(text);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 4U);
  EXPECT_EQ(report->rejected, 8U);
  ASSERT_EQ(rejects_.size(), 8U);
  // The one without a parent comes last: its parent might have come.
  const std::vector<std::uint64_t> lines = {22, 30, 36, 41, 45, 48, 54, 32};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(rejects_[i].line, lines[i]) << rejects_[i].reason;
    EXPECT_FALSE(rejects_[i].reason.empty());
  }
  EXPECT_NE(rejects_[6].reason.find("more than 30 combining marks"), std::string::npos)
      << rejects_[6].reason;
  EXPECT_EQ(rejects_[7].reason,
            "its parent 'ou=none,dc=example,dc=com' was not imported: the files lack it, or it was "
            "rejected");
  expect_clean(*open(), 4);
}

// Case J12: a value in a file would let whoever wrote the LDIF read what the server may read.
TEST_F(ImportTest, ValuesInFilesAreRefused) {
  const std::string secret = file("not theirs");
  for (const std::string& url : {std::string("file:///nosuch"), "file://" + secret}) {
    rejects_.clear();
    std::filesystem::remove_all(path_);
    const auto report = import(std::string(kTree) +
                               "dn: uid=j,ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: "
                               "j\nsn: j\njpegPhoto:< " +
                               url + "\n");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->entries, 3U);
    ASSERT_EQ(rejects_.size(), 1U);
    EXPECT_NE(
        rejects_[0].reason.find("line 26: the value of jpegPhoto is in the file '" + url + "'"),
        std::string::npos)
        << rejects_[0].reason;
    EXPECT_EQ(export_text(*open()).find("not theirs"), std::string::npos);
  }
}

TEST_F(ImportTest, StopsAfterTooManyRejectsWithoutATrace) {
  ImportOptions options;
  options.rejects_max = 1;
  const auto report = import(std::string(kTree) + "dn: cn=x,dc=example,dc=com\ncn: x\n", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kLimit);
  DatabaseOptions database;
  database.path = path_;
  const auto opened = Database::open(database, fixture_schema(), clock_, random_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(import(kTree));
}

// In a transaction of the database, and by way of a copy of it.
TEST_F(ImportTest, IntoADatabaseAllOrNothing) {
  ASSERT_TRUE(import(kTree));
  for (const int count : {3, 6'000}) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string name = "n" + std::to_string(count) + "x" + std::to_string(i);
      text += "dn: uid=" + name + ",ou=p,dc=example,dc=com\nobjectClass: account\nuid: " + name +
              "\n\n";
    }
    const std::uint64_t before = verify(*open(), {})->entries;
    ImportOptions options;
    options.rejects_max = 1;
    const auto stopped = import(text + "dn: cn=x,dc=example,dc=com\ncn: x\n", options);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code(), ErrorCode::kLimit) << stopped.error().message();
    expect_clean(*open(), before);
    const auto report = import(text);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->entries, static_cast<std::uint64_t>(count));
    expect_clean(*open(), before + static_cast<std::uint64_t>(count));
    EXPECT_FALSE(std::filesystem::exists(path_ + "/import.tmp"));
  }
}

TEST_F(ImportTest, ARefusedFirstEntryIsStillTheSuffix) {
  const auto report = import(
      "dn: dc=example,dc=com\nobjectClass: domain\nnosuch: x\n\n"
      "dn: ou=p,dc=example,dc=com\nobjectClass: organizationalUnit\n");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 0U);
  EXPECT_EQ(report->rejected, 2U);
  EXPECT_EQ(open()->suffix(), kSuffix);
}

// A tree of `count` organizational units, each below an earlier one, as records; a group with many
// members and values with octets of every kind are among them.
std::vector<std::string> tree_records(int count, Random& random) {
  std::vector<std::string> names = {kSuffix};
  std::vector<std::string> records = {"dn: " + kSuffix + "\nobjectClass: domain\ndc: example\n"};
  for (int i = 1; i < count; ++i) {
    // Deep as well as wide: half of them below one of the last three.
    const std::size_t size = names.size();
    const std::uint64_t drawn = random.next_u64();
    const std::size_t above =
        drawn % 2 == 0 ? size - 1 - drawn / 2 % std::min<std::size_t>(3, size) : drawn / 2 % size;
    std::string parent = names[above];
    if (std::count(parent.begin(), parent.end(), ',') > 30) parent = kSuffix;
    names.push_back("ou=U" + std::to_string(i) + "," + parent);
    records.push_back("dn: " + names.back() +
                      "\nobjectClass: organizationalUnit\ndescription:: AEEB\n"
                      "description;lang-en: number " +
                      std::to_string(i) + "\n");
  }
  std::string group = "dn: cn=all," + names[1] + "\nobjectClass: groupOfNames\n";
  for (int i = 0; i < 500; ++i) group += "member: cn=m" + std::to_string(i) + "," + kSuffix + "\n";
  records.push_back(group);
  return records;
}

std::string joined(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text += record + "\n";
  return text;
}

// The entries of an export, sorted.
std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("dn: "); at != std::string::npos;) {
    const std::size_t next = text.find("\ndn: ", at);
    out.push_back(text.substr(at, next == std::string::npos ? next : next + 1 - at));
    at = next == std::string::npos ? next : next + 1;
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_F(ImportTest, EntriesMayComeInAnyOrder) {
  constexpr int kCount = 1500;
  std::vector<std::string> records = tree_records(kCount, random_);
  ExportOptions user_only;
  user_only.operational = false;
  ASSERT_TRUE(import(joined(records)));
  ASSERT_TRUE(rejects_.empty()) << rejects_[0].reason;
  const std::vector<std::string> expected = entries_of(export_text(*open(), user_only));
  ASSERT_EQ(expected.size(), kCount + 1U);

  ImportOptions options;
  options.database.suffix = kSuffix;
  for (const std::uint64_t memory : {std::uint64_t{1} << 30U, std::uint64_t{1} << 18U}) {
    options.memory_bytes_max = memory;  // the smaller one: the entries lie in a file
    for (const bool backwards : {true, false}) {
      if (backwards) {
        std::reverse(records.begin(), records.end());
      } else {
        for (std::size_t i = records.size() - 1; i > 0; --i)
          std::swap(records[i], records[random_.next_u64() % (i + 1)]);
      }
      std::filesystem::remove_all(path_);
      const auto report = import(joined(records), options);
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->entries, kCount + 1U);
      EXPECT_TRUE(rejects_.empty()) << rejects_[0].reason;
      const auto database = open();
      expect_clean(*database, kCount + 1);
      EXPECT_EQ(entries_of(export_text(*database, user_only)), expected);
    }
  }
}

TEST_F(ImportTest, OrphansAreRejectedAtTheEndAndNameTheirParents) {
  const auto report = import(
      "dn: dc=example,dc=com\nobjectClass: domain\n\n"
      "dn: ou=c,ou=b,ou=a,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=b,ou=a,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=z,ou=y,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=z,ou=Y,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=a,dc=example,dc=com\nobjectClass: nosuch\n\n"
      "dn: ou=y,dc=example,dc=com\nobjectClass: organizationalUnit\n");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 3U);
  ASSERT_EQ(rejects_.size(), 4U);
  EXPECT_EQ(rejects_[0].dn, "ou=a,dc=example,dc=com");
  EXPECT_EQ(rejects_[1].line, 7U);
  EXPECT_NE(rejects_[1].reason.find("its parent 'ou=a,dc=example,dc=com' was not imported"),
            std::string::npos)
      << rejects_[1].reason;
  EXPECT_EQ(rejects_[2].reason, "another entry with this name was imported");
  EXPECT_EQ(rejects_[2].line, 13U);
  EXPECT_EQ(rejects_[3].line, 4U);
  EXPECT_NE(rejects_[3].reason.find("'ou=b,ou=a,dc=example,dc=com'"), std::string::npos);
  expect_clean(*open(), 3);
}

TEST_F(ImportTest, AChildCannotNameTheSuffix) {
  const std::string text =
      "dn: ou=p,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: dc=example,dc=com\nobjectClass: domain\n";
  const auto refused = import(text);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("name the suffix (--suffix)"), std::string::npos)
      << refused.error().message();
  ImportOptions options;
  options.database.suffix = kSuffix;
  const auto report = import(text, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 2U);
  expect_clean(*open(), 2);
}

TEST_F(ImportTest, AddsInAnyOrderToWhatIsThere) {
  ASSERT_TRUE(import(kTree));
  ImportOptions small;
  small.memory_bytes_max = 1;
  const auto report = import(
      "dn: ou=c,ou=b,ou=p,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=z,ou=y,dc=example,dc=com\nobjectClass: organizationalUnit\n\n"
      "dn: ou=b,ou=p,dc=example,dc=com\nobjectClass: organizationalUnit\n",
      small);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 2U);
  ASSERT_EQ(rejects_.size(), 1U);
  EXPECT_EQ(rejects_[0].line, 4U);
  EXPECT_EQ(rejects_[0].reason,
            "its parent 'ou=y,dc=example,dc=com' is not in the database and was not imported");
  expect_clean(*open(), 5);
}

TEST_F(ImportTest, AddsToWhatIsThere) {
  ASSERT_TRUE(import(kTree));
  const auto report = import(
      "dn: uid=b,ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: B\nsn: B\n"
      "entryCSN: 20300101120000.000000Z#000001#002#000000\n\n"
      "dn: uid=a,ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: B\nsn: B\n\n"
      "dn: cn=x,uid=b,ou=p,dc=example,dc=com\nobjectClass: person\nsn: B\n");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 2U);
  EXPECT_EQ(report->rejected, 1U);
  expect_clean(*open(), 5);
}

TEST_F(ImportTest, APasswordThatCannotBeStoredIsAReject) {
  const auto report = import(std::string(kTree) +
                             "dn: cn=x,dc=example,dc=com\nobjectClass: person\nsn: x\n"
                             "userPassword: unfit\n");
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(rejects_.size(), 1U);
  EXPECT_EQ(rejects_[0].reason, "the password is unfit");
  EXPECT_EQ(rejects_[0].line, 25U);
}

TEST_F(ImportTest, NoFileNoChange) {
  ImportOptions options;
  options.files = {directory_.path() + "/nosuch.ldif"};
  const auto report = import("", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(import(""));
}

// Thousands of entries, a large group, several batches; with and without runs on disk the same
// tables.
TEST_F(ImportTest, LargeFilesAndSpilling) {
  std::string text(kTree);
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    text += "dn: uid=user" + n + ",ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: User " +
            n + "\nsn: Name" + n + "\nmail: user" + n + "@example.com\n\n";
  }
  text += "dn: cn=all,ou=p,dc=example,dc=com\nobjectClass: groupOfNames\n";
  for (int i = 0; i < 1000; ++i)
    text += "member: uid=user" + std::to_string(i) + ",ou=p,dc=example,dc=com\n";
  const auto report = import(text);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 3004U);
  {
    const auto database = open();
    expect_clean(*database, 3004);
    const std::string exported = export_text(*database);
    EXPECT_EQ(std::count(exported.begin(), exported.end(), '\n') > 20'000, true);
  }
  std::filesystem::remove_all(path_);
  ImportOptions small;
  small.memory_bytes_max = 8U << 20U;
  ASSERT_TRUE(import(text, small));
  expect_clean(*open(), 3004);
}

TEST_F(ImportTest, EveryWriteMayFail) {
  bool clean = false;
  for (std::uint64_t n = 1; !clean; n += 7) {
    ImportOptions options;
    const auto plan = std::make_shared<storage::FaultPlan>();
    plan->fail(storage::FaultPoint::kWrite, n, ErrorCode::kNoSpace);
    options.database.wrap_env = [&](std::unique_ptr<storage::Env> env) {
      return storage::make_fault_env(std::move(env), plan);
    };
    const auto report = import(kTree, options);
    clean = plan->failures() == 0;
    EXPECT_EQ(report.has_value(), clean);
    if (clean) break;
    DatabaseOptions database;
    database.path = path_;
    EXPECT_FALSE(Database::open(database, fixture_schema(), clock_, random_));
    ASSERT_LT(n, 10'000U);
  }
  expect_clean(*open(), 3);
}

TEST(PostingAccumulator, GivesListsInOrder) {
  storage::TestDirectory directory;
  for (const std::size_t bytes : {std::size_t{64} << 20U, std::size_t{3} << 20U}) {
    PostingAccumulator accumulator(directory.path(), bytes);
    std::map<std::string, std::vector<EntryId>> expected;
    SeededRandom random(5);
    for (std::uint64_t id = 1; id < 20'000; ++id) {
      for (int i = 0; i < 4; ++i) {
        // A few long lists and many short ones; ids with gaps of every size.
        const std::string key = "key" + std::to_string(random.next_u64() % (i == 0 ? 3 : 30'000));
        const EntryId entry(id << (id % 3));
        auto& list = expected[key];
        if (!list.empty() && list.back() >= entry) continue;
        list.push_back(entry);
        ASSERT_TRUE(accumulator.add(key, entry));
        ASSERT_TRUE(accumulator.add(key, entry));
      }
    }
    auto at = expected.begin();
    ASSERT_TRUE(accumulator.finish(
        [&](std::string_view key, const std::vector<EntryId>& ids) -> Result<void> {
          EXPECT_EQ(key, at->first);
          EXPECT_EQ(ids, at->second);
          ++at;
          return {};
        }));
    EXPECT_TRUE(at == expected.end());
  }
}

}  // namespace
}  // namespace kauri::backend
