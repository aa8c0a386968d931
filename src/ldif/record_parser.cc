#include "ldif/record_parser.h"

#include <array>
#include <cstring>

#include "ldif/file_url.h"
#include "text/ascii.h"
#include "text/base64.h"
#include "text/utf8.h"
#include "text/visible.h"

namespace kauri::ldif {
namespace {

// Characters of an attribute description (RFC 4512 section 2.5), and "_", which many home-made
// schemas use.
constexpr auto kDescriptionChars = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const char character = static_cast<char>(c);
    table[static_cast<std::size_t>(c)] = text::is_alpha(character) || text::is_digit(character) ||
                                         character == '-' || character == '.' || character == ';' ||
                                         character == '_';
  }
  return table;
}();

bool is_description(std::string_view text) {
  for (const char c : text)
    if (!kDescriptionChars[static_cast<unsigned char>(c)]) return false;
  return !text.empty() && text.front() != ';' && text.front() != '-';
}

bool is_oid(std::string_view text) {
  for (const char c : text)
    if (!text::is_digit(c) && c != '.') return false;
  return !text.empty() && text.front() != '.' && text.back() != '.';
}

std::string_view without_trailing_spaces(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

char* skip_spaces(char* at, const char* end) {
  while (at < end && *at == ' ') ++at;
  return at;
}

}  // namespace

Error line_error(const ReaderOptions& options, ErrorCode code, std::uint64_t line,
                 std::string_view what) {
  std::string text = options.origin.empty() ? "line " : options.origin + ":";
  text += std::to_string(line) + ": ";
  text.append(what);
  return {code, std::move(text)};
}

bool RecordParser::Line::is(std::string_view keyword) const {
  return text::equal_ignoring_case(key, keyword);
}

// --- Lines ---

Result<bool> RecordParser::advance() {
  while (at_ < end_) {
    line_ = Line();
    line_.number = next_line_;
    char* const begin = at_;
    char* text_end = begin;
    // Joins what follows as continuation, without its first space, to the end of what is there.
    do {
      char* const piece = at_ == begin ? at_ : at_ + 1;
      auto* newline =
          static_cast<char*>(std::memchr(piece, '\n', static_cast<std::size_t>(end_ - piece)));
      char* piece_end = newline == nullptr ? end_ : newline;
      at_ = newline == nullptr ? end_ : newline + 1;
      ++next_line_;
      if (piece_end > piece && piece_end[-1] == '\r') --piece_end;
      const auto size = static_cast<std::size_t>(piece_end - piece);
      if (text_end != piece) std::memmove(text_end, piece, size);
      text_end += size;
    } while (at_ < end_ && *at_ == ' ');
    if (*begin == '#') continue;
    if (static_cast<std::size_t>(text_end - begin) > options_.line_size_max)
      return line_error(options_, ErrorCode::kLimit, line_.number,
                        "the line has " + std::to_string(text_end - begin) +
                            " octets, the limit is " + std::to_string(options_.line_size_max));
    KAURI_CHECK(cut(begin, text_end));
    return have_line_ = true;
  }
  return have_line_ = false;
}

