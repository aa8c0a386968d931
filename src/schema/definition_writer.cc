// Definitions back to RFC 4512 text.
#include "schema/definition.h"

namespace kauri::schema {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    if (c == '\'') {
      out += "\\27";
    } else if (c == '\\') {
      out += "\\5C";
    } else {
      out += c;
    }
  }
  out += '\'';
}

template <class Range, class Get>
void append_strings(std::string& out, std::string_view keyword, const Range& values, Get get) {
  out += ' ';
  out += keyword;
  out += ' ';
  if (values.size() == 1) return append_quoted(out, get(values.front()));
  out += "( ";
  for (const auto& value : values) {
    append_quoted(out, get(value));
    out += ' ';
  }
  out += ')';
}

void append_words(std::string& out, std::string_view keyword, const std::vector<Word>& words,
                  std::string_view divider) {
  if (words.empty()) return;
  out += ' ';
  out += keyword;
  out += ' ';
  if (words.size() > 1) out += "( ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += divider;
    out += words[i].text;
  }
  if (words.size() > 1) out += " )";
}

void append_word(std::string& out, std::string_view keyword, const Word& word) {
  if (word.text.empty()) return;
  out += ' ';
  out += keyword;
  out += ' ';
  out += word.text;
}

void append_flag(std::string& out, std::string_view keyword, bool set) {
  if (!set) return;
  out += ' ';
  out += keyword;
}

std::string_view usage_text(Usage usage) {
  switch (usage) {
    case Usage::kDirectoryOperation:
      return "directoryOperation";
    case Usage::kDistributedOperation:
      return "distributedOperation";
    case Usage::kDsaOperation:
      return "dSAOperation";
    case Usage::kUserApplications:
      break;
  }
  return "userApplications";
}

std::string_view class_kind_text(ObjectClassKind kind) {
  switch (kind) {
    case ObjectClassKind::kAbstract:
      return "ABSTRACT";
    case ObjectClassKind::kAuxiliary:
      return "AUXILIARY";
    case ObjectClassKind::kStructural:
      break;
  }
  return "STRUCTURAL";
}

}  // namespace

std::string to_string(const Definition& definition) {
  std::string out = "( " + definition.oid.text;
  if (!definition.names.empty()) {
    append_strings(out, "NAME", definition.names,
                   [](const Word& word) -> std::string_view { return word.text; });
  }
  if (definition.has_description) {
    out += " DESC ";
    append_quoted(out, definition.description);
  }
  append_flag(out, "OBSOLETE", definition.obsolete);
  append_word(out, "FORM", definition.form);
  append_word(out, "OC", definition.object_class);
  const bool rule = definition.kind == DefinitionKind::kStructureRule;
  append_words(out, "SUP", definition.superiors, rule ? " " : " $ ");
  if (definition.kind == DefinitionKind::kObjectClass) {
    out += ' ';
    out += class_kind_text(definition.class_kind);
  }
  append_words(out, "AUX", definition.auxiliary, " $ ");
  append_words(out, "MUST", definition.must, " $ ");
  append_words(out, "MAY", definition.may, " $ ");
  append_words(out, "NOT", definition.precluded, " $ ");
  append_words(out, "APPLIES", definition.applies, " $ ");
  append_word(out, "EQUALITY", definition.equality);
  append_word(out, "ORDERING", definition.ordering);
  append_word(out, "SUBSTR", definition.substrings);
  append_word(out, "SYNTAX", definition.syntax);
  if (definition.length_max != 0) out += "{" + std::to_string(definition.length_max) + "}";
  append_flag(out, "SINGLE-VALUE", definition.single_value);
  append_flag(out, "COLLECTIVE", definition.collective);
  append_flag(out, "NO-USER-MODIFICATION", definition.no_user_modification);
  if (definition.usage != Usage::kUserApplications) {
    out += " USAGE ";
    out += usage_text(definition.usage);
  }
  for (const auto& [keyword, values] : definition.extensions) {
    append_strings(out, keyword, values,
                   [](const std::string& value) -> std::string_view { return value; });
  }
  return out + " )";
}

}  // namespace kauri::schema
