// OpenLDAP's .schema files (slapd.conf(5)): objectidentifier, attributetype, objectclass,
// ldapsyntax, ditcontentrule.
#include <algorithm>
#include <iterator>

#include "schema/source_text.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

struct Directive {
  std::string_view word;
  DefinitionKind kind;
};
constexpr Directive kDirectives[] = {
    {"attributetype", DefinitionKind::kAttributeType},
    {"attributetypes", DefinitionKind::kAttributeType},
    {"objectclass", DefinitionKind::kObjectClass},
    {"objectclasses", DefinitionKind::kObjectClass},
    {"ldapsyntax", DefinitionKind::kSyntax},
    {"ditcontentrule", DefinitionKind::kContentRule},
};

class DirectiveReader {
 public:
  explicit DirectiveReader(const SourceFile& file) : file_(file), text_(file.text()) {}

  Result<std::vector<SourceItem>> read() {
    while (at_ < text_.size()) {
      const std::string_view line = current_line();
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line[first] == '#') {
        next_line();
        continue;
      }
      if (first > 0) {
        return file_.error(at_ + first, "a continuation line without a directive before it");
      }
      KAURI_CHECK(directive());
    }
    return std::move(items_);
  }

 private:
  std::string_view current_line() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  void next_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

  // The directive's line and the ones that continue it; empty lines and comments between do not end
  // it.
  SourceText take_logical_line() {
    SourceText logical;
    logical.append(current_line(), at_);
    next_line();
    while (at_ < text_.size()) {
      const std::string_view line = current_line();
      const std::size_t first = line.find_first_not_of(" \t\r");
      const bool nothing = first == std::string_view::npos || line[first] == '#';
      if (!nothing && first == 0) break;
      if (!nothing) {
        logical.append("\n", at_ - 1);
        logical.append(line, at_);
      }
      next_line();
    }
    return logical;
  }

  Result<void> directive() {
    const std::size_t start = at_;
    SourceItem item;
    item.text = take_logical_line();
    std::string& text = item.text.text;
    std::size_t end = text.find_first_of(" \t\r\n(");
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(0, end);
    // Blanking instead of erasing keeps every offset.
    std::fill_n(text.begin(), end, ' ');
    if (text::equal_ignoring_case(word, "objectidentifier")) {
      item.is_macro = true;
      items_.push_back(std::move(item));
      return {};
    }
    const auto* found = std::find_if(
        std::begin(kDirectives), std::end(kDirectives),
        [&word](const Directive& d) { return text::equal_ignoring_case(d.word, word); });
    if (found == std::end(kDirectives)) {
      return file_.error(start, text::quoted(word) +
                                    " is not a schema directive (objectidentifier, attributetype, "
                                    "objectclass, ldapsyntax, ditcontentrule)");
    }
    item.kind = found->kind;
    items_.push_back(std::move(item));
    return {};
  }

  const SourceFile& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<SourceItem> items_;
};

}  // namespace

Result<std::vector<SourceItem>> read_directives(const SourceFile& file) {
  return DirectiveReader(file).read();
}

}  // namespace kauri::schema
