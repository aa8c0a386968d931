#include "backend/entry_edit.h"

#include <algorithm>
#include <unordered_set>

#include "backend/large_values.h"
#include "base/assert.h"
#include "base/limits.h"
#include "index/index_keys.h"
#include "index/posting.h"

namespace kauri::backend {
namespace {

using schema::AttributeDescription;

// a without b; both sorted.
std::vector<std::string> difference(const std::vector<std::string>& a,
                                    const std::vector<std::string>& b) {
  std::vector<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

void sort_unique(std::vector<std::string>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void append_all(std::vector<std::string>& out, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(out));
}

// Values of `a` that are not in `b`, octet for octet, in their order.
std::vector<std::string> values_not_in(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b) {
  const std::unordered_set<std::string_view> known(b.begin(), b.end());
  std::vector<std::string> out;
  for (const std::string& value : a)
    if (!known.contains(value)) out.push_back(value);
  return out;
}

}  // namespace

struct EntryEdit::Working {
  struct Live {
    std::string octets;
    std::string identity;
    bool alive = true;
  };

  AttributeDescription description;
  // Outside the record, as stored: where, and how many.
  bool external = false;
  AttributeNumber number;
  std::uint64_t base_count = 0;
  // In the record, as stored.
  std::vector<std::string> stored;

  bool touched = false;
  bool base_cleared = false;
  std::unordered_map<std::string, std::string> removed;  // stored outside: identity -> octets
  std::vector<Live> live;  // in the record: all values; outside: the added ones
  std::unordered_map<std::string, std::size_t> by_identity;  // the living

  // What prepare() settled.
  bool to_external = false;
  bool erase_all = false;
  std::vector<std::string> erase;                        // identities
  std::vector<std::pair<std::string, std::string>> put;  // identity, octets
  std::vector<std::string> final_values;                 // for the record
  std::uint64_t final_count = 0;
  std::vector<std::string> gone;  // for the change log: octets that went and came
  std::vector<std::string> come;
  // For the index, of an attribute stored outside: values that were taken out and put in, also
  // those that are the same.
  std::vector<std::string> taken_out;
  std::vector<std::string> put_in;

