#include "toolkit/workload.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "toolkit/workload_encoders.h"

namespace kauri::toolkit {

namespace {

ldap::Operation answer_of(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kSearch:
      return ldap::Operation::kSearchResultDone;
    case WorkloadKind::kBind:
      return ldap::Operation::kBindResponse;
    case WorkloadKind::kModify:
      return ldap::Operation::kModifyResponse;
    case WorkloadKind::kAdd:
      return ldap::Operation::kAddResponse;
    case WorkloadKind::kCompare:
      return ldap::Operation::kCompareResponse;
    case WorkloadKind::kDelete:
      return ldap::Operation::kDelResponse;
    case WorkloadKind::kModrdn:
      break;
  }
  return ldap::Operation::kModifyDnResponse;
}

bool parse_number(std::string_view text, std::uint64_t& out) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && last == end;
}

// The numbers of entries that answers must have: one for all, or one for each line.
Result<void> read_expectation(const WorkloadOptions& options, Workload& out, PatternUse& use) {
  if (options.kind != WorkloadKind::kSearch || options.expect_entries.empty()) return {};
  KAURI_TRY(const Pattern pattern,
            parse_part("expected number of entries", options.expect_entries, use));
  const auto broken = [](const std::string& text) {
    return invalid("the expected number of entries '" + text +
                   "' is no whole number, and no column such as {v2} that holds one");
  };
  if (!pattern.has_line()) {
    std::uint64_t number = 0;
    if (!parse_number(options.expect_entries, number)) return broken(options.expect_entries);
    out.expected = number;
    return {};
  }
  if (!options.values) return {};  // make_workload() says that the lines are missing
  out.expected_by_line.reserve(options.values->lines.size());
  for (std::size_t i = 0; i < options.values->lines.size(); ++i) {
    const std::string text = pattern.expand({{}, {}, options.values->lines[i]});
    std::uint64_t number = 0;
    if (!parse_number(text, number)) {
      return broken(text).with_context("line " + std::to_string(i + 1) + " of " +
                                       options.values->origin);
    }
    out.expected_by_line.push_back(number);
  }
  return {};
}

// That the lines are there, with all columns that are asked for.
Result<void> check_lines(const WorkloadOptions& options, const PatternUse& use) {
  if (!options.values) {
    return invalid("the " + std::string(to_string(options.kind)) +
                   " has {v} in it, the line of a file: the file must be given");
  }
  for (std::size_t i = 0; i < options.values->lines.size(); ++i) {
    const std::size_t columns = count_columns(options.values->lines[i]);
    if (columns >= use.columns) continue;
    return invalid("line " + std::to_string(i + 1) + " of " + options.values->origin + " has " +
                   std::to_string(columns) + " columns, which tabs separate; {v" +
                   std::to_string(use.columns) + "} needs " + std::to_string(use.columns));
  }
  return {};
}

Result<RequestTemplate> make_template(const RequestTemplate::Encoder& encoder,
                                      const WorkloadOptions& options, const Workload& workload) {
  if (workload.by_line) return RequestTemplate::make_for_lines(encoder, *options.values);
  return RequestTemplate::make(encoder, workload.low, workload.high);
}

std::string describe(const WorkloadOptions& options) {
  std::string out = std::string(to_string(options.kind)) + " ";
  if (options.kind == WorkloadKind::kSearch) {
    return out + options.filter + " below " + options.base;
  }
  if (options.kind == WorkloadKind::kAdd && !options.entry.empty()) {
    return out + "entries of a template";
  }
  return out +
         (options.target.empty() ? default_target(options.kind, options.base) : options.target);
}

}  // namespace

std::string_view to_string(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kSearch:
      return "search";
    case WorkloadKind::kBind:
      return "bind";
    case WorkloadKind::kModify:
      return "modify";
    case WorkloadKind::kAdd:
      return "add";
    case WorkloadKind::kCompare:
      return "compare";
    case WorkloadKind::kDelete:
      return "delete";
    case WorkloadKind::kModrdn:
      break;
  }
  return "modrdn";
}

std::optional<WorkloadKind> workload_kind(std::string_view name) {
  for (const WorkloadKind kind : kWorkloadKinds) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::string default_target(WorkloadKind kind, std::string_view base) {
  const std::string_view name = kind == WorkloadKind::kAdd ? "bench" : "user";
  return "uid=" + std::string(name) + ".{n},ou=People," + std::string(base);
}

Result<Workload> make_workload(const WorkloadOptions& options) {
  PatternUse use;
  KAURI_TRY(const auto encoder, make_encoder(options, use));
  Workload out;
  KAURI_CHECK(read_expectation(options, out, use));
  out.kind = options.kind;
  out.by_line = use.has_line;
  out.low = options.low;
  out.high = options.high;
  if (out.by_line) {
    KAURI_CHECK(check_lines(options, use));
    out.low = 0;
    out.high = options.values->lines.size() - 1;
  }
  KAURI_TRY(out.requests, make_template(encoder, options, out));
  if (options.kind == WorkloadKind::kModrdn && !options.keep_name) {
    KAURI_TRY(const auto back, make_back_encoder(options, use));
    KAURI_TRY(out.requests_back, make_template(back, options, out));
  }
  out.order = options.order;
  out.answer_tag = ber::application_constructed(static_cast<unsigned>(answer_of(options.kind)));
  out.right_code =
      static_cast<int>(options.kind == WorkloadKind::kCompare ? ldap::ResultCode::kCompareTrue
                                                              : ldap::ResultCode::kSuccess);
  out.description = describe(options);
  return out;
}

bool Mix::has(WorkloadKind kind) const {
  return std::any_of(parts.begin(), parts.end(),
                     [kind](const Part& part) { return part.workload.kind == kind; });
}

std::string Mix::description() const {
  if (parts.size() == 1) return parts[0].workload.description;
  std::string out;
  for (const Part& part : parts) {
    out +=
        (out.empty() ? "" : "; ") + std::to_string(part.weight) + " x " + part.workload.description;
  }
  return out;
}

Mix mix_of(Workload workload) {
  Mix out;
  out.parts.push_back({std::move(workload), 1});
  return out;
}

Result<std::vector<std::pair<WorkloadKind, std::uint32_t>>> parse_mix(std::string_view text) {
  std::vector<std::pair<WorkloadKind, std::uint32_t>> out;
  const auto broken = [](std::string_view part, const std::string& why) {
    return invalid("the part '" + std::string(part) + "' of a mix " + why);
  };
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const std::size_t equals = part.find('=');
    const auto kind = workload_kind(part.substr(0, equals));
    std::uint64_t weight = 0;
    if (!kind) {
      return broken(
          part,
          "names no operation; OPERATION=WEIGHT is expected, such as search=70,modify=30, "
          "with search, bind, modify, add, compare, delete or modrdn");
    }
    if (equals == std::string_view::npos || !parse_number(part.substr(equals + 1), weight) ||
        weight == 0 || weight > kWeightMax) {
      return broken(part, "has no weight from 1 to " + std::to_string(kWeightMax));
    }
    for (const auto& [known, other] : out) {
      if (known == *kind) return broken(part, "names an operation for the second time");
    }
    out.emplace_back(*kind, static_cast<std::uint32_t>(weight));
  }
  return out;
}

}  // namespace kauri::toolkit
