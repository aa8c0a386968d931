#include "schema/schema_loader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>

#include "base/assert.h"
#include "base/units.h"
#include "schema/builtin.h"
#include "schema/schema_state.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

using namespace kauri::literals;

// Octets of one schema file; kInvalid past it.
constexpr std::size_t kFileSizeMax = 16_MiB;

// The words of the definition, so that one loop can turn offsets in a value into offsets in the
// file.
template <class Visit>
void each_word(Definition& definition, Visit visit) {
  for (Word* word :
       {&definition.oid, &definition.equality, &definition.ordering, &definition.substrings,
        &definition.syntax, &definition.form, &definition.object_class}) {
    visit(*word);
  }
  for (auto* words : {&definition.names, &definition.superiors, &definition.must, &definition.may,
                      &definition.auxiliary, &definition.precluded, &definition.applies}) {
    for (Word& word : *words) visit(word);
  }
}

// Equal in what they mean: descriptions and extensions do not count, nor does case.
bool same_meaning(Definition a, Definition b) {
  for (Definition* definition : {&a, &b}) {
    definition->has_description = false;
    definition->extensions.clear();
  }
  return text::equal_ignoring_case(to_string(a), to_string(b));
}

// Built-ins that a file cannot replace: the server maintains their values and relies on their
// rules.
bool is_pinned(const Definition& definition) {
  if (definition.kind == DefinitionKind::kAttributeType) {
    return definition.usage != Usage::kUserApplications || definition.oid.text == "2.5.4.0";
  }
  constexpr std::string_view kClasses[] = {
      "2.5.6.0", "2.5.6.1", "2.5.20.1", "2.16.840.1.113730.3.2.6", "1.3.6.1.4.1.1466.101.120.111"};
  return std::find(std::begin(kClasses), std::end(kClasses), definition.oid.text) !=
         std::end(kClasses);
}

// Takes the names of `other` away from *definition. RETURNS: false when none is left.
bool drop_names_of(const Definition& other, Definition* definition) {
  std::erase_if(definition->names, [&other](const Word& name) {
    return std::any_of(other.names.begin(), other.names.end(), [&name](const Word& taken) {
      return text::equal_ignoring_case(taken.text, name.text);
    });
  });
  return !definition->names.empty();
}

}  // namespace

std::string LoadedDefinition::title() const {
  const Definition& d = definition;
  return std::string(noun_of(d.kind)) + " '" + (d.names.empty() ? d.oid.text : d.names[0].text) +
         "'";
}

Result<void> SchemaBuilder::State::add_macro(const SourceFile& file, const SourceText& text) {
  const std::string& value = text.text;
  const std::size_t name_start = std::min(value.find_first_not_of(" \t\r\n"), value.size());
  const std::size_t name_end = std::min(value.find_first_of(" \t\r\n", name_start), value.size());
  const std::size_t oid_start =
      std::min(value.find_first_not_of(" \t\r\n", name_end), value.size());
  const std::size_t oid_end = std::min(value.find_first_of(" \t\r\n", oid_start), value.size());
  const std::string name = value.substr(name_start, name_end - name_start);
  std::string oid = value.substr(oid_start, oid_end - oid_start);
  const auto refuse = [&](std::size_t offset, const std::string& reason) {
    return file.error(text.file_offset(offset), reason);
  };
  if (!syntaxes::is_descriptor(name) || name.size() > kNameSizeMax) {
    return refuse(name_start, "expected the name of an OID macro");
  }
  if (value.find_first_not_of(" \t\r\n", oid_end) != std::string::npos) {
    return refuse(oid_end, "expected nothing after the macro's OID");
  }
  if (!expand_macro(macros, &oid) || !syntaxes::is_numeric_oid(oid) || oid.size() > kNameSizeMax) {
    return refuse(oid_start, text::quoted(oid) + " is no OID and no known macro");
  }
  const auto [place, fresh] = macros.emplace(text::to_lower(name), oid);
  if (!fresh && place->second != oid) {
    return refuse(name_start, "the macro '" + name + "' stands for " + place->second + " already");
  }
  return {};
}

void SchemaBuilder::State::replace(std::size_t position, LoadedDefinition loaded,
                                   DefinitionIndex* index) {
  LoadedDefinition& old = definitions[position];
  for (const Word& name : old.definition.names) {
    auto& names = loaded.definition.names;
    const bool kept = std::any_of(names.begin(), names.end(), [&name](const Word& other) {
      return text::equal_ignoring_case(other.text, name.text);
    });
    if (!kept) names.push_back({name.text, loaded.definition.oid.offset});
  }
  index->by_oid.erase(text::to_lower(old.definition.oid.text));
  index->by_oid.emplace(text::to_lower(loaded.definition.oid.text), position);
  for (const Word& name : loaded.definition.names) {
    index->by_name.emplace(text::to_lower(name.text), position);
  }
  old = std::move(loaded);
}

