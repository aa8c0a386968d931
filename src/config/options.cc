#include "config/options.h"

#include <limits>

namespace kauri::config {
namespace {

constexpr std::int64_t kUint32Max = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

using Strings = std::vector<std::string>;

Result<void> assign_listen(OptionTarget& target, OptionValue& value) {
  for (const std::string& uri : std::get<Strings>(value)) {
    KAURI_TRY(ListenAddress address, parse_listen_uri(uri));
    target.configuration.listen.push_back(std::move(address));
  }
  return {};
}

Result<void> assign_admin_hash(OptionTarget& target, OptionValue& value) {
  std::string& hash = std::get<std::string>(value);
  const std::size_t close = hash.find('}');
  if (!hash.empty() && (hash[0] != '{' || close == std::string::npos || close + 1 == hash.size())) {
    return invalid(
        "the value is no stored password such as {SSHA512}...; `kauri hash` makes one from a "
        "password");
  }
  target.configuration.admin_password_hash = std::move(hash);
  return {};
}

Result<void> assign_durability(OptionTarget& target, OptionValue& value) {
  const std::string& text = std::get<std::string>(value);
  target.database->durability = text == "durable"     ? Durability::kDurable
                                : text == "meta-lazy" ? Durability::kMetaLazy
                                                      : Durability::kRelaxed;
  return {};
}

Result<void> assign_kinds(OptionTarget& target, OptionValue& value) {
  for (const std::string& kind : std::get<Strings>(value)) {
    if (kind == "presence" || kind == "pres") target.index->presence = true;
    if (kind == "equality" || kind == "eq") target.index->equality = true;
    if (kind == "substring" || kind == "sub") target.index->substring = true;
  }
  if (!target.index->presence && !target.index->equality && !target.index->substring) {
    return invalid("the list is empty; expected at least one of presence, equality and substring");
  }
  return {};
}

Result<void> assign_rules(OptionTarget& target, OptionValue& value) {
  Strings& rules = std::get<Strings>(value);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    target.configuration.access_rules.push_back(
        {std::move(rules[i]), i < target.items.size() ? target.items[i] : Position{}});
  }
  return {};
}

template <AccessLogConfiguration Configuration::*kLog>
Result<void> assign_access_log(OptionTarget& target, OptionValue& value) {
  AccessLogConfiguration& log = target.configuration.*kLog;
  std::string& text = std::get<std::string>(value);
  log = {};
  if (text == "off") return {};
  if (text.empty()) return invalid("the path is empty; expected a path, \"-\" or \"off\"");
  log.where = text == "-" ? AccessLogConfiguration::Where::kStandardOutput
                          : AccessLogConfiguration::Where::kFile;
  if (text != "-") log.path = std::move(text);
  return {};
}

Result<void> assign_log_level(OptionTarget& target, OptionValue& value) {
  const std::string& text = std::get<std::string>(value);
  target.configuration.log_level = text == "info"      ? LogLevel::kInfo
                                   : text == "warning" ? LogLevel::kWarning
                                                       : LogLevel::kError;
  return {};
}

Result<void> assign_password_scheme(OptionTarget& target, OptionValue& value) {
  const std::string& text = std::get<std::string>(value);
  target.configuration.password_scheme = text == "argon2id"  ? PasswordHash::kArgon2id
                                         : text == "ssha512" ? PasswordHash::kSsha512
                                         : text == "ssha256" ? PasswordHash::kSsha256
                                                             : PasswordHash::kSsha;
  return {};
}

// Options whose value is just put into a member.
template <auto kMember>
Result<void> assign_limit(OptionTarget& target, OptionValue& value) {
  auto& member = target.configuration.limits.*kMember;
  // The option's range lies within the member's.
  member = static_cast<std::remove_reference_t<decltype(member)>>(std::get<std::int64_t>(value));
  return {};
}
template <auto kMember>
Result<void> assign_text(OptionTarget& target, OptionValue& value) {
  target.configuration.*kMember = std::move(std::get<std::string>(value));
  return {};
}

template <auto kMember>
Option limit(std::string_view key, std::string_view unit, std::int64_t min, std::int64_t max,
             bool restart, std::string_view sentence) {
  return {.table = "limits",
          .key = key,
          .type = unit == "octets" ? OptionType::kSize : OptionType::kInteger,
          .unit = unit,
          .preset = static_cast<std::int64_t>(LimitsConfiguration{}.*kMember),
          .min = min,
          .max = max,
          .choices = {},
          .required = false,
          .restart = restart,
          .sentence = sentence,
          .assign = assign_limit<kMember>};
}

std::vector<Option> general_options() {
  std::vector<Option> out;
  out.push_back({.table = "",
                 .key = "listen",
                 .type = OptionType::kStrings,
                 .unit = "",
                 .preset = Strings{},
                 .choices = {},
                 .sentence =
                     "Addresses to listen on, each `ldap://HOST:PORT` or `ldapi://%2FPATH`; "
                     "with none, `ldap://127.0.0.1:1389` and a socket in the data "
                     "directory.",
                 .assign = assign_listen});
  out.push_back({.table = "",
                 .key = "workers",
                 .type = OptionType::kInteger,
                 .unit = "threads",
                 .preset = std::int64_t{0},
                 .min = 0,
                 .max = 1024,
                 .choices = {},
                 .sentence = "Threads that serve connections; 0 is one for each core.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.configuration.workers =
                       static_cast<std::uint32_t>(std::get<std::int64_t>(value));
                   return {};
                 }});
  out.push_back({.table = "admin",
                 .key = "dn",
                 .type = OptionType::kString,
                 .unit = "",
                 .preset = std::string(),
                 .choices = {},
                 .sentence = "Name of the administrator, who is above the access rules; empty is "
                             "`cn=admin` below the first suffix.",
                 .assign = assign_text<&Configuration::admin_dn>});
  out.push_back({.table = "admin",
                 .key = "password_hash",
                 .type = OptionType::kString,
                 .unit = "",
                 .preset = std::string(),
                 .choices = {},
                 .restart = false,
                 .sentence = "The administrator's password as `kauri hash` prints it; empty leaves "
                             "it to the data directory.",
                 .assign = assign_admin_hash});
  return out;
}

