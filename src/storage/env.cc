#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "storage/durable_name.h"
#include "storage/lmdb_env.h"
#include "storage/page_check.h"
#include "storage/page_format.h"

namespace kauri::storage {
namespace {

constexpr std::array<std::string_view, kTableCount> kTableNames = {"meta",  "entries", "dn",
                                                                   "index", "values",  "changes"};

unsigned durability_flags(Durability durability) {
  switch (durability) {
    case Durability::kDurable:
      return 0;
    case Durability::kMetaLazy:
      return MDB_NOMETASYNC;
    case Durability::kRelaxed:
      return MDB_NOSYNC;
  }
  return 0;
}

struct Readers {
  unsigned in_use = 0;
  std::uint64_t oldest = UINT64_MAX;
};

// One line of mdb_reader_list: "pid thread txnid", with "-" for a reader without a snapshot. Other
// lines are headings.
int count_reader(const char* line, void* context) {
  auto& readers = *static_cast<Readers*>(context);
  const std::string_view text(line);
  if (text.find("pid") != std::string_view::npos || text.starts_with("(")) return 0;
  ++readers.in_use;
  const auto end = text.find_last_not_of(" \n");
  const auto start = end == std::string_view::npos ? end : text.find_last_of(' ', end);
  if (start == std::string_view::npos) return 0;
  std::uint64_t txn_id = 0;
  const auto parsed = std::from_chars(text.data() + start + 1, text.data() + end + 1, txn_id);
  if (parsed.ec == std::errc()) readers.oldest = std::min(readers.oldest, txn_id);
  return 0;
}

// LMDB's assertions fail on damaged pages. Nothing of the process can be trusted to go on then, but
// the person who reads the message can.
[[noreturn]] void on_lmdb_assertion(MDB_env* env, const char* message) {
  const char* path = nullptr;
  mdb_env_get_path(env, &path);
  std::fprintf(
      stderr,
      "kauri: the database file %s/data.mdb is damaged: run kauri verify, restore a backup "
      "(%s)\n",
      path == nullptr ? "" : path, message);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

std::string_view table_name(Table table) {
  KAURI_ASSERT(index_of(table) < kTableCount);
  return kTableNames[index_of(table)];
}

Result<std::unique_ptr<Env>> Env::open(const EnvOptions& options) {
  return EnvImpl::open(options);
}

Result<std::unique_ptr<Env>> EnvImpl::open(const EnvOptions& options) {
  if (options.path.empty()) return invalid("the path of the database is empty");
  std::unique_ptr<EnvImpl> env(new EnvImpl);
  env->path_ = options.path;
  env->durability_ = options.durability;
  env->read_only_ = options.read_only;
  if (!options.read_only) KAURI_CHECK(make_directories(options.path));
  const std::string data_file = options.path + "/data.mdb";
  if (options.read_only && ::access(data_file.c_str(), F_OK) != 0)
    return system_error(errno, "cannot open the database file", data_file);
  KAURI_TRY(env->lock_, DirectoryLock::take(options.path));
  KAURI_CHECK(env->check_file(options));
  KAURI_CHECK(env->make_file(options));
  KAURI_CHECK(env->open_environment(options));
  KAURI_CHECK(env->open_tables());
  KAURI_CHECK(env->watch_map());
  KAURI_CHECK(env->check_readers());
  return std::unique_ptr<Env>(std::move(env));
}

// A power failure while LMDB writes the first pages of a file would leave what no program takes for
// a database. So a new file is made beside its place, and is whole when it gets there.
Result<void> EnvImpl::make_file(const EnvOptions& options) const {
  namespace fs = std::filesystem;
  const std::string file = path_ + "/data.mdb";
  std::error_code error;
  // LMDB takes an empty file for a new one, too.
  const bool there = fs::exists(file, error) && (fs::file_size(file, error) != 0 || error);
  if (there || options.read_only || options.durability == Durability::kRelaxed) return {};
  const std::string directory = path_ + "/new.tmp";
  fs::remove_all(directory, error);  // of a process that was killed
  const Result<void> made = [&]() -> Result<void> {
    KAURI_CHECK(make_directories(directory));
    {
      EnvImpl making;
      making.path_ = directory;
      EnvOptions durable = options;
      durable.durability = Durability::kDurable;
      KAURI_CHECK(making.open_environment(durable));
      KAURI_CHECK(making.open_tables());
    }
    return put_in_place(directory + "/data.mdb", file);
  }();
  fs::remove_all(directory, error);
  return made;
}

Result<void> EnvImpl::open_environment(const EnvOptions& options) {
  if (const int rc = mdb_env_create(&env_); rc != 0) return error(rc, "create environment");
  int rc = mdb_env_set_mapsize(env_, options.map_size);
  if (rc == 0) rc = mdb_env_set_maxreaders(env_, options.readers_max);
  if (rc == 0) rc = mdb_env_set_maxdbs(env_, kTableCount);
  if (rc == 0) rc = mdb_env_set_assert(env_, on_lmdb_assertion);
  if (rc != 0) return error(rc, "configure environment");
  // A read-only LMDB environment opened before any writer sees the snapshot 0 (ITS#10212), so
  // reading tools open read-write too, where the file system lets them, and never begin a write
  // transaction.
  const unsigned flags = MDB_NOTLS | MDB_NORDAHEAD | durability_flags(options.durability);
  rc = mdb_env_open(env_, path_.c_str(), flags, 0600);
  if (options.read_only && (rc == EROFS || rc == EACCES)) {
    mdb_env_close(env_);
    env_ = nullptr;
    rc = mdb_env_create(&env_);
    if (rc == 0) rc = mdb_env_set_mapsize(env_, options.map_size);
    if (rc == 0) rc = mdb_env_set_maxdbs(env_, kTableCount);
    if (rc == 0)
      rc = mdb_env_open(env_, path_.c_str(), MDB_NOTLS | MDB_NORDAHEAD | MDB_RDONLY, 0600);
  }
  if (rc == ENOMEM)
    return Error(ErrorCode::kIo, "cannot map " + std::to_string(options.map_size) +
                                     " octets of address space for " + path_ +
                                     ": is there a limit on virtual memory (ulimit -v)?");
  if (rc != 0) return error(rc, "open environment");
  return {};
}

Result<void> EnvImpl::check_file(const EnvOptions& options) const {
  const std::string file = path_ + "/data.mdb";
  if (::access(file.c_str(), F_OK) != 0) return {};
  PageCheckOptions what;
  what.extent = options.page_extent;
  what.tables = options.page_tables;
  what.orphans = options.page_report != nullptr;
  what.adjacent_commits = options.durability != Durability::kRelaxed;
  KAURI_TRY(PageReport report, check_pages(file, what));
  const bool tolerated = options.page_report != nullptr && !report.unusable;
  Result<void> done;
  if (report.fault_count != 0 && !tolerated) {
    done = corruption("the database file " + file + " is damaged: " + report.faults.front() +
                      (report.fault_count == 1 ? ""
                                               : "; and " + std::to_string(report.fault_count - 1) +
                                                     " further faults") +
                      "; kauri verify tells more; restore a backup");
  } else if (report.file_size < report.size_due && !options.read_only &&
             ::truncate(file.c_str(), static_cast<off_t>(report.size_due)) != 0) {
    // LMDB writes to pages of the file, and takes for granted that all are there.
    done = system_error(errno, "cannot extend", file);
  }
  if (options.page_report != nullptr) *options.page_report = std::move(report);
  return done;
}

Result<void> EnvImpl::open_tables() {
  unsigned flags = 0;
  mdb_env_get_flags(env_, &flags);
  const bool create = !read_only_;
  MDB_txn* txn = nullptr;
  int rc = mdb_txn_begin(env_, nullptr, create ? 0U : unsigned{MDB_RDONLY}, &txn);
  if (rc != 0) return error(rc, "open tables");
  for (std::size_t i = 0; i < kTableCount && rc == 0; ++i) {
    const std::string name(kTableNames[i]);
    rc = mdb_dbi_open(txn, name.c_str(), create ? unsigned{MDB_CREATE} : 0U, &tables_[i]);
    if (rc == MDB_NOTFOUND) {
      mdb_txn_abort(txn);
      return Error(ErrorCode::kNotFound,
                   path_ + " holds no database: the table " + name + " is missing");
    }
  }
  if (rc != 0) {
    mdb_txn_abort(txn);
    return error(rc, "open tables");
  }
  // Commits nothing when all tables were there; handles of a read transaction last only when it is
  // committed.
  rc = mdb_txn_commit(txn);
  if (rc != 0) return error(rc, "open tables");
  return {};
}

// Where the map lies, LMDB does not say: but the names of the tables lie in it, on a page that has
// been checked and that knows its own number.
Result<void> EnvImpl::watch_map() {
  constexpr MDB_dbi kNames = 1;
  MDB_envinfo info{};
  MDB_stat page{};
  MDB_txn* txn = nullptr;
  MDB_cursor* cursor = nullptr;
  MDB_val key{};
  int rc = mdb_env_info(env_, &info);
  if (rc == 0) rc = mdb_env_stat(env_, &page);
  if (rc == 0) rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  if (rc == 0) rc = mdb_cursor_open(txn, kNames, &cursor);
  if (rc == 0) rc = mdb_cursor_get(cursor, &key, nullptr, MDB_FIRST);
  // Pages larger than the machine's own, of a file from elsewhere, need not lie on their
  // boundaries.
  if (rc == 0 && page.ms_psize <= static_cast<unsigned long>(::sysconf(_SC_PAGESIZE))) {
    const auto place = reinterpret_cast<std::uintptr_t>(key.mv_data);
    const auto* const start = reinterpret_cast<const char*>(place - place % page.ms_psize);
    const std::uint64_t number = page::number_of({start, page::kHeaderSize});
    guard_ = MapGuard(start - number * page.ms_psize, info.me_mapsize, path_ + "/data.mdb");
  }
  if (cursor != nullptr) mdb_cursor_close(cursor);
  if (txn != nullptr) mdb_txn_abort(txn);
  if (rc != 0) return error(rc, "look for the map");
  return {};
}

Error EnvImpl::write_error(int rc, std::string operation) const {
  operation += " in " + path_;
  if (rc != EIO) return lmdb_error(rc, std::move(operation));
  constexpr std::uint64_t kNearlyFull = 16U << 20U;
  int fd = -1;
  struct stat file {};
  struct statvfs disk {};
  rlimit file_size{};
  if (mdb_env_get_fd(env_, &fd) != 0) return lmdb_error(rc, std::move(operation));
  if (::fstatvfs(fd, &disk) == 0 && std::uint64_t{disk.f_bavail} * disk.f_frsize < kNearlyFull)
    return lmdb_error(ENOSPC, std::move(operation));
  if (::fstat(fd, &file) == 0 && ::getrlimit(RLIMIT_FSIZE, &file_size) == 0 &&
      file_size.rlim_cur != RLIM_INFINITY &&
      static_cast<std::uint64_t>(file.st_size) + kNearlyFull > file_size.rlim_cur)
    return lmdb_error(EFBIG, std::move(operation));
  return lmdb_error(rc, std::move(operation));
}

EnvImpl::~EnvImpl() {
  // A transaction that outlives its environment would read unmapped memory.
  KAURI_ASSERT(open_transactions_.load() == 0);
  guard_ = MapGuard();
  if (env_ != nullptr) mdb_env_close(env_);
}

Result<std::unique_ptr<ReadTxn>> EnvImpl::begin_read() {
  MDB_txn* txn = nullptr;
  if (const int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn); rc != 0)
    return error(rc, "begin read transaction");
  return std::unique_ptr<ReadTxn>(std::make_unique<ReadTxnImpl>(*this, txn));
}

Result<std::unique_ptr<WriteTxn>> EnvImpl::begin_write() {
  if (read_only_)
    return Error(ErrorCode::kInternal, "write transaction in " + path_ + ", opened for reading");
  KAURI_ASSERT(writer_.load(std::memory_order_relaxed) != std::this_thread::get_id());
  MDB_txn* txn = nullptr;
  if (const int rc = mdb_txn_begin(env_, nullptr, 0, &txn); rc != 0)
    return error(rc, "begin write transaction");
  writer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  return std::unique_ptr<WriteTxn>(std::make_unique<WriteTxnImpl>(*this, txn));
}

Result<void> EnvImpl::sync() {
  if (read_only_) return {};
  if (const int rc = mdb_env_sync(env_, 1); rc != 0) return error(rc, "sync");
  return {};
}

EnvStats EnvImpl::stats() {
  EnvStats stats;
  MDB_envinfo info{};
  MDB_stat page{};
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &page);
  stats.map_size = info.me_mapsize;
  stats.pages_used = std::uint64_t{info.me_last_pgno} + 1;
  stats.page_size = page.ms_psize;
  stats.last_txn_id = info.me_last_txnid;
  stats.readers_max = info.me_maxreaders;
  int fd = -1;
  struct stat file {};
  if (mdb_env_get_fd(env_, &fd) == 0 && ::fstat(fd, &file) == 0)
    stats.file_size = static_cast<std::uint64_t>(file.st_size);
  Readers readers;
  mdb_reader_list(env_, count_reader, &readers);
  stats.readers_in_use = readers.in_use;
  stats.oldest_reader_txn_id = std::min(readers.oldest, stats.last_txn_id);
  return stats;
}

Result<unsigned> EnvImpl::check_readers() {
  int dead = 0;
  if (const int rc = mdb_reader_check(env_, &dead); rc != 0) return error(rc, "check readers");
  return static_cast<unsigned>(dead);
}

Result<void> EnvImpl::copy_to(int fd) {
  if (const int rc = mdb_env_copyfd2(env_, fd, MDB_CP_COMPACT); rc != 0) return error(rc, "copy");
  return {};
}

}  // namespace kauri::storage
