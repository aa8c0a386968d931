#include "ledger.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kauri::write_log {
namespace {

std::optional<std::array<std::string_view, 4>> fields_of(std::string_view line) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t end = line.find('\t');
    if ((end == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
    fields[i] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return fields;
}

bool parse_number(std::string_view text, std::uint64_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

std::string show(const std::optional<std::string>& state) {
  return state ? "\"" + *state + "\"" : "nothing";
}

}  // namespace

Result<Ledger> Ledger::parse(std::string_view text) {
  Ledger ledger;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto bad = [&](const char* why) {
      return invalid("ledger, line " + std::to_string(ledger.size_ + 1) + ": " + why);
    };
    const auto fields = fields_of(line);
    if (!fields) return bad("it has not four fields");
    Step step;
    if ((*fields)[1] != "-") step.state = std::string((*fields)[1]);
    if (!parse_number((*fields)[2], step.issued)) return bad("the third field is no number");
    step.acknowledged = UINT64_MAX;
    if ((*fields)[3] != "-" && !parse_number((*fields)[3], step.acknowledged))
      return bad("the fourth field is no number");
    auto& steps = ledger.steps_[std::string((*fields)[0])];
    if (step.acknowledged < step.issued) return bad("the answer came before the request");
    if (!steps.empty() && steps.back().acknowledged > step.issued)
      return bad("the request was sent before the last one of its key was answered");
    steps.push_back(std::move(step));
    ++ledger.size_;
  }
  return ledger;
}

std::vector<std::string> Ledger::compare(const States& found, std::uint64_t position) const {
  std::vector<std::string> faults;
  for (const auto& [key, steps] : steps_) {
    const auto next =
        std::upper_bound(steps.begin(), steps.end(), position,
                         [](std::uint64_t at, const Step& step) { return at < step.acknowledged; });
    const auto entry = found.find(key);
    const std::optional<std::string> state =
        entry == found.end() ? std::nullopt : std::optional(entry->second);
    const std::optional<std::string> promised =
        next == steps.begin() ? std::nullopt : (next - 1)->state;
    if (state == promised) continue;
    const bool asked = next != steps.end() && next->issued <= position;
    if (asked && state == next->state) continue;
    faults.push_back(key + ": acknowledged " + show(promised) +
                     (asked ? ", asked for " + show(next->state) : "") + ", found " + show(state));
  }
  for (const auto& [key, state] : found)
    if (!steps_.contains(key))
      faults.push_back(key + ": nobody asked for it, found " + show(state));
  return faults;
}

}  // namespace kauri::write_log