void add_database_options(std::vector<Option>& out) {
  out.push_back({.table = "database",
                 .key = "suffix",
                 .type = OptionType::kString,
                 .unit = "",
                 .preset = std::string(),
                 .choices = {},
                 .required = true,
                 .sentence = "The name under which all entries of this database are.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   if (std::get<std::string>(value).empty()) {
                     return invalid("the suffix is empty; expected a DN such as dc=example,dc=com");
                   }
                   target.database->suffix = std::move(std::get<std::string>(value));
                   return {};
                 }});
  out.push_back({.table = "database",
                 .key = "path",
                 .type = OptionType::kPath,
                 .unit = "",
                 .preset = std::string(),
                 .choices = {},
                 .sentence = "Directory of the database; empty is one in the data directory.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.database->path = std::move(std::get<std::string>(value));
                   return {};
                 }});
  out.push_back({.table = "database",
                 .key = "durability",
                 .type = OptionType::kChoice,
                 .unit = "",
                 .preset = std::string("durable"),
                 .choices = {"durable", "meta-lazy", "relaxed"},
                 .sentence =
                     "What a crash of the machine can take: nothing that was acknowledged "
                     "(`durable`), the last commit (`meta-lazy`), the database (`relaxed`).",
                 .assign = assign_durability});
  out.push_back({.table = "database.index",
                 .key = "attribute",
                 .type = OptionType::kString,
                 .unit = "",
                 .preset = std::string(),
                 .choices = {},
                 .required = true,
                 .sentence = "The attribute type to index.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   if (std::get<std::string>(value).empty()) {
                     return invalid("the name is empty; expected an attribute type such as mail");
                   }
                   target.index->attribute = std::move(std::get<std::string>(value));
                   return {};
                 }});
  out.push_back({.table = "database.index",
                 .key = "kinds",
                 .type = OptionType::kChoices,
                 .unit = "",
                 .preset = Strings{},
                 .choices = {"presence", "equality", "substring", "pres", "eq", "sub"},
                 .required = true,
                 .sentence = "What to index: `equality` also answers ordering and prefixes; each "
                             "kind costs time on every write.",
                 .assign = assign_kinds});
}

