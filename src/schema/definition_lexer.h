// Tokens of a schema definition (RFC 4512 section 4.1). Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::schema {

enum class TokenKind : std::uint8_t { kEnd, kOpen, kClose, kDollar, kWord, kQuoted };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;        // of a word; of a quoted string unescaped (\27 and \5C)
  std::size_t offset = 0;  // of its first octet, the quote included
};

// How a message names the token: "'foo'", "the end of the text". Long ones are cut, what cannot be
// seen is escaped.
std::string describe(const Token& token);

class DefinitionLexer {
 public:
  // VALID UNTIL: the octets of `text` change.
  explicit DefinitionLexer(std::string_view text) : text_(text) {}
  // RETURNS: false for a string without its closing quote or a word over the limit, with *message;
  // token->offset then says where.
  bool next(Token* token, std::string* message);

 private:
  bool quoted(Token* token, std::string* message);
  bool word(Token* token, std::string* message);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kauri::schema
