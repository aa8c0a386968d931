#include "kaurid/directory.h"

#include <sys/un.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "kaurid/demo.h"
#include "kaurid/setup.h"
#include "server/event_log.h"

namespace kauri::kaurid {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kDefaultPort = 1389;

server::Endpoint to_endpoint(const config::ListenAddress& address) {
  server::Endpoint out;
  if (address.kind == config::ListenAddress::Kind::kUnix) {
    out.kind = server::Endpoint::Kind::kUnix;
    std::error_code error;
    // Clients run elsewhere: the URI that is announced has the whole path.
    const fs::path absolute = fs::absolute(address.path, error);
    out.path = error ? address.path : absolute.lexically_normal().string();
  } else {
    out.host = address.host;
    out.port = address.port;
  }
  return out;
}

std::string access_log_path(const config::AccessLogConfiguration& config) {
  switch (config.where) {
    case config::AccessLogConfiguration::Where::kOff:
      return {};
    case config::AccessLogConfiguration::Where::kStandardOutput:
      return "-";
    case config::AccessLogConfiguration::Where::kFile:
      return config.path;
  }
  return {};
}

server::Severity severity(config::LogLevel level) {
  switch (level) {
    case config::LogLevel::kInfo:
      return server::Severity::kInfo;
    case config::LogLevel::kWarning:
      return server::Severity::kWarning;
    case config::LogLevel::kError:
      return server::Severity::kError;
  }
  return server::Severity::kInfo;
}

server::Timeouts timeouts(const config::LimitsConfiguration& limits) {
  return {limits.first_request_seconds_max, limits.message_seconds_max,
          limits.output_stall_seconds_max};
}

// A log is no place for thousands of lines about one file.
constexpr std::size_t kSchemaWarningsMax = 100;

void log_schema_warnings(const std::vector<std::string>& warnings) {
  write_warnings(warnings, kSchemaWarningsMax, [](const std::string& line) {
    server::log_event(server::Severity::kWarning, "schema: " + line);
  });
}

// What `wanted` would make of schema and databases at the next start; the running ones stay until
// then. Files that do not load are no reason to refuse the rest of a reload: it may only be to open
// the log anew. *schema_same: whether the schema is the running one. RETURNS: mistakes of the
// configuration itself.
Result<void> review_for_the_next_start(const schema::Schema& running,
                                       const config::Configuration& wanted, bool* schema_same) {
  *schema_same = true;
  const auto loaded = make_schema(wanted);
  if (!loaded) {
    server::log_event(server::Severity::kError,
                      "the schema files do not load any more, the next start would fail: " +
                          loaded.error().message());
    return {};
  }
  log_schema_warnings(loaded->warnings);
  *schema_same = same_definitions(running, *loaded->schema);
  return check_databases(wanted, *loaded->schema);
}

// A line more in the file changes where all others stand, and nothing else.
std::vector<config::DatabaseConfiguration> without_places(
    std::vector<config::DatabaseConfiguration> databases) {
  for (config::DatabaseConfiguration& database : databases) {
    database.position = {};
    for (config::IndexConfiguration& index : database.indexes) index.position = {};
  }
  return databases;
}

// Keys that the running server cannot take over.
std::string keys_for_the_next_start(const config::Configuration& now,
                                    const config::Configuration& wanted, bool schema_same) {
  std::string out;
  const auto note = [&out](bool same, std::string_view key) {
    if (same) return;
    if (!out.empty()) out += ", ";
    out += key;
  };
  note(now.listen == wanted.listen, "listen");
  note(now.workers == wanted.workers, "workers");
  note(now.admin_dn == wanted.admin_dn, "admin.dn");
  note(without_places(now.databases) == without_places(wanted.databases), "database");
  note(schema_same, "schema");
  note(now.access_log == wanted.access_log && now.log_level == wanted.log_level &&
           now.slow_log == wanted.slow_log && now.slow_milliseconds == wanted.slow_milliseconds,
       "log");
  note(now.password_scheme == wanted.password_scheme, "password scheme");
  const config::LimitsConfiguration& old = now.limits;
  const config::LimitsConfiguration& fresh = wanted.limits;
  note(old.connections_max == fresh.connections_max, "limits.connections_max");
  note(old.first_request_seconds_max == fresh.first_request_seconds_max,
       "limits.first_request_seconds_max");
  note(old.message_seconds_max == fresh.message_seconds_max, "limits.message_seconds_max");
  note(old.output_stall_seconds_max == fresh.output_stall_seconds_max,
       "limits.output_stall_seconds_max");
  note(old.large_buffers_max == fresh.large_buffers_max, "limits.large_buffers_max");
  note(old.hash_queue_max == fresh.hash_queue_max, "limits.hash_queue_max");
  note(old.change_log_records_max == fresh.change_log_records_max, "limits.change_log_records_max");
  note(now.allow_cleartext_bind == wanted.allow_cleartext_bind, "cleartext bind");
  return out;
}

}  // namespace

