#include "backend/write_context.h"

#include <algorithm>
#include <utility>

#include "backend/entry_edit.h"
#include "backend/large_values.h"
#include "backend/meta.h"
#include "base/endian.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "index/index_keys.h"
#include "index/posting.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {

using ldap::ResultCode;

namespace {

// Values of the RDN that the request left out are added (RFC 4511 section 4.7).
Refusal add_naming_values(const schema::Schema& schema, const ldap::Rdn& rdn, entry::Entry& entry) {
  for (const ldap::Ava& ava : rdn.avas) {
    const schema::AttributeType* type = schema.attribute_type(ava.type);
    // check_naming says what is wrong with such a type.
    if (type == nullptr || type->operational() || type->equality == nullptr) continue;
    const schema::AttributeDescription description{type, {}};
    if (auto bad = entry::check_value(description, ava.value)) return to_result(std::move(*bad));
    std::string wanted;
    if (!type->equality->normalize(schema, ava.value, wanted)) continue;
    entry::Attribute& attribute = entry.find_or_add(description);
    const bool there = std::any_of(
        attribute.values.begin(), attribute.values.end(), [&](const std::string& value) {
          std::string normal;
          return type->equality->normalize(schema, value, normal) && normal == wanted;
        });
    if (!there) attribute.values.push_back(ava.value);
  }
  return std::nullopt;
}

Refusal check_content(const schema::Schema& schema, const entry::Entry& entry,
                      const ldap::Rdn& rdn) {
  if (auto bad = entry::check_entry(schema, entry)) return to_result(std::move(*bad));
  if (auto bad = entry::check_naming(schema, entry, rdn)) return to_result(std::move(*bad));
  return std::nullopt;
}

// What a request may bring with so many values of attributes that have an index for substrings.
std::size_t grams_max(std::size_t values) {
  const std::size_t most = limits::kNewGramsOfAllMax - limits::kNewGramsMax;
  return limits::kNewGramsMax +
         std::min(most, std::min(values, most) * limits::kNewGramsOfValueMax);
}

Refusal grams_within(std::size_t grams, std::size_t values) {
  if (grams <= grams_max(values)) return std::nullopt;
  limits::count(limits::Counter::kNewGrams);
  return ldap::failure(
      ResultCode::kAdminLimitExceeded,
      "the " + std::to_string(values) + " values would bring " + std::to_string(grams) +
          " different runs of three octets into the indexes for substrings, the limit of one "
          "request is " +
          std::to_string(limits::kNewGramsMax) + " and " +
          std::to_string(limits::kNewGramsOfValueMax) + " more for each value, " +
          std::to_string(limits::kNewGramsOfAllMax) +
          " in all; bring the values in several requests, or take the index away");
}

bool has_substrings(const Core& core, const entry::Attribute& attribute) {
  const index::IndexDefinition* definition = core.catalog.find(*attribute.description.type);
  return definition != nullptr && definition->kinds.substring;
}

// All index keys of a new entry, in any order: those that are known, and those of its other
// attributes.
std::vector<std::string> all_keys(const Core& core, NewEntry& which, const entry::Entry& entry) {
  if (which.keyed == 0) return index::keys_of_entry(entry, core.catalog, *core.schema);
  std::vector<std::string> keys = std::move(which.keys);
  for (std::size_t i = which.keyed; i < entry.attributes.size(); ++i) {
    const entry::Attribute& attribute = entry.attributes[i];
    for (std::string& key :
         index::keys_of_values(attribute.description, attribute.values, core.catalog, *core.schema))
      keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::string entry_key(EntryId id) {
  std::string key;
  append_big_endian(key, id.value());
  return key;
}

Result<entry::EntryView> parse_entry(const Core& core, EntryId id, std::string_view record) {
  const auto where = [id] { return "table entries, id " + std::to_string(id.value()); };
  Result<entry::EntryView> view = entry::EntryView::parse(record);
  if (!view) return view.error().with_context(where());
  // Numbers have no gaps (open_existing), so the highest one speaks for all.
  if (view->highest_number().value() > core.dictionary->size()) [[unlikely]]
    return corruption(where() + ": attribute number " +
                      std::to_string(view->highest_number().value()) + " is not in the dictionary");
  return view;
}

Result<void> set_suffix(Core& core, const std::string& text) {
  Result<ldap::Dn> dn = ldap::parse_dn(text);
  if (!dn) return dn.error().with_context("the suffix \"" + text + "\"");
  if (dn->empty()) return invalid("the suffix is empty: a database holds the entries below a name");
  Result<std::vector<std::string>> rdns = schema::normalize_rdns(*core.schema, *dn);
  if (!rdns) return rdns.error().with_context("the suffix \"" + text + "\"");
  core.suffix = text;
  core.suffix_rdns = std::move(*rdns);
  core.suffix_normal = schema::join_normal(core.suffix_rdns);
  return {};
}

Result<Located> WriteContext::locate(const TargetName& name) {
  Located located;
  const std::vector<std::string>& suffix = core_.suffix_rdns;
  const std::vector<std::string>& rdns = name.normal_rdns;
  if (rdns.size() < suffix.size() || !std::equal(suffix.rbegin(), suffix.rend(), rdns.rbegin())) {
    located.outside = true;
    return located;
  }
  located.missing = rdns.size() - suffix.size() + 1;
  EntryId parent;
  std::string_view rdn = core_.suffix_normal;
  while (located.missing != 0) {
    KAURI_TRY(const std::optional<EntryId> found, index::find_child(txn_, parent, rdn));
    if (!found) break;
    located.path.push_back(*found);
    --located.missing;
    parent = *found;
    if (located.missing != 0) rdn = rdns[located.missing - 1];
  }
  return located;
}

Result<Refusal> WriteContext::place(const TargetName& name, Located& out) {
  KAURI_TRY(out, locate(name));
  if (!out.outside) return Refusal();
  return Refusal(ldap::failure(ResultCode::kNoSuchObject,
                               "the name is outside of the suffix " + core_.suffix));
}

Result<Refusal> WriteContext::find(const TargetName& name, query::Authorizer& who, Located& out) {
  KAURI_TRY(Refusal outside, place(name, out));
  if (outside || out.found()) return outside;
  KAURI_TRY(ldap::OperationResult missing, no_such_object(name, out.path, who));
  return Refusal(std::move(missing));
}

Result<entry::EntryView> WriteContext::view(EntryId id) {
  const std::string where = "table entries, id " + std::to_string(id.value());
  KAURI_TRY(const std::optional<std::string_view> record,
            txn_.get(storage::Table::kEntries, entry_key(id)));
  if (!record) return corruption(where + ": the dn table names this entry, but it does not exist");
  return parse_entry(core_, id, *record);
}

Result<std::string> WriteContext::dn_text(std::span<const EntryId> path) {
  std::string text;
  for (const EntryId id : path) {
    KAURI_TRY(const entry::EntryView entry, view(id));
    text = ldap::join_dn(entry.rdn(), text);
  }
  return text;
}

std::string WriteContext::normal_at(const TargetName& name, std::size_t depth) const {
  const std::size_t count = core_.suffix_rdns.size() + depth;
  KAURI_ASSERT(count <= name.normal_rdns.size());
  return schema::join_normal(
      {name.normal_rdns.end() - static_cast<std::ptrdiff_t>(count), name.normal_rdns.end()});
}

Result<bool> WriteContext::is_alias(const entry::EntryView& view) {
  const schema::WellKnown& known = schema().well_known();
  const std::optional<AttributeNumber> number = core_.dictionary->find({known.object_class, {}});
  if (!number) return false;
  const std::optional<entry::AttributeSlot> slot = view.find(*number);
  if (!slot) return false;
  for (const std::string_view value : slot->values) {
    const schema::ObjectClass* object_class = schema().object_class(value);
    if (object_class != nullptr && object_class->is_subclass_of(*known.alias)) return true;
  }
  return false;
}

Result<ldap::OperationResult> WriteContext::no_such_object(const TargetName& name,
                                                           std::span<const EntryId> path,
                                                           query::Authorizer& who) {
  for (std::size_t count = path.size(); count != 0; --count) {
    const EntryId id = path[count - 1];
    KAURI_TRY(const entry::EntryView entry, view(id));
    TxnTarget target(id, &entry, normal_at(name, count - 1));
    if (!who.may_entry(target, query::Right::kDisclose)) continue;
    KAURI_TRY(std::string matched, dn_text(path.first(count)));
    return ldap::failure(ResultCode::kNoSuchObject, "the entry does not exist", std::move(matched));
  }
  return ldap::failure(ResultCode::kNoSuchObject, "the entry does not exist");
}

Result<ldap::OperationResult> WriteContext::denied(const TargetName& name,
                                                   std::span<const EntryId> path,
                                                   query::Authorizer& who, const std::string& why) {
  if (!path.empty()) {
    KAURI_TRY(const entry::EntryView entry, view(path.back()));
    TxnTarget target(path.back(), &entry, normal_at(name, path.size() - 1));
    if (!who.may_entry(target, query::Right::kDisclose))
      return no_such_object(name, path.first(path.size() - 1), who);
  }
  return ldap::failure(ResultCode::kInsufficientAccessRights, why);
}

Result<bool> WriteContext::may_children(const TargetName& name, std::span<const EntryId> above,
                                        query::Authorizer& who, query::Right right) {
  if (above.empty()) {
    TxnTarget root(EntryId(), nullptr, "");
    return who.may_children(root, right);
  }
  KAURI_TRY(const entry::EntryView entry, view(above.back()));
  TxnTarget target(above.back(), &entry, normal_at(name, above.size() - 1));
  return who.may_children(target, right);
}

EntryId WriteContext::take_id() {
  const EntryId id = state_.next_id;
  state_.next_id = EntryId(id.value() + 1);
  return id;
}

std::string WriteContext::next_csn() {
  previous_csn_ = std::exchange(state_.last_csn, to_string(csns_.next()));
  return state_.last_csn;
}

void WriteContext::observe_csn(const std::string& csn) {
  if (csn <= state_.last_csn) return;
  if (const std::optional<Csn> parsed = parse_csn(csn)) csns_.observe(*parsed);
  state_.last_csn = csn;
}

Stamp WriteContext::stamp(const query::Authorizer& who) {
  const Csn csn = csns_.next();
  Stamp stamp{to_string(csn), generalized_time(csn.micros), who.identity().dn};
  // The name that slapd writes for somebody without one.
  if (stamp.name.empty()) stamp.name = "cn=anonymous";
  previous_csn_ = std::exchange(state_.last_csn, stamp.csn);
  return stamp;
}

Result<void> WriteContext::change_counts(std::span<const EntryId> above, std::int64_t children,
                                         std::int64_t descendants) {
  for (std::size_t i = 0; i < above.size(); ++i) {
    KAURI_TRY(index::SubordinateCounts counts, index::subordinate_counts(txn_, above[i]));
    const bool last = i + 1 == above.size();
    counts.descendants += static_cast<std::uint64_t>(descendants);
    if (last) counts.children += static_cast<std::uint64_t>(children);
    if (static_cast<std::int64_t>(counts.descendants) < 0 ||
        static_cast<std::int64_t>(counts.children) < 0 || counts.children > counts.descendants)
      return corruption("table dn, counts of entry " + std::to_string(above[i].value()) +
                        ": they do not fit the entries below it; run verify");
    if (last && children < 0 && counts.children == 0) state_.cached_names_changed = true;
    KAURI_CHECK(index::put_counts(txn_, above[i], counts));
  }
  return {};
}

Result<void> WriteContext::log(ChangeRecord& record) {
  record.previous_csn = previous_csn_;
  return append_change(txn_, state_.log, record, core_.change_log_records_max);
}

Result<void> stamp_change(WriteContext& context, const query::Authorizer& who, EntryEdit& edit,
                          ChangeRecord& record) {
  const schema::WellKnown& known = context.schema().well_known();
  KAURI_TRY(const std::vector<std::string> uuid, edit.values({known.entry_uuid, {}}));
  if (!uuid.empty()) record.entry_uuid = parse_uuid(uuid.front());
  const Stamp stamp = context.stamp(who);
  record.csn = stamp.csn;
  edit.set(*known.modifiers_name, stamp.name);
  edit.set(*known.modify_timestamp, stamp.time);
  edit.set(*known.entry_csn, stamp.csn);
  return {};
}

bool may_attribute(query::Authorizer& who, query::AccessTarget& target,
                   const entry::Dictionary& dictionary,
                   const schema::AttributeDescription& description, query::Right right) {
  const std::optional<AttributeNumber> number = dictionary.find(description);
  if (number) return who.may(target, *number, *description.type, right);
  return who.may(target, *description.type, right);
}

Refusal check_entry_for(query::Authorizer& who, query::AccessTarget& target,
                        const entry::Dictionary& dictionary, const entry::Entry& after) {
  const schema::Schema& schema = dictionary.schema();
  std::optional<entry::SchemaViolation> bad = entry::check_entry(schema, after);
  if (!bad) return std::nullopt;
  entry::Entry readable = after;
  std::erase_if(readable.attributes, [&](const entry::Attribute& attribute) {
    return !may_attribute(who, target, dictionary, attribute.description, query::Right::kRead);
  });
  const auto told = entry::check_entry(schema, readable);
  if (!told || told->diagnostic != bad->diagnostic)
    bad->diagnostic =
        "the entry would not fit its object classes, for attributes that may not be seen";
  return to_result(std::move(*bad));
}

ldap::OperationResult to_result(entry::SchemaViolation violation) {
  return ldap::failure(violation.code, std::move(violation.diagnostic));
}

std::array<unsigned char, 16> parse_uuid(std::string_view text) {
  std::array<unsigned char, 16> uuid{};
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0 || digits == 32) return {};
    auto& octet = uuid[digits++ / 2];
    octet = static_cast<unsigned char>((octet << 4) | digit);
  }
  return digits == 32 ? uuid : std::array<unsigned char, 16>{};
}

Refusal check_description(const entry::Dictionary& dictionary,
                          const schema::AttributeDescription& description) {
  if (dictionary.size() < kDescriptionsMax || dictionary.find(description)) return std::nullopt;
  limits::count(limits::Counter::kDescriptions);
  return ldap::failure(
      ResultCode::kAdminLimitExceeded,
      "attribute '" + description.to_string() +
          "' would be one more description than the database can have; the limit is " +
          std::to_string(kDescriptionsMax));
}

Refusal check_size(const entry::Entry& entry) {
  std::size_t octets = 0;
  for (const entry::Attribute& attribute : entry.attributes)
    for (const std::string& value : attribute.values) octets += value.size() + 8;
  return check_size(octets);
}

Refusal check_size(std::size_t octets) {
  if (octets <= kEntryOctetsMax) return std::nullopt;
  limits::count(limits::Counter::kEntryOctets);
  return ldap::failure(ResultCode::kAdminLimitExceeded,
                       "the entry would have " + std::to_string(octets) + " octets, the limit is " +
                           std::to_string(kEntryOctetsMax));
}

Refusal check_new_name(std::string_view dn, std::size_t rdns) {
  if (rdns > limits::kDnRdnsMax) {
    limits::count(limits::Counter::kDnRdns);
    return ldap::failure(ResultCode::kInvalidDnSyntax,
                         "the new name would have " + std::to_string(rdns) +
                             " RDNs, the limit is " + std::to_string(limits::kDnRdnsMax));
  }
  if (dn.size() > limits::kDnSizeMax) {
    limits::count(limits::Counter::kDnSize);
    return ldap::failure(ResultCode::kInvalidDnSyntax,
                         "the new name would have " + std::to_string(dn.size()) +
                             " octets, the limit is " + std::to_string(limits::kDnSizeMax));
  }
  return std::nullopt;
}

Refusal check_grams(const Core& core, const entry::Entry& entry,
                    const std::vector<std::string>& keys) {
  std::size_t values = 0;
  for (const entry::Attribute& attribute : entry.attributes)
    if (has_substrings(core, attribute)) values += attribute.values.size();
  const auto grams = std::count_if(keys.begin(), keys.end(), index::is_gram_key);
  return grams_within(static_cast<std::size_t>(grams), values);
}

Refusal check_grams(const Core& core, const std::vector<entry::Attribute>& added) {
  // Without a look at the values: there is a trigram for each octet, and one or two more.
  std::size_t octets = 0;
  std::size_t values = 0;
  for (const entry::Attribute& attribute : added) {
    if (!has_substrings(core, attribute)) continue;
    values += attribute.values.size();
    for (const std::string& value : attribute.values) octets += value.size() + 2;
  }
  if (octets <= limits::kNewGramsMax) return std::nullopt;
  std::size_t grams = 0;
  for (const entry::Attribute& attribute : added)
    grams += index::gram_keys_of_values(attribute.description, attribute.values, core.catalog,
                                        *core.schema)
                 .size();
  return grams_within(grams, values);
}

Refusal complete_entry(const schema::Schema& schema, const ldap::Rdn& rdn, entry::Entry& entry,
                       bool distinct) {
  if (Refusal bad = add_naming_values(schema, rdn, entry)) return bad;
  if (Refusal bad = check_size(entry)) return bad;
  for (const entry::Attribute& attribute : entry.attributes) {
    if (distinct) break;
    if (auto bad = entry::check_duplicates(schema, attribute)) return to_result(std::move(*bad));
  }
  return check_content(schema, entry, rdn);
}

Result<BatchState> read_batch_state(Core& core) {
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, core.env->begin_read());
  KAURI_TRY(const std::optional<Meta> meta, read_meta(*txn));
  if (!meta) return corruption("table meta: it is empty");
  BatchState state;
  state.next_id = meta->next_id;
  state.last_csn = meta->last_csn;
  if (!meta->attributes.empty()) state.persisted_attributes = meta->attributes.back().first.value();
  KAURI_TRY(state.log, read_change_position(*txn));
  return state;
}

