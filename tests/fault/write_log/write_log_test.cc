// The parts of replay_write_log: what a campaign shows rests on them.
#include <gtest/gtest.h>

#include <set>

#include "disk.h"
#include "format.h"
#include "ledger.h"
#include "log.h"

namespace kauri::write_log {
namespace {

std::string record(std::uint32_t kind, std::uint64_t offset, std::string_view data) {
  const kauri_write_record header{KAURI_RECORD_MAGIC, kind, offset, data.size()};
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + std::string(data);
}

TEST(WriteLog, IsReadAsItWasWritten) {
  const std::string octets =
      record(KAURI_RECORD_WRITE, 512, "abc") + record(KAURI_RECORD_SYNC, 0, "") +
      record(KAURI_RECORD_DURABLE_WRITE, 40, "m") + record(KAURI_RECORD_TRUNCATE, 4096, "") +
      record(KAURI_RECORD_PLACED, 0, "") + record(KAURI_RECORD_PLACE_SYNC, 0, "");
  const auto records = parse_log(octets);
  ASSERT_TRUE(records) << records.error().message();
  ASSERT_EQ(records->size(), 6U);
  EXPECT_EQ((*records)[0].kind, RecordKind::kWrite);
  EXPECT_EQ((*records)[0].offset, 512U);
  EXPECT_EQ((*records)[0].data, "abc");
  EXPECT_EQ((*records)[1].kind, RecordKind::kSync);
  EXPECT_EQ((*records)[1].begin, sizeof(kauri_write_record) + 3);
  EXPECT_EQ((*records)[2].kind, RecordKind::kDurableWrite);
  EXPECT_EQ((*records)[3].kind, RecordKind::kTruncate);
  EXPECT_EQ((*records)[4].kind, RecordKind::kPlaced);
  EXPECT_EQ((*records)[5].kind, RecordKind::kPlaceSync);
}

TEST(WriteLog, MalformedLogsNameThePlace) {
  const std::string good = record(KAURI_RECORD_WRITE, 0, "abc");
  std::string other = good;
  other[0] = '?';
  struct Row {
    const char* name;
    std::string octets;
    const char* told;
  };
  const Row rows[] = {
      {"cut header", good + good.substr(0, 5), "octet 27: the header of a record is cut"},
      {"cut data", good.substr(0, good.size() - 1), "octet 0: the data of a record are cut"},
      {"no magic", good + other, "octet 27: no record begins here"},
      {"unknown kind", record(77, 0, ""), "the kind 77 is unknown"},
      {"map", record(KAURI_RECORD_MAPPED, 0, ""), "writes through a map"},
  };
  for (const Row& row : rows) {
    const auto records = parse_log(row.octets);
    ASSERT_FALSE(records) << row.name;
    EXPECT_NE(records.error().message().find(row.told), std::string::npos)
        << row.name << ": " << records.error().message();
  }
}

class DiskTest : public ::testing::Test {
 protected:
  static Record write(std::uint64_t offset, std::string_view data) {
    return {RecordKind::kWrite, offset, data, 0};
  }
  static Record durable(std::uint64_t offset, std::string_view data) {
    return {RecordKind::kDurableWrite, offset, data, 0};
  }
  static Record sync() { return {RecordKind::kSync, 0, {}, 0}; }
  // The images that many draws give.
  static std::set<std::string> images(const Disk& disk, Kept kept, const Record* next = nullptr) {
    std::set<std::string> out;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SeededRandom random(seed);
      out.insert(disk.image(kept, random, next).value_or("(no file)"));
    }
    return out;
  }
};

using Images = std::set<std::string>;

TEST_F(DiskTest, WhatIsFlushedIsThere) {
  Disk disk("....");
  disk.take(write(0, "ab"));
  EXPECT_EQ(images(disk, Kept::kNone), Images{"...."});
  EXPECT_EQ(images(disk, Kept::kAll), Images{"ab.."});
  EXPECT_EQ(images(disk, Kept::kWrites), (Images{"....", "ab.."}));
  disk.take(sync());
  EXPECT_EQ(disk.unflushed(), 0U);
  EXPECT_EQ(images(disk, Kept::kNone), Images{"ab.."});
}

TEST_F(DiskTest, LaterWritesMayBeThereWithoutEarlierOnes) {
  Disk disk("....");
  disk.take(write(0, "a"));
  disk.take(write(1, "b"));
  EXPECT_EQ(images(disk, Kept::kWrites), (Images{"....", "a...", ".b..", "ab.."}));
}

TEST_F(DiskTest, ADurableWriteStaysAndCoversOlderOnes) {
  Disk disk("....");
  disk.take(write(0, "a"));
  disk.take(durable(0, "m"));
  EXPECT_EQ(images(disk, Kept::kNone), Images{"m..."});
  EXPECT_EQ(images(disk, Kept::kWrites), Images{"m..."});
  const Record next = durable(0, "n");
  EXPECT_EQ(images(disk, Kept::kWrites, &next), (Images{"m...", "n..."}));
}

TEST_F(DiskTest, OnlySectorsAreWhole) {
  const std::string data = std::string(512, 'a') + std::string(512, 'b');
  Disk disk(std::string(1024, '.'));
  disk.take(write(0, data));
  const std::string empty(512, '.');
  const Images parts{empty + empty, data.substr(0, 512) + empty, empty + data.substr(512), data};
  EXPECT_EQ(images(disk, Kept::kSectors), parts);
  EXPECT_EQ(images(disk, Kept::kPages), (Images{empty + empty, data}));
  EXPECT_EQ(images(disk, Kept::kTorn), (Images{empty + empty, data.substr(0, 512) + empty, data}));
}

TEST_F(DiskTest, AFileMayHaveItsSizeBeforeItsData) {
  Disk disk("");
  disk.take(write(2, "a"));
  EXPECT_EQ(images(disk, Kept::kNone), Images{""});
  EXPECT_EQ(images(disk, Kept::kWrites),
            (Images{"", std::string(3, '\0'), std::string(2, '\0') + "a"}));
}

TEST_F(DiskTest, AFileIsThereForSureWhenItsDirectoryIsFlushed) {
  Disk disk(std::nullopt);
  disk.take(write(0, "ab"));
  EXPECT_EQ(images(disk, Kept::kAll), Images{"(no file)"});
  disk.take(sync());
  disk.take({RecordKind::kPlaced, 0, {}, 0});
  EXPECT_EQ(images(disk, Kept::kNone), Images{"(no file)"});
  EXPECT_EQ(images(disk, Kept::kWrites), (Images{"(no file)", "ab"}));
  EXPECT_EQ(images(disk, Kept::kAll), Images{"ab"});
  disk.take({RecordKind::kPlaceSync, 0, {}, 0});
  EXPECT_EQ(images(disk, Kept::kNone), Images{"ab"});
}

TEST_F(DiskTest, TruncationsAreWritesToo) {
  Disk disk("abcd");
  disk.take({RecordKind::kTruncate, 2, {}, 0});
  EXPECT_EQ(images(disk, Kept::kNone), Images{"abcd"});
  EXPECT_EQ(images(disk, Kept::kSectors), (Images{"abcd", "ab"}));
  disk.take(sync());
  EXPECT_EQ(images(disk, Kept::kNone), Images{"ab"});
}

TEST_F(DiskTest, ALateSyncLeavesOutWhatTheLastOneShouldHaveTaken) {
  Disk disk("....", Syncs::kLate);
  disk.take(write(0, "a"));
  disk.take(sync());
  EXPECT_EQ(images(disk, Kept::kNone), Images{"...."});
  disk.take(durable(3, "m"));
  EXPECT_EQ(images(disk, Kept::kNone), Images{"...m"});
  disk.take(write(1, "b"));
  disk.take(sync());
  EXPECT_EQ(images(disk, Kept::kNone), Images{"a..m"});
}

TEST(Ledger, LegalIsTheLastPromiseOrTheRequestInFlight) {
  const auto ledger = Ledger::parse(
      "k\told\t0\t0\n"
      "k\tnew\t100\t200\n"
      "k\t-\t300\t-\n");
  ASSERT_TRUE(ledger) << ledger.error().message();
  EXPECT_EQ(ledger->size(), 3U);
  const auto legal = [&](const char* state, std::uint64_t position) {
    States found;
    if (state != nullptr) found["k"] = state;
    return ledger->compare(found, position).empty();
  };
  EXPECT_TRUE(legal("old", 99));
  EXPECT_FALSE(legal("new", 99));
  EXPECT_FALSE(legal(nullptr, 99));
  EXPECT_TRUE(legal("old", 100));
  EXPECT_TRUE(legal("new", 100));
  EXPECT_TRUE(legal("old", 199));
  EXPECT_FALSE(legal("old", 200));
  EXPECT_TRUE(legal("new", 200));
  EXPECT_FALSE(legal(nullptr, 299));
  EXPECT_TRUE(legal(nullptr, 300));
  EXPECT_TRUE(legal("new", 1000));
  EXPECT_FALSE(legal("other", 1000));
}

TEST(Ledger, WhatNobodyAskedForIsAFault) {
  const auto ledger = Ledger::parse("k\tx\t10\t20\n");
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->compare({{"k", "x"}, {"l", "y"}}, 30).size(), 1U);
  EXPECT_EQ(ledger->compare({{"k", "x"}}, 5).size(), 1U);
  EXPECT_TRUE(ledger->compare({}, 5).empty());
}

TEST(Ledger, MalformedLedgersNameTheLine) {
  struct Row {
    const char* text;
    const char* told;
  };
  const Row rows[] = {
      {"k\tx\t1\t2\nk\tx\n", "line 2: it has not four fields"},
      {"k\tx\t1\t2\t3\n", "line 1: it has not four fields"},
      {"k\tx\tone\t2\n", "line 1: the third field is no number"},
      {"k\tx\t1\t\n", "line 1: the fourth field is no number"},
      {"k\tx\t3\t2\n", "line 1: the answer came before the request"},
      {"k\tx\t1\t5\nk\ty\t4\t6\n", "line 2: the request was sent before"},
  };
  for (const Row& row : rows) {
    const auto ledger = Ledger::parse(row.text);
    ASSERT_FALSE(ledger) << row.text;
    EXPECT_NE(ledger.error().message().find(row.told), std::string::npos)
        << ledger.error().message();
  }
}

}  // namespace
}  // namespace kauri::write_log
