// What the options of `kauri bench` mean for a load test.
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

#include "kauri/bench_options.h"
#include "kauri/offline.h"
#include "kaurid/admin_password.h"
#include "kaurid/usage.h"
#include "ldif/source.h"
#include "toolkit/load_run.h"
#include "toolkit/pattern.h"
#include "toolkit/value_lines.h"

namespace kauri::tool {

namespace {

using toolkit::Order;
using toolkit::WorkloadKind;
using toolkit::WorkloadOptions;

using Range = std::pair<std::uint64_t, std::uint64_t>;

Result<Range> parse_range(const char* option, const std::string& text) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  const char* end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, low);
  bool good = error == std::errc() && colon != end && *colon == ':';
  if (good) {
    const auto [last, failed] = std::from_chars(colon + 1, end, high);
    good = failed == std::errc() && last == end && low <= high && high <= toolkit::kNumberMax;
  }
  if (good) return std::pair(low, high);
  return invalid(std::string(option) + " '" + text + "' is not understood; LOW:HIGH is expected, " +
                 "such as 0:99999, with LOW <= HIGH <= " + std::to_string(toolkit::kNumberMax));
}

Result<ldap::Scope> parse_scope(const std::string& text) {
  if (text == "base") return ldap::Scope::kBase;
  if (text == "one") return ldap::Scope::kOneLevel;
  if (text == "sub") return ldap::Scope::kSubtree;
  if (text == "children") return ldap::Scope::kSubordinate;
  return invalid("--scope '" + text + "' is not one of base, one, sub, children");
}

Result<ldap::ModifyOperation> parse_change(const std::string& text) {
  if (text == "replace") return ldap::ModifyOperation::kReplace;
  if (text == "add") return ldap::ModifyOperation::kAdd;
  if (text == "delete") return ldap::ModifyOperation::kDelete;
  return invalid("--change '" + text + "' is not one of replace, add, delete");
}

Result<std::pair<std::string, std::string>> parse_note(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return invalid("--note '" + text + "' is not KEY=VALUE");
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::string> read_whole(const std::string& path) {
  constexpr std::size_t kEntryFileMax = std::size_t{16} << 20U;
  KAURI_TRY(const auto source, ldif::open_file(path));
  std::string out;
  std::string block(65536, '\0');
  for (;;) {
    KAURI_TRY(const std::size_t size, source->read(block.data(), block.size()));
    if (size == 0) return out;
    out.append(block, 0, size);
    if (out.size() > kEntryFileMax) {
      return limit_exceeded(path + " is larger than " + std::to_string(kEntryFileMax) +
                            " octets, too much for the template of one entry");
    }
  }
}

// Adds and deletes, of entries and of values, take each number once, and so do renamings that stay.
// Renamings back and forth go through the entries in order, so that none is in two of them. The
// others draw at random unless told otherwise.
Order order_of(const WorkloadOptions& workload, bool sequential) {
  const WorkloadKind kind = workload.kind;
  if (kind == WorkloadKind::kAdd || kind == WorkloadKind::kDelete) return Order::kOnce;
  if (kind == WorkloadKind::kModify && workload.change != ldap::ModifyOperation::kReplace) {
    return Order::kOnce;
  }
  if (kind == WorkloadKind::kModrdn) return workload.keep_name ? Order::kOnce : Order::kSequential;
  return sequential ? Order::kSequential : Order::kRandom;
}

// The name that the LDIF of an entry begins with.
Result<std::string> name_of_entry(const std::string& entry, const std::string& path) {
  constexpr std::string_view kStart = "dn: ";
  const std::size_t end = std::min(entry.find_first_of("\r\n"), entry.size());
  if (entry.starts_with(kStart)) return entry.substr(kStart.size(), end - kStart.size());
  return invalid("deletes remove what adds have made, so the first line of " + path +
                 " must be 'dn: NAME'");
}

// One workload of a plan: the common options and those of its kind.
class Planner {
 public:
  explicit Planner(BenchArguments& arguments) : arguments_(arguments) {}

  Result<toolkit::Mix> plan() {
    KAURI_CHECK(read_common());
    toolkit::Mix out;
    if (arguments_.kind) {
      arguments_.workload.kind = *arguments_.kind;
      arguments_.workload.password = arguments_.password;
      KAURI_CHECK(add(out, arguments_.workload, 1, !arguments_.range.empty()));
    } else {
      KAURI_TRY(const auto parts, toolkit::parse_mix(arguments_.mix));
      for (const auto& [kind, weight] : parts) adds_ = adds_ || kind == WorkloadKind::kAdd;
      for (const auto& [kind, weight] : parts) KAURI_CHECK(add_part(out, kind, weight));
    }
    return check_use(std::move(out));
  }

 private:
  Result<void> read_common() {
    WorkloadOptions& workload = arguments_.workload;
    if (!arguments_.range.empty()) {
      KAURI_TRY(const Range range, parse_range("--range", arguments_.range));
      workload.low = range.first;
      workload.high = range.second;
    }
    KAURI_TRY(workload.scope, parse_scope(arguments_.scope));
    KAURI_TRY(workload.change, parse_change(arguments_.change));
    if (!arguments_.entry_file.empty()) {
      KAURI_TRY(workload.entry, read_whole(arguments_.entry_file));
    }
    if (!arguments_.values_file.empty()) {
      KAURI_TRY(workload.values, toolkit::read_value_lines(arguments_.values_file));
    }
    return {};
  }

  Result<void> add(toolkit::Mix& out, WorkloadOptions options, std::uint32_t weight,
                   bool has_range) const {
    options.order = order_of(options, arguments_.sequential);
    KAURI_TRY(auto workload, toolkit::make_workload(options));
    if (!has_range && !workload.by_line && workload.requests.uses_number()) {
      return invalid("'" + workload.description +
                     "' has a number in it: --range LOW:HIGH must say which ones exist");
    }
    out.parts.push_back({std::move(workload), weight});
    return {};
  }

  // A part of `mixed`: what differs from the subcommand of that kind.
  Result<void> add_part(toolkit::Mix& out, WorkloadKind kind, std::uint32_t weight) const {
    WorkloadOptions options = arguments_.workload;
    options.kind = kind;
    options.password = arguments_.user_password;
    bool has_range = !arguments_.range.empty();
    if (kind == WorkloadKind::kCompare) {
      options.attribute = arguments_.compare_attribute;
      options.value = arguments_.compare_value;
    }
    if (kind == WorkloadKind::kAdd || (kind == WorkloadKind::kDelete && adds_)) {
      KAURI_TRY(const Range range, parse_range("--add-range", arguments_.add_range));
      options.low = range.first;
      options.high = range.second;
      has_range = true;
      options.target = arguments_.add_target.empty()
                           ? toolkit::default_target(WorkloadKind::kAdd, options.base)
                           : arguments_.add_target;
      if (kind == WorkloadKind::kDelete && !options.entry.empty()) {
        KAURI_TRY(options.target, name_of_entry(options.entry, arguments_.entry_file));
      }
    }
    return add(out, std::move(options), weight, has_range);
  }

  Result<toolkit::Mix> check_use(toolkit::Mix mix) const {
    bool by_line = false;
    for (const auto& part : mix.parts) by_line |= part.workload.by_line;
    if (arguments_.workload.values && !by_line) {
      return invalid("--values is given, but nothing has {v} in it, which stands for its lines");
    }
    return mix;
  }

  BenchArguments& arguments_;
  bool adds_ = false;
};

Result<void> complete_load(BenchArguments& arguments) {
  toolkit::LoadOptions& load = arguments.load;
  KAURI_TRY(load.endpoint, toolkit::resolve_uri(arguments.uri));
  if (!arguments.password_file.empty()) {
    KAURI_TRY(arguments.password, kaurid::read_password_file(arguments.password_file));
  }
  if (arguments.kind != WorkloadKind::kBind) {
    load.bind_dn = arguments.bind_dn;
    load.bind_password = arguments.password;
    if (load.bind_dn.empty() && !load.bind_password.empty()) {
      return invalid("there is a password but no --bind-dn to bind as");
    }
  }
  if (arguments.count_option->count() > 0) load.count = arguments.count;
  if (arguments.rate_option->count() > 0) load.rate = arguments.rate;
  if (arguments.pid_option->count() > 0) load.server_pid = arguments.server_pid;
  return {};
}

}  // namespace