void add_directory_options(std::vector<Option>& out) {
  out.push_back({.table = "schema",
                 .key = "files",
                 .type = OptionType::kPaths,
                 .unit = "",
                 .preset = Strings{},
                 .choices = {},
                 .sentence =
                     "Schema files of OpenLDAP or 389 DS, loaded in this order after what is "
                     "built in.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.configuration.schema_files = std::move(std::get<Strings>(value));
                   return {};
                 }});
  out.push_back({.table = "schema",
                 .key = "nis",
                 .type = OptionType::kChoice,
                 .unit = "",
                 .preset = std::string("rfc2307"),
                 .choices = {"rfc2307", "rfc2307bis"},
                 .sentence = "Which of the two NIS schemas is built in.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.configuration.nis = std::get<std::string>(value) == "rfc2307"
                                                  ? NisSchema::kRfc2307
                                                  : NisSchema::kRfc2307bis;
                   return {};
                 }});
  out.push_back({.table = "access",
                 .key = "rules",
                 .type = OptionType::kStrings,
                 .unit = "",
                 .preset = Strings{},
                 .choices = {},
                 .restart = false,
                 .sentence = "Access rules in the language of slapd.access(5), the first that fits "
                             "decides; an empty list denies everything to all but the "
                             "administrator, without the key users read everything but passwords "
                             "and change their own.",
                 .assign = assign_rules});
}

void add_limits(std::vector<Option>& out) {
  using L = LimitsConfiguration;
  out.push_back(limit<&L::search_size_max>(
      "search_size_max", "entries", 0, kUint32Max, false,
      "Entries that one search returns to others than the administrator; 0 is no limit."));
  out.push_back(limit<&L::search_seconds_max>(
      "search_seconds_max", "seconds", 0, kUint32Max, false,
      "Time that one search may take for others than the administrator; 0 is no limit."));
  out.push_back(limit<&L::look_through_max>(
      "look_through_max", "entries", 0, kInt64Max, false,
      "Entries that one search of others than the administrator may examine; 0 is no limit."));
  out.push_back(limit<&L::operations_in_flight_max>(
      "operations_in_flight_max", "operations", 1, 1'000'000, false,
      "Operations of one authenticated connection at the same time; the connection waits then."));
  out.push_back(limit<&L::message_size_anonymous_max>(
      "message_size_anonymous_max", "octets", 1024, std::int64_t{1} << 30U, false,
      "Size of one message before authentication; a larger one ends the connection."));
  out.push_back(
      limit<&L::message_size_max>("message_size_max", "octets", 1024, std::int64_t{1} << 30U, false,
                                  "Size of one message after authentication; a larger one ends "
                                  "the connection."));
  out.push_back(limit<&L::connections_max>(
      "connections_max", "connections", 0, 10'000'000, true,
      "Connections at the same time; 0 is what the limit of open files allows."));
  out.push_back(limit<&L::first_request_seconds_max>(
      "first_request_seconds_max", "seconds", 1, 86'400, true,
      "Time from accept to the first whole request; then the connection ends."));
  out.push_back(limit<&L::message_seconds_max>(
      "message_seconds_max", "seconds", 1, 86'400, true,
      "Time that a started message may take to arrive whole; then the connection ends."));
  out.push_back(limit<&L::output_stall_seconds_max>(
      "output_stall_seconds_max", "seconds", 1, 86'400, true,
      "Time without progress while answers wait for a slow reader; then the connection ends."));
  out.push_back(limit<&L::large_buffers_max>(
      "large_buffers_max", "octets", 0, std::int64_t{1} << 40U, true,
      "Memory of one worker for messages above 1 MiB that slow clients send or read; beyond it the "
      "slowest of them lose their connections."));
  out.push_back(limit<&L::hash_queue_max>(
      "hash_queue_max", "jobs", 1, 1'000'000, true,
      "Logins and password changes that wait for the slow hashes; more are answered busy."));
  out.push_back(limit<&L::change_log_records_max>(
      "change_log_records_max", "records", 0, kInt64Max, true,
      "Records of the change log that each database keeps; the oldest go first."));
}

