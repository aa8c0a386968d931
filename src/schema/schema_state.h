// What SchemaBuilder holds between reading and building. Thread safety: thread-compatible.
#pragma once

#include <map>
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
  std::size_t file_number = 0;  // in the order of loading
  bool builtin = false;
  // A built-in whose names a file may give to another OID: types and classes of drafts and of RFC
  // 2307, for which other servers' files have OIDs of their own. The names of the core, COSINE and
  // inetOrgPerson mean one thing.
  bool yields_names = false;

  std::string place(const Word& word) const { return file->place(word.offset); }
  Error error(const Word& word, std::string_view reason) const {
    return file->error(word.offset, reason);
  }
  // "attribute type 'cn'"
  std::string title() const;
};

// What warnings() tells. Reading and building find them in an order of their own.
struct Warning {
  std::size_t file_number = 0;
  std::size_t offset = 0;
  std::string text;  // with the place
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
  // Positions of the other kinds, by kind and lower-case OID.
  std::map<DefinitionKind, std::unordered_map<std::string, std::size_t>> others;
  OidMacros macros;
  std::size_t files = 0;               // added so far
  std::vector<std::string> warnings;   // in the order of the files
  std::vector<Warning> load_warnings;  // those of reading

  Result<void> add(const std::shared_ptr<const SourceFile>& file, std::vector<SourceItem> items);
  // The same for built-ins.
  void add_builtin(std::string_view origin, std::string_view text, bool yields_names);
  Result<void> add_macro(const SourceFile& file, const SourceText& text);
  // Checks one definition against what is there and enters it. RETURNS: kInvalid with the place.
  Result<void> enter(LoadedDefinition loaded);

 private:
  Result<void> add_items(const std::shared_ptr<const SourceFile>& file,
                         std::vector<SourceItem> items, const LoadedDefinition& like);
  Result<void> enter_indexed(LoadedDefinition loaded, DefinitionIndex* index);
  std::vector<std::size_t> rivals(const Definition& definition, const DefinitionIndex& index) const;
  Error conflict(const LoadedDefinition& loaded, const LoadedDefinition& other) const;
  // Puts `loaded` in the place of a built-in; names that only the built-in has stay as further
  // names.
  void replace(std::size_t position, LoadedDefinition loaded, DefinitionIndex* index);
};

// Turns definitions into a Schema. REQUIRES: the state's indexes are consistent. Appends to
// *warnings.
Result<std::shared_ptr<const Schema>> build_registry(const SchemaBuilder::State& state,
                                                     std::vector<Warning>* warnings);

}  // namespace kauri::schema
