// The service behind service.h: what all workers share. Internal to operation/.
//
// Thread safety: thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operation/gate.h"
#include "operation/service.h"
#include "operation/virtual_entry.h"

namespace kauri::operation {

// What a reload replaces. Thread safety: immutable.
struct Settings {
  std::shared_ptr<const security::AccessPolicy> access;
  ServiceLimits limits;
  std::string admin_password_hash;
};

class ServiceImpl final : public Service {
 public:
  static Result<std::unique_ptr<Service>> make(ServiceOptions options);

  // Waits for what still runs on the writers and the hash pool for it.
  ~ServiceImpl() override { gate_.wait_until_empty(); }

  Result<std::unique_ptr<WorkerContext>> worker_context() override;
  std::shared_ptr<Session> session(Peer peer, WorkerContext& worker, Executor& executor) override;
  void reload(std::shared_ptr<const security::AccessPolicy> access, const ServiceLimits& limits,
              std::string admin_password_hash) override;

  const schema::Schema& schema() const { return *options_.schema; }
  Clock& clock() { return *options_.clock; }
  Random& random() { return *options_.random; }
  security::HashPool* hash_pool() { return options_.hash_pool; }
  security::PasswordScheme password_scheme() const { return options_.password_scheme; }
  bool allow_cleartext_bind() const { return options_.allow_cleartext_bind; }
  AccessLog* access_log() { return options_.access_log; }
  bool logging() { return options_.access_log != nullptr && options_.access_log->enabled(); }

  void report(const Error& error) const {
    if (options_.report_failure) options_.report_failure(error);
  }

  const std::string& admin_dn() const { return options_.admin_dn; }
  const std::string& admin_normal() const { return admin_normal_; }
  // For work on other threads that uses the service.
  Gate::Pass pass() { return gate_.pass(); }
  // Counts reloads; compare before fetching settings().
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  std::shared_ptr<const Settings> settings() const;

  std::size_t database_count() const { return options_.databases.size(); }
  backend::Database& database(std::size_t index) { return *options_.databases[index]; }
  // The database with the longest suffix at or above a name.
  std::optional<std::size_t> database_for(std::string_view normal_dn) const;
  // "'dc=example,dc=com'", for diagnostics.
  const std::string& suffix_list() const { return suffix_list_; }
  const VirtualEntries& virtual_entries() const { return *virtual_entries_; }
  // Authenticates the cookies of paged results; lives as long as the service.
  const std::string& cookie_key() const { return cookie_key_; }

 private:
  explicit ServiceImpl(ServiceOptions options) : options_(std::move(options)) {}
  Result<void> prepare();

  ServiceOptions options_;
  std::string admin_normal_;
  std::vector<std::size_t> longest_suffix_first_;
  std::string suffix_list_;
  std::unique_ptr<VirtualEntries> virtual_entries_;
  std::string cookie_key_;
  Gate gate_;

  std::atomic<std::uint64_t> generation_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;  // guarded by mutex_
};

}  // namespace kauri::operation
