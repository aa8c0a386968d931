// Schema text of any format: reading never crashes, an error has its place, and what a definition
// says survives being written and read again.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "schema/definition.h"
#include "schema/schema_loader.h"

namespace {

using kauri::schema::Definition;
using kauri::schema::DefinitionError;
using kauri::schema::DefinitionKind;

void check_round_trip(DefinitionKind kind, std::string_view text) {
  Definition first;
  DefinitionError error;
  if (!kauri::schema::parse_definition(kind, text, &first, &error)) {
    KAURI_ASSERT(error.offset <= text.size());
    KAURI_ASSERT(!error.message.empty());
    return;
  }
  const std::string written = kauri::schema::to_string(first);
  Definition second;
  KAURI_ASSERT(kauri::schema::parse_definition(kind, written, &second, &error));
  KAURI_ASSERT(kauri::schema::to_string(second) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  for (int kind = 0; kind <= static_cast<int>(DefinitionKind::kNameForm); ++kind) {
    check_round_trip(static_cast<DefinitionKind>(kind), in);
  }
  // Without the built-ins, so that each run is quick; build() then reports what is missing at the
  // latest.
  kauri::schema::SchemaBuilder builder;
  const auto added = builder.add_text(in, "fuzz");
  KAURI_ASSERT(added.has_value() || added.error().message().starts_with("fuzz:"));
  const auto built = builder.build();
  KAURI_ASSERT(built.has_value() || !built.error().message().empty());
  return 0;
}
