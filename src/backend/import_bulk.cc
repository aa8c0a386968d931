#include "backend/import_bulk.h"

#include <algorithm>
#include <cstring>

#include "backend/large_values.h"
#include "backend/meta.h"
#include "base/digest.h"
#include "base/endian.h"
#include "base/limits.h"
#include "index/dn_index.h"
#include "index/posting.h"
#include "schema/dn_normal.h"
#include "text/visible.h"

namespace kauri::backend {
namespace {

using storage::Table;

// Octets of records in one transaction; keeps LMDB's dirty pages far below its limit.
constexpr std::size_t kTxnOctets = std::size_t{64} << 20U;
// Entries without their parents may take this part of the memory for sorting, besides it.
constexpr std::size_t kOrphanShare = 8;

}  // namespace

std::size_t NameTable::slot_of(const std::array<char, 16>& digest) const {
  std::uint64_t head = 0;
  std::memcpy(&head, digest.data(), sizeof head);
  return head & (slots_.size() - 1);
}

const NameTable::Item* NameTable::find(const std::array<char, 16>& digest) const {
  for (std::size_t at = slot_of(digest); slots_[at].id.value() != 0;
       at = (at + 1) & (slots_.size() - 1))
    if (slots_[at].digest == digest) return &slots_[at];
  return nullptr;
}

void NameTable::add(const Item& item) {
  if ((count_ + 1) * 4 > slots_.size() * 3) {
    std::vector<Item> old(slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (const Item& one : old)
      if (one.id.value() != 0) add(one);
  }
  std::size_t at = slot_of(item.digest);
  while (slots_[at].id.value() != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = item;
  ++count_;
}

BulkLoader::BulkLoader(Core& core, std::string spill_directory, std::size_t memory_bytes_max)
    : core_(core),
      names_(spill_directory, memory_bytes_max / 4),
      keys_(spill_directory, memory_bytes_max / 4 * 3),
      orphans_(core.schema, spill_directory, memory_bytes_max / kOrphanShare) {}

Result<void> BulkLoader::take(ImportBatch& batch) {
  std::vector<EntryId> ids(batch.prepared.size());
  std::vector<std::uint32_t> orphans;
  for (std::size_t i = 0; i < batch.prepared.size(); ++i) {
    PreparedRecord& record = batch.prepared[i];
    // The first name is the suffix even if its entry is refused: what is below must not take its
    // place.
    if (core_.suffix.empty() && !record.name.empty()) {
      KAURI_CHECK(set_suffix(core_, ldap::to_string(record.name)));
      suffix_is_first_name_ = true;
    }
    if (!record.reject.empty()) continue;
    KAURI_TRY(const Placed placed, place(record, &ids[i]));
    if (placed == Placed::kYes) KAURI_CHECK(store(record, ids[i]));
    if (placed == Placed::kParentMissing) orphans.push_back(static_cast<std::uint32_t>(i));
  }
  for (const BatchKeys::Key& key : batch.keys.keys) {
    for (const std::uint32_t record : key.records) {
      if (ids[record].value() == 0) continue;
      KAURI_CHECK(keys_.add(batch.keys.key(key), key.hash, ids[record]));
    }
  }
  return orphans.empty() ? Result<void>() : set_aside(batch, orphans);
}

Result<void> BulkLoader::set_aside(const ImportBatch& batch,
                                   const std::vector<std::uint32_t>& which) {
  // Keys by record, for these records alone.
  std::vector<std::vector<std::string>*> wanted(batch.prepared.size(), nullptr);
  std::vector<std::vector<std::string>> keys(which.size());
  for (std::size_t i = 0; i < which.size(); ++i) wanted[which[i]] = &keys[i];
  for (const BatchKeys::Key& key : batch.keys.keys) {
    for (const std::uint32_t record : key.records)
      if (wanted[record] != nullptr) wanted[record]->emplace_back(batch.keys.key(key));
  }
  for (std::size_t i = 0; i < which.size(); ++i)
    KAURI_CHECK(orphans_.add(batch.prepared[which[i]], keys[i]));
  return {};
}

Result<void> BulkLoader::take_orphans(
    const std::function<Result<void>(const PreparedRecord&)>& reject) {
  return orphans_.drain(
      [&](PreparedRecord& record, const std::vector<std::string>& keys) -> Result<void> {
        EntryId id;
        KAURI_TRY(const Placed placed, place(record, &id));
        if (placed == Placed::kParentMissing) {
          record.reject = "its parent " + parent_name(record) +
                          " was not imported: the files lack it, or it was rejected";
        }
        if (placed != Placed::kYes) return reject(record);
        KAURI_CHECK(store(record, id));
        for (const std::string& key : keys) KAURI_CHECK(keys_.add(key, id));
        return {};
      });
}

bool BulkLoader::is_inside(const PreparedRecord& record) const {
  const std::vector<std::string>& rdns = record.normal_rdns;
  const std::vector<std::string>& suffix = core_.suffix_rdns;
  return rdns.size() >= suffix.size() && std::equal(suffix.rbegin(), suffix.rend(), rdns.rbegin());
}

Result<Placed> BulkLoader::place(PreparedRecord& record, EntryId* id) {
  const std::vector<std::string>& rdns = record.normal_rdns;
  if (!is_inside(record)) {
    const std::vector<std::string>& suffix = core_.suffix_rdns;
    if (suffix_is_first_name_ && rdns.size() < suffix.size() &&
        std::equal(rdns.rbegin(), rdns.rend(), suffix.rbegin())) {
      return invalid(
          text::quoted(record.dn, 200) + " stands above " + text::quoted(core_.suffix, 200) +
          ", the first entry of the files, whose name was taken for the suffix: name the "
          "suffix (--suffix)");
    }
    record.reject = "the name is outside of the suffix " + core_.suffix;
    return Placed::kRejected;
  }
  NameTable::Item item;
  const std::string normal = schema::join_normal(rdns);
  item.digest = digest128(normal);
  if (known_.find(item.digest) != nullptr) {
    record.reject = "another entry with this name was imported";
    return Placed::kRejected;
  }
  if (rdns.size() != core_.suffix_rdns.size()) {
    const std::string_view parent_dn = schema::parent_normal(normal);
    if (!last_parent_ || parent_dn != last_parent_dn_) {
      last_parent_dn_ = parent_dn;
      const NameTable::Item* found = known_.find(digest128(parent_dn));
      last_parent_ = found == nullptr ? std::nullopt : std::optional(*found);
    }
    if (!last_parent_) return Placed::kParentMissing;
    item.parent = last_parent_->id;
    count_below(*last_parent_);
  } else {
    record.entry.rdn = ldap::to_string(record.name);
  }
  item.id = *id = next_id_;
  next_id_ = EntryId(next_id_.value() + 1);
  record.entry.parent = item.parent;
  known_.add(item);
  const std::string_view normal_rdn = item.parent.value() == 0
                                          ? std::string_view(core_.suffix_normal)
                                          : std::string_view(rdns.front());
  KAURI_CHECK(names_.add(index::child_key(item.parent, normal_rdn), item.id));
  return Placed::kYes;
}

void BulkLoader::count_below(const NameTable::Item& parent) {
  parents_.try_emplace(parent.id.value(), Parent{parent.parent, 0, 0});
  ++parents_[parent.id.value()].children;
  for (EntryId at = parent.id; at.value() != 0;) {
    Parent& above = parents_[at.value()];
    ++above.descendants;
    at = above.parent;
  }
}

Result<std::vector<entry::ExternalAttribute>> BulkLoader::store_large(const PreparedRecord& record,
                                                                      EntryId id) {
  std::vector<entry::ExternalAttribute> external;
  std::vector<std::pair<std::string, const std::string*>> records;
  const schema::Schema& schema = *core_.schema;
  for (const entry::Attribute& attribute : record.entry.attributes) {
    if (attribute.values.size() <= limits::kInlineValuesMax) continue;
    const schema::AttributeType* type = attribute.description.type;
    const auto& avas = record.name.rdns.front().avas;
    const bool naming = std::any_of(avas.begin(), avas.end(), [&](const ldap::Ava& ava) {
      return schema.attribute_type(ava.type) == type;
    });
    if (naming || type == schema.well_known().object_class) continue;
    const AttributeNumber number = core_.dictionary->intern(attribute.description);
    external.push_back({number, static_cast<std::uint32_t>(attribute.values.size())});
    for (const std::string& value : attribute.values)
      records.emplace_back(value_key(id, number, value_identity(schema, *type, value)), &value);
  }
  std::sort(records.begin(), records.end());
  for (const auto& [key, value] : records) KAURI_CHECK(put(Table::kValues, key, *value));
  return external;
}

Result<void> BulkLoader::store(PreparedRecord& record, EntryId id) {
  std::vector<entry::ExternalAttribute> external;
  const auto& attributes = record.entry.attributes;
  if (std::any_of(attributes.begin(), attributes.end(), [](const entry::Attribute& one) {
        return one.values.size() > limits::kInlineValuesMax;
      })) {
    KAURI_TRY(external, store_large(record, id));
  }
  KAURI_CHECK(put(Table::kEntries, entry_key(id),
                  entry::encode_entry(record.entry, *core_.dictionary, external)));
  ++entries_;
  if (record.csn > last_csn_) last_csn_ = record.csn;
  return {};
}

Result<void> BulkLoader::put(storage::Table table, std::string_view key, std::string_view value) {
  if (txn_ == nullptr) {
    KAURI_TRY(txn_, core_.env->begin_write());
  }
  KAURI_CHECK(txn_->append(table, key, value));
  txn_octets_ += key.size() + value.size();
  return txn_octets_ < kTxnOctets ? Result<void>() : commit();
}

Result<void> BulkLoader::commit() {
  if (txn_ == nullptr) return {};
  const std::unique_ptr<storage::WriteTxn> txn = std::move(txn_);
  txn_octets_ = 0;
  return txn->commit();
}

Result<void> BulkLoader::build_names() {
  std::uint64_t before = 0;
  KAURI_CHECK(
      names_.finish([&](std::string_view key, const std::vector<EntryId>& ids) -> Result<void> {
        // The counts of a parent stand in front of its children.
        const auto parent = load_big_endian<std::uint64_t>(key);
        if (parent != before) {
          const Parent& counts = parents_[parent];
          KAURI_CHECK(put(Table::kDn, index::counts_key(EntryId(parent)),
                          index::encode_counts({counts.children, counts.descendants})));
          before = parent;
        }
        std::string value;
        append_little_endian(value, ids.front().value());
        return put(Table::kDn, key, value);
      }));
  return commit();
}

Result<void> BulkLoader::build_index() {
  KAURI_CHECK(keys_.finish([this](std::string_view key, const std::vector<EntryId>& ids) {
    return index::build_posting(
        key, ids.data(), ids.size(),
        [](void* context, std::string_view record_key, std::string_view value) {
          return static_cast<BulkLoader*>(context)->put(Table::kIndex, record_key, value);
        },
        this);
  }));
  return commit();
}

Result<void> BulkLoader::write_meta() {
  KAURI_TRY(const std::unique_ptr<storage::WriteTxn> txn, core_.env->begin_write());
  KAURI_CHECK(write_new_meta(*txn, core_.suffix));
  KAURI_CHECK(write_next_id(*txn, next_id_));
  KAURI_CHECK(write_last_csn(*txn, last_csn_));
  KAURI_TRY([[maybe_unused]] const std::uint32_t highest,
            write_attributes(*txn, *core_.dictionary, 0));
  for (const index::IndexDefinition& one : core_.catalog.definitions())
    KAURI_CHECK(write_index(*txn, stored_index(one, IndexState::kUsable)));
  return txn->commit();
}

Result<void> BulkLoader::finish(const std::function<void(const char* phase)>& phase) {
  KAURI_CHECK(commit());
  phase("build names");
  KAURI_CHECK(build_names());
  phase("build index");
  KAURI_CHECK(build_index());
  phase("sync");
  KAURI_CHECK(write_meta());
  return core_.env->sync();
}

}  // namespace kauri::backend
