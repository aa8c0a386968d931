// caseIgnoreListMatch and caseIgnoreListSubstringsMatch (RFC 4517 sections 4.2.9, 4.2.10).
//
// Normal form: each line prepared as for caseIgnoreMatch, joined by 0xFF, which no UTF-8 text
// holds; so no part of a substrings assertion ever matches across lines.
#include "schema/matching_rules/rule_table.h"
#include "schema/syntaxes/validators.h"
#include "text/hex.h"
#include "text/stringprep.h"

namespace kauri::schema::rules {

namespace {

constexpr char kLineEnd = '\xFF';

std::string unescape_line(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 2 < line.size() &&
                        text::hex_digit(line[i + 1]) >= 0 && text::hex_digit(line[i + 2]) >= 0;
    if (escape) {
      out.push_back(
          static_cast<char>(text::hex_digit(line[i + 1]) * 16 + text::hex_digit(line[i + 2])));
      i += 2;
    } else {
      out.push_back(line[i]);
    }
  }
  return out;
}

bool list(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::postal_address(value, nullptr)) return false;
  const std::size_t start = out.size();
  while (true) {
    const std::size_t end = value.find('$');
    if (!text::prepare_string(unescape_line(value.substr(0, end)), text::Letters::kFolded,
                              text::StringPart::kWhole, out)) {
      out.resize(start);
      return false;
    }
    if (end == std::string_view::npos) return true;
    out.push_back(kLineEnd);
    value.remove_prefix(end + 1);
  }
}

// The parts of a filter are plain strings, without the escapes and the '$' of the Postal Address
// syntax.
bool list_part(SubstringPosition position, std::string_view part, std::string& out) {
  const text::StringPart where = position == SubstringPosition::kInitial
                                     ? text::StringPart::kInitial
                                 : position == SubstringPosition::kAny ? text::StringPart::kAny
                                                                       : text::StringPart::kFinal;
  return text::prepare_string(part, text::Letters::kFolded, where, out);
}

}  // namespace

void add_list_rules(RuleList& rules) {
  add_rule(rules, {"2.5.13.11", "caseIgnoreListMatch", RuleKind::kEquality, kPostalAddress,
                   "caseIgnoreList", list});
  add_rule(rules, {"2.5.13.12", "caseIgnoreListSubstringsMatch", RuleKind::kSubstrings,
                   kSubstringAssertion, "caseIgnoreList", list, nullptr, list_part});
}

}  // namespace kauri::schema::rules
