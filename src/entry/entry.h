// Entry: an entry in memory while it is being made or changed. Reading stored ones:
// entry/entry_view.h. Thread safety: thread-compatible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"
#include "schema/schema.h"

namespace kauri::entry {

struct Attribute {
  schema::AttributeDescription description;
  std::vector<std::string> values;  // order of arrival; none = the values are outside (external)
};

struct Entry {
  std::string rdn;  // RFC 4514 text of the entry's own RDN; for the suffix entry its whole DN
  EntryId parent;   // 0 for the suffix entry
  std::vector<Attribute> attributes;  // one for each description; user and operational, any order

  Attribute* find(const schema::AttributeDescription& description);
  const Attribute* find(const schema::AttributeDescription& description) const;
  // Exactly the type without options.
  const Attribute* find(const schema::AttributeType& type) const;
  Attribute& find_or_add(const schema::AttributeDescription& description);
  void erase(const schema::AttributeDescription& description);
  // Replaces (or adds) the type without options by one value.
  void set(const schema::AttributeType& type, std::string value);
};

}  // namespace kauri::entry
