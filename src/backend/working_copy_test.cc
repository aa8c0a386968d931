#include "backend/working_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

namespace fs = std::filesystem;

class WorkingCopyTest : public ::testing::Test {
 protected:
  WorkingCopyTest() {
    world_.add_fixture();
    world_.close();
  }
  // Adds an entry to the database in a directory.
  void change(const std::string& path) {
    DatabaseOptions options;
    options.path = path;
    options.durability = storage::Durability::kRelaxed;
    auto database = Database::open(options, fixture_schema(), world_.clock(), world_.random());
    ASSERT_TRUE(database) << database.error().message();
    auto request = world_.add_request("uid=n,ou=p,dc=example,dc=com", person("n"));
    request->authorizer =
        std::make_unique<query::AllowAll>(query::Identity{"cn=admin", "admin", true});
    EXPECT_TRUE((*database)->execute(std::move(request)).result.ok());
    (*database)->stop();
    EXPECT_TRUE((*database)->env().sync());
  }
  bool changed() {
    world_.reopen();
    EXPECT_EQ(world_.verify_text(), "");
    EXPECT_TRUE(world_.read(kA));
    const bool there = world_.read("uid=n,ou=p,dc=example,dc=com").has_value();
    world_.close();
    return there;
  }

  World world_;
};

TEST_F(WorkingCopyTest, IsTheDatabaseOnceItIsPutInPlace) {
  {
    auto copy = WorkingCopy::make(world_.path(), "work.tmp");
    ASSERT_TRUE(copy) << copy.error().message();
    EXPECT_EQ((*copy)->path(), world_.path() + "/work.tmp");
    change((*copy)->path());
    const auto done = (*copy)->put_in_place();
    ASSERT_TRUE(done) << done.error().message();
  }
  EXPECT_FALSE(fs::exists(world_.path() + "/work.tmp"));
  EXPECT_TRUE(changed());
}

TEST_F(WorkingCopyTest, LeavesTheDatabaseAsItIsUntilThen) {
  {
    auto copy = WorkingCopy::make(world_.path(), "work.tmp");
    ASSERT_TRUE(copy) << copy.error().message();
    change((*copy)->path());
  }
  EXPECT_FALSE(fs::exists(world_.path() + "/work.tmp"));
  EXPECT_FALSE(changed());
}

TEST_F(WorkingCopyTest, TakesNothingFromOneThatWasKilled) {
  fs::create_directories(world_.path() + "/work.tmp");
  std::ofstream(world_.path() + "/work.tmp/data.mdb") << "half a copy";
  std::ofstream(world_.path() + "/work.tmp/other") << "something";
  auto copy = WorkingCopy::make(world_.path(), "work.tmp");
  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_FALSE(fs::exists(world_.path() + "/work.tmp/other"));
  change((*copy)->path());
  EXPECT_TRUE((*copy)->put_in_place());
  copy->reset();
  EXPECT_TRUE(changed());
}

TEST_F(WorkingCopyTest, LocksTheDatabase) {
  const auto copy = WorkingCopy::make(world_.path(), "work.tmp");
  ASSERT_TRUE(copy) << copy.error().message();
  const auto second = WorkingCopy::make(world_.path(), "work.tmp");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kBusy) << second.error().message();
  EXPECT_TRUE(fs::exists((*copy)->path() + "/data.mdb"));
}

TEST_F(WorkingCopyTest, NeedsADatabase) {
  const storage::TestDirectory empty;
  const auto copy = WorkingCopy::make(empty.path(), "work.tmp");
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code(), ErrorCode::kNotFound) << copy.error().message();
}

}  // namespace
}  // namespace kauri::backend
