// wordMatch, keywordMatch (RFC 4517 sections 4.2.21, 4.2.32), storedPrefixMatch (RFC 3698
// section 2.10) and directoryStringFirstComponentMatch (RFC 4517 section 4.2.14).
//
// A word, and a keyword, is a run of letters and digits: ASCII ones, and every character above
// ASCII.
#include "schema/matching_rules/rule_table.h"
#include "text/ascii.h"
#include "text/stringprep.h"

namespace kauri::schema::rules {

namespace {

bool prepare(std::string_view value, std::string& out) {
  return !value.empty() &&
         text::prepare_string(value, text::Letters::kFolded, text::StringPart::kWhole, out);
}

bool in_word(char c) {
  return text::is_alpha(c) || text::is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view without_outer_spaces(std::string_view normal) {
  while (normal.starts_with(' ')) normal.remove_prefix(1);
  while (normal.ends_with(' ')) normal.remove_suffix(1);
  return normal;
}

class WordRule final : public MatchingRule {
 public:
  using MatchingRule::MatchingRule;
  std::string_view normal_form() const override { return "words"; }
  bool normalize(const Schema& /*schema*/, std::string_view value,
                 std::string& out) const override {
    return prepare(value, out);
  }
  bool is_octet_equality() const override { return false; }
  bool matches(std::string_view normal_value, std::string_view normal_assertion) const override {
    const std::string_view word = without_outer_spaces(normal_assertion);
    if (word.empty()) return false;
    for (std::size_t at = normal_value.find(word); at != std::string_view::npos;
         at = normal_value.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool starts = at == 0 || !in_word(normal_value[at - 1]);
      if (starts && (end == normal_value.size() || !in_word(normal_value[end]))) return true;
    }
    return false;
  }
};

// TRUE when the stored value is the beginning of the asserted one.
class StoredPrefixRule final : public MatchingRule {
 public:
  using MatchingRule::MatchingRule;
  std::string_view normal_form() const override { return "caseIgnore"; }
  bool normalize(const Schema& /*schema*/, std::string_view value,
                 std::string& out) const override {
    return prepare(value, out);
  }
  bool is_octet_equality() const override { return false; }
  bool matches(std::string_view normal_value, std::string_view normal_assertion) const override {
    // The stored value's end is no end in the assertion, so its closing space does not count.
    normal_value.remove_suffix(normal_value.ends_with(' ') ? 1 : 0);
    return normal_assertion.starts_with(normal_value);
  }
};

// The first component of "( 'text' ... )": a string in quotes, or a bare word.
bool first_component(const Schema& /*schema*/, std::string_view value, std::string& out) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (!value.starts_with('(')) return prepare(value, out);
  value.remove_prefix(1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (value.starts_with('\'')) {
    const std::size_t end = value.find('\'', 1);
    return end != std::string_view::npos && prepare(value.substr(1, end - 1), out);
  }
  return prepare(value.substr(0, value.find_first_of(" $)")), out);
}
bool string_assertion(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return prepare(value, out);
}

}  // namespace

void add_word_rules(RuleList& list) {
  list.push_back(
      std::make_unique<WordRule>("2.5.13.32", "wordMatch", RuleKind::kEquality, kDirectoryString));
  list.push_back(std::make_unique<WordRule>("2.5.13.33", "keywordMatch", RuleKind::kEquality,
                                            kDirectoryString));
  list.push_back(std::make_unique<StoredPrefixRule>("2.5.13.41", "storedPrefixMatch",
                                                    RuleKind::kEquality, kDirectoryString));
  add_rule(list, {"2.5.13.31", "directoryStringFirstComponentMatch", RuleKind::kEquality,
                  kDirectoryString, "firstString", first_component, string_assertion});
}

}  // namespace kauri::schema::rules
