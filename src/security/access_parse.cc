// The text of an access rule: words, then a recursive-descent parser of three levels (rule, what,
// who).
#include <optional>
#include <string>

#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "security/access_rule.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::security {
namespace {

struct Word {
  std::string text;        // without the quotes
  std::size_t column = 0;  // of its first octet, from 1
};

constexpr std::string_view kExpectedWhat = "'*', 'dn[.style]=DN' or 'attrs=LIST'";
constexpr std::string_view kExpectedWho = "'*', 'anonymous', 'users', 'self' or 'dn[.style]=DN'";
constexpr std::string_view kExpectedAccess =
    "none, disclose, auth, compare, search, read, add, delete, write or manage, or '=', '+' or '-' "
    "and letters of mwazrscxd0";
constexpr std::string_view kStyles = "exact, base, one, subtree or children";

// Words of the language that this version does not evaluate. To read over them would grant what
// they were to restrict.
constexpr std::string_view kUnsupportedWhat[] = {"filter", "val", "value"};
constexpr std::string_view kUnsupportedWho[] = {
    "dnattr", "group",  "peername", "sockname",  "domain",        "sockurl",
    "set",    "ssf",    "tls_ssf",  "sasl_ssf",  "transport_ssf", "aci",
    "dynacl", "realdn", "realself", "realusers", "realanonymous", "realdnattr"};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string shown(std::string_view word) {
  return text::quoted(word, 80);
}

// "dn.subtree=X" is name "dn", style "subtree", value "X".
struct Term {
  std::string_view name;
  std::string_view style;
  std::string_view value;
  bool has_value = false;
};

Term split_term(std::string_view word) {
  Term term;
  const std::size_t equals = word.find('=');
  std::string_view head = word.substr(0, equals);
  if (equals != std::string_view::npos) {
    term.has_value = true;
    term.value = word.substr(equals + 1);
  }
  const std::size_t dot = head.find_first_of("./");
  if (dot != std::string_view::npos) {
    term.style = head.substr(dot + 1);
    head = head.substr(0, dot);
  }
  term.name = head;
  return term;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  for (const std::string_view candidate : names) {
    if (text::equal_ignoring_case(name, candidate)) return true;
  }
  return false;
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t number, const schema::Schema& schema)
      : text_(text), number_(number), schema_(schema) {}

  Result<AccessRule> parse() {
    if (text_.size() > kAccessRuleSizeMax) {
      return limit_exceeded("access rule " + std::to_string(number_) + ": " +
                            std::to_string(text_.size()) + " octets exceed the limit of " +
                            std::to_string(kAccessRuleSizeMax) + " octets");
    }
    KAURI_CHECK(split_words());
    skip_ordering_prefix();
    if (here("access")) ++at_;
    if (!here("to")) return unexpected("'to'");
    ++at_;
    AccessRule rule;
    rule.text = std::string(text_);
    KAURI_CHECK(parse_what(rule));
    while (at_ < words_.size()) {
      if (!here("by")) return unexpected("'by'");
      ++at_;
      KAURI_TRY(WhoClause clause, parse_by());
      rule.who.push_back(std::move(clause));
    }
    if (rule.who.empty()) return unexpected("'by'");
    return rule;
  }

 private:
  // A backslash keeps the next character from ending a word or a quotation, and both stay: that is
  // how DNs write their escapes.
  Result<void> split_words() {
    std::size_t i = 0;
    while (true) {
      while (i < text_.size() && is_space(text_[i])) ++i;
      if (i >= text_.size()) break;
      Word word;
      word.column = i + 1;
      std::optional<std::size_t> quote;
      for (; i < text_.size() && (quote || !is_space(text_[i])); ++i) {
        if (text_[i] == '"') {
          quote = quote ? std::nullopt : std::optional(i);
          continue;
        }
        if (text_[i] == '\\' && i + 1 < text_.size()) word.text += text_[i++];
        word.text += text_[i];
      }
      if (quote) return error_at(*quote + 1, "this quotation mark has no closing one");
      words_.push_back(std::move(word));
    }
    return {};
  }

  // "{0}to ...", as cn=config numbers its rules.
  void skip_ordering_prefix() {
    if (words_.empty() || !words_[0].text.starts_with('{')) return;
    Word& word = words_[0];
    std::size_t i = 1;
    while (i < word.text.size() && text::is_digit(word.text[i])) ++i;
    if (i == 1 || i >= word.text.size() || word.text[i] != '}') return;
    word.text.erase(0, i + 1);
    word.column += i + 1;
    if (word.text.empty()) ++at_;
  }

  bool here(std::string_view keyword) const {
    return at_ < words_.size() && text::equal_ignoring_case(words_[at_].text, keyword);
  }

  Error error_at(std::size_t column, std::string_view what) const {
    return invalid("access rule " + std::to_string(number_) + ", column " + std::to_string(column) +
                   ": " + std::string(what));
  }

  Error unexpected(std::string_view expected) const {
    if (at_ >= words_.size()) {
      return error_at(text_.size() + 1, "the rule ends here; expected " + std::string(expected));
    }
    return error_at(words_[at_].column,
                    "found " + shown(words_[at_].text) + "; expected " + std::string(expected));
  }

