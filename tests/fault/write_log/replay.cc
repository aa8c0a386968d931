// replay_write_log: builds the disks that a power failure could have left behind a server, from the
// log of its writes, and examines the database on each.
//
// Images are numbered and come from the seed alone: --only N builds one again. Half of them show
// the disk at a flush, with nothing or everything behind it; the others at any place, with any part
// of what was not flushed. Each is examined by a process of its own, so that one that ends is a
// fault like another. Exit status: 0 when no image failed, 1 when some did, 2 when it could not
// work.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>

#include "base/random.h"
#include "disk.h"
#include "ledger.h"
#include "log.h"
#include "schema/schema_loader.h"
#include "state.h"

namespace kauri::write_log {
namespace {

constexpr std::size_t kFaultsShown = 10;
constexpr std::size_t kFirstRecords = 50;
constexpr unsigned kImageSecondsMax = 60;

struct Options {
  std::string log;
  std::string ledger;
  std::string work;
  std::size_t images = 1000;
  std::uint64_t seed = 0;
  bool late_syncs = false;
  bool stop_at_first = false;
  std::optional<std::size_t> only;
  std::size_t part = 0;
  std::size_t parts = 1;
};

// One image: the first `cut` records have happened, the next one is under way.
struct Plan {
  std::size_t cut = 0;
  Kept kept = Kept::kNone;
  bool in_flight = false;
  std::uint64_t seed = 0;
};

std::vector<Plan> make_plans(const std::vector<Record>& records, const Options& options) {
  SeededRandom random(options.seed);
  std::vector<std::size_t> flushes;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].kind == RecordKind::kSync || records[i].kind == RecordKind::kDurableWrite)
      flushes.push_back(i + 1);
  std::vector<Plan> plans;
  const std::size_t at_flushes = flushes.empty() ? 0 : (options.images + 1) / 2;
  for (std::size_t i = 0; i < at_flushes; ++i) {
    // All of them where there is room, else some, evenly spread.
    const std::size_t flush = flushes.size() * i / at_flushes;
    plans.push_back(
        {flushes[flush], i % 4 == 3 ? Kept::kAll : Kept::kNone, false, random.next_u64()});
  }
  while (plans.size() < options.images) {
    // The making of the file is short, and has states that never come again.
    const std::size_t end =
        plans.size() % 8 == 0 ? std::min(kFirstRecords, records.size()) : records.size();
    plans.push_back({static_cast<std::size_t>(random.next_u64() % (end + 1)),
                     kPartly[random.next_u64() % std::size(kPartly)], true, random.next_u64()});
  }
  std::sort(plans.begin(), plans.end(), [](const Plan& one, const Plan& other) {
    return std::tie(one.cut, one.seed) < std::tie(other.cut, other.seed);
  });
  return plans;
}

Result<void> write_file(const std::string& path, std::string_view content) {
  const auto failed = [&] {
    return Error(ErrorCode::kIo, "cannot write " + path + ": " + std::strerror(errno));
  };
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failed();
  const ssize_t written = ::pwrite(fd, content.data(), content.size(), 0);
  const bool whole = written == static_cast<ssize_t>(content.size()) &&
                     ::ftruncate(fd, static_cast<off_t>(content.size())) == 0;
  ::close(fd);
  if (!whole) return failed();
  return {};
}

class Replay {
 public:
  Replay(const Options& options, std::vector<Record> records, Ledger ledger, std::uint64_t log_size)
      : options_(options),
        records_(std::move(records)),
        ledger_(std::move(ledger)),
        log_size_(log_size),
        disk_(std::nullopt, options.late_syncs ? Syncs::kLate : Syncs::kObeyed),
        schema_(schema::builtin_schema()) {}

  Result<int> run();

 private:
  std::vector<std::string> examine_image(std::uint64_t position) const;
  std::string examine_in_child(std::uint64_t position) const;
  void report(std::size_t number, const Plan& plan, const std::string& faults) const;

  const Options& options_;
  std::vector<Record> records_;
  Ledger ledger_;
  std::uint64_t log_size_;
  Disk disk_;
  std::shared_ptr<const schema::Schema> schema_;
};

std::vector<std::string> Replay::examine_image(std::uint64_t position) const {
  Result<Examined> examined = examine(options_.work, schema_);
  if (!examined) return {"it cannot be read: " + examined.error().message()};
  std::vector<std::string> faults = std::move(examined->faults);
  for (std::string& fault : ledger_.compare(examined->states, position))
    faults.push_back(std::move(fault));
  return faults;
}

