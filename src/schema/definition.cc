#include "schema/definition.h"

#include <algorithm>
#include <iterator>

#include "schema/definition_lexer.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

struct KindText {
  DefinitionKind kind;
  std::string_view attribute;
  std::string_view noun;
};
constexpr KindText kKinds[] = {
    {DefinitionKind::kAttributeType, "attributeTypes", "attribute type"},
    {DefinitionKind::kObjectClass, "objectClasses", "object class"},
    {DefinitionKind::kSyntax, "ldapSyntaxes", "syntax"},
    {DefinitionKind::kMatchingRule, "matchingRules", "matching rule"},
    {DefinitionKind::kMatchingRuleUse, "matchingRuleUse", "matching rule use"},
    {DefinitionKind::kContentRule, "dITContentRules", "DIT content rule"},
    {DefinitionKind::kStructureRule, "dITStructureRules", "DIT structure rule"},
    {DefinitionKind::kNameForm, "nameForms", "name form"},
};
const KindText& text_of(DefinitionKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

class DefinitionParser {
 public:
  DefinitionParser(DefinitionKind kind, std::string_view text, Definition* out,
                   DefinitionError* error, const OidMacros* macros)
      : lexer_(text), out_(out), error_(error), macros_(macros) {
    out_->kind = kind;
  }

  bool parse() {
    if (!advance() || !expect_open()) return false;
    if (!identifier()) return false;
    while (token_.kind == TokenKind::kWord) {
      const Token keyword = token_;
      if (!advance() || !field(keyword)) return false;
    }
    if (token_.kind != TokenKind::kClose) {
      return fail_here("expected a keyword or ')', found " + describe(token_));
    }
    if (!advance()) return false;
    if (token_.kind != TokenKind::kEnd) {
      return fail_here("expected nothing after the closing ')', found " + describe(token_));
    }
    return check_complete();
  }

 private:
  bool fail(std::size_t offset, std::string message) {
    *error_ = {offset, std::move(message)};
    return false;
  }
  bool fail_here(std::string message) { return fail(token_.offset, std::move(message)); }
  bool advance() {
    std::string message;
    return lexer_.next(&token_, &message) || fail(token_.offset, std::move(message));
  }
  bool expect_open() {
    if (token_.kind != TokenKind::kOpen) {
      return fail_here("a definition starts with '(', found " + describe(token_));
    }
    return advance();
  }

  bool identifier() {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kQuoted) {
      return fail_here("expected an OID after '(', found " + describe(token_));
    }
    const bool number = out_->kind == DefinitionKind::kStructureRule &&
                        std::all_of(token_.text.begin(), token_.text.end(), text::is_digit);
    if (!number && (!expand(&token_.text) || !is_oid(token_.text))) {
      return fail_here(describe(token_) + " is not an OID");
    }
    return take_word(&out_->oid);
  }

  static bool is_oid(std::string_view text) {
    return syntaxes::is_numeric_oid(text) || syntaxes::is_descriptor(text);
  }

  bool expand(std::string* text) const {
    return macros_ == nullptr || expand_macro(*macros_, text);
  }

  bool take_word(Word* out) {
    *out = {token_.text, token_.offset};
    return advance();
  }

  // Each keyword at most once.
  bool once(const Token& keyword) {
    const std::string lower = text::to_lower(keyword.text);
    if (std::find(seen_.begin(), seen_.end(), lower) != seen_.end()) {
      return fail(keyword.offset, describe(keyword) + " appears twice in one definition");
    }
    if (seen_.size() == kDefinitionFieldsMax) {
      return fail(keyword.offset, "more than " + std::to_string(kDefinitionFieldsMax) +
                                      " fields in one definition");
    }
    seen_.push_back(lower);
    return true;
  }

  bool field(const Token& keyword) {
    if (!once(keyword)) return false;
    const auto is = [&keyword](std::string_view word) {
      return text::equal_ignoring_case(keyword.text, word);
    };
    if (is("NAME")) return names();
    if (is("DESC")) return description();
    if (is("OBSOLETE")) return out_->obsolete = true;
    if (keyword.text.size() > 2 && text::equal_ignoring_case(keyword.text.substr(0, 2), "X-")) {
      return extension(keyword);
    }
    bool known = false;
    const bool ok = kind_field(is, &known);
    if (known) return ok;
    return fail(keyword.offset, describe(keyword) + " is no keyword of a definition of a " +
                                    std::string(noun_of(out_->kind)));
  }

  template <class Is>
  bool kind_field(const Is& is, bool* known) {
    *known = true;
    switch (out_->kind) {
      case DefinitionKind::kAttributeType:
        if (is("SUP")) return single_oid(&out_->superiors);
        if (is("EQUALITY")) return oid(&out_->equality);
        if (is("ORDERING")) return oid(&out_->ordering);
        if (is("SUBSTR") || is("SUBSTRINGS")) return oid(&out_->substrings);
        if (is("SYNTAX")) return syntax();
        if (is("SINGLE-VALUE")) return out_->single_value = true;
        if (is("COLLECTIVE")) return out_->collective = true;
        if (is("NO-USER-MODIFICATION")) return out_->no_user_modification = true;
        if (is("USAGE")) return usage();
        break;
      case DefinitionKind::kObjectClass:
        if (is("SUP")) return oids(&out_->superiors);
        if (is("ABSTRACT")) return class_kind(ObjectClassKind::kAbstract);
        if (is("STRUCTURAL")) return class_kind(ObjectClassKind::kStructural);
        if (is("AUXILIARY")) return class_kind(ObjectClassKind::kAuxiliary);
        if (is("MUST")) return oids(&out_->must);
        if (is("MAY")) return oids(&out_->may);
        break;
      case DefinitionKind::kMatchingRule:
        if (is("SYNTAX")) return syntax();
        break;
      case DefinitionKind::kMatchingRuleUse:
        if (is("APPLIES")) return oids(&out_->applies);
        break;
      case DefinitionKind::kContentRule:
        if (is("AUX")) return oids(&out_->auxiliary);
        if (is("MUST")) return oids(&out_->must);
        if (is("MAY")) return oids(&out_->may);
        if (is("NOT")) return oids(&out_->precluded);
        break;
      case DefinitionKind::kStructureRule:
        if (is("FORM")) return oid(&out_->form);
        if (is("SUP")) return rule_numbers(&out_->superiors);
        break;
      case DefinitionKind::kNameForm:
        if (is("OC")) return oid(&out_->object_class);
        if (is("MUST")) return oids(&out_->must);
        if (is("MAY")) return oids(&out_->may);
        break;
      case DefinitionKind::kSyntax:
        break;
    }
    *known = false;
    return false;
  }

  bool name() {
    if (token_.kind != TokenKind::kQuoted) {
      return fail_here("expected a name in quotes, found " + describe(token_));
    }
    if (!syntaxes::is_descriptor(token_.text)) {
      return fail_here(describe(token_) +
                       " is not a name: it must start with a letter and hold letters, digits and "
                       "hyphens");
    }
    for (const Word& other : out_->names) {
      if (text::equal_ignoring_case(other.text, token_.text)) {
        return fail_here("the name " + describe(token_) + " appears twice in one definition");
      }
    }
    if (out_->names.size() == kDefinitionNamesMax) {
      return fail_here("more than " + std::to_string(kDefinitionNamesMax) +
                       " names in one definition");
    }
    out_->names.emplace_back();
    return take_word(&out_->names.back());
  }

  bool names() {
    if (token_.kind != TokenKind::kOpen) return name();
    if (!advance()) return false;
    while (token_.kind != TokenKind::kClose) {
      if (!name()) return false;
    }
    return advance();
  }

  bool description() {
    if (token_.kind != TokenKind::kQuoted) {
      return fail_here("expected a string in quotes after DESC, found " + describe(token_));
    }
    out_->description = token_.text;
    out_->has_description = !token_.text.empty();
    return advance();
  }

  bool extension(const Token& keyword) {
    std::vector<std::string> values;
    if (token_.kind == TokenKind::kOpen) {
      if (!advance()) return false;
      while (token_.kind == TokenKind::kQuoted) {
        values.push_back(token_.text);
        if (!advance()) return false;
      }
      if (token_.kind != TokenKind::kClose) {
        return fail_here("expected a string in quotes or ')', found " + describe(token_));
      }
    } else if (token_.kind == TokenKind::kQuoted) {
      values.push_back(token_.text);
    } else {
      return fail_here("expected a string in quotes after " + describe(keyword) + ", found " +
                       describe(token_));
    }
    out_->extensions.emplace_back(keyword.text, std::move(values));
    return advance();
  }

  bool oid(Word* out) {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kQuoted) {
      return fail_here("expected a name or an OID, found " + describe(token_));
    }
    if (!is_oid(token_.text)) return fail_here(describe(token_) + " is no name and no OID");
    return take_word(out);
  }

  bool single_oid(std::vector<Word>* out) {
    out->emplace_back();
    return oid(&out->back());
  }

  bool oids(std::vector<Word>* out) {
    if (token_.kind != TokenKind::kOpen) return single_oid(out);
    if (!advance()) return false;
    while (token_.kind != TokenKind::kClose) {
      if (!single_oid(out)) return false;
      if (token_.kind == TokenKind::kClose) break;
      if (token_.kind != TokenKind::kDollar) {
        return fail_here("expected '$' or ')' in a list, found " + describe(token_));
      }
      if (!advance()) return false;
      if (token_.kind == TokenKind::kClose) {
        return fail_here("expected a name or an OID after '$', found ')'");
      }
    }
    return advance();
  }

  bool rule_number(std::vector<Word>* out) {
    if (token_.kind != TokenKind::kWord ||
        !std::all_of(token_.text.begin(), token_.text.end(), text::is_digit)) {
      return fail_here("expected the number of a structure rule, found " + describe(token_));
    }
    out->emplace_back();
    return take_word(&out->back());
  }

  bool rule_numbers(std::vector<Word>* out) {
    if (token_.kind != TokenKind::kOpen) return rule_number(out);
    if (!advance()) return false;
    while (token_.kind != TokenKind::kClose) {
      if (!rule_number(out)) return false;
    }
    return advance();
  }

  // An OID with an optional {bound}.
  bool syntax() {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kQuoted) {
      return fail_here("expected the OID of a syntax, found " + describe(token_));
    }
    std::string_view text = token_.text;
    const std::size_t brace = text.find('{');
    if (brace != std::string_view::npos) {
      std::string_view bound = text.substr(brace + 1);
      if (!bound.ends_with('}') || bound.size() < 2 || bound.size() > 10) {
        return fail_here("the bound of " + describe(token_) + " is not a number in braces");
      }
      bound.remove_suffix(1);
      std::uint64_t value = 0;
      for (const char c : bound) {
        if (!text::is_digit(c))
          return fail_here("the bound of " + describe(token_) + " is no number");
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
      }
      out_->length_max = static_cast<std::uint32_t>(value);
      text = text.substr(0, brace);
    }
    std::string oid(text);
    if (!expand(&oid) || !is_oid(oid)) {
      return fail_here(text::quoted(oid) + " is not the OID of a syntax");
    }
    out_->syntax = {std::move(oid), token_.offset};
    return advance();
  }

  bool usage() {
    constexpr std::pair<std::string_view, Usage> kUsages[] = {
        {"userApplications", Usage::kUserApplications},
        {"directoryOperation", Usage::kDirectoryOperation},
        {"distributedOperation", Usage::kDistributedOperation},
        {"dSAOperation", Usage::kDsaOperation}};
    for (const auto& [word, value] : kUsages) {
      if (token_.kind == TokenKind::kWord && text::equal_ignoring_case(token_.text, word)) {
        out_->usage = value;
        return advance();
      }
    }
    return fail_here(
        "expected userApplications, directoryOperation, distributedOperation or dSAOperation, "
        "found " +
        describe(token_));
  }

  bool class_kind(ObjectClassKind kind) {
    if (has_class_kind_) {
      return fail_here("an object class is only one of ABSTRACT, STRUCTURAL and AUXILIARY");
    }
    has_class_kind_ = true;
    out_->class_kind = kind;
    return true;
  }

  bool missing(std::string_view keyword) {
    return fail(out_->oid.offset, "the definition of " + std::string(noun_of(out_->kind)) + " " +
                                      out_->oid.text + " lacks " + std::string(keyword));
  }

  bool check_complete() {
    switch (out_->kind) {
      case DefinitionKind::kAttributeType:
        if (out_->superiors.empty() && out_->syntax.text.empty()) return missing("SUP or SYNTAX");
        if (out_->collective && out_->usage != Usage::kUserApplications) {
          return fail(out_->oid.offset, "a COLLECTIVE attribute type cannot be operational");
        }
        return true;
      case DefinitionKind::kMatchingRule:
        return !out_->syntax.text.empty() || missing("SYNTAX");
      case DefinitionKind::kMatchingRuleUse:
        return !out_->applies.empty() || missing("APPLIES");
      case DefinitionKind::kStructureRule:
        return !out_->form.text.empty() || missing("FORM");
      case DefinitionKind::kNameForm:
        if (out_->object_class.text.empty()) return missing("OC");
        return !out_->must.empty() || missing("MUST");
      case DefinitionKind::kObjectClass:
      case DefinitionKind::kSyntax:
      case DefinitionKind::kContentRule:
        return true;
    }
    return true;
  }

  DefinitionLexer lexer_;
  Token token_;
  Definition* out_;
  DefinitionError* error_;
  const OidMacros* macros_;
  std::vector<std::string> seen_;
  bool has_class_kind_ = false;
};

}  // namespace

