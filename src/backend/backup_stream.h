// The octets of a backup: blocks with a checksum that runs over all blocks before it
// (docs/formats/backup.md). One stream holds either a whole database or a part of its change log.
//
// Nothing is allocated from a length that has not arrived: a block has at most kBackupBlockMax
// octets, and a record grows as its blocks do. Thread safety: thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace kauri::backend {

// Persisted; never renumber.
enum class BackupContent : std::uint8_t { kDatabase = 1, kChanges = 2 };

inline constexpr std::size_t kBackupBlockMax = std::size_t{1} << 20U;

struct BackupHeader {
  BackupContent content = BackupContent::kDatabase;
  std::uint32_t format = 0;  // of the tables (meta_format.h)
  std::uint32_t normal = 0;  // of the normal forms
  std::int64_t made_micros = 0;
  std::string program;  // "0.1.0", of whoever made it; for people
  std::string suffix;
  std::string since;  // of changes: the CSN of the state that the first one was made on
  std::string csn;    // of the state that it holds, or leads to
  std::uint64_t entries = 0;
  std::uint64_t records = 0;  // of the stream
  friend bool operator==(const BackupHeader&, const BackupHeader&) = default;
};

// One record: of a table; or of the change log, with an empty key and its stored form as value.
struct BackupRecord {
  storage::Table table = storage::Table::kMeta;
  std::string_view key;
  std::string_view value;
};

// Takes octets; what it returns ends the work.
using OctetSink = std::function<Result<void>(std::string_view)>;
// Gives at most `size` octets, at least one, or 0 at the end.
using OctetSource = std::function<Result<std::size_t>(char* out, std::size_t size)>;

class BackupWriter {
 public:
  explicit BackupWriter(OctetSink sink) : sink_(std::move(sink)) {}
  Result<void> begin(const BackupHeader& header);
  Result<void> add(const BackupRecord& record);
  // RETURNS: kCorruption when there were more or fewer records than the header says, which tables
  // told.
  Result<void> finish();
  // Instead of finish(), and at any time, also before begin(): tells why there is no more. Nothing
  // when it is the sink that failed.
  void give_up(std::string_view message);

 private:
  Result<void> emit(std::uint8_t kind, std::string_view payload);
  Result<void> put(std::string_view octets);
  Result<void> pass_on(std::string_view octets);
  // What starts the stream.
  std::string opening();

  OctetSink sink_;
  BackupContent content_ = BackupContent::kDatabase;
  std::string data_;  // of the block that is being filled
  std::uint32_t sum_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t due_ = 0;
  bool opened_ = false;
  bool sink_failed_ = false;
};

class BackupReader {
 public:
  // Reads the header. RETURNS: kInvalid for octets that are no backup, kCorruption for one that is
  // damaged or cut short, both with what is wrong and where; what the source returns; kIo with the
  // message of a stream that was given up.
  static Result<BackupReader> open(OctetSource source);

  const BackupHeader& header() const { return header_; }
  // The next record; nothing at the end, when all has been checked and the source is at its end.
  // VALID UNTIL: the next call. RETURNS: as open().
  Result<std::optional<BackupRecord>> next();
  std::uint64_t records() const { return records_; }
  std::uint64_t octets() const { return offset_; }

 private:
  struct Block {
    std::uint8_t kind = 0;
    std::string payload;
  };

  explicit BackupReader(OctetSource source) : source_(std::move(source)) {}
  Error broken(std::string_view why) const;
  Result<void> read_exactly(char* out, std::size_t size);
  Result<void> read_opening();
  Result<void> read_block(Block& block);
  Result<void> read_header();
  Result<void> check_end(std::string_view payload);
  // The record at the front of what has arrived; nothing when it is not whole yet.
  Result<std::optional<BackupRecord>> take_record();

  OctetSource source_;
  BackupHeader header_;
  Block block_;
  std::string data_;      // of records that are not read yet
  std::size_t used_ = 0;  // octets at the front of data_ that are
  std::uint32_t sum_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t records_ = 0;
  bool ended_ = false;
};

}  // namespace kauri::backend
