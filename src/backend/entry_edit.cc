#include "backend/entry_edit.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "backend/large_values.h"
#include "base/assert.h"
#include "base/key_sort.h"
#include "base/keyed_hash.h"
#include "base/limits.h"
#include "index/index_keys.h"
#include "index/posting.h"

namespace kauri::backend {
namespace {

using schema::AttributeDescription;

// Values whose keys are made together, at first.
constexpr std::size_t kRemainingAtOnce = 16;

// a without b; both sorted.
std::vector<std::string> difference(const std::vector<std::string>& a,
                                    const std::vector<std::string>& b) {
  std::vector<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

void sort_unique(std::vector<std::string>& keys) {
  sort_keys(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void append_all(std::vector<std::string>& out, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(out));
}

// Values of `a` that are not in `b`, octet for octet, in their order.
std::vector<std::string> values_not_in(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return a;
  const std::unordered_set<std::string_view, KeyedHash> known(b.begin(), b.end());
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
  // Stored outside: identity -> octets.
  std::unordered_map<std::string, std::string, KeyedHash> removed;
  std::vector<Live> live;  // in the record: all values; outside: the added ones
  std::unordered_map<std::string, std::size_t, KeyedHash> by_identity;  // the living

  // What prepare() settled.
  bool changed = false;
  bool to_external = false;
  bool erase_all = false;
  std::vector<std::string> erase;         // keys
  std::vector<LargeValue> put;            // octets of `live`
  std::vector<std::string> final_values;  // for the record
  std::uint64_t final_count = 0;
  // For the change log, which prepare() gives them to: octets that went and came.
  std::vector<std::string> gone;
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
  attribute.number = core_.dictionary->intern(attribute.description);
  put_living(attribute);
}

void EntryEdit::put_living(Working& attribute) {
  for (const Working::Live& value : attribute.live) {
    if (value.alive)
      attribute.put.push_back({value_key(id_, attribute.number, value.identity), value.octets});
  }
}

// All values of an attribute outside the record are replaced. Who replaces many values often leaves
// most of them as they were, so those are neither erased nor written.
Result<void> EntryEdit::prepare_replaced(Working& attribute) {
  KAURI_TRY(std::vector<LargeRecord> old,
            read_large_records(txn_, id_, attribute.number, attribute.base_count));
  put_living(attribute);
  sort_by_key(attribute.put, [](const LargeValue& one) -> std::string_view { return one.key; });
  std::unordered_set<const char*> unchanged;  // where their octets begin
  auto next = attribute.put.begin();
  for (LargeRecord& record : old) {
    while (next != attribute.put.end() && next->key < record.key) ++next;
    const bool stays = next != attribute.put.end() && next->key == record.key;
    if (stays && next->value == record.value)
      unchanged.insert(next->value.data());
    else
      attribute.gone.push_back(record.value);
    if (!stays) attribute.erase.push_back(std::move(record.key));
    attribute.taken_out.push_back(std::move(record.value));
  }
  const auto is_unchanged = [&](std::string_view value) {
    return unchanged.contains(value.data());
  };
  std::erase_if(attribute.put, [&](const LargeValue& one) { return is_unchanged(one.value); });
  for (const Working::Live& value : attribute.live)
    if (value.alive && !is_unchanged(value.octets)) attribute.come.push_back(value.octets);
  return {};
}

Result<void> EntryEdit::prepare_external(Working& attribute) {
  attribute.put_in = attribute.living();
  if (attribute.base_cleared) {
    KAURI_CHECK(prepare_replaced(attribute));
  } else {
    for (const auto& [identity, octets] : attribute.removed) attribute.taken_out.push_back(octets);
    std::sort(attribute.taken_out.begin(), attribute.taken_out.end());
    attribute.gone = values_not_in(attribute.taken_out, attribute.put_in);
    attribute.come = values_not_in(attribute.put_in, attribute.taken_out);
  }
  attribute.final_count = attribute.count();
  const bool small = attribute.final_count <= kReturnInlineMax ||
                     (attribute.base_cleared && attribute.final_count <= limits::kInlineValuesMax);
  if (small || !may_leave_record(attribute)) {
    attribute.erase_all = true;
    attribute.erase.clear();
    attribute.put.clear();
    KAURI_TRY(attribute.final_values, values(attribute.description));
    return {};
  }
  attribute.to_external = true;
  if (attribute.base_cleared) return {};
  for (const auto& [identity, octets] : attribute.removed) {
    if (!attribute.by_identity.contains(identity))
      attribute.erase.push_back(value_key(id_, attribute.number, identity));
  }
  sort_keys(attribute.erase);
  put_living(attribute);
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
    one->changed = !(one->gone.empty() && one->come.empty());
    if (one->changed)
      changes_.push_back(
          {one->description.to_string(), std::move(one->gone), std::move(one->come)});
  }
  KAURI_CHECK(prepare_index());
  prepared_ = true;
  return {};
}

Result<void> EntryEdit::prepare_index() {
  // Keys depend on the type alone, so values under other options of a changed type count too.
  std::vector<const schema::AttributeType*> changed;
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (one->changed && core_.catalog.find(*one->description.type) != nullptr)
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
    std::unordered_set<std::string, KeyedHash> doubtful;
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
    const bool grams_alone = std::all_of(doubtful.begin(), doubtful.end(), index::is_gram_key);
    // Mostly a few values have all of them; a key that none has is looked for in every one.
    std::unordered_set<std::string, KeyedHash> kept;
    std::size_t step = kRemainingAtOnce;
    for (std::span<const std::string> rest = remaining; !rest.empty() && !doubtful.empty();) {
      const std::size_t some = std::min(step, rest.size());
      const auto keys_of = grams_alone ? index::gram_keys_of_values : index::keys_of_values;
      for (const std::string& key :
           keys_of(one->description, rest.first(some), core_.catalog, *core_.schema)) {
        if (doubtful.erase(key) != 0) kept.insert(key);
      }
      rest = rest.subspan(some);
      step *= 2;
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
    if (one->erase_all) {
      KAURI_TRY([[maybe_unused]] const std::uint64_t erased,
                erase_large_values(txn, id_, one->number));
    }
    for (const std::string& key : one->erase) {
      KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(storage::Table::kValues, key));
    }
    KAURI_CHECK(put_large_values(txn, one->put));
    if (one->to_external) {
      external.push_back({one->number, static_cast<std::uint32_t>(one->final_count)});
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