std::string_view attribute_of(DefinitionKind kind) {
  return text_of(kind).attribute;
}
std::string_view noun_of(DefinitionKind kind) {
  return text_of(kind).noun;
}

bool kind_of(std::string_view attribute, DefinitionKind* kind) {
  for (const KindText& entry : kKinds) {
    if (text::equal_ignoring_case(entry.attribute, attribute)) {
      *kind = entry.kind;
      return true;
    }
  }
  return false;
}

bool expand_macro(const OidMacros& macros, std::string* text) {
  if (text->empty() || !text::is_alpha(text->front())) return true;
  const std::size_t colon = text->find(':');
  const auto found = macros.find(text::to_lower(std::string_view(*text).substr(0, colon)));
  if (found == macros.end()) return colon == std::string::npos;
  if (colon == std::string::npos) {
    *text = found->second;
    return true;
  }
  *text = found->second + "." + text->substr(colon + 1);
  return syntaxes::is_numeric_oid(*text);
}

bool parse_definition(DefinitionKind kind, std::string_view text, Definition* out,
                      DefinitionError* error, const OidMacros* macros) {
  if (text.size() > kDefinitionSizeMax) {
    *error = {0, "the definition has " + std::to_string(text.size()) + " octets, the limit is " +
                     std::to_string(kDefinitionSizeMax)};
    return false;
  }
  const std::size_t malformed = text::utf8_error_offset(text);
  if (malformed != text.size()) {
    *error = {malformed, "the octets are not UTF-8"};
    return false;
  }
  *out = Definition();
  return DefinitionParser(kind, text, out, error, macros).parse();
}

}  // namespace kauri::schema