// RETURNS: what is wrong, a line each; "" for a sound image.
std::string Replay::examine_in_child(std::uint64_t position) const {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::string("no pipe: ") + std::strerror(errno) + "\n";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kImageSecondsMax);
    std::string text;
    const std::vector<std::string> faults = examine_image(position);
    for (std::size_t i = 0; i < std::min(faults.size(), kFaultsShown); ++i)
      text += faults[i].substr(0, 300) + "\n";
    const bool told =
        ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string faults;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
    faults.append(buffer, static_cast<std::size_t>(size));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "no process to examine it\n";
  if (status != 0)
    faults += "the process that examined it ended with status " + std::to_string(status) + "\n";
  return faults;
}

void Replay::report(std::size_t number, const Plan& plan, const std::string& faults) const {
  std::printf("image %zu (%zu of %zu records, %s): %s", number, plan.cut, records_.size(),
              std::string(to_string(plan.kept)).c_str(), faults.c_str());
  std::fflush(stdout);
}

Result<int> Replay::run() {
  const std::vector<Plan> plans = make_plans(records_, options_);
  std::size_t taken = 0;
  std::size_t done = 0;
  std::size_t at_flushes = 0;
  std::size_t failed = 0;
  std::size_t unflushed_max = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = plans[i];
    if (options_.only ? i != *options_.only : i % options_.parts != options_.part) continue;
    while (taken < plan.cut) disk_.take(records_[taken++]);
    const Record* next = taken < records_.size() ? &records_[taken] : nullptr;
    SeededRandom random(plan.seed);
    std::error_code ignored;
    const std::string file = options_.work + "/data.mdb";
    if (const auto image = disk_.image(plan.kept, random, plan.in_flight ? next : nullptr)) {
      KAURI_CHECK(write_file(file, *image));
    } else {
      std::filesystem::remove(file, ignored);
    }
    std::filesystem::remove(options_.work + "/lock.mdb", ignored);
    unflushed_max = std::max(unflushed_max, disk_.unflushed());
    ++done;
    if (!plan.in_flight) ++at_flushes;
    const std::string faults = examine_in_child(next == nullptr ? log_size_ : next->begin);
    if (faults.empty()) continue;
    ++failed;
    report(i, plan, faults);
    if (options_.stop_at_first) break;
  }
  std::printf(
      "images %zu, at flushes %zu, failed %zu, records %zu, most unflushed writes %zu, "
      "requests %zu\n",
      done, at_flushes, failed, records_.size(), unflushed_max, ledger_.size());
  return failed == 0 ? 0 : 1;
}

Result<int> run(const Options& options) {
  KAURI_TRY(const std::string_view log, map_file(options.log));
  KAURI_TRY(std::vector<Record> records, parse_log(log));
  KAURI_TRY(const std::string_view text, map_file(options.ledger));
  KAURI_TRY(Ledger ledger, Ledger::parse(text));
  std::error_code failed;
  std::filesystem::create_directories(options.work, failed);
  if (failed) return Error(ErrorCode::kIo, "cannot make " + options.work + ": " + failed.message());
  Replay replay(options, std::move(records), std::move(ledger), log.size());
  return replay.run();
}

}  // namespace
}  // namespace kauri::write_log

int main(int argc, char** argv) {
  kauri::write_log::Options options;
  CLI::App app("Examines the disks that a power failure could have left, from a log of writes");
  app.add_option("--log", options.log, "The log of preload.c")->required();
  app.add_option("--ledger", options.ledger, "What clients asked for and were promised")
      ->required();
  app.add_option("--work", options.work, "Directory for the images, best in memory")->required();
  app.add_option("--images", options.images, "How many")->capture_default_str();
  app.add_option("--seed", options.seed, "Chooses them")->required();
  app.add_flag("--late-syncs", options.late_syncs,
               "Negative control: the sync before each header page is left out");
  app.add_flag("--stop-at-first", options.stop_at_first, "End at the first that fails");
  app.add_option("--only", options.only, "Build and examine this one alone");
  app.add_option("--part", options.part, "Every one whose number is PART modulo --parts");
  app.add_option("--parts", options.parts, "Processes that share the work")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const auto status = kauri::write_log::run(options);
  if (status) return *status;
  std::fprintf(stderr, "replay_write_log: %s\n", status.error().message().c_str());
  return 2;
}
