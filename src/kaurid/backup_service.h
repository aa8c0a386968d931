// BackupService: gives backups of the open databases to local processes that ask for them, one
// after the other, on a thread of its own.
//
// Each backup reads one snapshot. Its client cannot hold that for ever: when it takes nothing for
// kBackupStallSeconds, the backup ends. Thread safety: confined to one thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/backup_file.h"
#include "backend/database.h"
#include "base/result.h"

namespace kauri::kaurid {

inline constexpr int kBackupStallSeconds = 60;
// For a client to say what it wants.
inline constexpr int kBackupRequestSeconds = 5;

class BackupService {
 public:
  // A database whose socket cannot be made is logged and left out: its backups are offline ones.
  // REQUIRES: the databases outlive it. RETURNS: kIo.
  static Result<std::unique_ptr<BackupService>> start(
      const std::vector<std::unique_ptr<backend::Database>>& databases);
  ~BackupService() { stop(); }
  BackupService(const BackupService&) = delete;
  BackupService& operator=(const BackupService&) = delete;

  // Ends a backup that is being made. Idempotent.
  void stop();

 private:
  struct Listener {
    backend::Database* database;
    backend::FileHandle socket;
  };

  BackupService() = default;
  void run();
  void serve(backend::Database& database, int socket);
  // False when stop() came first.
  bool set_client(int socket);

  std::vector<Listener> listeners_;
  backend::FileHandle wake_;  // an eventfd, readable once it is to stop
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  int client_ = -1;  // guarded by mutex_; the connection that is served
  std::thread thread_;
};

}  // namespace kauri::kaurid
