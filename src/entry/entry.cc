#include "entry/entry.h"

#include <algorithm>
#include <utility>

namespace kauri::entry {

const Attribute* Entry::find(const schema::AttributeDescription& description) const {
  for (const Attribute& attribute : attributes)
    if (attribute.description == description) return &attribute;
  return nullptr;
}

Attribute* Entry::find(const schema::AttributeDescription& description) {
  return const_cast<Attribute*>(std::as_const(*this).find(description));
}

const Attribute* Entry::find(const schema::AttributeType& type) const {
  for (const Attribute& attribute : attributes)
    if (attribute.description.type == &type && attribute.description.options.empty())
      return &attribute;
  return nullptr;
}

Attribute& Entry::find_or_add(const schema::AttributeDescription& description) {
  if (Attribute* found = find(description); found != nullptr) return *found;
  return attributes.emplace_back(Attribute{description, {}});
}

void Entry::erase(const schema::AttributeDescription& description) {
  std::erase_if(attributes,
                [&](const Attribute& attribute) { return attribute.description == description; });
}

void Entry::set(const schema::AttributeType& type, std::string value) {
  Attribute& attribute = find_or_add({&type, {}});
  attribute.values.clear();
  attribute.values.push_back(std::move(value));
}

}  // namespace kauri::entry