// The definitions that share the OID or a name with `definition`, each once.
std::vector<std::size_t> SchemaBuilder::State::rivals(const Definition& definition,
                                                      const DefinitionIndex& index) const {
  std::vector<std::size_t> found;
  const auto add = [&found](const auto& map, const std::string& key) {
    const auto entry = map.find(text::to_lower(key));
    if (entry == map.end()) return;
    if (std::find(found.begin(), found.end(), entry->second) == found.end()) {
      found.push_back(entry->second);
    }
  };
  add(index.by_oid, definition.oid.text);
  for (const Word& name : definition.names) add(index.by_name, name.text);
  return found;
}

Error SchemaBuilder::State::conflict(const LoadedDefinition& loaded,
                                     const LoadedDefinition& other) const {
  const Definition& definition = loaded.definition;
  const std::string there = other.place(other.definition.oid);
  if (text::equal_ignoring_case(definition.oid.text, other.definition.oid.text)) {
    return loaded.error(definition.oid, "OID " + definition.oid.text +
                                            " is defined already, and differently, at " + there);
  }
  for (const Word& name : definition.names) {
    for (const Word& taken : other.definition.names) {
      if (!text::equal_ignoring_case(name.text, taken.text)) continue;
      return loaded.error(name, "the name '" + name.text + "' belongs to " +
                                    other.definition.oid.text + " already, defined at " + there);
    }
  }
  return loaded.error(definition.oid, loaded.title() + " conflicts with the one at " + there);
}

Result<void> SchemaBuilder::State::enter_indexed(LoadedDefinition loaded, DefinitionIndex* index) {
  const std::vector<std::size_t> others = rivals(loaded.definition, *index);
  if (others.empty()) {
    const std::size_t position = definitions.size();
    index->by_oid.emplace(text::to_lower(loaded.definition.oid.text), position);
    for (const Word& name : loaded.definition.names) {
      index->by_name.emplace(text::to_lower(name.text), position);
    }
    definitions.push_back(std::move(loaded));
    return {};
  }
  const LoadedDefinition& old = definitions[others[0]];
  if (others.size() == 1 && same_meaning(old.definition, loaded.definition)) return {};
  for (const std::size_t other : others) {
    if (!definitions[other].builtin) return conflict(loaded, definitions[other]);
  }
  if (others.size() > 1) return conflict(loaded, definitions[others[1]]);
  const bool same_oid =
      text::equal_ignoring_case(old.definition.oid.text, loaded.definition.oid.text);
  if (is_pinned(old.definition)) {
    load_warnings.push_back({loaded.file_number, loaded.definition.oid.offset,
                             loaded.place(loaded.definition.oid) + ": " + loaded.title() +
                                 " stays as it is built in; the file's definition differs"});
    // Under another OID it is another type that only shares a name; it keeps the names that are its
    // own.
    if (same_oid || !drop_names_of(old.definition, &loaded.definition)) return {};
    return enter_indexed(std::move(loaded), index);
  }
  if (!same_oid && !old.yields_names) return conflict(loaded, old);
  if (!same_oid) {
    load_warnings.push_back({loaded.file_number, loaded.definition.oid.offset,
                             loaded.place(loaded.definition.oid) + ": " + loaded.title() +
                                 " replaces the built-in one, whose OID is " +
                                 old.definition.oid.text});
  }
  replace(others[0], std::move(loaded), index);
  return {};
}

Result<void> SchemaBuilder::State::enter(LoadedDefinition loaded) {
  switch (loaded.definition.kind) {
    case DefinitionKind::kAttributeType:
      return enter_indexed(std::move(loaded), &types);
    case DefinitionKind::kObjectClass:
      return enter_indexed(std::move(loaded), &classes);
    default:
      break;
  }
  auto& index = others[loaded.definition.kind];
  const auto [place, fresh] =
      index.emplace(text::to_lower(loaded.definition.oid.text), definitions.size());
  if (fresh) {
    definitions.push_back(std::move(loaded));
    return {};
  }
  const LoadedDefinition& other = definitions[place->second];
  if (same_meaning(other.definition, loaded.definition)) return {};
  return loaded.error(loaded.definition.oid, loaded.title() +
                                                 " is defined already, and differently, at " +
                                                 other.place(other.definition.oid));
}

Result<void> SchemaBuilder::State::add_items(const std::shared_ptr<const SourceFile>& file,
                                             std::vector<SourceItem> items,
                                             const LoadedDefinition& like) {
  for (SourceItem& item : items) {
    if (item.is_macro) {
      KAURI_CHECK(add_macro(*file, item.text));
      continue;
    }
    LoadedDefinition loaded = like;
    DefinitionError error;
    if (!parse_definition(item.kind, item.text.text, &loaded.definition, &error, &macros)) {
      return file->error(item.text.file_offset(error.offset), error.message);
    }
    each_word(loaded.definition,
              [&item](Word& word) { word.offset = item.text.file_offset(word.offset); });
    KAURI_CHECK(enter(std::move(loaded)));
  }
  return {};
}

