// Storage that fails: a change has happened or has not, and the next one goes through.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

// One storage call fails somewhere in a row of changes. The change it hits has changed nothing and
// goes through when it is repeated; the others do not notice.
void run_with_one_fault(storage::FaultPoint point, std::uint64_t n, bool* hit) {
  DatabaseOptions options;
  options.change_log_records_max = 4;
  World world(options);
  world.add_fixture();
  std::vector<std::string> many;
  for (int i = 0; i < 210; ++i) many.push_back("m" + std::to_string(i));
  const std::string moved = "uid=a,dc=example,dc=com";
  const std::string added = "uid=n,ou=p,dc=example,dc=com";
  const std::vector<std::function<int()>> steps = {
      [&] { return world.add(added, person("n")); },
      [&] { return world.modify(kA, {replaced("description", many)}); },
      [&] { return world.modify(kA, {deleted("description", {"m3"})}); },
      [&] { return world.modify(kA, {replaced("description", {"few"})}); },
      [&] { return world.rename(kA, "uid=a", true, kSuffix); },
      [&] { return world.rename(moved, "uid=a", true, kPeople); },
      [&] { return world.erase(added); },
  };
  world.faults()->fail(point, n, ErrorCode::kNoSpace);
  const std::uint64_t before = world.faults()->failures();
  *hit = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string csn = world.database().context_csn();
    int code = steps[i]();
    if (!*hit && world.faults()->failures() != before) {
      *hit = true;
      world.faults()->clear();
      EXPECT_EQ(code, 53) << "step " << i << ", call " << n;
      EXPECT_EQ(world.database().context_csn(), csn);
      EXPECT_EQ(world.verify_text(), "") << "step " << i << ", call " << n;
      code = steps[i]();
    }
    EXPECT_EQ(code, 0) << "step " << i << ", call " << n << ": " << world.last().diagnostic;
  }
  world.faults()->clear();
  EXPECT_EQ(world.values(kA, "description"), std::multiset<std::string>{"few"});
  EXPECT_EQ(world.verify_text(), "");
  world.reopen();
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Faults, EveryKindOfCallMayFail) {
  for (const auto& [point, stride] :
       {std::pair{storage::FaultPoint::kWrite, 11}, std::pair{storage::FaultPoint::kRead, 13},
        std::pair{storage::FaultPoint::kCommit, 1}}) {
    bool hit = true;
    for (std::uint64_t n = 1; hit; n += static_cast<std::uint64_t>(stride)) {
      run_with_one_fault(point, n, &hit);
      ASSERT_LT(n, 10'000U);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Faults, EveryWriteOfOneChange) {
  for (std::uint64_t n = 1;; ++n) {
    World world;
    world.add_fixture();
    world.faults()->fail(storage::FaultPoint::kWrite, n, ErrorCode::kIo);
    const std::uint64_t failures = world.faults()->failures();
    const int code = world.rename(kPeople, "ou=q", true);
    const bool failed = world.faults()->failures() != failures;
    world.faults()->clear();
    EXPECT_EQ(code, failed ? 80 : 0);
    EXPECT_EQ(world.verify_text(), "");
    EXPECT_EQ(world.read(kPeople).has_value(), failed);
    EXPECT_EQ(world.rename(failed ? kPeople : "ou=q,dc=example,dc=com", "ou=r", true), 0);
    world.reopen();
    EXPECT_EQ(world.verify_text(), "");
    if (!failed) break;
    ASSERT_LT(n, 1000U);
  }
}

TEST(Faults, AFullDiskStopsWritesOnly) {
  World world;
  world.add_fixture();
  world.faults()->fail(storage::FaultPoint::kCommit, 1, ErrorCode::kNoSpace, true);
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 53);
  EXPECT_NE(world.last().diagnostic.find("disk is full"), std::string::npos);
  EXPECT_TRUE(world.read(kA));
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 53);
  world.faults()->clear();
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Faults, AFlushThatFailedIsNotCalledNothing) {
  World world;
  world.add_fixture();
  world.faults()->fail(storage::FaultPoint::kCommit, 1, ErrorCode::kIo);
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 80);
  EXPECT_NE(world.last().diagnostic.find("not known whether the change was made"),
            std::string::npos)
      << world.last().diagnostic;
  world.faults()->fail(storage::FaultPoint::kWrite, 1, ErrorCode::kIo);
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 80);
  EXPECT_NE(world.last().diagnostic.find("nothing was changed"), std::string::npos)
      << world.last().diagnostic;
}

TEST(Faults, OneBadChangeDoesNotSpoilItsBatch) {
  World world;
  world.add_fixture();
  // Gathers a batch behind a first change that holds the writer in its completion.
  std::mutex mutex;
  mutex.lock();
  std::atomic<int> done{0};
  std::vector<int> codes(20, -1);
  const auto submit = [&](std::unique_ptr<WriteRequest> request, int* code, bool hold) {
    request->authorizer = std::make_unique<query::AllowAll>(query::Identity{"cn=x", "x", true});
    request->completion = [&, code, hold](WriteOutcome&& outcome) {
      if (hold) {
        const std::lock_guard lock(mutex);
      }
      *code = static_cast<int>(outcome.result.code);
      done.fetch_add(1);
      done.notify_all();
    };
    ASSERT_EQ(world.database().submit(request), Database::Submitted::kYes);
  };
  int first = -1;
  submit(world.modify_request(kA, {replaced("pager", {"1"})}), &first, true);
  for (std::size_t i = 0; i < codes.size(); ++i)
    submit(world.modify_request(kA, {added("description", {"d" + std::to_string(i)})}), &codes[i],
           false);
  // Somewhere inside the batch of twenty one write fails, once.
  world.faults()->fail(storage::FaultPoint::kWrite, 40, ErrorCode::kIo);
  mutex.unlock();
  for (int seen = done.load(); seen != 21; seen = done.load()) done.wait(seen);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 0), 20);
  EXPECT_EQ(world.values(kA, "description").size(), 21U);
  EXPECT_GE(world.database().writer_stats().operations, 26U);
  EXPECT_EQ(world.verify_text(), "");
}

}  // namespace
}  // namespace kauri::backend
