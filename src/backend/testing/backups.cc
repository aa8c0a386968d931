#include "backend/testing/backups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "backend/offline.h"

namespace kauri::backend {

OctetSource source_of(std::string octets, std::size_t piece) {
  const auto rest = std::make_shared<std::string>(std::move(octets));
  const auto used = std::make_shared<std::size_t>(0);
  return [rest, used, piece](char* out, std::size_t size) -> Result<std::size_t> {
    const std::size_t count = std::min({size, piece, rest->size() - *used});
    std::memcpy(out, rest->data() + *used, count);
    *used += count;
    return count;
  };
}

namespace {

OctetSink sink_to(std::string& out) {
  return [&out](std::string_view octets) -> Result<void> {
    out.append(octets);
    return {};
  };
}

}  // namespace

std::string backup_of(Database& database) {
  std::string out;
  const auto header = write_backup(database, {"test", {}}, sink_to(out));
  EXPECT_TRUE(header) << header.error().message();
  return out;
}

std::string changes_of(Database& database, const std::string& since) {
  std::string out;
  const auto header = write_changes(database, since, {"test", {}}, sink_to(out));
  EXPECT_TRUE(header) << header.error().message();
  return out;
}

std::string changes_refusal(Database& database, const std::string& since) {
  std::string out;
  const auto header = write_changes(database, since, {"test", {}}, sink_to(out));
  return header ? "" : header.error().message();
}

BackupHeader header_of(const std::string& octets) {
  const auto reader = BackupReader::open(source_of(octets));
  EXPECT_TRUE(reader) << reader.error().message();
  return reader ? reader->header() : BackupHeader();
}

std::vector<std::string> values_of(const std::string& octets) {
  std::vector<std::string> out;
  auto reader = BackupReader::open(source_of(octets));
  EXPECT_TRUE(reader);
  for (auto record = reader->next(); record && *record; record = reader->next())
    out.emplace_back((*record)->value);
  return out;
}

std::string changes_with(BackupHeader header, const std::vector<std::string>& records) {
  header.content = BackupContent::kChanges;
  header.records = records.size();
  std::string out;
  BackupWriter writer(sink_to(out));
  EXPECT_TRUE(writer.begin(header));
  for (const std::string& record : records)
    EXPECT_TRUE(writer.add({storage::Table::kChanges, {}, record}));
  EXPECT_TRUE(writer.finish());
  return out;
}

Tables tables_of(Database& database) {
  Tables out;
  auto txn = database.env().begin_read();
  EXPECT_TRUE(txn);
  for (std::size_t i = 0; i < storage::kTableCount; ++i) {
    const auto table = static_cast<storage::Table>(i);
    auto cursor = (*txn)->cursor(table);
    EXPECT_TRUE(cursor);
    for (auto found = (*cursor)->first(); found && *found; found = (*cursor)->next())
      out[{table, std::string((*cursor)->key())}] = (*cursor)->value();
  }
  return out;
}

std::string content_of(Database& database) {
  std::string ldif;
  const auto count = export_ldif(database, {}, sink_to(ldif));
  EXPECT_TRUE(count) << count.error().message();
  std::istringstream in(ldif);
  std::vector<std::string> entries;
  std::vector<std::string> lines;
  const auto end_entry = [&] {
    std::sort(lines.begin(), lines.end());
    std::string entry;
    for (const std::string& line : lines) entry += line + "\n";
    if (!entry.empty()) entries.push_back(entry);
    lines.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      end_entry();
    } else if (line[0] == ' ') {
      lines.back() += line.substr(1);
    } else {
      lines.push_back(line);
    }
  }
  end_entry();
  std::sort(entries.begin(), entries.end());
  std::string out = database.context_csn() + "\n";
  for (const std::string& entry : entries) out += entry + "\n";
  return out;
}

std::string RestoredPlace::restore(const std::string& backup,
                                   const std::vector<std::string>& changes) {
  database_.reset();
  std::vector<RestoreSource> sources;
  for (const std::string& one : changes)
    sources.push_back({"changes " + std::to_string(sources.size() + 1), source_of(one)});
  const auto report = backend::restore(options_, {"the backup", source_of(backup)},
                                       std::move(sources), fixture_schema(), clock_, random_);
  if (!report) return report.error().message();
  report_ = *report;
  return "";
}

Database& RestoredPlace::open(bool start_writer) {
  if (database_ == nullptr) {
    DatabaseOptions options = options_.database;
    options.wrap_env = nullptr;
    options.start_writer = start_writer;
    auto opened = Database::open(options, fixture_schema(), clock_, random_);
    EXPECT_TRUE(opened) << opened.error().message();
    database_ = std::move(*opened);
  }
  return *database_;
}

std::string RestoredPlace::verify_text() {
  const auto report = verify(open(), {});
  if (!report) return report.error().message();
  std::string out;
  for (const std::string& fault : report->faults) out += fault + "\n";
  return out;
}

std::vector<std::string> RestoredPlace::files() const {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& one : std::filesystem::directory_iterator(path(), ignored))
    out.push_back(one.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace kauri::backend