Result<void> SchemaBuilder::State::add(const std::shared_ptr<const SourceFile>& file,
                                       std::vector<SourceItem> items) {
  LoadedDefinition like;
  like.file = file;
  like.file_number = ++files;
  return add_items(file, std::move(items), like);
}

void SchemaBuilder::State::add_builtin(std::string_view origin, std::string_view text,
                                       bool yields_names) {
  LoadedDefinition like;
  like.file = std::make_shared<const SourceFile>(text, origin);
  like.builtin = true;
  like.yields_names = yields_names;
  auto items = read_schema_source(*like.file);
  KAURI_ASSERT(items.has_value());
  const auto added = add_items(like.file, std::move(*items), like);
  KAURI_ASSERT(added.has_value());
}

SchemaBuilder::SchemaBuilder() : state_(std::make_unique<State>()) {}
SchemaBuilder::~SchemaBuilder() = default;
SchemaBuilder::SchemaBuilder(SchemaBuilder&&) noexcept = default;
SchemaBuilder& SchemaBuilder::operator=(SchemaBuilder&&) noexcept = default;

void SchemaBuilder::add_builtin(NisVariant nis) {
  state_->add_builtin("built-in core", builtin::core(), false);
  state_->add_builtin("built-in operational", builtin::operational(), true);
  state_->add_builtin("built-in cosine", builtin::cosine(), false);
  state_->add_builtin("built-in inetorgperson", builtin::inetorgperson(), false);
  state_->add_builtin("built-in nis", builtin::nis_common(), true);
  if (nis == NisVariant::kRfc2307) {
    state_->add_builtin("built-in rfc2307", builtin::nis_rfc2307(), true);
  } else {
    state_->add_builtin("built-in rfc2307bis", builtin::nis_rfc2307bis(), true);
  }
}

Result<void> SchemaBuilder::add_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return Error(ErrorCode::kNotFound,
                 "cannot open schema file " + path + ": " + std::strerror(errno));
  }
  std::string text;
  std::string block(64_KiB, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kFileSizeMax) {
      return invalid("schema file " + path + " has more than " + std::to_string(kFileSizeMax) +
                     " octets, the limit");
    }
  }
  if (in.bad()) {
    return Error(ErrorCode::kIo, "cannot read schema file " + path + ": " + std::strerror(errno));
  }
  return add_text(text, path);
}

Result<void> SchemaBuilder::add_text(std::string_view text, std::string_view origin) {
  const auto file = std::make_shared<const SourceFile>(text, origin);
  KAURI_TRY(auto items, read_schema_source(*file));
  // Work on a copy, so that a file with an error leaves nothing behind.
  auto changed = std::make_unique<State>(*state_);
  if (items.empty()) {
    changed->load_warnings.push_back(
        {changed->files + 1, 0, std::string(origin) + ": the file holds no schema definition"});
  }
  KAURI_CHECK(changed->add(file, std::move(items)));
  state_ = std::move(changed);
  return {};
}

Result<void> SchemaBuilder::add_definition(std::string_view attribute, std::string_view text,
                                           std::string_view origin) {
  SourceItem item;
  if (!kind_of(attribute, &item.kind)) {
    return invalid(text::quoted(attribute) + " is no attribute of the subschema");
  }
  const auto file = std::make_shared<const SourceFile>(text, origin);
  item.text.append(text, 0);
  auto changed = std::make_unique<State>(*state_);
  std::vector<SourceItem> items;
  items.push_back(std::move(item));
  KAURI_CHECK(changed->add(file, std::move(items)));
  state_ = std::move(changed);
  return {};
}

Result<std::shared_ptr<const Schema>> SchemaBuilder::build() {
  std::vector<Warning> found = state_->load_warnings;
  auto schema = build_registry(*state_, &found);
  std::sort(found.begin(), found.end(), [](const Warning& a, const Warning& b) {
    return std::tie(a.file_number, a.offset, a.text) < std::tie(b.file_number, b.offset, b.text);
  });
  state_->warnings.clear();
  for (Warning& warning : found) state_->warnings.push_back(std::move(warning.text));
  return schema;
}

const std::vector<std::string>& SchemaBuilder::warnings() const {
  return state_->warnings;
}

std::shared_ptr<const Schema> builtin_schema() {
  static const std::shared_ptr<const Schema> kSchema = [] {
    SchemaBuilder builder;
    builder.add_builtin();
    auto schema = builder.build();
    KAURI_ASSERT(schema.has_value());
    return *schema;
  }();
  return kSchema;
}

}  // namespace kauri::schema
