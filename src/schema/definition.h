// Schema definitions as text (RFC 4512 section 4.1): parsing of all kinds, and writing.
//
// Tolerated beyond the grammar, because files in use have it: fields in any order, missing spaces
// between tokens, keywords in any case, OIDs and names in quotes where the grammar has none, an
// empty DESC, '_' in names, and names instead of numbers as OID. Thread safety: immutable
// functions; a Definition is thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"

namespace kauri::schema {

// Octets of one definition; kInvalid past it.
inline constexpr std::size_t kDefinitionSizeMax = 1U << 20U;
// Octets of one name or OID; kInvalid past it.
inline constexpr std::size_t kNameSizeMax = 256;

// Names of one definition, and fields (keywords) of one; kInvalid past them.
inline constexpr std::size_t kDefinitionNamesMax = 256;
inline constexpr std::size_t kDefinitionFieldsMax = 64;

enum class DefinitionKind : std::uint8_t {
  kAttributeType,
  kObjectClass,
  kSyntax,
  kMatchingRule,
  kMatchingRuleUse,
  kContentRule,
  kStructureRule,
  kNameForm,
};

// A word and the offset of its first octet in the text it was parsed from.
struct Word {
  std::string text;
  std::size_t offset = 0;
};

struct Definition {
  DefinitionKind kind = DefinitionKind::kAttributeType;
  Word oid;  // for structure rules the rule's number
  std::vector<Word> names;
  std::string description;
  bool has_description = false;
  bool obsolete = false;
  std::vector<Word> superiors;  // SUP
  std::vector<Word> must;
  std::vector<Word> may;
  std::vector<Word> auxiliary;  // AUX
  std::vector<Word> precluded;  // NOT
  std::vector<Word> applies;    // APPLIES
  Word equality;                // empty text: absent; so for all below
  Word ordering;
  Word substrings;
  Word syntax;        // without the bound
  Word form;          // FORM
  Word object_class;  // OC
  std::uint32_t length_max = 0;
  bool single_value = false;
  bool collective = false;
  bool no_user_modification = false;
  Usage usage = Usage::kUserApplications;
  ObjectClassKind class_kind = ObjectClassKind::kStructural;
  Extensions extensions;
};

struct DefinitionError {
  std::size_t offset = 0;  // in the text given
  std::string message;
};

// OpenLDAP's names for OIDs: lower-case name -> dotted OID.
using OidMacros = std::unordered_map<std::string, std::string>;
// Replaces `name` or `name:1.2` by the OID it stands for; text that starts with no known name stays
// as it is. RETURNS: false when the name before a ':' is unknown or what follows is no OID.
bool expand_macro(const OidMacros& macros, std::string* text);

// Parses one whole definition; only white space may follow it. With `macros`, the definition's own
// OID and its SYNTAX are expanded. RETURNS: false with *error filled.
bool parse_definition(DefinitionKind kind, std::string_view text, Definition* out,
                      DefinitionError* error, const OidMacros* macros = nullptr);
// RFC 4512 text that parse_definition reads back as the same.
std::string to_string(const Definition& definition);
// The subschema attribute that holds definitions of this kind: "attributeTypes", ...
std::string_view attribute_of(DefinitionKind kind);
// The kind that a subschema attribute holds; false when `attribute` (any case) is none.
bool kind_of(std::string_view attribute, DefinitionKind* kind);
// "attribute type", "object class", ...: for messages.
std::string_view noun_of(DefinitionKind kind);

}  // namespace kauri::schema
