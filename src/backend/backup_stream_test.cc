// The form of a backup: what is written is read back, and nothing else is.
#include "backend/backup_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/testing/backups.h"
#include "base/digest.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {

using storage::Table;
using testing::HasSubstr;

struct Stored {
  Table table;
  std::string key;
  std::string value;
};

BackupHeader example_header(std::uint64_t records) {
  BackupHeader header;
  header.format = 1;
  header.normal = 2;
  header.made_micros = 1'700'000'000'000'000;
  header.program = "9.9";
  header.suffix = "dc=example,dc=com";
  header.csn = "20240101120000.000000Z#000000#000#000000";
  header.entries = 3;
  header.records = records;
  return header;
}

std::string written(const BackupHeader& header, const std::vector<Stored>& records) {
  std::string out;
  BackupWriter writer([&out](std::string_view octets) -> Result<void> {
    out.append(octets);
    return {};
  });
  EXPECT_TRUE(writer.begin(header));
  for (const Stored& one : records) EXPECT_TRUE(writer.add({one.table, one.key, one.value}));
  EXPECT_TRUE(writer.finish());
  return out;
}

// "" when the stream is good; else why it is not.
std::string fault_of(const std::string& octets, std::size_t piece = 100'000) {
  auto reader = BackupReader::open(source_of(octets, piece));
  if (!reader) return reader.error().message();
  for (;;) {
    const auto record = reader->next();
    if (!record) return record.error().message();
    if (!*record) return "";
  }
}

// Blocks made by hand, with checksums that fit.
class Forger {
 public:
  Forger() : out_("kauribak"), sum_(crc32c(out_)) {}
  Forger& block(char kind, const std::string& payload) {
    return sized(kind, payload, payload.size());
  }
  Forger& sized(char kind, const std::string& payload, std::size_t size) {
    std::string octets(1, kind);
    append_little_endian(octets, static_cast<std::uint32_t>(size));
    octets += payload;
    sum_ = crc32c(octets, sum_);
    std::string sum;
    append_little_endian(sum, sum_);
    out_ += octets + sum;
    return *this;
  }
  // A header block whose payload is that of the example, changed.
  Forger& header(std::uint64_t records, const std::function<void(std::string&)>& change = {}) {
    const std::string whole = written(example_header(0), {});
    const std::size_t size = load_little_endian<std::uint32_t>(std::string_view(whole).substr(9));
    std::string payload = whole.substr(13, size);
    std::memcpy(payload.data() + 26, &records, sizeof records);
    if (change) change(payload);
    return block(1, payload);
  }
  Forger& end(std::uint64_t records) {
    std::string payload;
    append_little_endian(payload, records);
    return block(3, payload);
  }
  std::string octets() const { return out_; }
  std::string fault() const { return fault_of(out_); }

 private:
  std::string out_;
  std::uint32_t sum_;
};

std::string record(char table, const std::string& key, const std::string& value) {
  std::string out(1, table);
  append_little_endian(out, static_cast<std::uint16_t>(key.size()));
  append_little_endian(out, static_cast<std::uint32_t>(value.size()));
  return out + key + value;
}

TEST(BackupStream, IsReadBackAsItWasWritten) {
  const std::vector<Stored> records = {
      {Table::kMeta, "format", std::string("\0\0\0\1", 4)},
      {Table::kEntries, "12345678", std::string(5 * kBackupBlockMax / 2, 'x')},
      {Table::kDn, std::string(511, 'k'), ""},
      {Table::kChanges, "87654321", std::string(kBackupBlockMax, 'y')}};
  const BackupHeader header = example_header(records.size());
  const std::string octets = written(header, records);
  for (const std::size_t piece : {std::size_t{1} << 30U, std::size_t{4093}, std::size_t{7}}) {
    auto reader = BackupReader::open(source_of(octets, piece));
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ(reader->header(), header);
    for (const Stored& one : records) {
      const auto got = reader->next();
      ASSERT_TRUE(got) << got.error().message();
      ASSERT_TRUE(*got);
      EXPECT_EQ((*got)->table, one.table);
      EXPECT_EQ((*got)->key, one.key);
      EXPECT_TRUE((*got)->value == one.value);
    }
    const auto end = reader->next();
    ASSERT_TRUE(end) << end.error().message();
    EXPECT_FALSE(*end);
    EXPECT_EQ(reader->octets(), octets.size());
    EXPECT_EQ(reader->records(), records.size());
  }
}

TEST(BackupStream, NoTruncationAndNoFlippedBitIsTaken) {
  const std::string octets =
      written(example_header(2),
              {{Table::kMeta, "a", "one"}, {Table::kEntries, "b", std::string(90, 'z')}});
  ASSERT_EQ(fault_of(octets), "");
  for (std::size_t size = 0; size < octets.size(); ++size)
    EXPECT_THAT(fault_of(octets.substr(0, size)), HasSubstr("cut short")) << size;
  for (std::size_t at = 0; at < octets.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = octets;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_NE(fault_of(bad), "") << at << "." << bit;
    }
  }
}

