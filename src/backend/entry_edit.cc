#include "backend/entry_edit.h"

#include <algorithm>

#include "backend/entry_edit_working.h"
#include "base/assert.h"

namespace kauri::backend {

using schema::AttributeDescription;

EntryEdit::EntryEdit(Core& core, storage::Txn& txn, EntryId id, const entry::EntryView& view)
    : core_(core), txn_(txn), id_(id), view_(view), rdn_(view.rdn()), parent_(view.parent()) {
  inline_types_.push_back(core.schema->well_known().object_class);
  const std::size_t count = view.attribute_count();
  untaken_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const entry::AttributeSlot slot = view.attribute(i);
    if (!slot.external) {
      untaken_.push_back({slot.number, i});
      continue;
    }
    attributes_.push_back(std::make_unique<Working>());
    Working& working = *attributes_.back();
    working.description = core.dictionary->description(slot.number);
    working.slot = i;
    working.external = true;
    working.number = slot.number;
    working.base_count = slot.value_count;
  }
}

EntryEdit::~EntryEdit() = default;

EntryEdit::Working* EntryEdit::find(const AttributeDescription& description) const {
  for (const std::unique_ptr<Working>& one : attributes_)
    if (one->description == description) return one.get();
  return nullptr;
}

EntryEdit::Working& EntryEdit::take(std::vector<Untaken>::iterator one) {
  attributes_.push_back(std::make_unique<Working>());
  Working& working = *attributes_.back();
  working.description = core_.dictionary->description(one->number);
  working.slot = one->slot;
  for (const std::string_view value : view_.attribute(one->slot).values)
    working.stored.emplace_back(value);
  untaken_.erase(one);
  return working;
}

EntryEdit::Working* EntryEdit::find_or_take(const AttributeDescription& description) {
  if (Working* found = find(description); found != nullptr) return found;
  const std::optional<AttributeNumber> number = core_.dictionary->find(description);
  if (!number) return nullptr;
  const auto one = std::find_if(untaken_.begin(), untaken_.end(),
                                [&](const Untaken& other) { return other.number == *number; });
  return one == untaken_.end() ? nullptr : &take(one);
}

EntryEdit::Working& EntryEdit::find_or_add(const AttributeDescription& description) {
  if (Working* found = find_or_take(description); found != nullptr) return *found;
  attributes_.push_back(std::make_unique<Working>());
  attributes_.back()->description = description;
  attributes_.back()->slot = view_.attribute_count() + attributes_.size();
  return *attributes_.back();
}

void EntryEdit::touch(Working& attribute) {
  if (attribute.touched) return;
  attribute.touched = true;
  for (const std::string& value : attribute.stored) {
    std::string identity = value_identity(*core_.schema, *attribute.description.type, value);
    attribute.by_identity.emplace(identity, attribute.live.size());
    attribute.live.push_back({value, std::move(identity), true});
  }
}

std::uint64_t EntryEdit::count(const AttributeDescription& description) const {
  if (const Working* found = find(description); found != nullptr) return found->count();
  const std::optional<AttributeNumber> number = core_.dictionary->find(description);
  const std::optional<entry::AttributeSlot> slot =
      number ? view_.find(*number) : std::optional<entry::AttributeSlot>();
  return slot ? slot->value_count : 0;
}

Result<bool> EntryEdit::in_base(const Working& attribute, const std::string& identity) {
  if (!attribute.has_base_left() || attribute.removed.contains(identity)) return false;
  return has_large_value(txn_, id_, attribute.number, identity);
}

Result<std::optional<std::string>> EntryEdit::base_value(const Working& attribute,
                                                         const std::string& identity) {
  if (!attribute.has_base_left() || attribute.removed.contains(identity))
    return std::optional<std::string>();
  KAURI_TRY(const std::optional<std::string_view> value,
            txn_.get(storage::Table::kValues, value_key(id_, attribute.number, identity)));
  if (!value) return std::optional<std::string>();
  return std::optional<std::string>(*value);
}

Result<bool> EntryEdit::has_value(const AttributeDescription& description, std::string_view value) {
  Working* attribute = find_or_take(description);
  if (attribute == nullptr) return false;
  touch(*attribute);
  const std::string identity = value_identity(*core_.schema, *description.type, value);
  if (attribute->by_identity.contains(identity)) return true;
  return in_base(*attribute, identity);
}

Result<bool> EntryEdit::add_value(const AttributeDescription& description, std::string value) {
  Working& attribute = find_or_add(description);
  touch(attribute);
  std::string identity = value_identity(*core_.schema, *description.type, value);
  if (attribute.by_identity.contains(identity)) return false;
  KAURI_TRY(const bool stored, in_base(attribute, identity));
  if (stored) return false;
  attribute.by_identity.emplace(identity, attribute.live.size());
  attribute.live.push_back({std::move(value), std::move(identity), true});
  return true;
}

