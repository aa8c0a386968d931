#include "storage/storage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "base/endian.h"
#include "base/limits.h"
#include "base/random.h"
#include "storage/durable_name.h"
#include "storage/page_cache.h"
#include "storage/test_directory.h"

namespace kauri::storage {
namespace {

std::string number_key(std::uint64_t n) {
  std::string key;
  append_big_endian(key, n);
  return key;
}

class StorageTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open(EnvOptions options = {}) {
    env_.reset();
    options.path = directory_.path();
    auto env = Env::open(options);
    ASSERT_TRUE(env.has_value()) << env.error().message();
    env_ = std::move(*env);
  }
  std::unique_ptr<WriteTxn> write() {
    auto txn = env_->begin_write();
    EXPECT_TRUE(txn.has_value()) << txn.error().message();
    return std::move(*txn);
  }
  std::unique_ptr<ReadTxn> read() {
    auto txn = env_->begin_read();
    EXPECT_TRUE(txn.has_value()) << txn.error().message();
    return std::move(*txn);
  }
  void put(Table table, std::string_view key, std::string_view value) {
    auto txn = write();
    ASSERT_TRUE(txn->put(table, key, value).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  static std::string value_of(Txn& txn, Table table, std::string_view key) {
    auto value = txn.get(table, key);
    EXPECT_TRUE(value.has_value());
    return value->has_value() ? std::string(**value) : "(absent)";
  }

  TestDirectory directory_;
  std::unique_ptr<Env> env_;
};

TEST_F(StorageTest, TablesAreSeparateAndPersist) {
  auto txn = write();
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    ASSERT_TRUE(txn->put(table, "key", table_name(table)).has_value());
  }
  ASSERT_TRUE(txn->commit().has_value());
  txn.reset();
  open();
  auto reader = read();
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    EXPECT_EQ(value_of(*reader, table, "key"), table_name(table));
    auto stats = reader->table_stats(table);
    ASSERT_TRUE(stats.has_value());
    EXPECT_EQ(stats->entries, 1U);
    EXPECT_EQ(stats->depth, 1U);
  }
}

TEST_F(StorageTest, ReaderKeepsItsSnapshotUntilRenewed) {
  put(Table::kMeta, "k", "old");
  auto reader = read();
  const std::uint64_t id = reader->id();
  put(Table::kMeta, "k", "new");
  EXPECT_EQ(value_of(*reader, Table::kMeta, "k"), "old");
  EXPECT_EQ(env_->stats().oldest_reader_txn_id, id);
  reader->reset();
  EXPECT_EQ(env_->stats().oldest_reader_txn_id, env_->stats().last_txn_id);
  ASSERT_TRUE(reader->renew().has_value());
  EXPECT_EQ(value_of(*reader, Table::kMeta, "k"), "new");
  EXPECT_EQ(reader->id(), id + 1);
}

TEST_F(StorageTest, WriteTransactionHasTheIdOfItsCommit) {
  auto writer = write();
  const std::uint64_t id = writer->id();
  ASSERT_TRUE(writer->put(Table::kMeta, "k", "v").has_value());
  ASSERT_TRUE(writer->commit().has_value());
  EXPECT_EQ(read()->id(), id);
  EXPECT_EQ(env_->stats().last_txn_id, id);
}

TEST_F(StorageTest, UseWithoutSnapshotIsAnError) {
  put(Table::kMeta, "k", "v");
  auto reader = read();
  auto cursor = reader->cursor(Table::kMeta);
  ASSERT_TRUE(cursor.has_value());
  EXPECT_TRUE((*cursor)->first().value());
  reader->reset();
  EXPECT_FALSE(reader->get(Table::kMeta, "k").has_value());
  EXPECT_FALSE((*cursor)->first().has_value());
  ASSERT_TRUE(reader->renew().has_value());
  EXPECT_FALSE(reader->renew().has_value());
  // The position is lost, and a step says so instead of starting again.
  EXPECT_FALSE((*cursor)->next().has_value());
  EXPECT_TRUE((*cursor)->first().value());
  auto writer = write();
  ASSERT_TRUE(writer->commit().has_value());
  EXPECT_FALSE(writer->put(Table::kMeta, "k", "v").has_value());
  EXPECT_FALSE(writer->get(Table::kMeta, "k").has_value());
  EXPECT_FALSE(writer->commit().has_value());
}

TEST_F(StorageTest, CursorWalksBothWays) {
  auto txn = write();
  for (std::uint64_t i = 10; i <= 50; i += 10)
    ASSERT_TRUE(txn->append(Table::kEntries, number_key(i), std::to_string(i)).has_value());
  ASSERT_TRUE(txn->commit().has_value());
  auto reader = read();
  auto cursor = std::move(reader->cursor(Table::kEntries).value());
  EXPECT_TRUE(cursor->seek(number_key(11)).value());
  EXPECT_EQ(cursor->value(), "20");
  EXPECT_EQ(cursor->key(), number_key(20));
  EXPECT_FALSE(cursor->seek_exact(number_key(11)).value());
  EXPECT_TRUE(cursor->seek_exact(number_key(40)).value());
  EXPECT_EQ(cursor->key(), number_key(40));
  EXPECT_TRUE(cursor->next().value());
  EXPECT_FALSE(cursor->next().value());
  EXPECT_FALSE(cursor->next().value());
  EXPECT_FALSE(cursor->seek(number_key(51)).value());
  EXPECT_TRUE(cursor->last().value());
  EXPECT_TRUE(cursor->previous().value());
  EXPECT_EQ(cursor->value(), "40");
  EXPECT_TRUE(cursor->seek("").value());
  EXPECT_EQ(cursor->value(), "10");
  EXPECT_FALSE(cursor->previous().value());
  EXPECT_FALSE(cursor->seek_exact("").value());
}

TEST_F(StorageTest, CursorAndTransactionEndInAnyOrder) {
  put(Table::kMeta, "k", "v");
  {
    auto reader = read();
    auto cursor = std::move(reader->cursor(Table::kMeta).value());
    auto other = std::move(reader->cursor(Table::kMeta).value());
    other.reset();
    reader.reset();
    EXPECT_FALSE(cursor->first().has_value());
  }
  {
    auto writer = write();
    auto cursor = std::move(writer->cursor(Table::kMeta).value());
    EXPECT_TRUE(cursor->first().value());
    ASSERT_TRUE(writer->put(Table::kMeta, "l", "w").has_value());
    ASSERT_TRUE(writer->commit().has_value());
    EXPECT_FALSE(cursor->next().has_value());
  }
  auto writer = write();
  auto cursor = std::move(writer->cursor(Table::kMeta).value());
  writer.reset();  // aborts
}

TEST_F(StorageTest, ErasingWhileWalkingMissesNothing) {
  auto txn = write();
  for (std::uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(txn->put(Table::kIndex, number_key(i), std::string(100, 'x')).has_value());
  auto cursor = std::move(txn->cursor(Table::kIndex).value());
  std::uint64_t seen = 0;
  for (auto more = cursor->first(); more.value(); more = cursor->next()) {
    ++seen;
    const std::string key(cursor->key());
    ASSERT_TRUE(txn->erase(Table::kIndex, key).value());
  }
  EXPECT_EQ(seen, 1000U);
  EXPECT_EQ(txn->table_stats(Table::kIndex)->entries, 0U);
}

TEST_F(StorageTest, KeysOutsideTheirLimits) {
  auto txn = write();
  const std::string longest(limits::kKeySizeMax, 'k');
  const std::string too_long(limits::kKeySizeMax + 1, 'k');
  EXPECT_TRUE(txn->put(Table::kMeta, longest, "v").has_value());
  auto refused = txn->put(Table::kMeta, too_long, "v");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalid);
  EXPECT_NE(refused.error().message().find("1 to 511 octets, this one 512"), std::string::npos);
  EXPECT_FALSE(txn->put(Table::kMeta, "", "v").has_value());
  EXPECT_FALSE(txn->get(Table::kMeta, too_long).value().has_value());
  EXPECT_FALSE(txn->get(Table::kMeta, "").value().has_value());
  EXPECT_FALSE(txn->erase(Table::kMeta, too_long).value());
}

TEST_F(StorageTest, AppendNeedsAGreaterKey) {
  auto txn = write();
  ASSERT_TRUE(txn->append(Table::kEntries, "b", "1").has_value());
  for (const char* key : {"a", "b"}) {
    auto refused = txn->append(Table::kEntries, key, "2");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalid);
  }
}