void add_service_options(std::vector<Option>& out) {
  out.push_back({.table = "log",
                 .key = "access",
                 .type = OptionType::kPath,
                 .unit = "",
                 .preset = std::string("off"),
                 .choices = {},
                 .sentence = "Where the access log goes, one JSON line for each operation: a path, "
                             "`-` for standard output, or `off`.",
                 .assign = assign_access_log<&Configuration::access_log>});
  out.push_back({.table = "log",
                 .key = "slow",
                 .type = OptionType::kPath,
                 .unit = "",
                 .preset = std::string("off"),
                 .choices = {},
                 .sentence = "Where the lines of slow operations go, with the plans of searches, "
                             "whether there is an access log or not: a path, `-` for standard "
                             "output, or `off`.",
                 .assign = assign_access_log<&Configuration::slow_log>});
  out.push_back({.table = "log",
                 .key = "slow_milliseconds",
                 .type = OptionType::kInteger,
                 .unit = "milliseconds",
                 .preset = static_cast<std::int64_t>(Configuration{}.slow_milliseconds),
                 .min = 0,
                 .max = 86'400'000,
                 .choices = {},
                 .sentence =
                     "The time from its arrival to its answer from which on an operation is "
                     "slow.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.configuration.slow_milliseconds =
                       static_cast<std::uint32_t>(std::get<std::int64_t>(value));
                   return {};
                 }});
  out.push_back({.table = "log",
                 .key = "level",
                 .type = OptionType::kChoice,
                 .unit = "",
                 .preset = std::string("info"),
                 .choices = {"info", "warning", "error"},
                 .sentence = "The least severe events that standard error shows.",
                 .assign = assign_log_level});
  out.push_back({.table = "password",
                 .key = "scheme",
                 .type = OptionType::kChoice,
                 .unit = "",
                 .preset = std::string("argon2id"),
                 .choices = {"argon2id", "ssha512", "ssha256", "ssha"},
                 .sentence = "How passwords that arrive in clear are stored.",
                 .assign = assign_password_scheme});
  out.push_back({.table = "security",
                 .key = "allow_cleartext_bind",
                 .type = OptionType::kBoolean,
                 .unit = "",
                 .preset = false,
                 .choices = {},
                 .sentence =
                     "Whether another machine may send a password over a connection that is "
                     "not encrypted; this machine itself always may.",
                 .assign = [](OptionTarget& target, OptionValue& value) -> Result<void> {
                   target.configuration.allow_cleartext_bind = std::get<bool>(value);
                   return {};
                 }});
}

}  // namespace

std::span<const OptionTable> option_tables() {
  static const std::vector<OptionTable> kTables = {
      {"", false, "Keys before the first table."},
      {"admin", false, "The administrator."},
      {"database", true, "One for each suffix."},
      {"database.index", true,
       "One for each indexed attribute of the database above it. With none, the default indexes "
       "hold."},
      {"schema", false, "Attribute types and object classes."},
      {"access", false, "Who may do what."},
      {"limits", false, "What one client, or all of them, may use."},
      {"log", false, "What the server tells about its work."},
      {"password", false, "How passwords are stored."},
      {"security", false, "What is allowed without protection."},
  };
  return kTables;
}

std::span<const Option> options() {
  static const std::vector<Option> kOptions = [] {
    std::vector<Option> out = general_options();
    add_database_options(out);
    add_directory_options(out);
    add_limits(out);
    add_service_options(out);
    return out;
  }();
  return kOptions;
}

std::span<const UnavailableKey> unavailable_keys() {
  static const std::vector<UnavailableKey> kKeys = {
      {"tls", "TLS is not available in this version"},
      {"sasl", "SASL is not available in this version"},
      {"metrics", "the metrics listener is not available in this version"},
  };
  return kKeys;
}

}  // namespace kauri::config
