// Each case ends a process of its own: the test binary is run again for it, so that no handler of
// an earlier test is there.
#include "storage/map_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <vector>

#include "base/endian.h"
#include "storage/storage.h"
#include "storage/test_directory.h"
#include "storage/testing/image.h"

namespace kauri::storage {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 20U;
constexpr int kOther = 42;  // exit status of a handler that is not ours

class MapGuardTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  std::string file() const { return directory_.path() + "/data.mdb"; }
  TestDirectory directory_;
};

// Address space without anything in it.
char* reserve(std::size_t size) {
  void* const at = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

void touch(const char* at) {
  [[maybe_unused]] const volatile char octet = *static_cast<const volatile char*>(at);
}

void other_action(int, siginfo_t*, void*) {
  ::_exit(kOther);
}
void other_handler(int) {
  ::_exit(kOther);
}
void handle(int signal, bool with_info) {
  struct sigaction action {};
  if (with_info) {
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = other_action;
  } else {
    action.sa_handler = other_handler;
  }
  ::sigaction(signal, &action, nullptr);
}

TEST_F(MapGuardTest, AFaultInTheMapNamesTheFile) {
  EXPECT_EXIT(
      {
        const char* const map = reserve(kSize);
        const MapGuard guard(map, kSize, "/srv/x/data.mdb");
        touch(map + kSize / 2);
      },
      testing::ExitedWithCode(1), "kauri: the database file /srv/x/data.mdb is damaged ");
  EXPECT_EXIT(
      {
        const char* const map = reserve(2 * kSize);
        const MapGuard guard(map, kSize, "/srv/y/data.mdb");
        touch(map + kSize + 4096);  // a key that runs over the end of the map
      },
      testing::ExitedWithCode(1), "/srv/y/data.mdb is damaged");
}

TEST_F(MapGuardTest, AnOctetBehindTheEndOfTheFile) {
  EXPECT_EXIT(
      {
        std::ofstream(file()) << std::string(4096, 'x');
        const int fd = ::open(file().c_str(), O_RDONLY | O_CLOEXEC);
        const auto* const map =
            static_cast<char*>(::mmap(nullptr, kSize, PROT_READ, MAP_SHARED, fd, 0));
        const MapGuard guard(map, kSize, file());
        touch(map);
        touch(map + 8192);  // SIGBUS
      },
      testing::ExitedWithCode(1), "data.mdb is damaged");
}

TEST_F(MapGuardTest, OtherFaultsGoToTheHandlerBefore) {
  for (const bool with_info : {false, true}) {
    EXPECT_EXIT(
        {
          handle(SIGSEGV, with_info);
          const char* const map = reserve(4 * kSize);
          const MapGuard guard(map, kSize, "x");
          touch(map + 2 * kSize);
        },
        testing::ExitedWithCode(kOther), "");
  }
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        const MapGuard guard(reserve(kSize), kSize, "x");
        touch(reinterpret_cast<const char*>(std::uintptr_t{64}));
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        const MapGuard guard(reserve(kSize), kSize, "x");
        ::raise(SIGBUS);  // sent by a process: has no address
      },
      testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MapGuardTest, AMapThatIsGoneIsNotWatched) {
  EXPECT_EXIT(
      {
        handle(SIGSEGV, true);
        const char* const map = reserve(kSize);
        {
          MapGuard guard(map, kSize, "x");
          const MapGuard moved = std::move(guard);
        }
        touch(map);
      },
      testing::ExitedWithCode(kOther), "");
}

TEST_F(MapGuardTest, ManyGuardsComeAndGo) {
  EXPECT_EXIT(
      {
        const char* const map = reserve(kSize);
        for (int i = 0; i < 1000; ++i) const MapGuard guard(map, kSize, "early");
        std::vector<MapGuard> all;
        for (int i = 0; i < 100; ++i) all.emplace_back(reserve(kSize), kSize, "many");
        all.clear();
        const MapGuard guard(map, kSize, "late");
        touch(map);
      },
      testing::ExitedWithCode(1), "the database file late is damaged");
}

// The whole way: a leaf page that nobody has looked at, read through LMDB.
TEST_F(MapGuardTest, WrongNodesInAnUncheckedLeafPage) {
  {
    auto env = std::move(Env::open({.path = directory_.path()}).value());
    auto txn = std::move(env->begin_write().value());
    for (std::uint64_t i = 0; i < 200; ++i) {
      std::string key;
      append_big_endian(key, i);
      ASSERT_TRUE(txn->append(Table::kEntries, key, std::string(500, 'x')).has_value());
    }
    ASSERT_TRUE(txn->commit().has_value());
  }
  const Image sound(read_file(file()));
  const std::size_t node = sound.node_place(sound.leaf(Table::kEntries), 0);
  Image large = sound;
  large.store<std::uint32_t>(node, 1U << 30U);  // the value has a GiB now
  Image duplicates = sound;
  duplicates.store<std::uint16_t>(node + 4, 4);  // the value is a list, and LMDB keeps none for us
  for (const Image& image : {large, duplicates}) {
    write_file(file(), image.octets());
    EXPECT_FALSE(Env::open({.path = directory_.path()}));
    EXPECT_EXIT(
        {
          auto env = std::move(
              Env::open({.path = directory_.path(), .page_extent = PageExtent::kBranches}).value());
          auto txn = std::move(env->begin_read().value());
          auto cursor = std::move(txn->cursor(Table::kEntries).value());
          if (cursor->first().value()) touch(&cursor->value().back());
        },
        testing::ExitedWithCode(1), "/data.mdb is damaged .*: a page of it leads astray");
  }
}

}  // namespace
}  // namespace kauri::storage
