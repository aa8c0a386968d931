#include "kauri/explain_print.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "text/visible.h"

namespace kauri::tool {
namespace {

using nlohmann::json;

// Members of an AND or OR that are shown where all fared alike; the rest is counted.
constexpr std::size_t kLikeShownMax = 3;
// Levels of a filter that are shown; a server's JSON may be deeper than any filter.
constexpr std::size_t kDepthMax = 80;
// Widest first column.
constexpr std::size_t kPartWidthMax = 60;

const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

bool has_number(const json& object, const char* key) {
  return member(object, key).is_number_unsigned();
}

std::uint64_t number(const json& object, const char* key) {
  return has_number(object, key) ? member(object, key).get<std::uint64_t>() : 0;
}

// With a space at each thousand: large figures are what plans are read for.
std::string grouped(std::uint64_t value) {
  std::string out = std::to_string(value);
  for (std::size_t at = out.size(); at > 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}
std::string count(const json& object, const char* key) {
  return grouped(number(object, key));
}

std::string text(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_string() ? text::visible(value.get_ref<const std::string&>()) : std::string();
}

bool truth(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

struct Line {
  std::string part;
  std::string rest;
};

// What became of a leaf, in words.
std::string fate(const json& leaf) {
  const std::string use = text(leaf, "use");
  std::string out;
  if (has_number(leaf, "listed")) out = count(leaf, "listed") + " listed, ";
  if (use == "used" && text(leaf, "index") != "constant") return out + "used";
  const std::string why = text(leaf, "why");
  return out + (why.empty() ? use : why);
}

class Tree {
 public:
  void add(const json& part, const std::string& head, const std::string& below, std::size_t depth);
  std::string print() const;

 private:
  void add_members(const json& part, const std::string& below, std::size_t depth);
  std::vector<Line> lines_;
};

void Tree::add(const json& part, const std::string& head, const std::string& below,
               std::size_t depth) {
  std::string rest;
  const json& members = member(part, "members");
  const std::string index = text(part, "index");
  if (!index.empty()) rest = (index == "none" ? "no index" : index) + "  ";
  if (!members.is_array()) rest += fate(part);
  if (has_number(part, "true")) rest += (rest.empty() ? "" : "; ") + count(part, "true") + " true";
  lines_.push_back({head + text(part, "part"), rest});
  if (members.is_array() && depth < kDepthMax) add_members(part, below, depth);
}

void Tree::add_members(const json& part, const std::string& below, std::size_t depth) {
  const json& members = member(part, "members");
  const std::uint64_t omitted = number(part, "omitted");
  std::size_t alike = 0;
  std::string last_use;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const json& each = members[i];
    const std::string use = text(each, "use") + ' ' + text(each, "index");
    const bool leaf = !member(each, "members").is_array();
    alike = leaf && use == last_use ? alike + 1 : 0;
    last_use = leaf ? use : std::string();
    std::size_t skipped = 0;
    if (alike >= kLikeShownMax) {
      while (i + skipped < members.size() && !member(members[i + skipped], "members").is_array() &&
             text(members[i + skipped], "use") + ' ' + text(members[i + skipped], "index") == use)
        ++skipped;
      i += skipped - 1;
    }
    const bool last = i + 1 >= members.size() && omitted == 0;
    const std::string head = below + (last ? "`- " : "|- ");
    if (skipped > 0) {
      lines_.push_back({head + "... " + grouped(skipped) + " more that fared alike", ""});
    } else {
      add(each, head, below + (last ? "   " : "|  "), depth + 1);
    }
  }
  if (omitted > 0) lines_.push_back({below + "`- ... " + grouped(omitted) + " more", ""});
}

std::string Tree::print() const {
  std::size_t width = 0;
  for (const Line& line : lines_)
    if (!line.rest.empty() && line.part.size() <= kPartWidthMax)
      width = std::max(width, line.part.size());
  std::string out;
  for (const Line& line : lines_) {
    out += "  " + line.part;
    if (!line.rest.empty()) {
      if (line.part.size() < width) out.append(width - line.part.size(), ' ');
      out += "  " + line.rest;
    }
    out += '\n';
  }
  return out;
}

std::string source(const json& scope) {
  const std::string source = text(scope, "source");
  if (source == "indexes") return "from indexes";
  if (source == "database") return "all entries of the database";
  if (source == "subtree") return "the whole subtree";
  if (source == "children") return "all children of the base";
  if (source == "base") return "the base alone";
  if (source == "none") return "the indexes prove that nothing matches";
  return source;
}

void print_entries(const json& entries, std::string& out) {
  out += "  examined " + count(entries, "examined") + ", matched " + count(entries, "matched") +
         ", returned " + count(entries, "returned");
  const auto some = [&](const char* key, const char* words) {
    if (number(entries, key) > 0) out += "; " + count(entries, key) + ' ' + words;
  };
  some("not_matching", "did not match");
  some("out_of_scope", "out of scope");
  some("unreadable", "may not be read");
  some("passed_over", "passed over (aliases, referrals, seen before)");
  some("gone", "gone meanwhile");
  some("left", "matched behind the limit or the page");
  out += '\n';
}

void print_advice(const json& advice, std::string& out) {
  const json& indexes = member(advice, "indexes");
  if (!indexes.is_array() || indexes.empty()) return;
  const bool measured = has_number(advice, "candidates_then");
  out += "  advice: index ";
  out += indexes.size() == 1 ? "this" : "these";
  if (measured) {
    out += ", and " + count(advice, "candidates_now") + " candidates become " +
           count(advice, "candidates_then");
    if (truth(advice, "sampled")) out += ", as far as those examined tell";
  }
  out += '\n';
  for (const json& index : indexes) {
    out += "    " + text(index, "attribute") + ' ' + text(index, "kinds");
    if (measured && indexes.size() > 1) out += " (alone: " + count(index, "candidates_then") + ")";
    out += " for";
    const json& parts = member(index, "parts");
    if (parts.is_array()) {
      for (const json& part : parts)
        if (part.is_string()) out += ' ' + text::visible(part.get_ref<const std::string&>());
    }
    out += '\n';
    const json& lines = member(index, "configuration");
    if (!lines.is_string()) continue;
    std::string_view rest = lines.get_ref<const std::string&>();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      out += "      " + text::visible(rest.substr(0, end)) + '\n';
      rest.remove_prefix(end + 1);
    }
  }
  const json& configured = member(advice, "configured");
  if (!truth(advice, "default_indexes") || !configured.is_array()) return;
  out +=
      "    The database has the default indexes, which the first [[database.index]] of a file\n"
      "    replaces, so that these are to be written down too:";
  for (const json& each : configured)
    if (each.is_string()) out += ' ' + text::visible(each.get_ref<const std::string&>());
  out += '\n';
}

void print_times(const json& plan, std::string& out) {
  const json& nanos = member(plan, "nanoseconds");
  const auto micros = [&](const char* key) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.1f us", static_cast<double>(number(nanos, key)) / 1e3);
    return std::string(buffer);
  };
  out += "time: " + micros("whole") + " (plan " + micros("plan") + ", candidates " +
         micros("candidates") + ", read and filter " + micros("filter") + ", encode " +
         micros("encode") + ", explaining itself " + micros("explain") + ") in " +
         count(plan, "turns") + (number(plan, "turns") == 1 ? " turn\n" : " turns\n");
  const json& entries = member(plan, "entries");
  if (number(entries, "returned") > 0) {
    out += "answer: " + count(entries, "octets") + " octets, " + count(entries, "copied") + " of " +
           count(entries, "returned") + " entries copied as they are stored\n";
  }
}

void print_scope(const json& scope, std::string& out) {
  out += text(scope, "scope") + " of " + text(scope, "base") + '\n';
  out += "  candidates " + count(scope, "candidates") + ": " + source(scope);
  const bool filter = truth(scope, "filter_proved");
  // What is walked is the scope.
  const bool proved = truth(scope, "scope_proved") && text(scope, "source") == "indexes";
  if (filter || proved) out += "; they prove the ";
  if (filter) out += "filter";
  if (proved) out += filter ? " and the scope" : "scope";
  out += '\n';
  Tree tree;
  tree.add(member(scope, "plan"), "", "", 0);
  out += tree.print();
  print_entries(member(scope, "entries"), out);
  print_advice(member(scope, "advice"), out);
}

}  // namespace

std::string print_plan(const json& plan) {
  std::string out = "filter " + text(plan, "filter") + '\n';
  const json& scopes = member(plan, "scopes");
  if (scopes.is_array()) {
    for (const json& scope : scopes) print_scope(scope, out);
  }
  if (number(plan, "scopes_omitted") > 0)
    out += count(plan, "scopes_omitted") + " more scopes that aliases open\n";
  print_times(plan, out);
  return out;
}

}  // namespace kauri::tool
