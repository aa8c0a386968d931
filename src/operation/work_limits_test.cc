// What one request may take from the others of its worker: time in one go, and memory.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "base/limits.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

// Time stands still but for what each look at it costs.
class SteppedClock final : public Clock {
 public:
  explicit SteppedClock(std::int64_t step_nanos) : step_nanos_(step_nanos) {}
  std::int64_t wall_micros() override { return Clock::system().wall_micros(); }
  std::int64_t monotonic_nanos() override { return now_ += step_nanos_; }

 private:
  const std::int64_t step_nanos_;
  std::atomic<std::int64_t> now_ = 1'000'000'000'000;
};

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string search_message(ldap::MessageId id, std::string_view filter) {
  std::string out;
  ldap::append_search_request(out, id,
                              {std::string(S), ldap::Scope::kSubtree, {}, 0, 0, false, {"1.1"}},
                              *ldap::parse_filter(filter));
  return out;
}

// Entries that are dear to test end a turn by what they take, not by their number.
TEST(WorkLimits, ASearchOverDearEntriesTakesTurns) {
  SteppedClock clock(0);
  DirectoryOptions options;
  options.clock = &clock;
  Directory directory(options);
  directory.add_people(40, {{"description", {repeated("\u00E9", 20'000)}}});
  Client client = directory.admin();
  client.send(search_message(500, "(|(description=*zz*)(description=*yy*)(uid=n*))"));
  EXPECT_TRUE(client.session().has_work());
  int turns = 0;
  std::string out;
  for (; client.session().has_work(); ++turns) client.session().run_turn(out, 1U << 20U);
  EXPECT_GE(turns, 30);
  client.received() += out;
  EXPECT_EQ(client.wait(500).entries.size(), 40U);
}

// Searches between turns hold what they were asked; from some memory on no more are read.
TEST(WorkLimits, RequestsInFlightHoldBoundedMemory) {
  SteppedClock clock(1'000'000);
  DirectoryOptions options;
  options.clock = &clock;
  options.rules = {"to * by * read"};
  Directory directory(options);
  directory.add_people(60);
  std::string wide = "(|(uid=n*)";
  for (int i = 0; i < 4000; ++i) wide += "(description=q" + std::to_string(i) + ")";
  wide += ")";
  const auto taken = [&](Client& client, std::string_view filter) {
    ldap::MessageId id = 700;
    while (!client.session().reading_paused() && id < 1700) {
      client.send(search_message(id++, filter));
    }
    for (ldap::MessageId each = 700; each < id; ++each) {
      EXPECT_EQ(client.wait(each).code, 0);
    }
    EXPECT_FALSE(client.session().reading_paused());
    return id - 700;
  };
  Client anonymous = directory.client();
  EXPECT_EQ(taken(anonymous, wide), 2);
  EXPECT_EQ(taken(anonymous, "(uid=n*)"), 16);
  Client user = directory.user();
  EXPECT_EQ(taken(user, "(uid=n*)"), 1000);
  const int most = taken(user, wide);
  EXPECT_GE(most, 3);
  EXPECT_LE(most, 16);
}

TEST(WorkLimits, AbandonedRequestsHoldNoMemory) {
  SteppedClock clock(1'000'000);
  DirectoryOptions options;
  options.clock = &clock;
  options.rules = {"to * by * read"};
  Directory directory(options);
  directory.add_people(60);
  std::string wide = "(|(uid=n*)";
  for (int i = 0; i < 4000; ++i) wide += "(description=q" + std::to_string(i) + ")";
  wide += ")";
  Client anonymous = directory.client();
  for (ldap::MessageId id = 700; id < 720; id += 2) {
    anonymous.send(search_message(id, wide));
    anonymous.send(search_message(id + 1, wide));
    EXPECT_TRUE(anonymous.session().reading_paused());
    for (const ldap::MessageId each : {id, id + 1}) {
      std::string abandon;
      ldap::append_abandon_request(abandon, 900 + each, each);
      anonymous.send(abandon);
    }
    EXPECT_FALSE(anonymous.session().reading_paused());
    EXPECT_FALSE(anonymous.session().has_work());
  }
}

using WorkLimitsOfWrites = DirectoryCase;

// At the limit and past it: text that has to be prepared counts, other octets do not.
TEST_F(WorkLimitsOfWrites, TextOfOneRequest) {
  constexpr std::size_t kMost = limits::kPreparedOctetsMax / 20;  // of a character of two octets
  const auto add = [&](const std::string& uid, std::size_t count) {
    return admin.add("uid=" + uid + "," + std::string(P),
                     std::string(kPerson) + "cn: x\ndescription: " + repeated("\u00E9", count));
  };
  // The rest of the entry is a few octets of ASCII.
  EXPECT_EQ(add("fits", kMost - 20).code, 0);
  const Reply past = add("past", kMost + 1);
  EXPECT_EQ(past.code, 11);
  EXPECT_NE(past.diagnostic.find(std::to_string(limits::kPreparedOctetsMax)), std::string::npos);
  const std::string half = repeated("\u00E9", kMost / 2 + 1);
  EXPECT_EQ(admin.modify(U, {added("description", {half + "a", half + "b"})}).code, 11);
  EXPECT_EQ(admin.modify(U, {replaced("jpegPhoto", {repeated("\xFF\xD8\xFF", 3'000'000)})}).code,
            0);
}

// A stored value that is too dear to compare with is a limit, not a minute of the worker.
TEST_F(WorkLimitsOfWrites, CompareWithALargeValue) {
  ASSERT_EQ(admin.modify(U, {replaced("description", {repeated("\u00E9", 900'000)})}).code, 0);
  EXPECT_EQ(admin.compare(U, "description", "a").code, 5);
  ASSERT_EQ(admin.modify(U, {replaced("description", {repeated("\u00E9", 1'100'000)})}).code, 0);
  const Reply past = admin.compare(U, "description", "a");
  EXPECT_EQ(past.code, 11);
  EXPECT_NE(past.diagnostic.find(std::to_string(limits::kFilterWorkMax)), std::string::npos);
  EXPECT_EQ(admin.compare(U, "cn", "A").code, 6);
}

}  // namespace
}  // namespace kauri::operation::testing