TEST_F(StorageTest, AbortAndDestructionChangeNothing) {
  {
    auto txn = write();
    ASSERT_TRUE(txn->put(Table::kMeta, "k", "v").has_value());
    txn->abort();
    txn->abort();
  }
  {
    auto txn = write();
    ASSERT_TRUE(txn->put(Table::kMeta, "k", "v").has_value());
  }
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "(absent)");
}

TEST_F(StorageTest, ClearEmptiesOneTable) {
  put(Table::kIndex, "k", "v");
  put(Table::kMeta, "k", "v");
  auto txn = write();
  ASSERT_TRUE(txn->clear(Table::kIndex).has_value());
  ASSERT_TRUE(txn->put(Table::kIndex, "l", "w").has_value());
  ASSERT_TRUE(txn->commit().has_value());
  auto reader = read();
  EXPECT_EQ(value_of(*reader, Table::kIndex, "k"), "(absent)");
  EXPECT_EQ(value_of(*reader, Table::kIndex, "l"), "w");
  EXPECT_EQ(value_of(*reader, Table::kMeta, "k"), "v");
}

TEST_F(StorageTest, SecondOpeningNamesTheHolder) {
  auto second = Env::open({.path = directory_.path()});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::kBusy);
  EXPECT_NE(second.error().message().find("process " + std::to_string(::getpid())),
            std::string::npos);
}

