#include "kauri/backup.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "backend/backup.h"
#include "backend/backup_check.h"
#include "backend/csn.h"
#include "base/clock.h"
#include "kauri/backup_target.h"
#include "kauri/offline.h"
#include "kaurid/backup_socket.h"
#include "storage/page_cache.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

using backend::BackupContent;
using backend::BackupHeader;
using backend::BackupReader;

struct Options {
  DatabaseChoice choice;
  std::string to;
  std::optional<std::string> changes_since;
  std::string changes_after;
  std::string check;
  bool verify = false;
  bool json = false;
};

struct Written {
  BackupHeader header;
  std::uint64_t octets = 0;
  bool online = false;
};

// --- Reading ---

backend::OctetSource source_of(backend::InputFile& file) {
  return [&file](char* out, std::size_t size) { return file.read(out, size); };
}

Result<BackupHeader> read_header(const std::string& path) {
  KAURI_TRY(backend::InputFile file, backend::InputFile::open(path));
  const auto reader = BackupReader::open(source_of(file));
  if (!reader) return reader.error().with_context(path);
  return reader->header();
}

// To the end, which proves all checksums. With `check` also whether the records fit one another.
Result<Written> read_through(BackupReader& reader, ProgressPrinter& printer, const char* phase,
                             backend::BackupCheck* check) {
  for (;;) {
    KAURI_TRY(const auto record, reader.next());
    if (!record) break;
    if (check != nullptr) KAURI_CHECK(check->add(*record));
    printer.count(phase, reader.records(), reader.header().records);
  }
  if (check != nullptr) KAURI_CHECK(check->finish());
  return Written{reader.header(), reader.octets(), false};
}

Result<Written> check_file(const std::string& path, ProgressPrinter& printer) {
  KAURI_TRY(backend::InputFile file, backend::InputFile::open(path));
  auto reader = BackupReader::open(source_of(file));
  if (!reader) return reader.error().with_context(path);
  const bool database = reader->header().content == BackupContent::kDatabase;
  backend::BackupCheck check;
  auto done = read_through(*reader, printer, "check", database ? &check : nullptr);
  if (!done) return done.error().with_context(path);
  return done;
}

// --- Writing ---

Result<kaurid::BackupRequest> request_of(const Options& options) {
  kaurid::BackupRequest request;
  request.changes = options.changes_since.has_value() || !options.changes_after.empty();
  if (options.changes_since) request.since = *options.changes_since;
  if (!request.since.empty() && !backend::parse_csn(request.since))
    return invalid("--changes-since " + text::quoted(request.since) +
                   ": it is no CSN, such as 20260131235959.000000Z#000000#000#000000; backup "
                   "--check FILE tells that of a backup");
  if (!options.changes_after.empty()) {
    KAURI_TRY(const BackupHeader header, read_header(options.changes_after));
    request.since = header.csn;
  }
  return request;
}

// What the server sends is written as it comes, and read on the way, so that what is damaged or cut
// short never gets its name.
Result<Written> from_server(kaurid::BackupConnection& server, BackupTarget& target,
                            ProgressPrinter& printer) {
  std::uint64_t octets = 0;
  bool gone = false;
  const auto source = [&](char* out, std::size_t size) -> Result<std::size_t> {
    KAURI_TRY(const std::size_t count, server.read(out, size));
    gone = count == 0;
    octets += count;
    KAURI_CHECK(target.write({out, count}));
    return count;
  };
  const auto take = [&]() -> Result<Written> {
    KAURI_TRY(BackupReader reader, BackupReader::open(source));
    // The server has checked how the records fit one another.
    return read_through(reader, printer, "backup", nullptr);
  };
  Result<Written> done = take();
  // A server that fails says so in the stream; one that only goes away cannot.
  if (!done && gone)
    return Error(ErrorCode::kIo, "the server went away after " + std::to_string(octets) +
                                     " octets, before the backup was whole; its event log has "
                                     "the cause");
  if (done) done->online = true;
  return done;
}

Result<Written> from_database(const ChosenDatabase& chosen, const kaurid::BackupRequest& request,
                              BackupTarget& target, ProgressPrinter& printer) {
  KAURI_TRY(const auto database, open_database(chosen, {}));
  Written done;
  const auto sink = [&](std::string_view octets) {
    done.octets += octets.size();
    return target.write(octets);
  };
  const backend::BackupOptions options = {
      KAURI_VERSION,
      [&](std::uint64_t count, std::uint64_t all) { printer.count("backup", count, all); }};
  if (request.changes) {
    KAURI_TRY(done.header, backend::write_changes(*database, request.since, options, sink));
  } else {
    KAURI_TRY(done.header, backend::write_backup(*database, options, sink));
  }
  return done;
}

