// EntryEdit: what has to be written, and writing it.
#include <algorithm>
#include <span>
#include <unordered_set>

#include "backend/entry_edit_working.h"
#include "base/assert.h"
#include "base/key_sort.h"
#include "base/limits.h"
#include "index/index_keys.h"

namespace kauri::backend {
namespace {

using schema::AttributeDescription;

// Values whose keys are made together, at first.
constexpr std::size_t kRemainingAtOnce = 16;
// So few values are compared with each other.
constexpr std::size_t kFewValues = 8;

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

}  // namespace

std::vector<std::string> values_not_in(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return a;
  std::vector<std::string> out;
  if (a.size() <= kFewValues && b.size() <= kFewValues) {
    for (const std::string& value : a)
      if (std::find(b.begin(), b.end(), value) == b.end()) out.push_back(value);
    return out;
  }
  const std::unordered_set<std::string_view, KeyedHash> known(b.begin(), b.end());
  for (const std::string& value : a)
    if (!known.contains(value)) out.push_back(value);
  return out;
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
  prepare_record();
  prepared_ = true;
  return {};
}

// Attributes keep their places in the record; new ones come last.
void EntryEdit::prepare_record() {
  struct Placed {
    std::size_t slot;
    entry::RecordPart part;
  };
  std::vector<Placed> placed;
  placed.reserve(attributes_.size() + untaken_.size());
  std::vector<entry::ExternalAttribute> external;
  for (const Untaken& one : untaken_)
    placed.push_back({one.slot, {one.number, view_.attribute(one.slot), {}}});
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (!one->touched && one->external) {
      external.push_back({one->number, static_cast<std::uint32_t>(one->base_count)});
    } else if (one->to_external) {
      external.push_back({one->number, static_cast<std::uint32_t>(one->final_count)});
    } else {
      const std::vector<std::string>& values = one->touched ? one->final_values : one->stored;
      if (!values.empty())
        placed.push_back({one->slot, {core_.dictionary->intern(one->description), {}, values}});
    }
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.slot < b.slot; });
  std::vector<entry::RecordPart> parts;
  parts.reserve(placed.size());
  for (Placed& one : placed) parts.push_back(one.part);
  record_ = entry::encode_record(rdn_, parent_, parts, external, *core_.dictionary);
}

// All attributes of these types, whatever their options.
void EntryEdit::take_types(const std::vector<const schema::AttributeType*>& types) {
  for (std::size_t i = 0; i < untaken_.size();) {
    const schema::AttributeType* type = core_.dictionary->description(untaken_[i].number).type;
    if (std::find(types.begin(), types.end(), type) == types.end())
      ++i;
    else
      take(untaken_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Result<void> EntryEdit::prepare_index() {
  // Keys depend on the type alone, so values under other options of a changed type count too.
  std::vector<const schema::AttributeType*> changed;
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (one->changed && core_.catalog.find(*one->description.type) != nullptr)
      changed.push_back(one->description.type);
  }
  if (changed.empty()) return {};
  take_types(changed);
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

Result<void> EntryEdit::apply(storage::WriteTxn& txn, index::PostingChanges& postings) {
  KAURI_ASSERT(prepared_);
  for (const std::unique_ptr<Working>& one : attributes_) {
    if (!one->touched) continue;
    if (one->erase_all) {
      KAURI_TRY([[maybe_unused]] const std::uint64_t erased,
                erase_large_values(txn, id_, one->number));
    }
    for (const std::string& key : one->erase) {
      KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(storage::Table::kValues, key));
    }
    KAURI_CHECK(put_large_values(txn, one->put));
  }
  KAURI_CHECK(txn.put(storage::Table::kEntries, entry_key(id_), record_));
  for (std::string& key : erased_keys_) postings.erase(std::move(key), id_);
  for (std::string& key : inserted_keys_) postings.insert(std::move(key), id_);
  return {};
}

}  // namespace kauri::backend
