// Searches in slices, the limits of size, time and work, and what is logged of a search.

#include <gtest/gtest.h>

#include <atomic>

#include "base/limit_counters.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using SearchLimits = DirectoryCase;

TEST_F(SearchLimits, SizeLimit) {
  ldap::SearchRequestText request;
  request.base = S;
  request.size_limit = 2;
  Reply reply = admin.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 4);
  EXPECT_EQ(reply.entries.size(), 2U);
  request.size_limit = 5;
  reply = admin.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.entries.size(), 5U);
}

TEST_F(SearchLimits, LimitsOfTheServerSpareTheAdministrator) {
  DirectoryOptions options;
  options.limits.search_size_max = 2;
  Directory limited(options);
  Client user = limited.user();
  EXPECT_EQ(user.search(S, ldap::Scope::kSubtree, "(objectClass=*)").code, 4);
  Client unlimited = limited.admin();
  EXPECT_EQ(unlimited.search(S, ldap::Scope::kSubtree, "(objectClass=*)").entries.size(), 5U);

  options.limits = {};
  options.limits.look_through_max = 3;
  Directory shallow(options);
  Client looker = shallow.user();
  const Reply reply = looker.search(S, ldap::Scope::kSubtree, "(description=nobody)");
  EXPECT_EQ(reply.code, 11);
  EXPECT_NE(reply.diagnostic.find('3'), std::string::npos);
  EXPECT_EQ(looker.find("(uid=a)"), "a");
}

// A clock that moves by itself: each look costs a millisecond.
class RunningClock final : public Clock {
 public:
  std::int64_t wall_micros() override { return Clock::system().wall_micros(); }
  std::int64_t monotonic_nanos() override {
    return Clock::system().monotonic_nanos() + (looks_ += step_nanos);
  }
  std::atomic<std::int64_t> step_nanos = 0;

 private:
  std::atomic<std::int64_t> looks_ = 0;
};

TEST_F(SearchLimits, SearchInSlices) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client client = slow.admin();
  slow.add_people(100);
  clock.step_nanos = 1'000'000;
  const std::string message = search_message(500, S, "(uid=n*)", {"1.1"});
  client.send(message);
  EXPECT_TRUE(client.session().has_work());
  // Others are served between the slices; an entry that goes before its turn is not returned.
  Client other = slow.admin();
  EXPECT_EQ(other.remove("uid=n99,ou=p,dc=example,dc=com").code, 0);
  const Reply reply = client.wait(500);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.entries.size(), 99U);
  EXPECT_FALSE(client.session().has_work());

  // Abandon and Cancel between the slices.
  client.send(message);
  ASSERT_TRUE(client.session().has_work());
  std::string abandon;
  ldap::append_abandon_request(abandon, 501, 500);
  client.send(abandon);
  EXPECT_FALSE(client.session().has_work());
  client.received().clear();

  client.send(message);
  ASSERT_TRUE(client.session().has_work());
  EXPECT_EQ(client.extended(ldap::oids::kCancel, "\x30\x04\x02\x02\x01\xF4").code, 0);
  EXPECT_EQ(client.wait(500).code, 118);

  // A bind waits for the search.
  client.send(message);
  std::string bind;
  ldap::append_simple_bind_request(bind, 502, "", "");
  client.send(bind);
  EXPECT_TRUE(client.session().reading_paused());
  EXPECT_EQ(client.wait(500).entries.size(), 99U);
  EXPECT_EQ(client.wait(502).code, 0);
  EXPECT_FALSE(client.session().authenticated());
}

TEST_F(SearchLimits, ManySearchesShareATurn) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client many = slow.admin();
  slow.add_people(60);
  clock.step_nanos = 1'000'000;
  for (ldap::MessageId id = 600; id < 605; ++id) {
    many.send(search_message(id, S, "(uid=n*)", {"1.1"}));
  }
  EXPECT_EQ(many.session().operations_in_flight(), 5U);
  const std::size_t before = many.received().size();
  // A turn's time is over after the first of them; the others come first in the next turns.
  many.session().run_turn(many.received(), 1U << 20U);
  const std::size_t one_turn = many.received().size() - before;
  EXPECT_GT(one_turn, 0U);
  EXPECT_LT(one_turn, before);
  for (ldap::MessageId id = 600; id < 605; ++id) EXPECT_EQ(many.wait(id).entries.size(), 60U);
}