Result<void> RecordParser::cut(char* begin, char* end) {
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (!text.empty() && text[0] == ' ')
    return error("a line that begins with a space continues no other line");
  if (!text.empty() && text[0] == '-' && without_trailing_spaces(text) == "-") {
    line_.dash = true;
    return {};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return error("expected \"attribute: value\", found " + text::quoted(text) +
                 " without a colon; does it lack the space that continues the line before?");
  line_.key = text.substr(0, colon);
  if (!is_description(line_.key))
    return error(line_.key.empty() ? "there is no attribute before the colon"
                                   : text::quoted(line_.key) + " is no attribute description");
  char* value = begin + colon + 1;
  if (value < end && *value == ':') {
    line_.form = Form::kBase64;
    ++value;
  } else if (value < end && *value == '<') {
    line_.form = Form::kUrl;
    ++value;
  }
  line_.value = skip_spaces(value, end);
  line_.end = end;
  return {};
}

// --- Values ---

Result<std::string_view> RecordParser::value() {
  switch (line_.form) {
    case Form::kPlain:
      if (std::memchr(line_.value, '\0', line_.text().size()) != nullptr)
        return error("the value of " + std::string(line_.key) +
                     " holds a NUL octet; such values need base64");
      return line_.text();
    case Form::kBase64:
      return decode_base64();
    case Form::kUrl:
      return read_url();
  }
  return line_.text();
}

Result<std::string_view> RecordParser::decode_base64() {
  const std::string_view encoded = without_trailing_spaces(line_.text());
  const auto decoded = text::decode_base64(encoded);
  if (!decoded)
    return error("the value of " + std::string(line_.key) +
                 " is no valid base64: " + text::quoted(encoded));
  // It is shorter than its encoding, so it can take its place.
  if (!decoded->empty()) std::memcpy(line_.value, decoded->data(), decoded->size());
  return std::string_view(line_.value, decoded->size());
}

Result<std::string_view> RecordParser::read_url() {
  const std::string_view url = without_trailing_spaces(line_.text());
  if (!options_.allow_file_urls)
    return error("the value of " + std::string(line_.key) + " is in the file " + text::quoted(url) +
                 ", and reading files named in LDIF is not allowed here");
  auto contents = read_file_url(url, options_.url_value_size_max);
  if (!contents) {
    return line_error(
        options_,
        contents.error().code() == ErrorCode::kLimit ? ErrorCode::kLimit : ErrorCode::kInvalid,
        line_.number, contents.error().message());
  }
  return std::string_view(storage_.emplace_back(std::move(*contents)));
}

Result<std::string_view> RecordParser::name_value() {
  if (line_.form == Form::kUrl)
    return error("the value of " + std::string(line_.key) + " cannot come from a URL");
  KAURI_TRY(const std::string_view name, value());
  if (!text::is_valid_utf8(name))
    return error("the name " + text::quoted(name) + " is not valid UTF-8");
  return name;
}

Result<std::string_view> RecordParser::word() {
  if (line_.form == Form::kUrl)
    return error("the value of " + std::string(line_.key) + " cannot come from a URL");
  KAURI_TRY(const std::string_view text, value());
  return without_trailing_spaces(text);
}

// --- Records ---

Result<bool> RecordParser::parse(Record& record) {
  KAURI_CHECK(advance());
  if (have_line_ && line_.is("version")) {
    KAURI_CHECK(parse_version());
    KAURI_CHECK(advance());
  }
  if (!have_line_) return false;
  if (line_.dash || !line_.is("dn"))
    return error("expected \"dn:\" at the start of a record, found " +
                 text::quoted(line_.dash ? "-" : line_.key));
  record.line = line_.number;
  KAURI_TRY(record.dn, name_value());
  KAURI_CHECK(advance());
  while (have_line_ && line_.is("control")) {
    KAURI_CHECK(parse_control(record));
    KAURI_CHECK(advance());
  }
  if (have_line_ && line_.is("changetype")) {
    KAURI_CHECK(parse_change(record));
    return true;
  }
  if (!record.controls.empty()) return error("\"control:\" must be followed by \"changetype:\"");
  KAURI_CHECK(parse_attributes(record));
  return true;
}

Result<void> RecordParser::parse_version() {
  KAURI_TRY(const std::string_view version, word());
  if (version != "1")
    return error("LDIF version " + text::quoted(version) + " is not supported; only version 1 is");
  return {};
}

Result<void> RecordParser::parse_control(Record& record) {
  if (line_.form != Form::kPlain) return error("expected an object identifier behind \"control:\"");
  Control control;
  control.line = line_.number;
  char* at = line_.value;
  const auto take_word = [&] {
    char* const start = at;
    while (at < line_.end && *at != ' ' && *at != ':') ++at;
    return std::string_view(start, static_cast<std::size_t>(at - start));
  };
  control.oid = take_word();
  if (!is_oid(control.oid))
    return error(text::quoted(control.oid) + " is no object identifier of a control");
  at = skip_spaces(at, line_.end);
  if (at < line_.end && *at != ':') {
    const std::string_view criticality = take_word();
    control.critical = text::equal_ignoring_case(criticality, "true");
    if (!control.critical && !text::equal_ignoring_case(criticality, "false"))
      return error("the criticality of a control is \"true\" or \"false\", not " +
                   text::quoted(criticality));
    at = skip_spaces(at, line_.end);
  }
  if (at < line_.end) {
    if (*at != ':')
      return error("expected the value of the control, found " + text::quoted({at, 1}));
    // The rest is a value specification like that of any attribute.
    Line whole = line_;
    ++at;
    line_.form = at < line_.end && *at == ':'   ? Form::kBase64
                 : at < line_.end && *at == '<' ? Form::kUrl
                                                : Form::kPlain;
    if (line_.form != Form::kPlain) ++at;
    line_.value = skip_spaces(at, line_.end);
    KAURI_TRY(control.value, value());
    line_ = whole;
  }
  record.controls.push_back(control);
  return {};
}

Result<void> RecordParser::add_attribute(Record& record) {
  if (line_.dash) return error("\"-\" stands only between the parts of a \"changetype: modify\"");
  if (line_.is("dn"))
    return error("another \"dn:\" inside a record; an empty line must separate records");
  if (line_.is("changetype"))
    return error("\"changetype:\" must stand right behind \"dn:\" and \"control:\"");
  AttributeValue& added = record.attributes.emplace_back();
  added.description = line_.key;
  added.line = line_.number;
  KAURI_TRY(added.value, value());
  return {};
}

Result<void> RecordParser::parse_attributes(Record& record) {
  if (!have_line_) return error("the record has no attributes");
  while (have_line_) {
    KAURI_CHECK(add_attribute(record));
    KAURI_CHECK(advance());
  }
  return {};
}

Result<void> RecordParser::parse_change(Record& record) {
  KAURI_TRY(const std::string_view type, word());
  if (text::equal_ignoring_case(type, "add")) {
    record.kind = RecordKind::kAdd;
    KAURI_CHECK(advance());
    return parse_attributes(record);
  }
  if (text::equal_ignoring_case(type, "delete")) {
    record.kind = RecordKind::kDelete;
    KAURI_CHECK(advance());
    if (have_line_) return error("\"changetype: delete\" ends its record, but a line follows");
    return {};
  }
  if (text::equal_ignoring_case(type, "modify")) {
    record.kind = RecordKind::kModify;
    return parse_modify(record);
  }
  if (text::equal_ignoring_case(type, "modrdn") || text::equal_ignoring_case(type, "moddn")) {
    record.kind = RecordKind::kModDn;
    return parse_moddn(record);
  }
  return error("changetype is \"add\", \"delete\", \"modify\", \"modrdn\" or \"moddn\", not " +
               text::quoted(type));
}

Result<void> RecordParser::parse_modify(Record& record) {
  KAURI_CHECK(advance());
  while (have_line_) KAURI_CHECK(parse_modification(record));
  return {};
}

Result<void> RecordParser::parse_modification(Record& record) {
  Modification modification;
  modification.line = line_.number;
  modification.first = record.attributes.size();
  if (!line_.dash && line_.is("add")) {
    modification.kind = ModificationKind::kAdd;
  } else if (!line_.dash && line_.is("delete")) {
    modification.kind = ModificationKind::kDelete;
  } else if (!line_.dash && line_.is("replace")) {
    modification.kind = ModificationKind::kReplace;
  } else if (!line_.dash && line_.is("increment")) {
    modification.kind = ModificationKind::kIncrement;
  } else {
    return error("expected \"add:\", \"delete:\", \"replace:\" or \"increment:\", found " +
                 text::quoted(line_.dash ? "-" : line_.key));
  }
  KAURI_TRY(modification.description, word());
  if (!is_description(modification.description))
    return error(text::quoted(modification.description) + " is no attribute description");
  KAURI_CHECK(advance());
  while (have_line_ && !line_.dash) {
    if (!line_.is(modification.description))
      return error("expected values of " + text::quoted(modification.description) +
                   " or \"-\", found " + text::quoted(line_.key));
    AttributeValue& added = record.attributes.emplace_back();
    added.description = line_.key;
    added.line = line_.number;
    KAURI_TRY(added.value, value());
    KAURI_CHECK(advance());
  }
  modification.count = record.attributes.size() - modification.first;
  if (modification.count == 0 && (modification.kind == ModificationKind::kAdd ||
                                  modification.kind == ModificationKind::kIncrement))
    return line_error(options_, ErrorCode::kInvalid, modification.line,
                      "\"" + std::string(to_string(modification.kind)) + ": " +
                          std::string(modification.description) + "\" has no value");
  record.modifications.push_back(modification);
  if (have_line_) KAURI_CHECK(advance());  // over the "-"
  return {};
}

Result<void> RecordParser::parse_moddn(Record& record) {
  const std::uint64_t change_line = line_.number;
  KAURI_CHECK(advance());
  if (!have_line_ || !line_.is("newrdn"))
    return line_error(options_, ErrorCode::kInvalid, have_line_ ? line_.number : change_line,
                      "\"newrdn:\" must follow \"changetype: modrdn\"");
  KAURI_TRY(record.new_rdn, name_value());
  KAURI_CHECK(advance());
  if (!have_line_ || !line_.is("deleteoldrdn"))
    return line_error(options_, ErrorCode::kInvalid, have_line_ ? line_.number : change_line,
                      "\"deleteoldrdn:\" must follow \"newrdn:\"");
  KAURI_TRY(const std::string_view flag, word());
  if (flag != "0" && flag != "1") return error("deleteoldrdn is 0 or 1, not " + text::quoted(flag));
  record.delete_old_rdn = flag == "1";
  KAURI_CHECK(advance());
  if (have_line_ && line_.is("newsuperior")) {
    KAURI_TRY(record.new_superior, name_value());
    KAURI_CHECK(advance());
  }
  if (have_line_) return error("a line follows the end of a \"changetype: modrdn\"");
  return {};
}

}  // namespace kauri::ldif