TEST(BackupStream, BlocksHaveTheirPlace) {
  const std::vector<Stored> records(5, {Table::kEntries, "k", std::string(kBackupBlockMax, 'z')});
  const std::string octets = written(example_header(records.size()), records);
  const std::size_t start = octets.find(std::string("\2\0\0\x10\0", 5));
  ASSERT_NE(start, std::string::npos);
  const std::size_t size = kBackupBlockMax + 9;
  const std::string first = octets.substr(start, size);
  const std::string second = octets.substr(start + size, size);
  std::string swapped = octets;
  swapped.replace(start, 2 * size, second + first);
  EXPECT_THAT(fault_of(swapped), HasSubstr("checksum"));
  std::string lost = octets;
  lost.erase(start + size, size);
  EXPECT_THAT(fault_of(lost), HasSubstr("checksum"));
  std::string twice = octets;
  twice.insert(start, first);
  EXPECT_THAT(fault_of(twice), HasSubstr("checksum"));
}

TEST(BackupStream, MalformedStreamsAreRefusedByName) {
  const std::string one = record(1, "k", "v");
  EXPECT_EQ(Forger().header(1).block(2, one).end(1).fault(), "");
  EXPECT_EQ(Forger().header(2).block(2, one).block(2, one).end(2).fault(), "");
  const std::pair<std::string, const char*> cases[] = {
      {"", "cut short"},
      {"kauribaX rest of it", "no backup"},
      {Forger().header(0).end(0).octets() + "x", "behind the end block"},
      {Forger().end(0).octets(), "the first block is no header"},
      {Forger().header(0, [](std::string& p) { p[0] = 9; }).octets(), "version 9"},
      {Forger().header(0, [](std::string& p) { p[1] = 3; }).octets(), "content 3"},
      {Forger().header(0, [](std::string& p) { p.pop_back(); }).octets(), "length of the header"},
      {Forger().header(0, [](std::string& p) { p += "x"; }).octets(), "length of the header"},
      {Forger().header(0, [](std::string& p) { p[37] = '\xff'; }).octets(), "length of the header"},
      {Forger().header(1).block(2, record(6, "k", "v")).end(1).octets(), "table 6"},
      {Forger().header(1).block(2, one.substr(0, 8)).end(1).octets(), "not whole"},
      {Forger().header(1).block(2, one.substr(0, 3)).end(1).octets(), "not whole"},
      {Forger().header(2).block(2, one).end(1).octets(), "1 records, and the header promises 2"},
      {Forger().header(1).block(2, one).end(2).octets(), "the end block 2"},
      {Forger().header(0).block(3, "1234567").octets(), "8 octets"},
      {Forger().header(0).block(5, "").octets(), "unknown kind 5"},
      {Forger().header(0).header(0).octets(), "unknown kind 1"},
      {Forger().header(1).sized(2, one, kBackupBlockMax + 1).octets(), "the limit is 1048576"},
      {Forger().header(0).block(4, "the disk broke").octets(), "given up: the disk broke"},
      {Forger().block(4, "not yours").octets(), "given up: not yours"},
  };
  for (const auto& [octets, why] : cases) EXPECT_THAT(fault_of(octets), HasSubstr(why));
}

TEST(BackupStream, AWriterThatGivesUpSaysWhy) {
  std::string out;
  const OctetSink sink = [&out](std::string_view octets) -> Result<void> {
    out.append(octets);
    return {};
  };
  BackupWriter early(sink);
  early.give_up("no such state");
  EXPECT_THAT(fault_of(out), HasSubstr("no such state"));
  out.clear();
  BackupWriter late(sink);
  ASSERT_TRUE(late.begin(example_header(3)));
  ASSERT_TRUE(late.add({Table::kMeta, "k", "v"}));
  late.give_up("the disk broke");
  EXPECT_THAT(fault_of(out), HasSubstr("the disk broke"));
}

TEST(BackupStream, WhatSourceAndSinkReturnIsPassedOn) {
  const auto reader = BackupReader::open([](char*, std::size_t) -> Result<std::size_t> {
    return Error(ErrorCode::kIo, "the tape is torn");
  });
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().message(), "the tape is torn");
  BackupWriter writer(
      [](std::string_view) -> Result<void> { return Error(ErrorCode::kNoSpace, "full"); });
  const auto begun = writer.begin(example_header(0));
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code(), ErrorCode::kNoSpace);
  // It is not asked again.
  int calls = 0;
  BackupWriter once([&calls](std::string_view) -> Result<void> {
    ++calls;
    return Error(ErrorCode::kIo, "gone");
  });
  EXPECT_FALSE(once.begin(example_header(0)));
  once.give_up("the sink is gone");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kauri::backend
