#include "schema/definition_lexer.h"

#include "schema/definition.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool ends_word(char c) {
  return is_space(c) || c == '(' || c == ')' || c == '$' || c == '\'';
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code == "\\27") {
      out.push_back('\'');
      i += 2;
    } else if (code == "\\5C" || code == "\\5c") {
      out.push_back('\\');
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kOpen:
      return "'('";
    case TokenKind::kClose:
      return "')'";
    case TokenKind::kDollar:
      return "'$'";
    case TokenKind::kWord:
    case TokenKind::kQuoted:
      break;
  }
  return text::quoted(token.text);
}

bool DefinitionLexer::next(Token* token, std::string* message) {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  token->offset = at_;
  token->text.clear();
  token->kind = TokenKind::kEnd;
  if (at_ >= text_.size()) return true;
  switch (text_[at_]) {
    case '(':
      token->kind = TokenKind::kOpen;
      break;
    case ')':
      token->kind = TokenKind::kClose;
      break;
    case '$':
      token->kind = TokenKind::kDollar;
      break;
    case '\'':
      return quoted(token, message);
    default:
      return word(token, message);
  }
  ++at_;
  return true;
}

bool DefinitionLexer::quoted(Token* token, std::string* message) {
  const std::size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) {
    *message = "the string that starts here has no closing quote";
    return false;
  }
  token->kind = TokenKind::kQuoted;
  token->text = unescape(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return true;
}

bool DefinitionLexer::word(Token* token, std::string* message) {
  const std::size_t start = at_;
  while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
  if (at_ - start > kNameSizeMax) {
    *message = "a word of " + std::to_string(at_ - start) + " octets; the limit is " +
               std::to_string(kNameSizeMax);
    return false;
  }
  token->kind = TokenKind::kWord;
  token->text = text_.substr(start, at_ - start);
  return true;
}

}  // namespace kauri::schema