TEST_F(StorageTest, LockOfADeadProcessMeansNothing) {
  env_.reset();
  const pid_t child = ::fork();
  if (child == 0) {
    auto env = Env::open({.path = directory_.path()});
    ::_exit(env.has_value() ? 0 : 1);  // without closing
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  open();
}

TEST_F(StorageTest, ReadOnlyOpening) {
  put(Table::kMeta, "k", "v");
  open({.read_only = true});
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "v");
  EXPECT_FALSE(env_->begin_write().has_value());
  TestDirectory empty;
  auto missing = Env::open({.path = empty.path(), .read_only = true});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(std::filesystem::is_empty(empty.path()));
}

TEST_F(StorageTest, FullMapIsNoSpaceAndReadsGoOn) {
  put(Table::kMeta, "k", "v");
  open({.map_size = 1U << 20U});
  auto txn = write();
  Result<void> done;
  for (std::uint64_t i = 0; i < 1000 && done.has_value(); ++i)
    done = txn->put(Table::kEntries, number_key(i), std::string(2000, 'x'));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kNoSpace);
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "v");
  txn->abort();
  put(Table::kMeta, "k", "w");
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "w");
}

TEST_F(StorageTest, FullFileSystemIsNoSpaceAndReadsGoOn) {
  put(Table::kMeta, "k", "v");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{1U << 20U, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  Result<void> done;
  {
    auto txn = write();
    for (std::uint64_t i = 0; i < 1000 && done.has_value(); ++i)
      done = txn->put(Table::kEntries, number_key(i), std::string(2000, 'x'));
    if (done.has_value()) done = txn->commit();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kNoSpace) << done.error().message();
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "v");
  EXPECT_EQ(value_of(*read(), Table::kEntries, number_key(0)), "(absent)");
  put(Table::kMeta, "k", "w");
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "w");
}

// What a crash or a full disk leaves of a file that is being made must not stand in the way of the
// next start.
TEST(NewFile, IsWholeOrNotThere) {
  TestDirectory directory;
  const std::string path = directory.path() + "/a/b";
  const EnvOptions options{.path = path, .readers_max = 2};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const bool opened = Env::open(options).has_value();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_FALSE(opened);
  EXPECT_FALSE(std::filesystem::exists(path + "/data.mdb"));
  std::filesystem::create_directories(path + "/new.tmp");
  std::ofstream(path + "/new.tmp/data.mdb") << "of a process that was killed";
  const auto env = Env::open(options);
  ASSERT_TRUE(env.has_value()) << env.error().message();
  EXPECT_FALSE(std::filesystem::exists(path + "/new.tmp"));
}

