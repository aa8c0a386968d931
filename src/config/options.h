// The options of the configuration file: each is declared once, in options.cc, with its name, type,
// unit, default, range, whether a change needs a restart, and a sentence. Validation
// (configuration.cc) and the reference page (reference.cc) come from there.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/configuration.h"

namespace kauri::config {

enum class OptionType : std::uint8_t {
  kString,
  kPath,
  kInteger,
  kSize,  // octets: an integer, or a string as "16 MiB"
  kBoolean,
  kChoice,
  kStrings,  // the lists
  kPaths,
  kChoices
};

// A checked value. kString, kPath, kChoice: std::string; kInteger, kSize: std::int64_t; kBoolean:
// bool; the lists: std::vector<std::string>.
using OptionValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

// What an option's value goes into.
struct OptionTarget {
  Configuration& configuration;
  DatabaseConfiguration* database = nullptr;  // in [[database]] and below
  IndexConfiguration* index = nullptr;        // in [[database.index]]
  std::vector<Position> items;                // places of a list's items
};

struct Option {
  std::string_view table;  // "" = outside of any table
  std::string_view key;
  OptionType type;
  std::string_view unit;  // "" = none
  OptionValue preset;     // what holds when the key is absent; ignored where required
  std::int64_t min = 0;   // kInteger, kSize
  std::int64_t max = 0;
  std::vector<std::string_view> choices;  // kChoice, kChoices
  bool required = false;                  // in each of the repeated tables
  bool restart = true;                    // false: a reload (SIGHUP) applies it
  std::string_view sentence;
  // RETURNS: kInvalid with what is wrong, when the type alone does not tell.
  Result<void> (*assign)(OptionTarget& target, OptionValue& value);
};

struct OptionTable {
  std::string_view name;  // "" = outside of any table
  bool repeated = false;  // "[[name]]"
  std::string_view sentence;
};

// Keys and tables that later versions have: a file that names them asks for something that this
// version would not do.
struct UnavailableKey {
  std::string_view name;  // a table, or "table.key"
  std::string_view reason;
};

std::span<const OptionTable> option_tables();
std::span<const Option> options();
std::span<const UnavailableKey> unavailable_keys();

// The whole of docs/reference/configuration.md.
std::string reference_page();

}  // namespace kauri::config