  Error unsupported(const Word& word) const {
    return error_at(word.column, shown(word.text) + " is not supported in this version");
  }

  Result<void> parse_what(AccessRule& rule) {
    bool has_dn = false;
    bool has_attributes = false;
    for (; at_ < words_.size() && !here("by"); ++at_) {
      const Word& word = words_[at_];
      const Term term = split_term(word.text);
      if (is_one_of(term.name, kUnsupportedWhat)) return unsupported(word);
      const bool is_star = word.text == "*";
      if (is_star || (text::equal_ignoring_case(term.name, "dn") && term.has_value)) {
        if (has_dn) return error_at(word.column, shown(word.text) + " is a second name of entries");
        has_dn = true;
        if (!is_star) KAURI_CHECK(parse_dn_term(word, term, rule.scope, rule.normal_dn));
      } else if (term.has_value && term.style.empty() &&
                 (text::equal_ignoring_case(term.name, "attrs") ||
                  text::equal_ignoring_case(term.name, "attr"))) {
        if (has_attributes) {
          return error_at(word.column, shown(word.text) + " is a second list of attributes");
        }
        has_attributes = true;
        rule.all_attributes = false;
        KAURI_CHECK(parse_attributes(word, term, rule.attributes));
      } else {
        return unexpected(kExpectedWhat);
      }
    }
    if (!has_dn && !has_attributes) return unexpected(kExpectedWhat);
    return {};
  }

  Result<void> parse_dn_term(const Word& word, const Term& term, DnScope& scope,
                             std::string& normal) const {
    struct Style {
      std::string_view name;
      DnScope scope;
    };
    static constexpr Style kKnown[] = {{"", DnScope::kBase},
                                       {"exact", DnScope::kBase},
                                       {"base", DnScope::kBase},
                                       {"baseobject", DnScope::kBase},
                                       {"one", DnScope::kOne},
                                       {"onelevel", DnScope::kOne},
                                       {"sub", DnScope::kSubtree},
                                       {"subtree", DnScope::kSubtree},
                                       {"children", DnScope::kChildren}};
    const Style* found = nullptr;
    for (const Style& style : kKnown) {
      if (text::equal_ignoring_case(term.style, style.name)) found = &style;
    }
    if (found == nullptr) {
      const std::string_view base = term.style.substr(0, term.style.find_first_of(",{"));
      if (text::equal_ignoring_case(base, "regex") || text::equal_ignoring_case(base, "level") ||
          text::equal_ignoring_case(base, "self") || base.size() != term.style.size()) {
        return unsupported(word);
      }
      return error_at(word.column,
                      shown(term.style) + " is no style of a DN; expected " + std::string(kStyles));
    }
    if (term.value == "*") {
      scope = DnScope::kAny;
      return {};
    }
    scope = found->scope;
    Result<ldap::Dn> dn = ldap::parse_dn(term.value);
    if (!dn) {
      return error_at(word.column, shown(term.value) + " is no DN: " + dn.error().message());
    }
    Result<std::string> form = schema::normalize_dn(schema_, *dn);
    if (!form) {
      return error_at(word.column, shown(term.value) + " is no DN: " + form.error().message());
    }
    normal = std::move(*form);
    return {};
  }

  Result<void> parse_attributes(const Word& word, const Term& term,
                                std::vector<AttributeItem>& out) const {
    std::string_view rest = term.value;
    while (true) {
      const std::size_t comma = rest.find(',');
      KAURI_TRY(AttributeItem item, parse_attribute(word, rest.substr(0, comma)));
      out.push_back(item);
      if (comma == std::string_view::npos) return {};
      rest.remove_prefix(comma + 1);
    }
  }

  Result<AttributeItem> parse_attribute(const Word& word, std::string_view name) const {
    AttributeItem item;
    if (name.empty()) return error_at(word.column, "the list of attributes has an empty name");
    if (text::equal_ignoring_case(name, "entry")) {
      item.kind = AttributeItem::Kind::kEntry;
      return item;
    }
    if (text::equal_ignoring_case(name, "children")) {
      item.kind = AttributeItem::Kind::kChildren;
      return item;
    }
    if (name.front() == '@' || name.front() == '!') {
      item.kind =
          name.front() == '@' ? AttributeItem::Kind::kClass : AttributeItem::Kind::kNotClass;
      item.object_class = schema_.object_class(name.substr(1));
      if (item.object_class == nullptr) {
        return error_at(word.column, "object class " + shown(name.substr(1)) + " is not defined");
      }
      return item;
    }
    if (name.find(';') != std::string_view::npos) {
      return error_at(word.column, "attribute options, as in " + shown(name) +
                                       ", are not supported in this version");
    }
    item.type = schema_.attribute_type(name);
    if (item.type == nullptr) {
      return error_at(word.column, "attribute type " + shown(name) + " is not defined");
    }
    return item;
  }

