#include "config/configuration.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "config/nearest.h"
#include "config/options.h"
#include "config/toml_document.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::config {
namespace {

// A file full of mistakes is told about in one screen.
constexpr std::size_t kMistakesMax = 20;

std::string shown(std::string_view text) {
  return text::visible(text.substr(0, 60)) + (text.size() > 60 ? "..." : "");
}

std::string describe(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::kTable:
      return "a table";
    case TomlNode::Kind::kArray:
      return "a list";
    case TomlNode::Kind::kString:
      return "the string \"" + shown(node.text) + "\"";
    case TomlNode::Kind::kInteger:
      return "the number " + std::to_string(node.integer);
    case TomlNode::Kind::kBoolean:
      return node.boolean ? "true" : "false";
    case TomlNode::Kind::kOther:
      return node.text;
  }
  return "";
}

std::string list_of(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

// "16 MiB" and the like; nothing for anything else, or more than 2^63 - 1.
std::optional<std::int64_t> parse_size(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  unsigned shift = 0;
  if (unit == "KiB") {
    shift = 10;
  } else if (unit == "MiB") {
    shift = 20;
  } else if (unit == "GiB") {
    shift = 30;
  } else {
    return std::nullopt;
  }
  if (number > (std::int64_t{0x7fffffffffffffff} >> shift)) return std::nullopt;
  return number << shift;
}

// The same suffix written with other spaces or letters; DNs proper are compared by the schema.
std::string fold_dn(std::string_view dn) {
  std::string out;
  for (const char c : dn) {
    if (c != ' ') out += text::to_lower(c);
  }
  return out;
}

class Loader {
 public:
  explicit Loader(const std::string& origin) {
    configuration_.origin = origin;
    const std::size_t slash = origin.rfind('/');
    if (slash != std::string::npos) directory_ = origin.substr(0, slash + 1);
  }

  Result<Configuration> load(const TomlNode& root) {
    OptionTarget target{.configuration = configuration_, .items = {}};
    read_table("", root, target);
    check_databases();
    check_limits();
    // Found by table, told by line.
    std::sort(mistakes_.begin(), mistakes_.end(), [](const Mistake& a, const Mistake& b) {
      return std::tie(a.position.line, a.position.column, a.text) <
             std::tie(b.position.line, b.position.column, b.text);
    });
    std::string message;
    for (std::size_t i = 0; i < std::min(mistakes_.size(), kMistakesMax); ++i) {
      message += (i == 0 ? "" : "\n") + mistakes_[i].text;
    }
    if (!message.empty()) return invalid(std::move(message));
    for (ListenAddress& address : configuration_.listen) {
      if (!address.path.empty() && address.path[0] != '/') {
        address.path.insert(0, directory_);
      }
    }
    return std::move(configuration_);
  }

 private:
  struct Mistake {
    Position position;
    std::string text;
  };

  void mistake(Position position, std::string_view key, std::string_view what) {
    mistakes_.push_back(
        {position, configuration_.place(position) + ": key '" + shown(key) + "': "});
    mistakes_.back().text += what;
  }

  static std::string full_name(std::string_view table, std::string_view key) {
    return table.empty() ? std::string(key) : std::string(table) + "." + std::string(key);
  }

  static const Option* find_option(std::string_view table, std::string_view key) {
    for (const Option& option : options()) {
      if (option.table == table && option.key == key) return &option;
    }
    return nullptr;
  }

  static const OptionTable* find_table(std::string_view name) {
    for (const OptionTable& table : option_tables()) {
      if (!table.name.empty() && table.name == name) return &table;
    }
    return nullptr;
  }

  void read_table(std::string_view table, const TomlNode& node, OptionTarget& target) {
    for (const TomlNode::Member& member : node.members) {
      const std::string name = full_name(table, member.name);
      if (const Option* option = find_option(table, member.name)) {
        read_option(*option, name, member.value, target);
      } else if (const OptionTable* inner = find_table(name)) {
        read_inner_table(*inner, member, target);
      } else {
        unknown_key(table, name, member);
      }
    }
    for (const Option& option : options()) {
      if (option.table != table || !option.required) continue;
      const bool there =
          std::any_of(node.members.begin(), node.members.end(),
                      [&](const TomlNode::Member& member) { return member.name == option.key; });
      if (!there) {
        mistake(node.position, full_name(table, option.key),
                "is missing in this [[" + std::string(table) + "]]");
      }
    }
  }

  void read_inner_table(const OptionTable& table, const TomlNode::Member& member,
                        OptionTarget& target) {
    const std::string name(table.name);
    if (!table.repeated) {
      if (member.value.kind != TomlNode::Kind::kTable) {
        mistake(member.position, name,
                "found " + describe(member.value) + "; expected the table [" + name + "]");
        return;
      }
      read_table(table.name, member.value, target);
      return;
    }
    const std::string expected = "; expected tables [[" + name + "]]";
    if (member.value.kind != TomlNode::Kind::kArray) {
      mistake(member.position, name, "found " + describe(member.value) + expected);
      return;
    }
    for (const TomlNode& item : member.value.items) {
      if (item.kind != TomlNode::Kind::kTable) {
        mistake(item.position, name, "found " + describe(item) + expected);
        continue;
      }
      read_repeated(table, item, target);
    }
  }

  void read_repeated(const OptionTable& table, const TomlNode& item, OptionTarget& target) {
    if (table.name == "database") {
      DatabaseConfiguration database;
      database.position = item.position;
      OptionTarget inner{.configuration = configuration_, .database = &database, .items = {}};
      read_table(table.name, item, inner);
      configuration_.databases.push_back(std::move(database));
      return;
    }
    // [[database.index]], the only other one; TOML allows it inside a database alone.
    IndexConfiguration index;
    index.position = item.position;
    OptionTarget inner{
        .configuration = configuration_, .database = target.database, .index = &index, .items = {}};
    read_table(table.name, item, inner);
    target.database->indexes.push_back(std::move(index));
  }

  void unknown_key(std::string_view table, const std::string& name,
                   const TomlNode::Member& member) {
    for (const UnavailableKey& key : unavailable_keys()) {
      if (name != key.name) continue;
      if (member.value.kind != TomlNode::Kind::kTable || member.value.members.empty()) {
        mistake(member.position, name, key.reason);
        return;
      }
      for (const TomlNode::Member& inner : member.value.members) {
        mistake(inner.position, full_name(name, inner.name), key.reason);
      }
      return;
    }
    std::vector<std::string_view> known;
    for (const Option& option : options()) {
      if (option.table == table) known.push_back(option.key);
      if (option.key == member.name) {
        mistake(member.position, name,
                "is unknown here; it belongs " +
                    (option.table.empty() ? std::string("before the first table")
                                          : "into [" + std::string(option.table) + "]"));
        return;
      }
    }
    for (const OptionTable& candidate : option_tables()) {
      const std::size_t dot = candidate.name.rfind('.');
      const std::string_view outer =
          dot == std::string_view::npos ? std::string_view() : candidate.name.substr(0, dot);
      if (!candidate.name.empty() && outer == table) {
        known.push_back(candidate.name.substr(dot == std::string_view::npos ? 0 : dot + 1));
      }
    }
    const std::string_view near = nearest(member.name, known);
    mistake(member.position, name,
            near.empty() ? "is unknown; expected " + list_of(known)
                         : "is unknown; did you mean '" + std::string(near) + "'?");
  }

  void read_option(const Option& option, std::string_view name, const TomlNode& node,
                   OptionTarget& target) {
    target.items.clear();
    std::optional<OptionValue> value = checked_value(option, name, node, target.items);
    if (!value) return;
    if (option.table == "access") configuration_.has_access_rules = true;
    if (Result<void> assigned = option.assign(target, *value); !assigned) {
      mistake(node.position, name, assigned.error().message());
    }
  }

  std::optional<OptionValue> checked_value(const Option& option, std::string_view name,
                                           const TomlNode& node, std::vector<Position>& items) {
    switch (option.type) {
      case OptionType::kString:
      case OptionType::kPath:
      case OptionType::kChoice:
        if (std::optional<std::string> text = checked_text(option, name, node)) return *text;
        return std::nullopt;
      case OptionType::kInteger:
      case OptionType::kSize:
        return checked_number(option, name, node);
      case OptionType::kBoolean:
        if (node.kind == TomlNode::Kind::kBoolean) return node.boolean;
        mistake(node.position, name, "found " + describe(node) + "; expected true or false");
        return std::nullopt;
      case OptionType::kStrings:
      case OptionType::kPaths:
      case OptionType::kChoices:
        return checked_list(option, name, node, items);
    }
    return std::nullopt;
  }

  std::optional<OptionValue> checked_list(const Option& option, std::string_view name,
                                          const TomlNode& node, std::vector<Position>& items) {
    if (node.kind != TomlNode::Kind::kArray) {
      mistake(node.position, name, "found " + describe(node) + "; expected a list of strings");
      return std::nullopt;
    }
    std::vector<std::string> out;
    for (const TomlNode& item : node.items) {
      std::optional<std::string> text = checked_text(option, name, item);
      if (!text) return std::nullopt;
      out.push_back(std::move(*text));
      items.push_back(item.position);
    }
    return out;
  }

  std::optional<std::string> checked_text(const Option& option, std::string_view name,
                                          const TomlNode& node) {
    if (node.kind != TomlNode::Kind::kString) {
      mistake(node.position, name,
              "found " + describe(node) + "; expected " +
                  (option.choices.empty() ? "a string" : list_of(option.choices)));
      return std::nullopt;
    }
    if (node.text.find('\0') != std::string::npos) {
      mistake(node.position, name, "the string holds a NUL character");
      return std::nullopt;
    }
    if (!option.choices.empty() && std::find(option.choices.begin(), option.choices.end(),
                                             node.text) == option.choices.end()) {
      mistake(node.position, name,
              "found " + describe(node) + "; expected " + list_of(option.choices));
      return std::nullopt;
    }
    const bool is_path = option.type == OptionType::kPath || option.type == OptionType::kPaths;
    // "-" and "off" are the two words that the access log takes instead of a path.
    const bool is_word = option.table == "log" && (node.text == "-" || node.text == "off");
    if (is_path && !is_word && !node.text.empty() && node.text[0] != '/') {
      return directory_ + node.text;
    }
    return node.text;
  }

  std::optional<OptionValue> checked_number(const Option& option, std::string_view name,
                                            const TomlNode& node) {
    std::optional<std::int64_t> number;
    if (node.kind == TomlNode::Kind::kInteger) number = node.integer;
    if (node.kind == TomlNode::Kind::kString && option.type == OptionType::kSize) {
      number = parse_size(node.text);
    }
    if (!number || *number < option.min || *number > option.max) {
      mistake(node.position, name,
              "found " + describe(node) + "; expected a number of " + std::string(option.unit) +
                  " from " + std::to_string(option.min) + " to " + std::to_string(option.max) +
                  (option.type == OptionType::kSize ? ", or a string such as \"16 MiB\"" : ""));
      return std::nullopt;
    }
    return *number;
  }

  // --- What one option alone cannot tell ---
  void check_databases() {
    std::map<std::string, std::uint32_t> suffixes;
    std::map<std::string, std::uint32_t> paths;
    for (const DatabaseConfiguration& database : configuration_.databases) {
      const Position position = database.position;
      if (const auto [first, added] = suffixes.emplace(fold_dn(database.suffix), position.line);
          !added && !database.suffix.empty()) {
        mistake(position, "database.suffix",
                "\"" + shown(database.suffix) +
                    "\" is already the suffix of the database in line " +
                    std::to_string(first->second));
      }
      if (const auto [first, added] = paths.emplace(database.path, position.line);
          !added && !database.path.empty()) {
        mistake(position, "database.path",
                "\"" + shown(database.path) + "\" is already the path of the database in line " +
                    std::to_string(first->second));
      }
      check_indexes(database);
    }
  }

  void check_indexes(const DatabaseConfiguration& database) {
    std::map<std::string, std::uint32_t> attributes;
    for (const IndexConfiguration& index : database.indexes) {
      if (const auto [first, added] = attributes.emplace(
              text::to_lower(std::string_view(index.attribute)), index.position.line);
          !added && !index.attribute.empty()) {
        mistake(index.position, "database.index.attribute",
                "\"" + shown(index.attribute) + "\" is already indexed by the table in line " +
                    std::to_string(first->second));
      }
    }
  }

  void check_limits() {
    const LimitsConfiguration& limits = configuration_.limits;
    if (limits.message_size_anonymous_max > limits.message_size_max) {
      mistake({}, "limits.message_size_anonymous_max",
              std::to_string(limits.message_size_anonymous_max) +
                  " is more than limits.message_size_max, " +
                  std::to_string(limits.message_size_max));
    }
  }

  Configuration configuration_;
  std::string directory_;  // with the slash at its end; empty for the working directory
  std::vector<Mistake> mistakes_;
};

Error cannot_read(const std::string& path, int error) {
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          "the configuration file " + path + " cannot be read: " + std::strerror(error)};
}

Result<std::string> read_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(path, errno);
  std::string out;
  char buffer[16384];
  while (true) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      ::close(descriptor);
      return cannot_read(path, error);
    }
    if (count == 0) break;
    out.append(buffer, static_cast<std::size_t>(count));
    if (out.size() > kFileSizeMax) break;
  }
  ::close(descriptor);
  return out;
}

}  // namespace

std::string Configuration::place(Position position) const {
  if (position.line == 0) return origin;
  return origin + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

Result<Configuration> load_text(std::string_view text, const std::string& origin) {
  if (text.size() > kFileSizeMax) {
    return limit_exceeded(origin + ": the file is larger than the limit of " +
                          std::to_string(kFileSizeMax) + " octets");
  }
  KAURI_TRY(TomlNode root, parse_toml(text, origin));
  return Loader(origin).load(root);
}

Result<Configuration> load_file(const std::string& path) {
  KAURI_TRY(std::string text, read_file(path));
  return load_text(text, path);
}

}  // namespace kauri::config
