// kauri explain, as a user runs it: of a database without a server, of a server that answers
// something else, and how a plan is printed.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/random.h"
#include "kauri/explain_print.h"
#include "kauri/explain_source.h"
#include "kauri/testing/command.h"
#include "kaurid/demo.h"
#include "ldap/client.h"
#include "ldap/oids.h"

namespace kauri::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class ExplainCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    SeededRandom random(5);
    const std::string demo = file("demo.ldif", *kaurid::demo_ldif("dc=example,dc=com", random));
    ASSERT_EQ(run_command({"import", "--data", path("d"), demo}).status, 0);
  }
  CommandOutcome explain(std::vector<std::string> more) const {
    more.insert(more.begin(), {"explain", "--data", path("d")});
    return run_command(more);
  }
};

TEST_F(ExplainCommand, OfADatabaseWithoutAServer) {
  const CommandOutcome found = explain({"(uid=alice)"});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("filter (uid=alice)\nsub of dc=example,dc=com\n"));
  EXPECT_THAT(found.out,
              HasSubstr("candidates 1: from indexes; they prove the filter and the scope\n"));
  EXPECT_THAT(found.out, HasSubstr("(uid=alice)  eq  1 listed, used; 1 true"));
  EXPECT_THAT(found.out, HasSubstr("examined 1, matched 1, returned 1"));
  EXPECT_THAT(found.out, HasSubstr("1 of 1 entries copied as they are stored"));
  EXPECT_THAT(found.out, Not(HasSubstr("advice")));

  const CommandOutcome walk = explain({"(&(title=*Head*)(objectClass=person))"});
  EXPECT_EQ(walk.status, 0) << walk.err;
  EXPECT_THAT(walk.out, HasSubstr("from indexes; they prove the scope\n"));
  EXPECT_THAT(walk.out, HasSubstr("|- (title=*Head*)"));
  EXPECT_THAT(walk.out, HasSubstr("no index  'title' has no index"));
  EXPECT_THAT(walk.out, HasSubstr("advice: index this, and 12 candidates become "));
  EXPECT_THAT(walk.out, HasSubstr("which the first [[database.index]] of a file"));
  EXPECT_THAT(walk.out, HasSubstr(" objectClass=eq"));
  EXPECT_THAT(walk.out, HasSubstr("attribute = \"title\"\n      kinds = [\"sub\"]"));
}

TEST_F(ExplainCommand, AsJson) {
  const CommandOutcome found =
      explain({"--json", "-b", "ou=people,dc=example,dc=com", "-s", "one", "(uid=*)", "cn"});
  EXPECT_EQ(found.status, 0) << found.err;
  const json plan = json::parse(found.out, nullptr, false);
  ASSERT_TRUE(plan.is_object()) << found.out;
  EXPECT_EQ(plan["mode"], "discard");
  EXPECT_EQ(plan["scope"], "one");
  EXPECT_EQ(plan["entries"]["returned"], 12);
  EXPECT_EQ(plan["entries"]["copied"], 0);
  const json only = json::parse(explain({"--json", "--plan-only", "(uid=*)"}).out, nullptr, false);
  EXPECT_EQ(only["mode"], "plan");
  EXPECT_EQ(only["entries"]["examined"], 0);
}

TEST_F(ExplainCommand, MistakesAreNamed) {
  const auto expect = [](const CommandOutcome& outcome, int status, const char* words) {
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  };
  expect(explain({"(uid=alice"}), 1, "the filter (uid=alice");
  expect(explain({"-s", "all", "(uid=alice)"}), 1, "expected base, one, sub or children");
  expect(explain({"-b", "dc=elsewhere", "(uid=alice)"}), 1, "noSuchObject");
  expect(explain({"-b", "", "-s", "base", "--size-limit", "x", "(uid=alice)"}), 2, "--size-limit");
  expect(explain({}), 2, "filter");
  expect(run_command({"explain", "--data", path("none"), "(uid=alice)"}), 1, "no database in");
  expect(run_command({"explain", "-D", "cn=admin", "(uid=alice)"}), 1, "--password-file");
  expect(run_command({"explain", "-H", "ldaps://127.0.0.1", "(uid=alice)"}), 1, "ldaps");
  expect(run_command({"explain", "-H", "ldapi://" + path("nobody"), "(uid=alice)"}), 1, "nobody");
  expect(run_command({"explain", "--config", path("c"), "(uid=alice)"}), 2, "--data");
  // Limits end the search, and its plan comes all the same.
  const CommandOutcome limited = explain({"--size-limit", "2", "(uid=*)"});
  expect(limited, 1, "sizeLimitExceeded");
  EXPECT_THAT(limited.out, HasSubstr("returned 2"));
}