  Result<WhoClause> parse_by() {
    WhoClause clause;
    KAURI_CHECK(parse_who(clause));
    // Without an access the privileges stay as the clauses before left them.
    clause.change = WhoClause::Change::kAdd;
    if (at_ < words_.size() && !here("by") && !parse_control(clause)) {
      KAURI_CHECK(parse_access(clause));
      parse_control(clause);
    }
    return clause;
  }

  Result<void> parse_who(WhoClause& clause) {
    if (at_ >= words_.size()) return unexpected(kExpectedWho);
    const Word& word = words_[at_];
    const Term term = split_term(word.text);
    if (is_one_of(term.name, kUnsupportedWho)) return unsupported(word);
    if (word.text == "*") {
      clause.who = WhoClause::Who::kAnyone;
    } else if (here("anonymous")) {
      clause.who = WhoClause::Who::kAnonymous;
    } else if (here("users")) {
      clause.who = WhoClause::Who::kUsers;
    } else if (here("self")) {
      clause.who = WhoClause::Who::kSelf;
    } else if (text::equal_ignoring_case(term.name, "self") && !term.has_value) {
      return unsupported(word);
    } else if (text::equal_ignoring_case(term.name, "dn") && term.has_value) {
      clause.who = WhoClause::Who::kDn;
      KAURI_CHECK(parse_dn_term(word, term, clause.scope, clause.normal_dn));
      if (clause.scope == DnScope::kAny) {
        clause.who = WhoClause::Who::kAnyone;
      } else if (clause.normal_dn.empty()) {
        return error_at(word.column,
                        "an empty DN names nobody; expected a DN, 'anonymous', 'users' or '*'");
      }
    } else {
      return unexpected(kExpectedWho);
    }
    ++at_;
    return {};
  }

  bool parse_control(WhoClause& clause) {
    if (here("stop")) {
      clause.control = WhoClause::Control::kStop;
    } else if (here("continue")) {
      clause.control = WhoClause::Control::kContinue;
    } else if (here("break")) {
      clause.control = WhoClause::Control::kBreak;
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  Result<void> parse_access(WhoClause& clause) {
    const Word& word = words_[at_];
    const std::string level = text::to_lower(std::string_view(word.text));
    if (!level.empty() && (level[0] == '=' || level[0] == '+' || level[0] == '-')) {
      clause.change = level[0] == '='   ? WhoClause::Change::kAssign
                      : level[0] == '+' ? WhoClause::Change::kAdd
                                        : WhoClause::Change::kRemove;
      for (const char c : std::string_view(level).substr(1)) {
        const std::optional<PrivilegeMask> privilege = letter(c);
        if (!privilege) return unexpected(kExpectedAccess);
        clause.privileges |= *privilege;
      }
    } else if (const std::optional<PrivilegeMask> privileges = level_privileges(level)) {
      clause.change = WhoClause::Change::kAssign;
      clause.privileges = *privileges;
    } else if (level.starts_with("self")) {
      return unsupported(word);
    } else {
      return unexpected(kExpectedAccess);
    }
    ++at_;
    return {};
  }

  static std::optional<PrivilegeMask> letter(char c) {
    switch (c) {
      case 'm':
        return kPrivilegeManage;
      case 'w':
        return kPrivilegeWrite;
      case 'a':
        return kPrivilegeAdd;
      case 'z':
        return kPrivilegeDelete;
      case 'r':
        return kPrivilegeRead;
      case 's':
        return kPrivilegeSearch;
      case 'c':
        return kPrivilegeCompare;
      case 'x':
        return kPrivilegeAuth;
      case 'd':
        return kPrivilegeDisclose;
      case '0':
        return PrivilegeMask{0};
      default:
        return std::nullopt;
    }
  }

  // Each level holds those before it; add and delete are the halves of write.
  static std::optional<PrivilegeMask> level_privileges(std::string_view level) {
    constexpr PrivilegeMask kAuth = kPrivilegeDisclose | kPrivilegeAuth;
    constexpr PrivilegeMask kSearch = kAuth | kPrivilegeCompare | kPrivilegeSearch;
    constexpr PrivilegeMask kRead = kSearch | kPrivilegeRead;
    if (level == "none") return PrivilegeMask{0};
    if (level == "disclose") return kPrivilegeDisclose;
    if (level == "auth") return kAuth;
    if (level == "compare") return static_cast<PrivilegeMask>(kAuth | kPrivilegeCompare);
    if (level == "search") return kSearch;
    if (level == "read") return kRead;
    if (level == "add") return static_cast<PrivilegeMask>(kRead | kPrivilegeAdd);
    if (level == "delete") return static_cast<PrivilegeMask>(kRead | kPrivilegeDelete);
    if (level == "write") return static_cast<PrivilegeMask>(kRead | kPrivilegeWrite);
    if (level == "manage") {
      return static_cast<PrivilegeMask>(kRead | kPrivilegeWrite | kPrivilegeManage);
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t number_;
  const schema::Schema& schema_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

}  // namespace

Result<AccessRule> parse_access_rule(std::string_view text, std::size_t number,
                                     const schema::Schema& schema) {
  return Parser(text, number, schema).parse();
}

}  // namespace kauri::security
