// Guide and Enhanced Guide (RFC 4517 sections 3.3.10, 3.3.14).
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"

namespace kauri::schema::syntaxes {

namespace {

// Parentheses and negations inside one another.
constexpr int kDepthMax = 64;

class CriteriaParser {
 public:
  CriteriaParser(std::string_view text, std::string* why) : text_(text), why_(why) {}

  bool whole() {
    return criteria(0) && (at_ == text_.size() || fail("expected the end of the criteria"));
  }

 private:
  bool fail(std::string_view sentence) { return refuse_at(why_, at_, sentence); }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text::equal_ignoring_case(text_.substr(at_, word.size()), word)) return false;
    at_ += word.size();
    skip_spaces();
    return true;
  }

  // Terms joined by '|' and '&'.
  bool criteria(int depth) {
    if (depth > kDepthMax) return fail("the criteria are nested more than 64 deep");
    do {
      if (!term(depth)) return false;
    } while (take('|') || take('&'));
    return true;
  }

  bool term(int depth) {
    while (take('!')) {
    }
    if (take('(')) return criteria(depth + 1) && (take(')') || fail("expected ')'"));
    if (take_word("?true") || take_word("?false")) return true;
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '$' && text_[at_] != ' ') ++at_;
    if (!object_identifier(text_.substr(start, at_ - start), nullptr)) {
      at_ = start;
      return fail("expected an attribute type");
    }
    if (!take('$')) return fail("expected '$' and a kind of match");
    // "SUBSTR" and the others share no prefix with one another.
    return take_word("EQ") || take_word("SUBSTR") || take_word("GE") || take_word("LE") ||
           take_word("APPROX") || fail("expected EQ, SUBSTR, GE, LE or APPROX");
  }

  std::string_view text_;
  std::string* why_;
  std::size_t at_ = 0;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool object_class_name(std::string_view text, std::string* why) {
  return object_identifier(trim(text), nullptr) ||
         refuse_at(why, 0, "expected the name of an object class");
}

}  // namespace

bool guide(std::string_view value, std::string* why) {
  const std::size_t sharp = value.find('#');
  if (sharp != std::string_view::npos) {
    if (!object_class_name(value.substr(0, sharp), why)) return false;
    value.remove_prefix(sharp + 1);
  }
  return CriteriaParser(trim(value), why).whole();
}

bool enhanced_guide(std::string_view value, std::string* why) {
  const std::size_t first = value.find('#');
  const std::size_t last = value.rfind('#');
  if (first == last) return refuse(why, "an enhanced guide has three parts divided by '#'");
  const std::string_view subset = trim(value.substr(last + 1));
  if (!text::equal_ignoring_case(subset, "baseobject") &&
      !text::equal_ignoring_case(subset, "oneLevel") &&
      !text::equal_ignoring_case(subset, "wholeSubtree")) {
    return refuse_at(why, last + 1, "expected baseobject, oneLevel or wholeSubtree");
  }
  return object_class_name(value.substr(0, first), why) &&
         CriteriaParser(trim(value.substr(first + 1, last - first - 1)), why).whole();
}

}  // namespace kauri::schema::syntaxes
