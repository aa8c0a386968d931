// Builds a Schema from the built-in definitions and from files.
//
// Formats told apart by content: OpenLDAP's .schema (objectidentifier, attributetype, objectclass
// directives, OID macros, # comments, continuation lines), OpenLDAP's cn=config LDIF
// (olcAttributeTypes, olcObjectClasses, olcObjectIdentifier), 389 DS's LDIF (dn: cn=schema,
// attributeTypes, objectClasses). Thread safety: thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"

namespace kauri::schema {

enum class NisVariant : std::uint8_t { kRfc2307, kRfc2307bis };

class SchemaBuilder {
 public:
  SchemaBuilder();
  ~SchemaBuilder();
  SchemaBuilder(SchemaBuilder&&) noexcept;
  SchemaBuilder& operator=(SchemaBuilder&&) noexcept;

  // Built in: RFC 4512 + 4519 core, RFC 4524 cosine, RFC 2798 inetOrgPerson, NIS, and the server's
  // operational types.
  void add_builtin(NisVariant nis = NisVariant::kRfc2307);
  // Reads one file. A definition may repeat one already there (same meaning, same OID), or replace
  // a built-in of the same OID, except that operational types and the classes the server itself
  // relies on stay as built in. A name that means another OID is refused, unless it is a built-in's
  // from a draft or from RFC 2307: then the file's meaning holds. warnings() tells when a built-in
  // stays or its name moves. Definitions may refer to ones that follow in the same file. RETURNS:
  // kInvalid with "file:line:column: reason"; nothing of the file is kept then.
  Result<void> add_file(const std::string& path);
  // The same for text; `origin` stands for the file name in errors.
  Result<void> add_text(std::string_view text, std::string_view origin);
  // One definition as a value of the subschema attribute `attribute` ("attributeTypes",
  // "objectClasses", ...): the online way. RETURNS: kInvalid with "origin:line:column: reason".
  Result<void> add_definition(std::string_view attribute, std::string_view text,
                              std::string_view origin);
  // Resolves all references. RETURNS: kInvalid naming the definition and what it lacks.
  Result<std::shared_ptr<const Schema>> build();
  // What was accepted although it is not as the standards have it, or not as written: an unknown
  // syntax or matching rule and what stands in for it, a built-in that was kept, ... Each with its
  // place, in the order of the files; complete after build().
  const std::vector<std::string>& warnings() const;

  struct State;  // schema/schema_state.h; nothing outside this folder looks into it

 private:
  std::unique_ptr<State> state_;
};

// The built-in schema alone; built once.
std::shared_ptr<const Schema> builtin_schema();

}  // namespace kauri::schema
