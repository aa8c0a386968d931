#include "toolkit/process_usage.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>

namespace kauri::toolkit {

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "re"));
  if (!file) {
    const int reason = errno;
    return Error(reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 "cannot open " + path + ": " + std::strerror(reason));
  }
  std::string text;
  std::array<char, 4096> block;
  std::size_t size = 0;
  while ((size = std::fread(block.data(), 1, block.size(), file.get())) > 0) {
    text.append(block.data(), size);
  }
  if (std::ferror(file.get()) != 0) {
    return Error(errno == ESRCH ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot read " + path);
  }
  return text;
}

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<std::uint64_t> to_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

double ticks_per_second() {
  const long ticks = sysconf(_SC_CLK_TCK);
  return ticks > 0 ? static_cast<double>(ticks) : 100.0;
}

// The number behind "Name:" at the start of a line.
std::optional<std::uint64_t> field(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(":")) {
      line.remove_prefix(name.size() + 1);
      return to_number(next_word(line));
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::int64_t cpu_nanos(clockid_t which) {
  timespec time{};
  clock_gettime(which, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<void> parse_process_stat(std::string_view text, double ticks, ProcessUsage& out) {
  // The command's name in parentheses may hold anything, parentheses too: the last one ends it.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) {
    return invalid("a process's stat has no command name in parentheses");
  }
  std::string_view rest = text.substr(name_end + 1);
  std::string_view words[13];  // fields 3 to 15; utime is 14 and stime 15
  for (std::string_view& word : words) word = next_word(rest);
  const auto user = to_number(words[11]);
  const auto system = to_number(words[12]);
  if (!user || !system) return invalid("a process's stat lacks the times in fields 14 and 15");
  out.user_seconds = static_cast<double>(*user) / ticks;
  out.system_seconds = static_cast<double>(*system) / ticks;
  return {};
}

Result<void> parse_process_status(std::string_view text, ProcessUsage& out) {
  // A zombie has none of these lines; its memory is 0.
  out.rss_bytes = field(text, "VmRSS").value_or(0) * 1024;
  out.rss_anon_bytes = field(text, "RssAnon").value_or(0) * 1024;
  out.rss_peak_bytes = field(text, "VmHWM").value_or(0) * 1024;
  if (!field(text, "Pid")) return invalid("a process's status has no line Pid");
  return {};
}

Result<ProcessUsage> read_process_usage(pid_t pid) {
  const std::string directory = "/proc/" + std::to_string(pid);
  auto stat = read_file(directory + "/stat");
  if (!stat) {
    if (stat.error().code() != ErrorCode::kNotFound) return std::move(stat).error();
    return Error(ErrorCode::kNotFound, "there is no process " + std::to_string(pid));
  }
  KAURI_TRY(const std::string status, read_file(directory + "/status"));
  ProcessUsage usage;
  KAURI_CHECK(parse_process_stat(*stat, ticks_per_second(), usage));
  KAURI_CHECK(parse_process_status(status, usage));
  return usage;
}

Result<double> parse_machine_stat(std::string_view text, double ticks) {
  if (next_word(text) != "cpu") return invalid("/proc/stat does not begin with the line cpu");
  // user nice system idle iowait irq softirq steal; guest times are part of user already.
  std::uint64_t busy = 0;
  for (int i = 0; i < 8; ++i) {
    const auto value = to_number(next_word(text));
    if (!value) return invalid("/proc/stat has fewer than 8 times in the line cpu");
    const bool working = i != 3 && i != 4 && i != 7;
    if (working) busy += *value;
  }
  return static_cast<double>(busy) / ticks;
}

Result<double> read_machine_busy_seconds() {
  KAURI_TRY(const std::string text, read_file("/proc/stat"));
  return parse_machine_stat(text, ticks_per_second());
}

std::int64_t thread_cpu_nanos() {
  return cpu_nanos(CLOCK_THREAD_CPUTIME_ID);
}

std::int64_t own_cpu_nanos() {
  return cpu_nanos(CLOCK_PROCESS_CPUTIME_ID);
}

Machine describe_machine() {
  Machine out;
  utsname name{};
  if (uname(&name) == 0) {
    out.kernel = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  out.processors = processors > 0 ? static_cast<unsigned>(processors) : 0;
  if (const auto memory = read_file("/proc/meminfo")) {
    out.memory_bytes = field(*memory, "MemTotal").value_or(0) * 1024;
  }
  if (const auto text = read_file("/proc/cpuinfo")) {
    const std::size_t at = text->find("model name");
    const std::size_t colon = at == std::string::npos ? at : text->find(": ", at);
    if (colon != std::string::npos) {
      out.processor = text->substr(colon + 2, text->find('\n', colon) - colon - 2);
    }
  }
  return out;
}

}  // namespace kauri::toolkit
