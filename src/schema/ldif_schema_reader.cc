// Schema as LDIF: OpenLDAP's cn=config (olc...) and the subschema entry's attributes as 389 DS and
// others write them.
//
// Only the attributes that hold definitions are looked at. This is no general LDIF reader (that is
// the ldif folder): it keeps the place of every octet and skips what is not schema.
#include <algorithm>
#include <cstring>

#include "schema/source_text.h"
#include "text/ascii.h"
#include "text/base64.h"

namespace kauri::schema {

namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class LdifReader {
 public:
  explicit LdifReader(const SourceFile& file) : file_(file), text_(file.text()) {}

  Result<std::vector<SourceItem>> read() {
    while (at_ < text_.size()) {
      const std::string_view line = current_line();
      if (line.empty() || line[0] == '#' || line == "-" ||
          line.find_first_not_of(" \t") == std::string_view::npos) {
        skip_line_and_folds(line.starts_with('#'));
        continue;
      }
      if (line[0] == ' ' || line[0] == '\t') {
        return file_.error(at_, "a continuation line without an attribute before it");
      }
      KAURI_CHECK(attribute(take_logical_line()));
    }
    return std::move(items_);
  }

 private:
  std::string_view current_line() const {
    return without_return(text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_));
  }
  void next_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

  // A folded comment goes on like any other line (RFC 2849 note 2).
  void skip_line_and_folds(bool comment) {
    next_line();
    while (comment && at_ < text_.size() && text_[at_] == ' ') next_line();
  }

  SourceText take_logical_line() {
    SourceText logical;
    logical.append(current_line(), at_);
    next_line();
    while (at_ < text_.size()) {
      const std::string_view line = current_line();
      if (line.starts_with('#')) {
        // A comment between folded lines: 389 DS's files have it.
        const std::size_t after = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
        if (after >= text_.size() || (text_[after] != ' ' && text_[after] != '\t')) break;
        next_line();
        continue;
      }
      if (line.empty() || (line[0] != ' ' && line[0] != '\t')) break;
      logical.append(line.substr(1), at_ + 1);
      next_line();
    }
    return logical;
  }

  Result<void> attribute(SourceText line) {
    const std::size_t colon = line.text.find(':');
    if (colon == std::string::npos) {
      return file_.error(line.file_offset(0), "expected 'attribute: value'");
    }
    std::string name = line.text.substr(0, colon);
    if (text::equal_ignoring_case(name, "delete")) {
      return file_.error(line.file_offset(0), "a schema file cannot delete definitions");
    }
    SourceItem item;
    if (text::equal_ignoring_case(name.substr(0, 3), "olc")) name.erase(0, 3);
    item.is_macro = text::equal_ignoring_case(name, "ObjectIdentifier");
    if (!item.is_macro && !kind_of(name, &item.kind)) return {};
    const bool base64 = line.text.compare(colon + 1, 1, ":") == 0;
    if (base64) {
      std::string encoded = line.text.substr(colon + 2);
      encoded.erase(std::remove(encoded.begin(), encoded.end(), ' '), encoded.end());
      const auto decoded = text::decode_base64(encoded);
      if (!decoded) return file_.error(line.file_offset(colon), "the value is not base64");
      item.text.append(*decoded, line.file_offset(colon + 1));
    } else {
      std::fill_n(line.text.begin(), colon + 1, ' ');
      item.text = std::move(line);
    }
    blank_ordering_prefix(item.text.text);
    items_.push_back(std::move(item));
    return {};
  }

  // cn=config numbers its values: "{12}( 1.2.3 ...".
  static void blank_ordering_prefix(std::string& text) {
    const std::size_t open = text.find_first_not_of(" \t");
    if (open == std::string::npos || text[open] != '{') return;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) return;
    const bool number =
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                    text.begin() + static_cast<std::ptrdiff_t>(close), text::is_digit);
    if (number) std::memset(text.data() + open, ' ', close - open + 1);
  }

  const SourceFile& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<SourceItem> items_;
};

}  // namespace

Result<std::vector<SourceItem>> read_schema_ldif(const SourceFile& file) {
  return LdifReader(file).read();
}

}  // namespace kauri::schema
