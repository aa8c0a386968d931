// docs/reference/configuration.md, made from the declarations of the options.
#include "config/options.h"

namespace kauri::config {
namespace {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3 && digits.size() > 4; i -= 3) {
    digits.insert(i - 3, ",");
  }
  return digits;
}

std::string type_text(const Option& option) {
  switch (option.type) {
    case OptionType::kString:
      return "string";
    case OptionType::kPath:
      return "path";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kSize:
      return "size";
    case OptionType::kBoolean:
      return "boolean";
    case OptionType::kChoice:
      return "string";
    case OptionType::kStrings:
      return "list of strings";
    case OptionType::kPaths:
      return "list of paths";
    case OptionType::kChoices:
      return "list of strings";
  }
  return "";
}

std::string preset_text(const Option& option) {
  if (option.required) return "required";
  if (const std::string* text = std::get_if<std::string>(&option.preset)) {
    return "`\"" + *text + "\"`";
  }
  if (const std::int64_t* number = std::get_if<std::int64_t>(&option.preset)) {
    return grouped(*number);
  }
  if (const bool* flag = std::get_if<bool>(&option.preset)) return *flag ? "`true`" : "`false`";
  return "`[]`";
}

std::string range_text(const Option& option) {
  std::string out;
  if (option.type == OptionType::kInteger || option.type == OptionType::kSize) {
    out = grouped(option.min) + " to " + grouped(option.max);
  }
  for (const std::string_view choice : option.choices) {
    if (!out.empty()) out += ", ";
    out += "`" + std::string(choice) + "`";
  }
  return out;
}

}  // namespace

std::string reference_page() {
  std::string out =
      "# Configuration reference\n\n"
      "This page is made from the declarations in `src/config/options.cc`; a test compares "
      "them.\n\n"
      "The file is TOML. Relative paths are relative to the file. A size is a number of octets or "
      "a string such as\n"
      "`\"16 MiB\"` (`KiB`, `MiB`, `GiB`). *Reload* says that SIGHUP applies a change; everything "
      "else needs a restart. A\n"
      "file with a mistake changes nothing: each mistake is named with file, line, column and "
      "key.\n";
  for (const OptionTable& table : option_tables()) {
    const std::string open = table.repeated ? "[[" : "[";
    const std::string close = table.repeated ? "]]" : "]";
    out += "\n## ";
    out += table.name.empty() ? "Top level" : "`" + open + std::string(table.name) + close + "`";
    out += "\n\n" + std::string(table.sentence) + "\n\n";
    out += "| key | type | unit | default | allowed | change | meaning |\n";
    out += "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const Option& option : options()) {
      if (option.table != table.name) continue;
      out += "| `" + std::string(option.key) + "` | " + type_text(option) + " | " +
             std::string(option.unit) + " | " + preset_text(option) + " | " + range_text(option) +
             " | " + (option.restart ? "restart" : "reload") + " | " +
             std::string(option.sentence) + " |\n";
    }
  }
  out += "\n## Not in this version\n\n";
  for (const UnavailableKey& key : unavailable_keys()) {
    out += "- `[" + std::string(key.name) + "]`: " + std::string(key.reason) + ".\n";
  }
  return out;
}

}  // namespace kauri::config