Result<std::unique_ptr<Directory>> Directory::start(const Options& options) {
  std::unique_ptr<Directory> out(new Directory(options));
  KAURI_TRY(out->config_, effective_configuration(options));
  server::set_event_log_level(severity(out->config_.log_level));
  KAURI_CHECK(make_data_directory(options.data));
  KAURI_TRY(LoadedSchema schema, make_schema(out->config_));
  log_schema_warnings(schema.warnings);
  out->schema_ = std::move(schema.schema);
  KAURI_CHECK(check_databases(out->config_, *out->schema_));
  // Before a database is made: a configuration that is refused leaves nothing behind.
  KAURI_CHECK(make_access_policy(out->config_, out->schema_));
  KAURI_CHECK(out->open_databases());
  KAURI_CHECK(out->make_service());
  KAURI_CHECK(out->start_server());
  KAURI_TRY(out->backups_, BackupService::start(out->databases_));
  // Last of all: a start that fails must not leave a password behind that nobody was told.
  if (!out->made_admin_.generated.empty()) {
    KAURI_CHECK(keep_admin_password(out->made_admin_, options.data));
  }
  return out;
}

Result<void> Directory::open_databases() {
  std::vector<backend::DatabaseOptions> all = database_options(config_, options_.data);
  for (backend::DatabaseOptions& options : all) {
    if (options.suffix.empty() && !database_exists(options.path)) options.suffix = kDefaultSuffix;
    options.create = true;
  }
  if (options_.demo) {
    KAURI_TRY(const bool loaded,
              load_demo(all.front(), schema_, Clock::system(), Random::system()));
    if (loaded) {
      server::log_event(server::Severity::kInfo,
                        "the demonstration tree was loaded into " + all.front().path);
    }
  }
  for (const backend::DatabaseOptions& options : all) {
    auto database = backend::Database::open(options, schema_, Clock::system(), Random::system());
    if (!database) return database.error().with_context("database " + options.path);
    databases_.push_back(std::move(*database));
  }
  admin_dn_ =
      config_.admin_dn.empty() ? "cn=admin," + databases_.front()->suffix() : config_.admin_dn;
  return {};
}

Result<AdminPassword> Directory::password(const config::Configuration& config) const {
  return admin_password({.file = options_.admin_password_file,
                         .configured_hash = config.admin_password_hash,
                         .data = options_.data,
                         .scheme = password_scheme(config.password_scheme)},
                        Random::system());
}

