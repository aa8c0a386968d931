#include "kaurid/usage.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "config/nearest.h"
#include "text/visible.h"

namespace kauri::kaurid {
namespace {

// The first command that has words left over, else the subcommand that was read last; *name gets
// the words that call it.
const CLI::App& command_at_fault(const CLI::App& app, std::string* name) {
  const CLI::App* at = &app;
  *name = app.get_name();
  while (!at->get_subcommands().empty() && at->remaining().empty()) {
    at = at->get_subcommands().front();
    *name += " " + at->get_name();
  }
  return *at;
}

std::string or_nearest(const std::string& word, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const std::string_view near = config::nearest(word, {known.begin(), known.end()});
  return near.empty() ? otherwise : "; did you mean " + std::string(near) + "?";
}

std::string unknown_word(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    return "there is no option " + text::quoted(name) +
           or_nearest(name, known,
                      command.get_subcommands({}).empty()
                          ? ""
                          : "; options stand behind the subcommand that has them");
  }
  std::string all;
  for (const CLI::App* one : command.get_subcommands({})) {
    known.push_back(one->get_name());
    all += (all.empty() ? "" : ", ") + one->get_name();
  }
  if (known.empty()) return text::quoted(word) + " is one argument too many";
  return "there is no subcommand " + text::quoted(word) +
         or_nearest(word, known, "; there are " + all);
}

// CLI11 tells what is wrong in the types of its templates; the common cases in plain words.
std::string in_words(const CLI::App& command, const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::vector<std::string> unread = command.remaining();
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!unread.empty() && (is_extra || is_missing)) {
    // An unknown option leaves its value over too.
    const auto option = std::find_if(unread.begin(), unread.end(),
                                     [](const std::string& word) { return word.starts_with('-'); });
    return unknown_word(command, option != unread.end() ? *option : unread.front());
  }
  if (is_missing && !command.get_subcommands({}).empty()) {
    std::string all;
    for (const CLI::App* one : command.get_subcommands({}))
      all += (all.empty() ? "" : ", ") + one->get_name();
    return "it needs a subcommand: " + all;
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && what.ends_with(" missing"))
    return what.substr(0, what.find(':')) + " needs a value";
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const std::string_view word = " excludes ";
    const std::size_t at = what.find(word);
    if (at != std::string::npos)
      return what.substr(0, at) + " and " + what.substr(at + word.size()) +
             " cannot be used together";
  }
  return text::visible(what);
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const CLI::App& command = command_at_fault(app, &name);
  return name + ": " + in_words(command, error) + "; " + name + " --help says more";
}

std::string error_lines(const std::string& program, std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at <= message.size();) {
    const std::size_t end = std::min(message.find('\n', at), message.size());
    out += program + ": " + text::visible(message.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

CLI::Validator whole_number(const std::string& what, std::uint64_t least, std::uint64_t most) {
  return {[what, least, most](const std::string& value) {
            std::uint64_t number = 0;
            const char* const end = value.data() + value.size();
            const auto [last, error] = std::from_chars(value.data(), end, number);
            if (error == std::errc() && last == end && number >= least && number <= most)
              return std::string();
            return text::quoted(value) + " is no whole number" +
                   (what.empty() ? "" : " of " + what) +
                   (most == std::numeric_limits<std::uint64_t>::max()
                        ? ", " + std::to_string(least) + " or more"
                        : " from " + std::to_string(least) + " to " + std::to_string(most));
          },
          ""};
}

CLI::Validator seconds() {
  return {[](const std::string& value) {
            double number = 0;
            const char* const end = value.data() + value.size();
            const auto [last, error] = std::from_chars(value.data(), end, number);
            if (error == std::errc() && last == end && std::isfinite(number) && number >= 0)
              return std::string();
            return text::quoted(value) + " is no number of seconds, such as 5 or 0.5";
          },
          ""};
}

CLI::Validator suffix_name() {
  return {[](const std::string& value) {
            return value.empty() ? std::string("it is empty: a name such as dc=example,dc=com")
                                 : std::string();
          },
          ""};
}

}  // namespace kauri::kaurid
