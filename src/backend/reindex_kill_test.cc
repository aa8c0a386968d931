// Case K16: the process ends while an index is built again. Every entry is there afterwards, and an
// index that was not finished is never read.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

constexpr std::uint64_t kEntries = 100'000;

DatabaseOptions options_for(const std::string& path) {
  DatabaseOptions options;
  options.path = path;
  options.durability = storage::Durability::kRelaxed;
  options.indexes = {{"uid", {false, true, false}}, {"sn", {false, true, false}}};
  return options;
}

void fill(const std::string& folder, const DatabaseOptions& database) {
  ImportOptions options;
  options.database = database;
  options.files = {folder + "/in.ldif"};
  {
    std::ofstream file(options.files[0]);
    file << "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n";
    for (std::uint64_t i = 1; i < kEntries; ++i)
      file << "dn: uid=u" << i
           << ",dc=example,dc=com\nobjectClass: account\nobjectClass: top\nuid: u" << i
           << "\nobjectClass: extensibleObject\nsn: s" << i % 10 << "\n\n";
  }
  SeededRandom random(1);
  const auto report = import_ldif(options, fixture_schema(), Clock::system(), random, nullptr);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->entries, kEntries);
}

// Builds the indexes again and sends itself `signal` at `entries`. Never returns.
[[noreturn]] void reindex_and_end(const DatabaseOptions& options, int signal,
                                  std::uint64_t entries) {
  SeededRandom random(2);
  auto database = Database::open(options, fixture_schema(), Clock::system(), random);
  if (!database) ::_exit(2);
  const auto progress = [&](const ImportProgress& state) {
    if (state.entries >= entries) {
      ::kill(::getpid(), signal);
      for (;;) ::pause();
    }
  };
  (void)reindex(**database, {}, progress);
  ::_exit(3);
}

void expect_usable(const DatabaseOptions& options, bool usable) {
  SeededRandom random(3);
  const auto opened = Database::open(options, fixture_schema(), Clock::system(), random);
  ASSERT_TRUE(opened) << opened.error().message();
  for (const char* name : {"uid", "sn"}) {
    const schema::AttributeType& type = *fixture_schema()->attribute_type(name);
    EXPECT_EQ((*opened)->indexes().find(type)->usable, usable) << name;
  }
  if (!usable) return;
  const auto report = verify(**opened, {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, kEntries);
  EXPECT_EQ(report->fault_count, 0U) << report->faults.front();
}

TEST(Reindex, K16_KilledHalfWayEntriesStayAndTheIndexIsBuiltAgain) {
  const storage::TestDirectory directory;
  const DatabaseOptions options = options_for(directory.path() + "/db");
  fill(directory.path(), options);
  for (const int signal : {SIGTERM, SIGKILL}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) reindex_and_end(options, signal, kEntries / 2);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    ASSERT_EQ(WTERMSIG(status), signal);
    // A tool that only reads finds them marked as not usable; whoever may write builds them.
    DatabaseOptions reading = options;
    reading.indexes = {};
    reading.start_writer = false;
    expect_usable(reading, false);
    expect_usable(options, true);
  }
}

}  // namespace
}  // namespace kauri::backend
