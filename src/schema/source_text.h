// Text cut out of a file, with the place of every octet; and the readers of the file formats.
//
// Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/definition.h"

namespace kauri::schema {

// A file as it was read.
class SourceFile {
 public:
  SourceFile(std::string_view text, std::string_view origin);
  std::string_view text() const { return text_; }
  // "origin:line:column", both from 1, the column in octets.
  std::string place(std::size_t offset) const;
  // "origin:line"
  std::string line_place(std::size_t offset) const;
  Error error(std::size_t offset, std::string_view reason) const;

 private:
  std::size_t line_of(std::size_t offset) const;

  std::string text_;
  std::string origin_;
  std::vector<std::size_t> line_starts_;
};

// A value pieced together from one or more stretches of the file (folded lines, comments left out).
class SourceText {
 public:
  std::string text;

  void append(std::string_view piece, std::size_t file_offset);
  // Where the octet at `offset` of `text` stands in the file.
  std::size_t file_offset(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t offset;
    std::size_t file_offset;
  };
  std::vector<Piece> pieces_;
};

// One thing that a schema file says.
struct SourceItem {
  bool is_macro = false;
  DefinitionKind kind = DefinitionKind::kAttributeType;
  SourceText text;  // of a definition, or "name oid" of a macro
};

// Recognises the format and takes the file apart. RETURNS: kInvalid with the place and the reason.
Result<std::vector<SourceItem>> read_schema_source(const SourceFile& file);
// OpenLDAP's .schema: directives, each going on in lines that start with white space.
Result<std::vector<SourceItem>> read_directives(const SourceFile& file);
// LDIF of cn=config (olcAttributeTypes, ...) or of a subschema entry (attributeTypes, ...).
Result<std::vector<SourceItem>> read_schema_ldif(const SourceFile& file);

}  // namespace kauri::schema
