#include "kaurid/setup.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "entry/dictionary.h"
#include "index/index_catalog.h"
#include "schema/dn_normal.h"
#include "schema/schema_loader.h"

namespace kauri::kaurid {
namespace {

storage::Durability durability(config::Durability configured) {
  switch (configured) {
    case config::Durability::kDurable:
      return storage::Durability::kDurable;
    case config::Durability::kMetaLazy:
      return storage::Durability::kMetaLazy;
    case config::Durability::kRelaxed:
      return storage::Durability::kRelaxed;
  }
  return storage::Durability::kDurable;
}

index::IndexSpec index_spec(const config::IndexConfiguration& index) {
  return {index.attribute, {index.presence, index.equality, index.substring}};
}

// A directory name for a suffix: its letters and digits, everything else as '_'.
std::string directory_name(const std::string& suffix) {
  std::string out = "db-";
  for (const char octet : suffix) {
    const bool plain = (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z') ||
                       (octet >= '0' && octet <= '9') || octet == '=' || octet == '.' ||
                       octet == '-';
    out += plain ? octet : '_';
  }
  return out;
}

}  // namespace

Result<void> make_data_directory(const std::string& path) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(path, error);
  if (error) {
    return Error(ErrorCode::kIo, "cannot make the data directory " + path + ": " + error.message());
  }
  // Entries and password hashes lie in it: for the owner alone.
  if (made) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  return {};
}

Result<LoadedSchema> make_schema(const config::Configuration& config) {
  if (config.schema_files.empty() && config.nis == config::NisSchema::kRfc2307) {
    return LoadedSchema{schema::builtin_schema(), {}};
  }
  schema::SchemaBuilder builder;
  builder.add_builtin(config.nis == config::NisSchema::kRfc2307bis ? schema::NisVariant::kRfc2307bis
                                                                   : schema::NisVariant::kRfc2307);
  for (const std::string& file : config.schema_files) {
    const auto added = builder.add_file(file);
    if (added) continue;
    // A mistake in a file has its own place; a file that cannot be read is one of the
    // configuration.
    if (added.error().code() == ErrorCode::kInvalid) return added.error();
    return added.error().with_context(config.origin + ": key 'schema.files'");
  }
  LoadedSchema out;
  KAURI_TRY(out.schema, builder.build());
  out.warnings = builder.warnings();
  return out;
}

void write_warnings(const std::vector<std::string>& warnings, std::size_t count_max,
                    const std::function<void(const std::string& line)>& write) {
  const std::size_t shown = std::min(warnings.size(), count_max);
  for (std::size_t i = 0; i < shown; ++i) write(warnings[i]);
  if (shown == warnings.size()) return;
  write("and " + std::to_string(warnings.size() - shown) + " further warnings about schema files");
}

bool same_definitions(const schema::Schema& one, const schema::Schema& other) {
  for (const char* const attribute : {"attributeTypes", "objectClasses", "ldapSyntaxes",
                                      "dITContentRules", "dITStructureRules", "nameForms"}) {
    if (one.subschema_values(attribute) != other.subschema_values(attribute)) return false;
  }
  return true;
}

Result<void> check_databases(const config::Configuration& config, const schema::Schema& schema) {
  std::string lines;
  const auto add = [&](config::Position position, const char* key, const Error& error) {
    lines += lines.empty() ? "" : "\n";
    // Without a place it came from the command line.
    lines += position.line == 0 ? std::string("--suffix: ")
                                : config.place(position) + ": key '" + key + "': ";
    lines += error.message();
  };
  for (const config::DatabaseConfiguration& database : config.databases) {
    if (const auto name = schema::normalize_dn(schema, database.suffix); !name)
      add(database.position, "database.suffix", name.error());
    for (const config::IndexConfiguration& index : database.indexes) {
      // The numbers of this dictionary are of no use to anybody.
      entry::Dictionary numbers(std::shared_ptr<const schema::Schema>(&schema, [](const auto*) {}));
      const auto made = index::IndexCatalog::make({index_spec(index)}, numbers);
      if (!made) add(index.position, "database.index", made.error());
    }
  }
  return lines.empty() ? Result<void>() : invalid(std::move(lines));
}

std::string default_database_path(const std::string& data) {
  return data + "/db";
}

bool database_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path + "/data.mdb", ignored);
}

std::vector<backend::DatabaseOptions> database_options(const config::Configuration& config,
                                                       const std::string& data) {
  std::vector<config::DatabaseConfiguration> databases = config.databases;
  if (databases.empty()) databases.emplace_back();
  std::vector<backend::DatabaseOptions> out;
  bool default_path_taken = false;
  for (const config::DatabaseConfiguration& database : databases) {
    backend::DatabaseOptions options;
    options.suffix = database.suffix;
    options.path = database.path;
    if (options.path.empty()) {
      options.path = default_path_taken ? data + "/" + directory_name(database.suffix)
                                        : default_database_path(data);
      default_path_taken = true;
    }
    options.durability = durability(database.durability);
    for (const config::IndexConfiguration& index : database.indexes) {
      options.indexes.push_back(index_spec(index));
    }
    options.change_log_records_max = config.limits.change_log_records_max;
    out.push_back(std::move(options));
  }
  return out;
}

Result<std::shared_ptr<const security::AccessPolicy>> make_access_policy(
    const config::Configuration& config, const std::shared_ptr<const schema::Schema>& schema) {
  if (!config.has_access_rules) return security::AccessPolicy::defaults(schema);
  std::vector<std::string> rules;
  rules.reserve(config.access_rules.size());
  for (const config::AccessRuleText& rule : config.access_rules) rules.push_back(rule.text);
  auto policy = security::AccessPolicy::compile(rules, schema);
  if (policy) return policy;
  std::string lines;
  for (const security::AccessRuleMistake& mistake :
       security::AccessPolicy::mistakes(rules, *schema)) {
    lines += lines.empty() ? "" : "\n";
    lines +=
        config.place(config.access_rules[mistake.rule].position) + ": " + mistake.error.message();
  }
  if (lines.empty()) return policy.error().with_context(config.origin + ": [access] rules");
  return Error(policy.error().code(), std::move(lines));
}

operation::ServiceLimits service_limits(const config::LimitsConfiguration& limits) {
  operation::ServiceLimits out;
  out.search_size_max = limits.search_size_max;
  out.search_seconds_max = limits.search_seconds_max;
  out.look_through_max = limits.look_through_max;
  out.operations_in_flight_max = limits.operations_in_flight_max;
  out.message_size_anonymous_max = limits.message_size_anonymous_max;
  out.message_size_max = limits.message_size_max;
  return out;
}

security::PasswordScheme password_scheme(config::PasswordHash scheme) {
  switch (scheme) {
    case config::PasswordHash::kArgon2id:
      return security::PasswordScheme::kArgon2id;
    case config::PasswordHash::kSsha512:
      return security::PasswordScheme::kSsha512;
    case config::PasswordHash::kSsha256:
      return security::PasswordScheme::kSsha256;
    case config::PasswordHash::kSsha:
      return security::PasswordScheme::kSsha;
  }
  return security::PasswordScheme::kArgon2id;
}

}  // namespace kauri::kaurid