Result<bool> EntryEdit::remove_value(const AttributeDescription& description,
                                     std::string_view value) {
  Working* attribute = find_or_take(description);
  if (attribute == nullptr) return false;
  touch(*attribute);
  std::string identity = value_identity(*core_.schema, *description.type, value);
  if (const auto found = attribute->by_identity.find(identity);
      found != attribute->by_identity.end()) {
    attribute->live[found->second].alive = false;
    attribute->by_identity.erase(found);
    return true;
  }
  KAURI_TRY(std::optional<std::string> stored, base_value(*attribute, identity));
  if (!stored) return false;
  attribute->removed.emplace(std::move(identity), std::move(*stored));
  return true;
}

Result<bool> EntryEdit::remove(const AttributeDescription& description) {
  Working* attribute = find_or_take(description);
  if (attribute == nullptr || attribute->count() == 0) return false;
  clear(*attribute);
  return true;
}

Result<std::vector<std::string>> EntryEdit::values(const AttributeDescription& description) {
  Working* attribute = find_or_take(description);
  if (attribute == nullptr) return std::vector<std::string>();
  if (!attribute->touched && !attribute->external) return attribute->stored;
  std::vector<std::string> out;
  if (attribute->has_base_left()) {
    KAURI_TRY(std::vector<std::string> base,
              read_large_values(txn_, id_, attribute->number, attribute->base_count));
    for (std::string& value : base) {
      if (!attribute->removed.empty() &&
          attribute->removed.contains(value_identity(*core_.schema, *description.type, value)))
        continue;
      out.push_back(std::move(value));
    }
  }
  for (std::string& value : attribute->living()) out.push_back(std::move(value));
  return out;
}

void EntryEdit::clear(Working& attribute) {
  attribute.touched = true;  // and no value of it needs to be known
  attribute.base_cleared = true;
  attribute.removed.clear();
  attribute.live.clear();
  attribute.by_identity.clear();
}

void EntryEdit::set(const schema::AttributeType& type, std::string value) {
  Working& attribute = find_or_add({&type, {}});
  clear(attribute);
  // Nothing will be compared with it, so it needs no normal form.
  attribute.by_identity.emplace(value, 0);
  attribute.live.push_back({value, value, true});
}

entry::Entry EntryEdit::preview() {
  find_or_take({core_.schema->well_known().object_class, {}});
  entry::Entry entry;
  entry.rdn = rdn_;
  entry.parent = parent_;
  entry.attributes.reserve(attributes_.size() + untaken_.size());
  // In the order of the record, so that of several faults the same one is told each time.
  std::vector<const Working*> taken;
  taken.reserve(attributes_.size());
  for (const std::unique_ptr<Working>& one : attributes_)
    if (one->count() != 0) taken.push_back(one.get());
  std::sort(taken.begin(), taken.end(),
            [](const Working* a, const Working* b) { return a->slot < b->slot; });
  auto untaken = untaken_.begin();
  const auto add_untaken_before = [&](std::size_t slot) {
    for (; untaken != untaken_.end() && untaken->slot < slot; ++untaken)
      entry.attributes.push_back({core_.dictionary->description(untaken->number), {}});
  };
  for (const Working* one : taken) {
    add_untaken_before(one->slot);
    entry::Attribute attribute{one->description, {}};
    if (!one->has_base_left()) attribute.values = one->touched ? one->living() : one->stored;
    entry.attributes.push_back(std::move(attribute));
  }
  add_untaken_before(SIZE_MAX);
  return entry;
}

std::size_t EntryEdit::octets() const {
  constexpr std::size_t kOfEach = 8;
  std::size_t octets = 0;
  for (const Untaken& one : untaken_) octets += view_.attribute(one.slot).encoded.size();
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (one->has_base_left()) continue;
    if (!one->touched)
      for (const std::string& value : one->stored) octets += value.size() + kOfEach;
    for (const Working::Live& value : one->live)
      if (value.alive) octets += value.octets.size() + kOfEach;
  }
  return octets;
}

std::vector<entry::Attribute> EntryEdit::values_for_substrings() const {
  std::vector<entry::Attribute> out;
  for (const std::unique_ptr<Working>& one : attributes_) {
    const index::IndexDefinition* definition = core_.catalog.find(*one->description.type);
    if (!one->touched || definition == nullptr || !definition->kinds.substring) continue;
    out.push_back({one->description, values_not_in(one->living(), one->stored)});
  }
  return out;
}

void EntryEdit::keep_inline(const schema::AttributeType& type) {
  inline_types_.push_back(&type);
  for (const std::unique_ptr<Working>& one : attributes_)
    if (one->external && one->description.type == &type) touch(*one);
}

}  // namespace kauri::backend