  std::uint64_t count() const {
    if (!touched) return external ? base_count : stored.size();
    const std::uint64_t base = external && !base_cleared ? base_count - removed.size() : 0;
    return base + by_identity.size();
  }
  bool has_base_left() const { return external && !base_cleared && base_count > removed.size(); }
  std::vector<std::string> living() const {
    std::vector<std::string> out;
    for (const Live& value : live)
      if (value.alive) out.push_back(value.octets);
    return out;
  }
};

EntryEdit::EntryEdit(Core& core, storage::Txn& txn, EntryId id, const entry::EntryView& view)
    : core_(core), txn_(txn), id_(id) {
  std::vector<entry::ExternalAttribute> external;
  entry::Entry entry = entry::decode_entry(view, *core.dictionary, &external);
  rdn_ = std::move(entry.rdn);
  parent_ = entry.parent;
  inline_types_.push_back(core.schema->well_known().object_class);
  for (entry::Attribute& attribute : entry.attributes) {
    auto working = std::make_unique<Working>();
    working->description = std::move(attribute.description);
    working->stored = std::move(attribute.values);
    attributes_.push_back(std::move(working));
  }
  for (const entry::ExternalAttribute& one : external) {
    Working& working = find_or_add(core.dictionary->description(one.number));
    working.external = true;
    working.number = one.number;
    working.base_count = one.value_count;
  }
}

EntryEdit::~EntryEdit() = default;

EntryEdit::Working* EntryEdit::find(const AttributeDescription& description) const {
  for (const std::unique_ptr<Working>& one : attributes_)
    if (one->description == description) return one.get();
  return nullptr;
}

EntryEdit::Working& EntryEdit::find_or_add(const AttributeDescription& description) {
  if (Working* found = find(description); found != nullptr) return *found;
  attributes_.push_back(std::make_unique<Working>());
  attributes_.back()->description = description;
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

bool EntryEdit::has(const AttributeDescription& description) const {
  return count(description) != 0;
}

std::uint64_t EntryEdit::count(const AttributeDescription& description) const {
  const Working* found = find(description);
  return found == nullptr ? 0 : found->count();
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
  Working* attribute = find(description);
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
  Working* attribute = find(description);
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
  Working* attribute = find(description);
  if (attribute == nullptr || attribute->count() == 0) return false;
  touch(*attribute);
  attribute->base_cleared = true;
  attribute->removed.clear();
  attribute->live.clear();
  attribute->by_identity.clear();
  return true;
}

Result<std::vector<std::string>> EntryEdit::values(const AttributeDescription& description) {
  Working* attribute = find(description);
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
  append_all(out, attribute->living());
  return out;
}

Result<void> EntryEdit::set(const schema::AttributeType& type, std::string value) {
  const AttributeDescription description{&type, {}};
  KAURI_TRY([[maybe_unused]] const bool removed, remove(description));
  KAURI_TRY([[maybe_unused]] const bool added, add_value(description, std::move(value)));
  return {};
}

entry::Entry EntryEdit::preview() const {
  entry::Entry entry;
  entry.rdn = rdn_;
  entry.parent = parent_;
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (one->count() == 0) continue;
    entry::Attribute attribute{one->description, {}};
    if (!one->has_base_left()) attribute.values = one->touched ? one->living() : one->stored;
    entry.attributes.push_back(std::move(attribute));
  }
  return entry;
}

void EntryEdit::keep_inline(const schema::AttributeType& type) {
  inline_types_.push_back(&type);
  for (const std::unique_ptr<Working>& one : attributes_)
    if (one->external && one->description.type == &type) touch(*one);
}

bool EntryEdit::may_leave_record(const Working& attribute) const {
  return std::find(inline_types_.begin(), inline_types_.end(), attribute.description.type) ==
         inline_types_.end();
}

void EntryEdit::prepare_inline(Working& attribute) {
  attribute.final_values = attribute.living();
  attribute.final_count = attribute.final_values.size();
  attribute.gone = values_not_in(attribute.stored, attribute.final_values);
  attribute.come = values_not_in(attribute.final_values, attribute.stored);
  if (attribute.final_count <= limits::kInlineValuesMax || !may_leave_record(attribute)) return;
  attribute.to_external = true;
  for (Working::Live& value : attribute.live)
    if (value.alive) attribute.put.emplace_back(value.identity, value.octets);
}

Result<void> EntryEdit::prepare_external(Working& attribute) {
  const std::vector<std::string> added = attribute.living();
  std::vector<std::string> went;
  if (attribute.base_cleared) {
    KAURI_TRY(went, read_large_values(txn_, id_, attribute.number, attribute.base_count));
  } else {
    for (const auto& [identity, octets] : attribute.removed) went.push_back(octets);
    std::sort(went.begin(), went.end());
  }
  attribute.gone = values_not_in(went, added);
  attribute.come = values_not_in(added, went);
  attribute.taken_out = std::move(went);
  attribute.put_in = added;
  attribute.final_count = attribute.count();
  const bool small = attribute.final_count <= kReturnInlineMax ||
                     (attribute.base_cleared && attribute.final_count <= limits::kInlineValuesMax);
  if (small || !may_leave_record(attribute)) {
    attribute.erase_all = true;
    KAURI_TRY(attribute.final_values, values(attribute.description));
    return {};
  }
  attribute.to_external = true;
  attribute.erase_all = attribute.base_cleared;
  for (const auto& [identity, octets] : attribute.removed)
    if (!attribute.by_identity.contains(identity)) attribute.erase.push_back(identity);
  for (const Working::Live& value : attribute.live)
    if (value.alive) attribute.put.emplace_back(value.identity, value.octets);
  return {};
}

Result<void> EntryEdit::prepare() {
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (!one->touched) continue;
    if (one->external) {
      KAURI_CHECK(prepare_external(*one));
    } else {
      prepare_inline(*one);
    }
    if (one->gone.empty() && one->come.empty()) continue;
    changes_.push_back({one->description.to_string(), one->gone, one->come});
  }
  KAURI_CHECK(prepare_index());
  prepared_ = true;
  return {};
}

Result<void> EntryEdit::prepare_index() {
  // Keys depend on the type alone, so values under other options of a changed type count too.
  std::vector<const schema::AttributeType*> changed;
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (one->touched && !(one->gone.empty() && one->come.empty()) &&
        core_.catalog.find(*one->description.type) != nullptr)
      changed.push_back(one->description.type);
  }
  if (changed.empty()) return {};
  entry::Entry before;
  entry::Entry after;
  std::vector<std::string> old_keys;
  std::vector<std::string> new_keys;
  for (const std::unique_ptr<Working>& one : attributes_) {
    const AttributeDescription& description = one->description;
    if (std::find(changed.begin(), changed.end(), description.type) == changed.end()) continue;
    if (!one->external) {
      before.attributes.push_back({description, one->stored});
      after.attributes.push_back({description, one->touched ? one->living() : one->stored});
      continue;
    }
    append_all(old_keys,
               index::keys_of_values(description, one->taken_out, core_.catalog, *core_.schema));
    append_all(new_keys,
               index::keys_of_values(description, one->put_in, core_.catalog, *core_.schema));
    // Something stays: the keys that all values of the attribute share stay.
    if (one->has_base_left() && core_.catalog.find(*description.type)->kinds.presence) {
      const std::string key = index::presence_key(core_.catalog.find(*description.type)->number);
      old_keys.push_back(key);
      new_keys.push_back(key);
    }
  }
  const auto has_values = [](const entry::Attribute& a) { return !a.values.empty(); };
  std::erase_if(before.attributes, [&](const entry::Attribute& a) { return !has_values(a); });
  std::erase_if(after.attributes, [&](const entry::Attribute& a) { return !has_values(a); });
  append_all(old_keys, index::keys_of_entry(before, core_.catalog, *core_.schema));
  append_all(new_keys, index::keys_of_entry(after, core_.catalog, *core_.schema));
  sort_unique(old_keys);
  sort_unique(new_keys);
  erased_keys_ = difference(old_keys, new_keys);
  inserted_keys_ = difference(new_keys, old_keys);
  return spare_remaining_keys(erased_keys_);
}

