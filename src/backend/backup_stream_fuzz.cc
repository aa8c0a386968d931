// Any octets as a backup: an error, or records that make the same stream again, and that are asked
// whether they fit one another. The input is read as it is, and as blocks (kind, size u16, payload)
// whose checksums are made to fit, as are those of entries and changes before they are asked.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "backend/backup_check.h"
#include "backend/backup_stream.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/endian.h"

namespace {

using kauri::Result;
using kauri::backend::BackupCheck;
using kauri::backend::BackupReader;
using kauri::backend::BackupRecord;
using kauri::backend::BackupWriter;

Result<BackupReader> open(std::string_view& rest, std::size_t piece) {
  return BackupReader::open([&rest, piece](char* out, std::size_t size) -> Result<std::size_t> {
    const std::size_t count = std::min({size, piece, rest.size()});
    std::memcpy(out, rest.data(), count);
    rest.remove_prefix(count);
    return count;
  });
}

Result<void> ask(BackupCheck& check, BackupRecord record) {
  std::string value(record.value);
  if (value.size() > 4) {
    std::string sum;
    kauri::append_little_endian(sum, kauri::crc32c(std::string_view(value).substr(4)));
    if (record.table == kauri::storage::Table::kEntries ||
        record.table == kauri::storage::Table::kChanges)
      value.replace(0, 4, sum);
  }
  record.value = value;
  return check.add(record);
}

void read(const std::string& octets, std::size_t piece) {
  std::string_view rest = octets;
  auto reader = open(rest, piece);
  if (!reader) return;
  std::string again;
  BackupWriter writer([&again](std::string_view some) -> Result<void> {
    again.append(some);
    return {};
  });
  KAURI_ASSERT(writer.begin(reader->header()));
  BackupCheck check;
  bool fits = true;
  for (;;) {
    const auto record = reader->next();
    if (!record) return;
    if (!*record) break;
    fits = fits && ask(check, **record);
    KAURI_ASSERT(writer.add(**record));
  }
  if (fits) (void)check.finish();
  KAURI_ASSERT(writer.finish());
  std::string_view rewritten = again;
  auto second = open(rewritten, std::size_t{1} << 20U);
  KAURI_ASSERT(second && second->header() == reader->header());
  for (auto record = second->next();; record = second->next()) {
    KAURI_ASSERT(record);
    if (!*record) break;
  }
  KAURI_ASSERT(second->records() == reader->records());
}

std::string with_checksums(std::string_view blocks) {
  std::string out = "kauribak";
  std::uint32_t sum = kauri::crc32c(out);
  while (blocks.size() >= 3) {
    const std::size_t size = std::min<std::size_t>(
        kauri::load_little_endian<std::uint16_t>(blocks.substr(1)), blocks.size() - 3);
    std::string block(1, blocks[0]);
    kauri::append_little_endian(block, static_cast<std::uint32_t>(size));
    block.append(blocks.substr(3, size));
    sum = kauri::crc32c(block, sum);
    out += block;
    kauri::append_little_endian(out, sum);
    blocks.remove_prefix(3 + size);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string octets(reinterpret_cast<const char*>(data), size);
  read(octets, std::size_t{1} << 20U);
  read(with_checksums(octets), 7);
  return 0;
}
