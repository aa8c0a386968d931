// Directory: everything of a running kaurid, built from one configuration and taken down in the
// right order. Thread safety: confined to the main thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/database.h"
#include "base/result.h"
#include "config/configuration.h"
#include "kaurid/admin_password.h"
#include "kaurid/backup_service.h"
#include "kaurid/options.h"
#include "operation/service.h"
#include "security/hash_pool.h"
#include "server/access_log.h"
#include "server/server.h"
#include "server/slow_log.h"

namespace kauri::kaurid {

class Directory {
 public:
  // Opens (and makes) the data, loads the demonstration tree when asked, starts to serve.
  static Result<std::unique_ptr<Directory>> start(const Options& options);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::vector<std::string>& uris() const { return server_->uris(); }
  // What a new administrator's password is, to be shown once; empty when none was made.
  const std::string& generated_password() const { return made_admin_.generated; }
  const std::string& admin_dn() const { return admin_dn_; }

  // Reads the configuration again: access rules, limits, the administrator's password, the access
  // log's file. A mistake changes nothing. RETURNS: the mistake.
  Result<void> reload();
  // Lets clients finish, then closes the data. Idempotent.
  void stop();

 private:
  explicit Directory(Options options) : options_(std::move(options)) {}

  Result<void> open_databases();
  Result<void> make_service();
  Result<void> start_server();
  Result<std::vector<server::Endpoint>> endpoints() const;
  Result<AdminPassword> password(const config::Configuration& config) const;

  Options options_;
  config::Configuration config_;
  std::shared_ptr<const schema::Schema> schema_;
  std::string admin_dn_;
  AdminPassword made_admin_;  // empty when the password comes from elsewhere
  std::vector<std::unique_ptr<backend::Database>> databases_;
  std::unique_ptr<server::AccessLogFile> access_log_;
  std::unique_ptr<server::AccessLogFile> slow_log_;
  std::unique_ptr<server::SlowLog> operation_log_;  // what the operations write: both of them
  std::unique_ptr<security::HashPool> hash_pool_;
  std::unique_ptr<operation::Service> service_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<BackupService> backups_;
};

}  // namespace kauri::kaurid
