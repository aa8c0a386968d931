#include "ldif/writer.h"

#include <algorithm>

#include "base/assert.h"
#include "text/base64.h"

namespace kauri::ldif {

bool needs_base64(std::string_view value) {
  if (value.empty()) return false;
  if (value.front() == ' ' || value.front() == ':' || value.front() == '<' || value.back() == ' ')
    return true;
  unsigned char high = 0;
  bool breaks = false;
  for (const char c : value) {
    high |= static_cast<unsigned char>(c);
    breaks |= c == '\0' || c == '\n' || c == '\r';
  }
  return breaks || high >= 0x80;
}

void Writer::version() {
  out_ += "version: 1\n\n";
}

void Writer::comment(std::string_view text) {
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out_ += '#';
    if (end != 0) out_ += ' ';
    for (const char c : text.substr(0, end)) out_ += c == '\r' || c == '\0' ? ' ' : c;
    out_ += '\n';
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

// Folds the line that begins at `start` and reaches to the end of out_.
void Writer::fold(std::size_t start) {
  const std::size_t width = options_.line_width;
  const std::size_t size = out_.size() - start;
  if (width == 0 || size <= width) return;
  KAURI_ASSERT(width >= 2);
  // The first line holds `width` octets, each further one a space and `width - 1`.
  const std::size_t breaks = (size - width + width - 2) / (width - 1);
  out_.resize(out_.size() + 2 * breaks);
  // From the back, so that nothing is overwritten before it has moved.
  char* to = out_.data() + out_.size();
  const char* from = out_.data() + start + size;
  std::size_t piece = (size - width) % (width - 1);
  if (piece == 0) piece = width - 1;
  for (std::size_t i = 0; i < breaks; ++i) {
    to = std::copy_backward(from - piece, from, to);
    from -= piece;
    *--to = ' ';
    *--to = '\n';
    piece = width - 1;
  }
}

void Writer::line(std::string_view head, std::string_view value) {
  const std::size_t start = out_.size();
  out_.append(head);
  if (needs_base64(value)) {
    out_ += ":: ";
    text::append_base64(out_, value);
  } else {
    out_ += ':';
    if (!value.empty()) out_ += ' ';
    out_.append(value);
  }
  fold(start);
  out_ += '\n';
}

void Writer::attribute(std::string_view description, std::string_view value) {
  line(description, value);
}

void Writer::control(std::string_view oid, bool critical, std::optional<std::string_view> value) {
  std::string head("control: ");
  head.append(oid).append(critical ? " true" : " false");
  if (value) {
    line(head, *value);
    return;
  }
  const std::size_t start = out_.size();
  out_ += head;
  fold(start);
  out_ += '\n';
}

void Writer::changetype(RecordKind kind) {
  KAURI_ASSERT(kind != RecordKind::kContent);
  attribute("changetype", to_string(kind));
}

void Writer::begin_modification(ModificationKind kind, std::string_view description) {
  attribute(to_string(kind), description);
}

void Writer::rename(std::string_view new_rdn, bool delete_old_rdn,
                    std::optional<std::string_view> new_superior) {
  attribute("newrdn", new_rdn);
  attribute("deleteoldrdn", delete_old_rdn ? "1" : "0");
  if (new_superior) attribute("newsuperior", *new_superior);
}

void Writer::record(const Record& record) {
  dn(record.dn);
  for (const Control& one : record.controls) control(one.oid, one.critical, one.value);
  if (record.kind != RecordKind::kContent) changetype(record.kind);
  switch (record.kind) {
    case RecordKind::kContent:
    case RecordKind::kAdd:
      for (const AttributeValue& value : record.attributes)
        attribute(value.description, value.value);
      break;
    case RecordKind::kDelete:
      break;
    case RecordKind::kModify:
      for (const Modification& modification : record.modifications) {
        begin_modification(modification.kind, modification.description);
        for (const AttributeValue& value : record.values_of(modification))
          attribute(value.description, value.value);
        end_modification();
      }
      break;
    case RecordKind::kModDn:
      rename(record.new_rdn, record.delete_old_rdn, record.new_superior);
      break;
  }
  end_record();
}

}  // namespace kauri::ldif
