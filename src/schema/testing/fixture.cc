#include "schema/testing/fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/assert.h"
#include "ldif/reader.h"
#include "schema/schema_loader.h"

namespace kauri::schema::testing {
namespace {

const std::string kFolder = std::string(KAURI_SOURCE_DIR) + "/tests/fixture/";

std::vector<FixtureEntry> read_entries() {
  const auto source = ldif::open_file(kFolder + "fixture.ldif");
  EXPECT_TRUE(source) << source.error().message();
  KAURI_ASSERT(source.has_value());
  ldif::Reader reader(**source);
  std::vector<FixtureEntry> entries;
  ldif::Record record;
  for (;;) {
    const Result<bool> more = reader.next(record);
    EXPECT_TRUE(more) << more.error().message();
    if (!more.value_or(false)) return entries;
    FixtureEntry& entry = entries.emplace_back();
    entry.dn = record.dn;
    for (const ldif::AttributeValue& one : record.attributes) {
      auto found =
          std::find_if(entry.attributes.begin(), entry.attributes.end(),
                       [&](const auto& attribute) { return attribute.first == one.description; });
      if (found == entry.attributes.end())
        found = entry.attributes.insert(found, {std::string(one.description), {}});
      found->second.emplace_back(one.value);
    }
  }
}

}  // namespace

std::shared_ptr<const Schema> fixture_schema() {
  static const std::shared_ptr<const Schema> kSchema = [] {
    SchemaBuilder builder;
    builder.add_builtin();
    const auto added = builder.add_file(kFolder + "fixture.schema");
    EXPECT_TRUE(added) << added.error().message();
    auto built = builder.build();
    EXPECT_TRUE(built) << built.error().message();
    KAURI_ASSERT(built.has_value());
    return *built;
  }();
  return kSchema;
}

const std::vector<FixtureEntry>& fixture_entries() {
  static const std::vector<FixtureEntry> kEntries = read_entries();
  return kEntries;
}

}  // namespace kauri::schema::testing
