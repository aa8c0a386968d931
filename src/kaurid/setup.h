// From a configuration to the parts of a directory: schema, databases, access rules. Shared by
// kaurid and the offline commands of kauri. Thread safety: functions without state.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/database.h"
#include "base/result.h"
#include "config/configuration.h"
#include "operation/service.h"
#include "schema/schema.h"
#include "security/access_policy.h"
#include "security/password.h"

namespace kauri::kaurid {

inline constexpr const char* kDefaultSuffix = "dc=example,dc=com";

// Makes the directory when there is none, readable by its owner alone. RETURNS: kIo.
Result<void> make_data_directory(const std::string& path);

struct LoadedSchema {
  std::shared_ptr<const schema::Schema> schema;
  // What was accepted although it is probably not what was meant, each with file, line, column.
  std::vector<std::string> warnings;
};
// The built-in schema and the files of the configuration. RETURNS: kInvalid with file, line,
// column.
Result<LoadedSchema> make_schema(const config::Configuration& config);
// Hands each warning to `write`; past `count_max` of them only how many more there are. A file of
// another server may have thousands.
void write_warnings(const std::vector<std::string>& warnings, std::size_t count_max,
                    const std::function<void(const std::string& line)>& write);
// Whether two schemas show clients the same definitions.
bool same_definitions(const schema::Schema& one, const schema::Schema& other);

// Whether the schema can tell the names of the databases and has the types that they index. To be
// asked before a database is made: a mistake must not leave half of one behind. RETURNS: kInvalid,
// one line for each mistake with its place.
Result<void> check_databases(const config::Configuration& config, const schema::Schema& schema);

// One for each database of the configuration; without any, one in the data directory. `create` and
// `start_writer` are left at their defaults.
std::vector<backend::DatabaseOptions> database_options(const config::Configuration& config,
                                                       const std::string& data);
// Where the first database lives that has no path of its own.
std::string default_database_path(const std::string& data);
bool database_exists(const std::string& path);

// The rules of the configuration, or the defaults. RETURNS: kInvalid with the rule's place.
Result<std::shared_ptr<const security::AccessPolicy>> make_access_policy(
    const config::Configuration& config, const std::shared_ptr<const schema::Schema>& schema);

operation::ServiceLimits service_limits(const config::LimitsConfiguration& limits);
security::PasswordScheme password_scheme(config::PasswordHash scheme);

}  // namespace kauri::kaurid