TEST(ExplainAnswers, OfOtherServers) {
  const auto reader_after = [](const std::string& message) {
    ExplainReader reader;
    EXPECT_TRUE(reader.take(message));
    return reader;
  };
  std::string done;
  ldap::append_result(done, 2, ldap::Operation::kSearchResultDone, {});
  const auto without = reader_after(done).answer();
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr("no plan"));
  std::string refused;
  ldap::append_result(refused, 2, ldap::Operation::kSearchResultDone,
                      ldap::failure(ldap::ResultCode::kUnavailableCriticalExtension, "what?"));
  const auto unavailable = reader_after(refused).answer();
  ASSERT_FALSE(unavailable);
  EXPECT_THAT(unavailable.error().message(), HasSubstr("unavailableCriticalExtension (what?)"));
  std::string bind;
  ldap::append_result(bind, 1, ldap::Operation::kBindResponse,
                      ldap::failure(ldap::ResultCode::kInvalidCredentials, {}));
  ExplainReader reader;
  EXPECT_FALSE(reader.take(bind));
  EXPECT_FALSE(reader.take("\x30\x03\x02\x01\x02"));
  EXPECT_FALSE(reader.take("HTTP/1.1 200 OK"));
}

// What a server sends as a plan is not to be trusted.
TEST(ExplainPrint, AnyJson) {
  for (const char* text :
       {"null", "[]", "{}", "{\"scopes\":{}}", "{\"scopes\":[1,null,{\"plan\":[],\"advice\":7}]}",
        "{\"filter\":\"\\u001b[2J\",\"scopes\":[{\"plan\":{\"part\":7,\"members\":[{},[],"
        "{\"members\":[null]}]},\"advice\":{\"indexes\":[null,{\"configuration\":\"a\",\"parts\":"
        "[3,\"x\\n\"]}]},\"candidates\":-1}],\"nanoseconds\":[]}"}) {
    const std::string printed = print_plan(json::parse(text));
    EXPECT_EQ(printed.find('\x1b'), std::string::npos);
    EXPECT_THAT(printed, HasSubstr("filter "));
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "{\"part\":\"not\",\"members\":[";
  for (int i = 0; i < 10'000; ++i) deep += "]}";
  EXPECT_LT(print_plan({{"scopes", {{{"plan", json::parse(deep)}}}}}).size(), 100'000U);
}

TEST(ExplainPrint, PartsThatFaredAlikeAreCounted) {
  json members = json::array();
  for (int i = 0; i < 1200; ++i)
    members.push_back({{"part", "(uid=" + std::to_string(i) + ")"},
                       {"index", "eq"},
                       {"listed", 1},
                       {"use", "used"}});
  members.push_back({{"part", "(cn=x)"}, {"index", "none"}, {"use", "unindexed"}});
  const json plan = {{"scopes", {{{"plan", {{"part", "or"}, {"members", members}}}}}}};
  const std::string printed = print_plan(plan);
  EXPECT_THAT(printed, HasSubstr("|- (uid=2)"));
  EXPECT_THAT(printed, Not(HasSubstr("(uid=3)")));
  EXPECT_THAT(printed, HasSubstr("|- ... 1,197 more that fared alike"));
  EXPECT_THAT(printed, HasSubstr("`- (cn=x)"));
}

}  // namespace
}  // namespace kauri::tool
