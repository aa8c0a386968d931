#include "operation/service.h"

#include <algorithm>
#include <utility>

#include "operation/names.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "schema/dn_normal.h"

namespace kauri::operation {

Result<std::unique_ptr<Service>> Service::make(ServiceOptions options) {
  return ServiceImpl::make(std::move(options));
}

Result<std::unique_ptr<Service>> ServiceImpl::make(ServiceOptions options) {
  if (options.databases.empty()) return invalid("a service needs at least one database");
  if (options.schema == nullptr) return invalid("a service needs a schema");
  if (options.access == nullptr) return invalid("a service needs access rules");
  if (options.clock == nullptr) options.clock = &Clock::system();
  if (options.random == nullptr) options.random = &Random::system();
  std::unique_ptr<ServiceImpl> made(new ServiceImpl(std::move(options)));
  KAURI_CHECK(made->prepare());
  return std::unique_ptr<Service>(std::move(made));
}

Result<void> ServiceImpl::prepare() {
  auto settings = std::make_shared<Settings>();
  settings->access = options_.access;
  settings->limits = options_.limits;
  settings->admin_password_hash = options_.admin_password_hash;
  settings_ = std::move(settings);

  if (!options_.admin_dn.empty()) {
    auto normal = schema::normalize_dn(schema(), options_.admin_dn);
    if (!normal) {
      return normal.error().with_context("the administrator's DN " + quoted(options_.admin_dn));
    }
    admin_normal_ = std::move(*normal);
  }
  std::vector<std::string> suffixes;
  for (std::size_t i = 0; i < options_.databases.size(); ++i) {
    const backend::Database& database = *options_.databases[i];
    for (std::size_t other : longest_suffix_first_) {
      if (options_.databases[other]->suffix_normal() == database.suffix_normal()) {
        return invalid("two databases have the suffix " + quoted(database.suffix()));
      }
    }
    longest_suffix_first_.push_back(i);
    suffixes.push_back(database.suffix());
    suffix_list_ += (i == 0 ? "" : ", ") + quoted(database.suffix());
  }
  std::sort(longest_suffix_first_.begin(), longest_suffix_first_.end(),
            [this](std::size_t a, std::size_t b) {
              return options_.databases[a]->suffix_normal().size() >
                     options_.databases[b]->suffix_normal().size();
            });
  cookie_key_ = random().bytes(32);
  KAURI_TRY(virtual_entries_,
            VirtualEntries::make(options_.schema, suffixes, clock().wall_micros()));
  return {};
}

Result<std::unique_ptr<WorkerContext>> ServiceImpl::worker_context() {
  KAURI_TRY(auto worker, Worker::make(*this));
  return std::unique_ptr<WorkerContext>(std::move(worker));
}

std::shared_ptr<Session> ServiceImpl::session(Peer peer, WorkerContext& worker,
                                              Executor& executor) {
  return std::make_shared<SessionImpl>(*this, static_cast<Worker&>(worker), executor,
                                       std::move(peer));
}

void ServiceImpl::reload(std::shared_ptr<const security::AccessPolicy> access,
                         const ServiceLimits& limits, std::string admin_password_hash) {
  auto settings = std::make_shared<Settings>();
  settings->access = std::move(access);
  settings->limits = limits;
  settings->admin_password_hash = std::move(admin_password_hash);
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  generation_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const Settings> ServiceImpl::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

std::optional<std::size_t> ServiceImpl::database_for(std::string_view normal_dn) const {
  for (const std::size_t index : longest_suffix_first_) {
    if (schema::is_same_or_below(normal_dn, options_.databases[index]->suffix_normal())) {
      return index;
    }
  }
  return std::nullopt;
}

}  // namespace kauri::operation
