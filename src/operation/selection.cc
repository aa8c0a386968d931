#include "operation/selection.h"

namespace kauri::operation {

const schema::AttributeType& computed_type(const schema::Schema& schema, Computed computed) {
  const schema::WellKnown& known = schema.well_known();
  switch (computed) {
    case Computed::kEntryDn:
      return *known.entry_dn;
    case Computed::kHasSubordinates:
      return *known.has_subordinates;
    case Computed::kNumSubordinates:
      return *known.num_subordinates;
    case Computed::kSubschemaSubentry:
      break;
  }
  return *known.subschema_subentry;
}

void Selection::compile(const std::vector<std::string_view>& attributes, bool types_only,
                        const entry::Dictionary& dictionary) {
  all_user_ = attributes.empty();
  all_operational_ = false;
  types_only_ = types_only;
  for (bool& computed : computed_) computed = false;
  numbers_.clear();
  const schema::Schema& schema = dictionary.schema();
  bool names = false;
  for (const std::string_view text : attributes) {
    if (text == "*") {
      all_user_ = true;
    } else if (text == "+") {
      all_operational_ = true;
    } else if (text == "1.1" || text.empty()) {
      continue;
    } else if (text[0] == '@') {
      if (const auto* object_class = schema.object_class(text.substr(1))) {
        names = true;
        add_class(*object_class, dictionary);
      }
    } else if (const auto description = schema.attribute_description(text)) {
      names = true;
      add(*description, dictionary);
    }
  }
  plain_user_ = all_user_ && !all_operational_ && !types_only_ && !names;
}

void Selection::add(const schema::AttributeDescription& description,
                    const entry::Dictionary& dictionary) {
  for (const AttributeNumber number : dictionary.numbers_under(description)) {
    if (number.value() >= numbers_.size()) numbers_.resize(number.value() + 1);
    numbers_[number.value()] = true;
  }
  if (!description.options.empty()) return;
  for (std::size_t i = 0; i < kComputedCount; ++i) {
    const auto computed = static_cast<Computed>(i);
    if (computed_type(dictionary.schema(), computed).is_subtype_of(*description.type)) {
      computed_[i] = true;
    }
  }
}

void Selection::add_class(const schema::ObjectClass& object_class,
                          const entry::Dictionary& dictionary) {
  // extensibleObject allows every user attribute (RFC 4512 section 4.3).
  if (&object_class == dictionary.schema().well_known().extensible_object) all_user_ = true;
  // The chain of superiors has no cycle: the schema was resolved with each superior before its
  // subclass.
  std::vector<const schema::ObjectClass*> todo = {&object_class};
  for (std::size_t i = 0; i < todo.size(); ++i) {
    for (const auto* type : todo[i]->must) add({type, {}}, dictionary);
    for (const auto* type : todo[i]->may) add({type, {}}, dictionary);
    for (const auto* superior : todo[i]->superiors) todo.push_back(superior);
  }
}

}  // namespace kauri::operation