// --- Telling ---

void print(const Written& done, const std::string& path, double seconds, const Options& options) {
  const BackupHeader& header = done.header;
  const bool whole = header.content == BackupContent::kDatabase;
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  if (options.json) {
    nlohmann::json out = {{"file", path},
                          {"content", whole ? "database" : "changes"},
                          {"suffix", header.suffix},
                          {"csn", header.csn},
                          {"entries", header.entries},
                          {"records", header.records},
                          {"octets", done.octets},
                          {"made", backend::generalized_time(header.made_micros)},
                          {"program", header.program},
                          {"seconds", seconds}};
    if (!whole) out["since"] = header.since;
    if (options.check.empty()) out["online"] = done.online;
    print_json(out);
    return;
  }
  // Standard output may be the backup itself.
  std::FILE* const out = path == "-" ? stderr : stdout;
  const std::string what =
      whole ? std::to_string(header.entries) + " entries"
            : std::to_string(header.records) + " changes since CSN " + header.since;
  std::fprintf(out, "%s: %s of %s at CSN %s, %llu records, %.1f MiB, %.2f s\n",
               text::visible(path).c_str(), what.c_str(), text::visible(header.suffix).c_str(),
               header.csn.empty() ? "(none)" : header.csn.c_str(), number(header.records),
               static_cast<double>(done.octets) / (1 << 20), seconds);
}

Result<void> check_options(const Options& options) {
  if (options.to.empty() == options.check.empty())
    return invalid("name where the backup goes with --to, or what to read with --check");
  if (options.to != "-") return {};
  if (options.verify)
    return invalid("--verify reads the backup again, which cannot be done on standard output");
  if (options.json)
    return invalid("--json reports on standard output, where the backup goes: name --to FILE");
  return {};
}

Result<void> run(const Options& options) {
  KAURI_CHECK(check_options(options));
  const std::int64_t began = Clock::system().monotonic_nanos();
  const auto seconds = [began] {
    return static_cast<double>(Clock::system().monotonic_nanos() - began) / 1'000'000'000;
  };
  ProgressPrinter printer;
  if (!options.check.empty()) {
    const auto read = check_file(options.check, printer);
    printer.finish();
    if (!read) return read.error();
    print(*read, options.check, seconds(), options);
    return {};
  }
  KAURI_TRY(const ChosenDatabase chosen, choose_database(options.choice));
  KAURI_TRY(const kaurid::BackupRequest request, request_of(options));
  KAURI_TRY(BackupTarget target, BackupTarget::open(options.to, chosen.options.path));
  KAURI_TRY(auto server, kaurid::BackupConnection::open(chosen.options.path, request));
  const auto done = server ? from_server(*server, target, printer)
                           : from_database(chosen, request, target, printer);
  printer.finish();
  if (!done) return done.error();
  KAURI_TRY(const std::string path, target.commit(done->header));
  if (options.verify) {
    // From the disk, not from the memory that still holds it.
    KAURI_CHECK(storage::drop_page_cache(path));
    const auto again = check_file(path, printer);
    printer.finish();
    if (!again) return again.error();
  }
  print(*done, path, seconds(), options);
  return {};
}

}  // namespace

void add_backup_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand(
      "backup",
      "Write a backup of a database, or the changes since one; also while the server runs");
  const auto options = std::make_shared<Options>();
  options->choice.add_to(*command);
  command->add_option("--to", options->to,
                      "File to make, directory to make it in, or - for standard output");
  auto* const since = command->add_option(
      "--changes-since", options->changes_since,
      "Only the change log's records after this CSN, for a restore to a point in time");
  command
      ->add_option("--changes-after", options->changes_after,
                   "The same, after the state of this backup or file of changes")
      ->excludes(since);
  command->add_flag("--verify", options->verify, "Read what was written again, from the disk");
  command->add_option("--check", options->check,
                      "Only read this backup or file of changes and say what it holds");
  command->add_flag("--json", options->json, "Report as JSON");
  command->callback([options, &exit_status] {
    if (const auto result = run(*options); !result) exit_status = fail("backup", result.error());
  });
}

}  // namespace kauri::tool