Result<BenchPlan> plan_bench(BenchArguments arguments) {
  KAURI_CHECK(complete_load(arguments));
  BenchPlan out;
  for (const std::string& note : arguments.notes) {
    KAURI_TRY(auto pair, parse_note(note));
    out.notes.push_back(std::move(pair));
  }
  if (arguments.find_max) {
    out.find_max.emplace();
    KAURI_TRY(out.find_max->objectives, toolkit::parse_objectives(arguments.slo));
    if (arguments.load.rate) out.find_max->first_rate = *arguments.load.rate;
  }
  KAURI_TRY(out.mix, Planner(arguments).plan());
  out.load = arguments.load;
  KAURI_CHECK(toolkit::check_load(out.load, out.mix));
  return out;
}

int plan_failed(const std::string& command, const Error& error) {
  const int status = fail(command, error);
  return error.code() == ErrorCode::kInvalid ? kaurid::kUsageStatus : status;
}

std::string shown_command_line(const std::vector<std::string>& words) {
  constexpr const char* kSecret[] = {"--password", "--user-password"};
  std::string out;
  bool hide = false;
  for (const std::string& word : words) {
    std::string shown = hide ? "***" : word;
    hide = false;
    for (const char* option : kSecret) {
      hide = hide || word == option;
      if (word.starts_with(std::string(option) + "=")) shown = std::string(option) + "=***";
    }
    // As a shell would take it.
    if (shown.empty() || shown.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
                                                 "xyz0123456789-_=.,:/+%@") != std::string::npos) {
      std::string quoted = "'";
      for (const char octet : shown) quoted += octet == '\'' ? "'\\''" : std::string(1, octet);
      shown = quoted + "'";
    }
    out += (out.empty() ? "" : " ") + shown;
  }
  return out;
}

std::string own_command_line() {
  const auto text = read_whole("/proc/self/cmdline");
  if (!text) return {};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\0', at), text->size());
    words.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  return shown_command_line(words);
}

}  // namespace kauri::tool