// A key of a value that went may belong to a value outside the record that stays: trigrams, mostly.
// Equality keys of the attribute's own values cannot.
Result<void> EntryEdit::spare_remaining_keys(std::vector<std::string>& erased) {
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (!one->has_base_left() || erased.empty()) continue;
    const schema::AttributeType& type = *one->description.type;
    const index::IndexDefinition* definition = core_.catalog.find(type);
    if (definition == nullptr) continue;
    const std::string own =
        index::presence_key(definition->number).substr(0, sizeof(std::uint32_t));
    std::unordered_set<std::string> doubtful;
    for (const std::string& key : erased)
      if (key.starts_with(own)) doubtful.insert(key);
    if (definition->kinds.equality && type.equality != nullptr) {
      for (const std::string& value : one->taken_out) {
        std::string normal;
        if (type.equality->normalize(*core_.schema, value, normal))
          doubtful.erase(index::equality_key(definition->number, normal));
      }
    }
    if (doubtful.empty()) continue;
    KAURI_TRY(const std::vector<std::string> remaining, values(one->description));
    std::unordered_set<std::string> kept;
    for (const std::string& value : remaining) {
      for (const std::string& key :
           index::keys_of_values(one->description, {value}, core_.catalog, *core_.schema)) {
        if (doubtful.erase(key) != 0) kept.insert(key);
      }
      if (doubtful.empty()) break;
    }
    std::erase_if(erased, [&](const std::string& key) { return kept.contains(key); });
  }
  return {};
}

Result<void> EntryEdit::apply(storage::WriteTxn& txn) {
  KAURI_ASSERT(prepared_);
  entry::Entry entry;
  entry.rdn = rdn_;
  entry.parent = parent_;
  std::vector<entry::ExternalAttribute> external;
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (!one->touched) {
      if (one->external) {
        external.push_back({one->number, static_cast<std::uint32_t>(one->base_count)});
      } else if (!one->stored.empty()) {
        entry.attributes.push_back({one->description, std::move(one->stored)});
      }
      continue;
    }
    const bool stores = one->to_external || one->external;
    const AttributeNumber number =
        stores ? core_.dictionary->intern(one->description) : AttributeNumber();
    if (one->erase_all) {
      KAURI_TRY([[maybe_unused]] const std::uint64_t erased, erase_large_values(txn, id_, number));
    }
    for (const std::string& identity : one->erase) {
      KAURI_TRY([[maybe_unused]] const bool erased,
                txn.erase(storage::Table::kValues, value_key(id_, number, identity)));
    }
    for (const auto& [identity, octets] : one->put)
      KAURI_CHECK(put_large_value(txn, id_, number, identity, octets));
    if (one->to_external) {
      external.push_back({number, static_cast<std::uint32_t>(one->final_count)});
    } else if (!one->final_values.empty()) {
      entry.attributes.push_back({one->description, std::move(one->final_values)});
    }
  }
  KAURI_CHECK(txn.put(storage::Table::kEntries, entry_key(id_),
                      entry::encode_entry(entry, *core_.dictionary, external)));
  for (const std::string& key : erased_keys_) {
    KAURI_TRY([[maybe_unused]] const bool changed, index::erase_posting(txn, key, id_));
  }
  for (const std::string& key : inserted_keys_) {
    KAURI_TRY([[maybe_unused]] const bool changed, index::insert_posting(txn, key, id_));
  }
  return {};
}

}  // namespace kauri::backend