Result<void> write_batch_state(Core& core, storage::WriteTxn& txn, BatchState& state) {
  KAURI_CHECK(write_next_id(txn, state.next_id));
  KAURI_CHECK(write_last_csn(txn, state.last_csn));
  KAURI_TRY(state.persisted_attributes,
            write_attributes(txn, *core.dictionary, state.persisted_attributes));
  return {};
}

Result<void> store_new_entry(WriteContext& context, NewEntry which, entry::Entry& entry) {
  Core& core = context.core();
  storage::WriteTxn& txn = context.txn();
  std::vector<std::string> keys = all_keys(core, which, entry);
  std::vector<entry::ExternalAttribute> external;
  std::vector<LargeValue> large;
  for (const entry::Attribute& attribute : entry.attributes) {
    if (attribute.values.size() <= limits::kInlineValuesMax) continue;
    const schema::AttributeType* type = attribute.description.type;
    const bool naming = std::any_of(
        which.rdn->avas.begin(), which.rdn->avas.end(),
        [&](const ldap::Ava& ava) { return core.schema->attribute_type(ava.type) == type; });
    if (naming || type == core.schema->well_known().object_class) continue;
    const AttributeNumber number = core.dictionary->intern(attribute.description);
    external.push_back({number, static_cast<std::uint32_t>(attribute.values.size())});
    for (const std::string& value : attribute.values)
      large.push_back(
          {value_key(which.id, number, value_identity(*core.schema, *type, value)), value});
  }
  KAURI_CHECK(put_large_values(txn, large));
  KAURI_CHECK(txn.append(storage::Table::kEntries, entry_key(which.id),
                         entry::encode_entry(entry, *core.dictionary, external)));
  KAURI_CHECK(index::put_child(txn, entry.parent, which.normal_rdn, which.id));
  for (std::string& key : keys) context.postings().insert(std::move(key), which.id);
  return {};
}

}  // namespace kauri::backend