TEST(DurableName, ReplacesAndSaysWhatFailed) {
  TestDirectory directory;
  const std::string path = directory.path() + "/x/y";
  ASSERT_TRUE(make_directories(path).has_value());
  ASSERT_TRUE(make_directories(path).has_value());
  std::ofstream(path + "/old") << "old";
  std::ofstream(path + "/new") << "new";
  ASSERT_TRUE(put_in_place(path + "/new", path + "/old").has_value());
  std::string text;
  std::ifstream(path + "/old") >> text;
  EXPECT_EQ(text, "new");
  EXPECT_FALSE(std::filesystem::exists(path + "/new"));
  const auto missing = put_in_place(path + "/new", path + "/old");
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message().find("cannot rename " + path + "/new"), std::string::npos)
      << missing.error().message();
  const auto below_a_file = make_directories(path + "/old/z");
  ASSERT_FALSE(below_a_file.has_value());
  EXPECT_NE(below_a_file.error().message().find(path + "/old/z"), std::string::npos);
  EXPECT_FALSE(sync_directory(path + "/none").has_value());
}

// Wherever it is cut: refused with the cause, and left as it was for whoever looks at it.
TEST_F(StorageTest, TruncatedFileIsRefused) {
  {
    auto txn = write();
    for (std::uint64_t i = 0; i < 500; ++i)
      ASSERT_TRUE(txn->append(Table::kEntries, number_key(i), std::string(1000, 'x')).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }
  env_.reset();
  const std::string file = directory_.path() + "/data.mdb";
  const auto whole = std::filesystem::file_size(file);
  for (std::uintmax_t size = whole - 4096; size >= 2 * 4096; size -= 4096) {
    std::filesystem::resize_file(file, size);
    auto env = Env::open({.path = directory_.path()});
    ASSERT_FALSE(env.has_value()) << size << " of " << whole;
    EXPECT_EQ(env.error().code(), ErrorCode::kCorruption) << env.error().message();
    ASSERT_EQ(std::filesystem::file_size(file), size);
  }
}

// A transaction that frees what it took leaves pages at the end that were never written.
TEST_F(StorageTest, ShortFileOfFreePagesOpens) {
  const std::string file = directory_.path() + "/data.mdb";
  for (int round = 0; round < 20; ++round) {
    auto txn = write();
    for (std::uint64_t i = 0; i < 200; ++i)
      ASSERT_TRUE(txn->put(Table::kEntries, number_key(i), std::string(3000, 'x')).has_value());
    for (std::uint64_t i = 0; i < 200; ++i)
      ASSERT_TRUE(txn->erase(Table::kEntries, number_key(i)).has_value());
    ASSERT_TRUE(txn->put(Table::kMeta, "round", std::to_string(round)).has_value());
    ASSERT_TRUE(txn->commit().has_value());
    txn.reset();
    env_.reset();
    auto env = Env::open({.path = directory_.path()});
    ASSERT_TRUE(env.has_value()) << env.error().message();
    env_ = std::move(*env);
  }
  EXPECT_EQ(value_of(*read(), Table::kMeta, "round"), "19");
}

TEST_F(StorageTest, ForeignFileIsRefused) {
  TestDirectory other;
  std::ofstream(other.path() + "/data.mdb") << std::string(8192, 'x');
  auto env = Env::open({.path = other.path()});
  ASSERT_FALSE(env.has_value());
  EXPECT_EQ(env.error().code(), ErrorCode::kCorruption) << env.error().message();
}

// The directory is locked, so nobody else has made the file larger: its header is damaged.
TEST_F(StorageTest, AHeaderThatPromisesMoreThanTheMap) {
  put(Table::kMeta, "k", "v");
  constexpr off_t kLastPage = 16 + 24 + 2 * 48;  // in a header page, 8 octets
  const int fd = ::open((directory_.path() + "/data.mdb").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  for (const off_t page : {0, 4096}) ASSERT_EQ(::pwrite(fd, "\x80", 1, page + kLastPage + 7), 1);
  ::close(fd);
  const auto reader = env_->begin_read();
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code(), ErrorCode::kCorruption) << reader.error().message();
  EXPECT_NE(reader.error().message().find("damaged"), std::string::npos);
}

TEST_F(StorageTest, CompactedCopyHasTheSameContents) {
  auto txn = write();
  for (std::uint64_t i = 0; i < 500; ++i)
    ASSERT_TRUE(txn->append(Table::kEntries, number_key(i), std::to_string(i)).has_value());
  ASSERT_TRUE(txn->commit().has_value());
  TestDirectory target;
  const int fd = ::open((target.path() + "/data.mdb").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_TRUE(env_->copy_to(fd).has_value());
  ::close(fd);
  auto copy = Env::open({.path = target.path()});
  ASSERT_TRUE(copy.has_value()) << copy.error().message();
  auto reader = std::move((*copy)->begin_read().value());
  EXPECT_EQ(reader->table_stats(Table::kEntries)->entries, 500U);
  EXPECT_EQ(value_of(*reader, Table::kEntries, number_key(321)), "321");
  auto closed = env_->copy_to(-1);
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().code(), ErrorCode::kIo);
}

TEST_F(StorageTest, EveryDurabilityCommits) {
  for (const Durability durability :
       {Durability::kDurable, Durability::kMetaLazy, Durability::kRelaxed}) {
    open({.durability = durability});
    EXPECT_EQ(env_->durability(), durability);
    put(Table::kMeta, "k", std::to_string(static_cast<int>(durability)));
    ASSERT_TRUE(env_->sync().has_value());
    EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), std::to_string(static_cast<int>(durability)));
  }
}

