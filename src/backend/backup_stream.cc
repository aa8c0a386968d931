#include "backend/backup_stream.h"

#include <algorithm>

#include "base/assert.h"
#include "base/digest.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {

constexpr std::string_view kMagic = "kauribak";
constexpr std::uint8_t kStreamVersion = 1;
enum Kind : std::uint8_t { kHeader = 1, kData = 2, kEnd = 3, kFailure = 4 };
constexpr std::size_t kBlockHeadSize = 5;  // kind u8, size u32
// table u8, size of the key u16, size of the value u32
constexpr std::size_t kRecordHeadSize = 7;
constexpr std::size_t kChangeHeadSize = 4;
constexpr std::size_t kChangeTable = static_cast<std::size_t>(storage::Table::kChanges);

void put_text(std::string& out, std::string_view text) {
  append_little_endian(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

std::string encode_header(const BackupHeader& header) {
  std::string out;
  out.push_back(static_cast<char>(kStreamVersion));
  out.push_back(static_cast<char>(header.content));
  append_little_endian(out, header.format);
  append_little_endian(out, header.normal);
  append_little_endian(out, static_cast<std::uint64_t>(header.made_micros));
  append_little_endian(out, header.entries);
  append_little_endian(out, header.records);
  put_text(out, header.program);
  put_text(out, header.suffix);
  put_text(out, header.since);
  put_text(out, header.csn);
  return out;
}

// Reads front to back; after the first fault everything is empty and ok() is false.
class Fields {
 public:
  explicit Fields(std::string_view octets) : rest_(octets) {}
  bool whole() const { return ok_ && rest_.empty(); }
  template <std::unsigned_integral T>
  T number() {
    const std::string_view octets = take(sizeof(T));
    return ok_ ? load_little_endian<T>(octets) : T{};
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }

 private:
  std::string_view take(std::size_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

// --- Writing ---

std::string BackupWriter::opening() {
  opened_ = true;
  return std::string(kMagic);
}

Result<void> BackupWriter::pass_on(std::string_view octets) {
  Result<void> passed = sink_(octets);
  sink_failed_ = sink_failed_ || !passed;
  return passed;
}

Result<void> BackupWriter::emit(std::uint8_t kind, std::string_view payload) {
  KAURI_ASSERT(payload.size() <= kBackupBlockMax);
  std::string head = opened_ ? std::string() : opening();
  head.push_back(static_cast<char>(kind));
  append_little_endian(head, static_cast<std::uint32_t>(payload.size()));
  sum_ = crc32c(payload, crc32c(head, sum_));
  KAURI_CHECK(pass_on(head));
  if (!payload.empty()) KAURI_CHECK(pass_on(payload));
  std::string sum;
  // Not over the sums themselves: a CRC that runs over its own value forgets what was before.
  append_little_endian(sum, sum_);
  return pass_on(sum);
}

Result<void> BackupWriter::begin(const BackupHeader& header) {
  content_ = header.content;
  due_ = header.records;
  data_.reserve(kBackupBlockMax);
  return emit(kHeader, encode_header(header));
}

// A record may begin in one block and end in another.
Result<void> BackupWriter::put(std::string_view octets) {
  while (!octets.empty()) {
    const std::size_t size = std::min(octets.size(), kBackupBlockMax - data_.size());
    data_.append(octets.substr(0, size));
    octets.remove_prefix(size);
    if (data_.size() < kBackupBlockMax) break;
    KAURI_CHECK(emit(kData, data_));
    data_.clear();
  }
  return {};
}

Result<void> BackupWriter::add(const BackupRecord& record) {
  std::string head;
  if (content_ == BackupContent::kDatabase) {
    head.push_back(static_cast<char>(record.table));
    append_little_endian(head, static_cast<std::uint16_t>(record.key.size()));
  }
  append_little_endian(head, static_cast<std::uint32_t>(record.value.size()));
  ++records_;
  KAURI_CHECK(put(head));
  KAURI_CHECK(put(record.key));
  return put(record.value);
}

Result<void> BackupWriter::finish() {
  if (records_ != due_)
    return corruption("the tables have " + std::to_string(records_) +
                      " records, and the database counts " + std::to_string(due_));
  if (!data_.empty()) KAURI_CHECK(emit(kData, data_));
  data_.clear();
  std::string end;
  append_little_endian(end, records_);
  return emit(kEnd, end);
}

void BackupWriter::give_up(std::string_view message) {
  if (sink_failed_) return;
  data_.clear();
  // Who reads notices the missing end in any case.
  [[maybe_unused]] const Result<void> told = emit(kFailure, message.substr(0, kBackupBlockMax));
}

// --- Reading ---

Error BackupReader::broken(std::string_view why) const {
  return corruption("octet " + std::to_string(offset_) + ": " + std::string(why));
}

Result<void> BackupReader::read_exactly(char* out, std::size_t size) {
  while (size != 0) {
    KAURI_TRY(const std::size_t count, source_(out, size));
    if (count == 0) return broken("it ends here, before its end block; it was cut short");
    KAURI_ASSERT(count <= size);
    out += count;
    size -= count;
    offset_ += count;
  }
  return {};
}

Result<void> BackupReader::read_opening() {
  std::array<char, kMagic.size()> magic{};
  KAURI_CHECK(read_exactly(magic.data(), magic.size()));
  const std::string_view seen(magic.data(), magic.size());
  if (seen != kMagic) return invalid("it is no backup: it does not begin with \"kauribak\"");
  sum_ = crc32c(seen);
  return {};
}

Result<void> BackupReader::read_block(Block& block) {
  std::array<char, kBlockHeadSize> head{};
  KAURI_CHECK(read_exactly(head.data(), head.size()));
  const std::string_view fields(head.data(), head.size());
  const auto size = load_little_endian<std::uint32_t>(fields.substr(1));
  block.kind = static_cast<std::uint8_t>(head[0]);
  if (size > kBackupBlockMax)
    return broken("a block of " + std::to_string(size) + " octets, the limit is " +
                  std::to_string(kBackupBlockMax));
  block.payload.resize(size);
  KAURI_CHECK(read_exactly(block.payload.data(), size));
  sum_ = crc32c(block.payload, crc32c(fields, sum_));
  std::array<char, sizeof(std::uint32_t)> stored{};
  KAURI_CHECK(read_exactly(stored.data(), stored.size()));
  const std::string_view sum(stored.data(), stored.size());
  if (load_little_endian<std::uint32_t>(sum) != sum_)
    return broken("the checksum does not fit; what stands before this place is damaged");
  if (block.kind == kFailure) return Error(ErrorCode::kIo, "given up: " + block.payload);
  return {};
}

Result<void> BackupReader::read_header() {
  KAURI_CHECK(read_block(block_));
  if (block_.kind != kHeader) return broken("the first block is no header");
  Fields in(block_.payload);
  const auto version = in.number<std::uint8_t>();
  if (version != kStreamVersion)
    return invalid("it has version " + std::to_string(version) +
                   " of the backup format and this program knows version " +
                   std::to_string(kStreamVersion));
  const auto content = in.number<std::uint8_t>();
  if (content != static_cast<std::uint8_t>(BackupContent::kDatabase) &&
      content != static_cast<std::uint8_t>(BackupContent::kChanges))
    return broken("content " + std::to_string(content) + " is unknown");
  header_.content = static_cast<BackupContent>(content);
  header_.format = in.number<std::uint32_t>();
  header_.normal = in.number<std::uint32_t>();
  header_.made_micros = static_cast<std::int64_t>(in.number<std::uint64_t>());
  header_.entries = in.number<std::uint64_t>();
  header_.records = in.number<std::uint64_t>();
  header_.program = in.text();
  header_.suffix = in.text();
  header_.since = in.text();
  header_.csn = in.text();
  if (!in.whole()) return broken("a length of the header does not fit");
  return {};
}

Result<BackupReader> BackupReader::open(OctetSource source) {
  BackupReader reader(std::move(source));
  KAURI_CHECK(reader.read_opening());
  KAURI_CHECK(reader.read_header());
  return reader;
}

Result<std::optional<BackupRecord>> BackupReader::take_record() {
  const std::string_view rest = std::string_view(data_).substr(used_);
  BackupRecord record;
  std::size_t head = kChangeHeadSize;
  std::size_t key_size = 0;
  if (header_.content == BackupContent::kDatabase) {
    head = kRecordHeadSize;
    if (rest.size() < head) return std::optional<BackupRecord>();
    const auto table = static_cast<std::uint8_t>(rest[0]);
    if (table >= storage::kTableCount)
      return broken("table " + std::to_string(table) + " is unknown");
    record.table = static_cast<storage::Table>(table);
    key_size = load_little_endian<std::uint16_t>(rest.substr(1));
  } else {
    record.table = static_cast<storage::Table>(kChangeTable);
  }
  if (rest.size() < head) return std::optional<BackupRecord>();
  const std::size_t value_size =
      load_little_endian<std::uint32_t>(rest.substr(head - sizeof(std::uint32_t)));
  if (rest.size() - head < key_size + value_size) return std::optional<BackupRecord>();
  record.key = rest.substr(head, key_size);
  record.value = rest.substr(head + key_size, value_size);
  used_ += head + key_size + value_size;
  ++records_;
  return std::optional<BackupRecord>(record);
}

Result<void> BackupReader::check_end(std::string_view payload) {
  Fields in(payload);
  const auto records = in.number<std::uint64_t>();
  if (!in.whole()) return broken("the end block does not have its 8 octets");
  if (!data_.empty()) return broken("the last record is not whole");
  if (records != records_ || records != header_.records)
    return broken(std::to_string(records_) + " records, and the header promises " +
                  std::to_string(header_.records) + ", the end block " + std::to_string(records));
  char beyond = 0;
  KAURI_TRY(const std::size_t more, source_(&beyond, 1));
  if (more != 0) return broken("there are octets behind the end block");
  ended_ = true;
  return {};
}

Result<std::optional<BackupRecord>> BackupReader::next() {
  while (!ended_) {
    KAURI_TRY(const std::optional<BackupRecord> record, take_record());
    if (record) return record;
    data_.erase(0, used_);
    used_ = 0;
    KAURI_CHECK(read_block(block_));
    switch (block_.kind) {
      case kData:
        data_.append(block_.payload);
        break;
      case kEnd:
        KAURI_CHECK(check_end(block_.payload));
        break;
      default:
        return broken("a block of the unknown kind " + std::to_string(block_.kind));
    }
  }
  return std::optional<BackupRecord>();
}

}  // namespace kauri::backend
