// Readers and writers at the same time, and subtrees that move at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

TEST(Threads, ReadersSeeWholeStates) {
  World world;
  world.add_fixture();
  ASSERT_EQ(world.add("ou=q,dc=example,dc=com", {{"objectClass", {"organizationalUnit"}}}), 0);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> reads{0};
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  const auto names = std::vector{world.name("uid=a,ou=p,dc=example,dc=com").normal_rdns,
                                 world.name("uid=a,ou=p,ou=q,dc=example,dc=com").normal_rdns};
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      auto session = *world.database().read_session();
      while (!stop.load()) {
        if (!session->begin()) ++wrong;
        // In every snapshot the entry is in exactly one of the two places, and its DN says which.
        const auto here = session->resolve(names[0]);
        const auto there = session->resolve(names[1]);
        if (!here || !there || here->id.has_value() == there->id.has_value()) {
          ++wrong;
        } else {
          const auto dn = session->dn(EntryId(3));
          if (!dn || *dn != (here->id ? "uid=a,ou=p,dc=example,dc=com"
                                      : "uid=a,ou=p,ou=q,dc=example,dc=com"))
            ++wrong;
        }
        session->end();
        reads.fetch_add(1);
      }
    });
  }
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(world.rename(kPeople, "ou=p", true, "ou=q,dc=example,dc=com"), 0);
    EXPECT_EQ(world.modify("uid=a,ou=p,ou=q,dc=example,dc=com",
                           {replaced("description", {std::to_string(i)})}),
              0);
    EXPECT_EQ(world.rename("ou=p,ou=q,dc=example,dc=com", "ou=p", true, kSuffix), 0);
  }
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GT(reads.load(), 0U);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Threads, ManyWritersShareCommits) {
  World world;
  world.add_fixture();
  constexpr int kEach = 100;
  std::atomic<int> failed{0};
  std::vector<std::thread> writers;
  std::vector<std::vector<std::unique_ptr<WriteRequest>>> requests(4);
  for (int w = 0; w < 4; ++w) {
    for (int i = 0; i < kEach; ++i) {
      const std::string name = "w" + std::to_string(w) + "x" + std::to_string(i);
      requests[static_cast<std::size_t>(w)].push_back(
          world.add_request("uid=" + name + "," + kPeople, person(name)));
    }
  }
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (auto& request : requests[static_cast<std::size_t>(w)]) {
        request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
        if (!world.database().execute(std::move(request)).result.ok()) ++failed;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed.load(), 0);
  EXPECT_EQ(world.database().writer_stats().operations, 405U);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Threads, StopFinishesWhatWaits) {
  World world;
  world.add_fixture();
  std::atomic<int> done{0};
  for (int i = 0; i < 50; ++i) {
    auto request = world.modify_request(kA, {replaced("pager", {std::to_string(i)})});
    request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
    request->completion = [&](WriteOutcome&& outcome) { done += outcome.result.ok() ? 1 : 100; };
    ASSERT_EQ(world.database().submit(request), Database::Submitted::kYes);
  }
  world.database().stop();
  EXPECT_EQ(done.load(), 50);
  world.database().stop();
  auto late = world.delete_request(kA);
  late->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
  EXPECT_EQ(world.database().submit(late), Database::Submitted::kStopped);
  EXPECT_TRUE(late != nullptr);
  EXPECT_EQ(world.values(kA, "pager"), std::multiset<std::string>{"49"});
}

TEST(Subtrees, TenThousandEntriesMoveAtOnce) {
  DatabaseOptions options;
  options.indexes = {{"uid", {false, true, false}}};
  World world(options);
  world.add_fixture();
  ASSERT_EQ(world.add("ou=q,dc=example,dc=com", {{"objectClass", {"organizationalUnit"}}}), 0);
  std::atomic<int> bad{0};
  for (int i = 0; i < 10'000; ++i) {
    auto request = world.add_request("uid=u" + std::to_string(i) + "," + kPeople, person("n"));
    request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
    request->completion = [&](WriteOutcome&& outcome) { bad += outcome.result.ok() ? 0 : 1; };
    ASSERT_EQ(world.database().submit(request), Database::Submitted::kYes);
  }
  ASSERT_EQ(world.modify(kA, {replaced("pager", {"1"})}), 0);
  EXPECT_EQ(bad.load(), 0);
  const std::uint64_t writes = world.faults()->calls(storage::FaultPoint::kWrite);
  ASSERT_EQ(world.rename(kPeople, "ou=moved", true, "ou=q,dc=example,dc=com"), 0);
  EXPECT_LT(world.faults()->calls(storage::FaultPoint::kWrite) - writes, 50U);
  EXPECT_EQ(world.shown_dn("uid=u9999,ou=moved,ou=q,dc=example,dc=com"),
            "uid=u9999,ou=moved,ou=q,dc=example,dc=com");
  EXPECT_EQ(world.verify_text(), "");
}

}  // namespace
}  // namespace kauri::backend
