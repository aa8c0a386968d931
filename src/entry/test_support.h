// For the tests of entry/. Thread safety: thread-compatible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "entry/entry.h"
#include "schema/schema_loader.h"

namespace kauri::entry {

inline schema::AttributeDescription describe(std::string_view text) {
  const auto description = schema::builtin_schema()->attribute_description(text);
  KAURI_ASSERT(description.has_value());
  return *description;
}

struct NamedValues {
  std::string_view description;
  std::vector<std::string> values;
};

inline Entry make_entry(std::string rdn, const std::vector<NamedValues>& attributes) {
  Entry entry;
  entry.rdn = std::move(rdn);
  entry.parent = EntryId(1);
  for (const NamedValues& one : attributes)
    entry.attributes.push_back({describe(one.description), one.values});
  return entry;
}

}  // namespace kauri::entry