TEST_F(SearchLimits, TimeLimit) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  Directory slow(options);
  Client client = slow.admin();
  slow.add_people(40);
  clock.step_nanos = 600'000'000;
  ldap::SearchRequestText request;
  request.base = S;
  request.time_limit = 1;
  const Reply reply = client.search(request, "(objectClass=*)");
  EXPECT_EQ(reply.code, 3);
  EXPECT_LT(reply.entries.size(), 45U);
}

TEST_F(SearchLimits, TimeLimitOfTheServerIsCounted) {
  RunningClock clock;
  DirectoryOptions options;
  options.clock = &clock;
  options.limits.search_seconds_max = 2;
  Directory slow(options);
  slow.add_people(40);
  Client user = slow.user();
  const auto counted = [] { return limits::counted(limits::Counter::kSearchSeconds); };
  const std::uint64_t before = counted();
  clock.step_nanos = 600'000'000;
  ldap::SearchRequestText request;
  request.base = S;
  request.time_limit = 1;  // the client's own
  EXPECT_EQ(user.search(request, "(objectClass=*)").code, 3);
  EXPECT_EQ(counted(), before);
  request.time_limit = 0;
  EXPECT_EQ(user.search(request, "(objectClass=*)").code, 3);
  EXPECT_EQ(counted(), before + 1);
}

TEST_F(SearchLimits, FullOutputPausesTheSearch) {
  std::string text = std::string(kPerson) + "cn: x\ndescription: " + std::string(100'000, 'x');
  for (int i = 0; i < 20; ++i) {
    add("uid=big" + std::to_string(i) + ",ou=p,dc=example,dc=com", text);
  }
  admin.send(search_message(900, S, "(uid=big*)"));
  EXPECT_TRUE(admin.session().has_work());
  EXPECT_LT(admin.received().size(), limits::kOutputQueueMax + 200'000);
  std::string out(limits::kOutputQueueMax, 'x');
  admin.session().run_turn(out, limits::kOutputQueueMax);
  EXPECT_EQ(out.size(), limits::kOutputQueueMax);
  EXPECT_EQ(admin.wait(900).entries.size(), 20U);
}

TEST_F(SearchLimits, AccessLogRecords) {
  MemoryLog log;
  DirectoryOptions options;
  options.log = &log;
  Directory logged(options);
  Client client = logged.admin();
  log.records.clear();
  client.search(S, ldap::Scope::kSubtree, "(uid=a)", {"cn", "sn"});
  client.search(P, ldap::Scope::kOneLevel, "(description=*x*)");
  client.modify(U, {replaced("description", {"x"})});
  client.read("uid=zz,ou=p,dc=example,dc=com");
  ASSERT_EQ(log.records.size(), 4U);
  const OperationRecord& search = log.records[0];
  EXPECT_EQ(search.kind, "SEARCH");
  EXPECT_EQ(search.dn, S);
  EXPECT_EQ(search.identity, kAdmin);
  EXPECT_EQ(search.scope, "sub");
  EXPECT_EQ(search.filter, "(uid=a)");
  EXPECT_EQ(search.attributes, "cn sn");
  EXPECT_EQ(search.entries, 1U);
  EXPECT_NE(search.index_terms.find("(uid=a):eq:1"), std::string::npos) << search.index_terms;
  EXPECT_EQ(search.notes, "");
  EXPECT_GT(search.etime_nanos, 0);
  EXPECT_EQ(search.etime_nanos, search.wtime_nanos + search.optime_nanos);
  EXPECT_EQ(log.records[1].notes, "U[(description=*x*) description=sub; 3>0]");
  EXPECT_EQ(log.records[2].kind, "MODIFY");
  EXPECT_EQ(log.records[2].attributes, "description");
  EXPECT_GT(log.records[2].etime_nanos, 0);
  EXPECT_EQ(log.records[3].result, 32);
  EXPECT_FALSE(log.records[3].diagnostic.empty());
}

}  // namespace
}  // namespace kauri::operation::testing