Result<void> Directory::make_service() {
  KAURI_TRY(AdminPassword admin, password(config_));
  if (!admin.generated.empty()) made_admin_ = admin;
  KAURI_TRY(access_log_, server::AccessLogFile::open(access_log_path(config_.access_log)));
  KAURI_TRY(slow_log_, server::AccessLogFile::open(access_log_path(config_.slow_log)));
  operation_log_ = std::make_unique<server::SlowLog>(
      *access_log_, *slow_log_, std::int64_t{config_.slow_milliseconds} * 1'000'000);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  hash_pool_ = std::make_unique<security::HashPool>(cores, config_.limits.hash_queue_max);
  operation::ServiceOptions options;
  for (const auto& database : databases_) options.databases.push_back(database.get());
  options.schema = schema_;
  KAURI_TRY(options.access, make_access_policy(config_, schema_));
  options.admin_dn = admin_dn_;
  options.admin_password_hash = std::move(admin.hash);
  options.password_scheme = password_scheme(config_.password_scheme);
  options.allow_cleartext_bind = config_.allow_cleartext_bind;
  options.limits = service_limits(config_.limits);
  options.hash_pool = hash_pool_.get();
  options.access_log = operation_log_.get();
  options.report_failure = [](const Error& error) {
    server::log_repeated_event(server::Severity::kError, "an operation failed: " + error.message());
  };
  options.clock = &Clock::system();
  options.random = &Random::system();
  KAURI_TRY(service_, operation::Service::make(std::move(options)));
  return {};
}

Result<std::vector<server::Endpoint>> Directory::endpoints() const {
  std::vector<server::Endpoint> out;
  out.reserve(config_.listen.size() + 1);
  for (const config::ListenAddress& address : config_.listen) out.push_back(to_endpoint(address));
  if (!out.empty()) return out;
  out.push_back({.host = "127.0.0.1", .port = kDefaultPort});
  server::Endpoint local = to_endpoint({.kind = config::ListenAddress::Kind::kUnix,
                                        .host = {},
                                        .port = 0,
                                        .path = options_.data + "/ldapi"});
  if (local.path.size() < sizeof(sockaddr_un{}.sun_path)) {
    out.push_back(std::move(local));
  } else {
    server::log_event(server::Severity::kWarning,
                      "no ldapi socket: its path " + local.path + " has " +
                          std::to_string(local.path.size()) + " octets, the system allows " +
                          std::to_string(sizeof(sockaddr_un{}.sun_path) - 1));
  }
  return out;
}

Result<void> Directory::start_server() {
  server::ServerOptions options;
  KAURI_TRY(options.endpoints, endpoints());
  options.workers = config_.workers;
  options.connections_max = config_.limits.connections_max;
  options.service = service_.get();
  options.access_log = access_log_.get();
  options.clock = &Clock::system();
  options.timeouts = timeouts(config_.limits);
  options.large_buffers_max = config_.limits.large_buffers_max;
  KAURI_TRY(server_, server::Server::start(std::move(options)));
  return {};
}

Result<void> Directory::reload() {
  KAURI_TRY(config::Configuration wanted, effective_configuration(options_));
  bool schema_same = true;
  KAURI_CHECK(review_for_the_next_start(*schema_, wanted, &schema_same));
  KAURI_TRY(auto access, make_access_policy(wanted, schema_));
  KAURI_TRY(AdminPassword admin, password(wanted));
  if (!admin.generated.empty()) {
    return invalid("there is no administrator's password in " + options_.data +
                   "/admin.hash or the configuration any more; the next start makes a new one");
  }
  KAURI_CHECK(access_log_->reopen());
  KAURI_CHECK(slow_log_->reopen());
  service_->reload(std::move(access), service_limits(wanted.limits), std::move(admin.hash));
  const std::string later = keys_for_the_next_start(config_, wanted, schema_same);
  if (!later.empty()) {
    server::log_event(server::Severity::kWarning,
                      "these changes take effect at the next start: " + later);
  }
  return {};
}

void Directory::stop() {
  // First nobody asks any more, then what was asked is finished, then nothing completes any more;
  // only then may the executors that completions name go.
  backups_.reset();
  if (server_ != nullptr) server_->stop();
  hash_pool_.reset();
  for (const auto& database : databases_) database->stop();
  server_.reset();
  service_.reset();
  operation_log_.reset();
  slow_log_.reset();
  access_log_.reset();
  databases_.clear();
}

Directory::~Directory() {
  stop();
}

}  // namespace kauri::kaurid