TEST_F(StorageTest, ReaderSlotsAreCountedAndFreed) {
  open({.readers_max = 3});
  // LMDB rounds the table of readers up to whole pages.
  const unsigned most = env_->stats().readers_max;
  ASSERT_GE(most, 3U);
  std::vector<std::unique_ptr<ReadTxn>> readers;
  for (unsigned i = 0; i < most; ++i) readers.push_back(read());
  EXPECT_EQ(env_->stats().readers_in_use, most);
  auto refused = env_->begin_read();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
  readers.clear();
  EXPECT_EQ(env_->stats().readers_in_use, 0U);
  read();
  EXPECT_EQ(env_->check_readers().value(), 0U);
}

TEST_F(StorageTest, SecondWriterWaitsForTheFirst) {
  auto first = write();
  ASSERT_TRUE(first->put(Table::kMeta, "k", "1").has_value());
  std::string seen;
  std::thread second([&] {
    auto txn = env_->begin_write();
    seen = value_of(**txn, Table::kMeta, "k");
  });
  ASSERT_TRUE(first->commit().has_value());
  second.join();
  EXPECT_EQ(seen, "1");
}

TEST_F(StorageTest, DroppingThePageCacheKeepsTheData) {
  put(Table::kMeta, "k", "v");
  env_.reset();
  ASSERT_TRUE(drop_page_cache(directory_.path()).has_value());
  ASSERT_TRUE(drop_page_cache(directory_.path() + "/data.mdb").has_value());
  auto missing = drop_page_cache(directory_.path() + "/nosuch");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  open();
  EXPECT_EQ(value_of(*read(), Table::kMeta, "k"), "v");
}

// Against std::map: random changes, commits, aborts, look-ups and walks.
TEST_F(StorageTest, BehavesAsAnOrderedMap) {
  SeededRandom random(20240601);
  std::map<std::string, std::string> committed;
  auto reader = read();
  reader->reset();
  for (int round = 0; round < 60; ++round) {
    auto working = committed;
    auto txn = write();
    for (int step = 0; step < 200; ++step) {
      const std::string key = random.bytes(1 + random.next_u64() % 2);
      if (random.next_u64() % 3 == 0) {
        EXPECT_EQ(txn->erase(Table::kIndex, key).value(), working.erase(key) == 1);
      } else {
        const std::string value = random.bytes(random.next_u64() % (step % 50 == 0 ? 9000 : 40));
        ASSERT_TRUE(txn->put(Table::kIndex, key, value).has_value());
        working[key] = value;
      }
    }
    if (random.next_u64() % 4 == 0) {
      txn->abort();
    } else {
      ASSERT_TRUE(txn->commit().has_value());
      committed = std::move(working);
    }
    ASSERT_TRUE(reader->renew().has_value());
    auto cursor = std::move(reader->cursor(Table::kIndex).value());
    auto expected = committed.begin();
    for (auto more = cursor->first(); more.value(); more = cursor->next(), ++expected) {
      ASSERT_NE(expected, committed.end());
      ASSERT_EQ(cursor->key(), expected->first);
      ASSERT_EQ(cursor->value(), expected->second);
    }
    ASSERT_EQ(expected, committed.end());
    for (int probe = 0; probe < 100; ++probe) {
      const std::string key = random.bytes(1 + random.next_u64() % 2);
      const auto found = committed.find(key);
      ASSERT_EQ(value_of(*reader, Table::kIndex, key),
                found == committed.end() ? "(absent)" : found->second);
    }
    reader->reset();
  }
}

}  // namespace
}  // namespace kauri::storage
