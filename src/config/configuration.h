// Configuration: what a configuration file says, as checked, plain values (DESIGN: one TOML file is
// the truth). The options themselves are declared in options.cc; docs/reference/configuration.md is
// made from there.
//
// Whatever needs a schema (DNs, access rules, attribute names) is kept as text here, with its
// place, and judged by who uses it. Thread safety: immutable values and functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "config/listen_uri.h"

namespace kauri::config {

// Where in the file something stands; both count from 1, 0 = not in the file.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct IndexConfiguration {
  std::string attribute;
  bool presence = false;
  bool equality = false;
  bool substring = false;
  Position position;
  friend bool operator==(const IndexConfiguration&, const IndexConfiguration&) = default;
};

enum class Durability : std::uint8_t { kDurable, kMetaLazy, kRelaxed };

struct DatabaseConfiguration {
  std::string suffix;  // DN text
  std::string path;    // a directory; empty: the server's data directory decides
  Durability durability = Durability::kDurable;
  std::vector<IndexConfiguration> indexes;  // empty: the default indexes
  Position position;
  friend bool operator==(const DatabaseConfiguration&, const DatabaseConfiguration&) = default;
};

struct AccessRuleText {
  std::string text;
  Position position;
  friend bool operator==(const AccessRuleText&, const AccessRuleText&) = default;
};

enum class NisSchema : std::uint8_t { kRfc2307, kRfc2307bis };
enum class PasswordHash : std::uint8_t { kArgon2id, kSsha512, kSsha256, kSsha };
enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

struct AccessLogConfiguration {
  enum class Where : std::uint8_t { kOff, kStandardOutput, kFile } where = Where::kOff;
  std::string path;  // of kFile
  friend bool operator==(const AccessLogConfiguration&, const AccessLogConfiguration&) = default;
};

// See base/limits.h for what each means to a client.
struct LimitsConfiguration {
  std::uint32_t search_size_max = limits::kSearchSizeMax;
  std::uint32_t search_seconds_max = limits::kSearchSecondsMax;
  std::uint64_t look_through_max = limits::kLookThroughMax;
  std::size_t operations_in_flight_max = limits::kOperationsInFlightMax;
  std::size_t message_size_anonymous_max = limits::kMessageSizeAnonymousMax;
  std::size_t message_size_max = limits::kMessageSizeMax;
  std::size_t connections_max = 0;  // 0 = what the limit of open files allows
  std::uint32_t first_request_seconds_max = limits::kFirstRequestSecondsMax;
  std::uint32_t message_seconds_max = limits::kMessageSecondsMax;
  std::uint32_t output_stall_seconds_max = limits::kOutputStallSecondsMax;
  std::size_t large_buffers_max = limits::kLargeBuffersMax;
  std::size_t hash_queue_max = limits::kHashQueueMax;
  std::uint64_t change_log_records_max = limits::kChangeLogRecordsMax;
  friend bool operator==(const LimitsConfiguration&, const LimitsConfiguration&) = default;
};

struct Configuration {
  std::string origin;                 // the file's path, for messages
  std::vector<ListenAddress> listen;  // empty: the server's defaults
  std::uint32_t workers = 0;          // 0 = one for each core
  std::string admin_dn;               // empty: cn=admin,<first suffix>
  std::string admin_password_hash;    // empty: not set here
  std::vector<DatabaseConfiguration> databases;
  std::vector<std::string> schema_files;
  NisSchema nis = NisSchema::kRfc2307;
  bool has_access_rules = false;             // [access] rules stands in the file, maybe empty
  std::vector<AccessRuleText> access_rules;  // when false above: security::AccessPolicy::defaults
  LimitsConfiguration limits;
  AccessLogConfiguration access_log;
  AccessLogConfiguration slow_log;
  std::uint32_t slow_milliseconds = 1000;  // from this long on an operation is slow
  LogLevel log_level = LogLevel::kInfo;
  PasswordHash password_scheme = PasswordHash::kArgon2id;
  bool allow_cleartext_bind = false;

  // "FILE:LINE:COLUMN", for messages about what is judged later.
  std::string place(Position position) const;
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

// Octets of one file; a longer one is refused unread.
inline constexpr std::size_t kFileSizeMax = std::size_t{1} << 20U;

// Relative paths in the file are made relative to the file's directory.
// RETURNS: kNotFound, kIo: the file cannot be read. kLimit: it is too long. kInvalid: one line for
// each mistake (at most 20), "FILE:LINE:COLUMN: key 'x': what was found and what was expected".
Result<Configuration> load_file(const std::string& path);
// The same for text; `origin` stands for the path in messages and for relative paths.
Result<Configuration> load_text(std::string_view text, const std::string& origin);

}  // namespace kauri::config
