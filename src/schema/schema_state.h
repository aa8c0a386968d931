// What SchemaBuilder holds between reading and building. Thread safety: thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "schema/definition.h"
#include "schema/registry.h"
#include "schema/schema_loader.h"
#include "schema/source_text.h"

namespace kauri::schema {

// A definition and where it came from. The offsets of its words are offsets in `file`.
struct LoadedDefinition {
  Definition definition;
  std::shared_ptr<const SourceFile> file;
  bool builtin = false;

  std::string place(const Word& word) const { return file->place(word.offset); }
  Error error(const Word& word, std::string_view reason) const {
    return file->error(word.offset, reason);
  }
  // "attribute type 'cn'"
  std::string title() const;
};

// Definitions of one kind by OID and by name, both in lower case; values are positions in
// `definitions`.
struct DefinitionIndex {
  std::unordered_map<std::string, std::size_t> by_oid;
  std::unordered_map<std::string, std::size_t> by_name;
};

struct SchemaBuilder::State {
  std::vector<LoadedDefinition> definitions;  // in the order of loading
  DefinitionIndex types;
  DefinitionIndex classes;
  OidMacros macros;
  std::vector<std::string> warnings;
  std::vector<std::string> load_warnings;  // those of reading; building starts from them

  Result<void> add(const std::shared_ptr<const SourceFile>& file, std::vector<SourceItem> items,
                   bool builtin);
  Result<void> add_macro(const SourceFile& file, const SourceText& text);
  // Checks one definition against what is there and enters it. RETURNS: kInvalid with the place.
  Result<void> enter(LoadedDefinition loaded);

 private:
  Result<void> enter_indexed(LoadedDefinition loaded, DefinitionIndex* index);
  Result<void> replace(std::size_t position, LoadedDefinition loaded, DefinitionIndex* index);
};

// Turns definitions into a Schema. REQUIRES: the state's indexes are consistent. Appends to
// *warnings.
Result<std::shared_ptr<const Schema>> build_registry(const SchemaBuilder::State& state,
                                                     std::vector<std::string>* warnings);

}  // namespace kauri::schema
