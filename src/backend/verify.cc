// verify(): every table compared with what the entries say (offline.h).
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <unordered_map>

#include "backend/core.h"
#include "backend/csn.h"
#include "backend/index_build.h"
#include "backend/large_values.h"
#include "backend/meta.h"
#include "backend/offline.h"
#include "backend/posting_accumulator.h"
#include "backend/verify_changes.h"
#include "base/endian.h"
#include "index/dn_index.h"
#include "index/index_keys.h"
#include "index/posting.h"
#include "schema/dn_normal.h"
#include "text/hex.h"

namespace kauri::backend {
namespace {

using storage::Table;

constexpr std::size_t kFaultsShown = 1000;
constexpr std::size_t kDepthMax = 100'000;

std::string number_text(EntryId id) {
  return std::to_string(id.value());
}

class Verifier {
 public:
  Verifier(Core& core, storage::Txn& txn,
           const std::function<void(const ImportProgress&)>& progress,
           const storage::PageReport& pages)
      : core_(core),
        txn_(txn),
        progress_(progress),
        pages_(pages),
        broken_(pages.broken),
        keys_(core.env->path(), kIndexBuildBytesMax) {}

  Result<VerifyReport> run() {
    KAURI_TRY(const std::optional<Meta> meta, read_meta(txn_));
    if (!meta) return corruption("table meta: it is empty");
    meta_ = *meta;
    report_.faults = pages_.faults;
    report_.fault_count = pages_.fault_count;
    KAURI_CHECK(check_sums());
    // All other tables are compared with the entries; keys of values that are lost are missing.
    const bool entries = readable({Table::kEntries});
    if (entries) KAURI_CHECK(part("entries", check_entries()));
    if (entries) check_tree();
    if (readable({Table::kEntries, Table::kDn})) KAURI_CHECK(part("dn", check_dn_table()));
    if (readable({Table::kEntries, Table::kValues}))
      KAURI_CHECK(part("values", check_values_table()));
    if (readable({Table::kEntries, Table::kValues, Table::kIndex}))
      KAURI_CHECK(part("index", check_index()));
    if (readable({Table::kChanges})) KAURI_CHECK(part("changes", check_changes()));
    name_unread();
    return std::move(report_);
  }

 private:
  struct Node {
    std::uint64_t parent = 0;
    std::uint64_t children = 0;
    std::uint64_t descendants = 0;
  };

  // Damage that stops the reading of a table is a fault; what is behind it stays unchecked.
  Result<void> part(const std::string& table, const Result<void>& done) {
    if (done || done.error().code() != ErrorCode::kCorruption) return done;
    fault("table " + table + ": its check stopped: " + done.error().message());
    return {};
  }
  // Whether the pages and records of all these are whole. What is not compared for their sake is
  // named once.
  bool readable(std::initializer_list<Table> tables) {
    storage::TableSet needed;
    for (const Table table : tables) needed |= storage::table_set(table);
    if ((needed & broken_).none()) return true;
    unread_.push_back(*std::prev(tables.end()));
    return false;
  }
  bool is_broken(Table table) const { return (broken_ & storage::table_set(table)).any(); }
  void name_unread() {
    if (unread_.empty()) return;
    std::string text = "not compared, because of damage:";
    for (const Table table : unread_) text += " table " + std::string(storage::table_name(table));
    report_.faults.push_back(std::move(text));
  }
  void fault(std::string text) {
    ++report_.fault_count;
    if (report_.faults.size() < kFaultsShown) report_.faults.push_back(std::move(text));
  }
  void advance(const char* phase, std::uint64_t done) {
    if (!progress_ || done % 4096 != 0) return;
    ImportProgress state;
    state.entries = report_.entries;
    state.phase = phase;
    progress_(state);
  }

  Result<void> check_sums();
  Result<void> check_sums(Table table);
  Result<void> check_entries();
  Result<void> check_entry(EntryId id, std::string_view record);
  Result<void> check_name(EntryId id, const entry::EntryView& view);
  Result<void> check_attributes(EntryId id, const entry::EntryView& view);
  Result<void> check_external(EntryId id, const entry::AttributeSlot& slot,
                              std::vector<std::string>& values);
  void check_tree();
  Result<void> check_dn_table();
  Result<void> check_values_table();
  Result<void> check_index();
  Result<void> check_changes();
  void compare_list(std::string_view key, const std::vector<EntryId>& ids,
                    const index::IdSet& stored);
  bool is_checked(std::string_view index_key) const;

  Core& core_;
  storage::Txn& txn_;
  const std::function<void(const ImportProgress&)>& progress_;
  const storage::PageReport& pages_;
  storage::TableSet broken_;  // pages or records
  std::vector<Table> unread_;
  PostingAccumulator keys_;
  Meta meta_;
  VerifyReport report_;
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::uint64_t external_values_ = 0;
  bool all_read_ = false;  // the entries; lists of the index can be compared with them
};

// The checksums that storage/ has for each record, of tables whose pages are whole: what has a
// fault there cannot be compared.
Result<void> Verifier::check_sums() {
  for (const Table table : {Table::kMeta, Table::kDn, Table::kValues, Table::kIndex})
    if (!is_broken(table)) KAURI_CHECK(check_sums(table));
  return {};
}

Result<void> Verifier::check_sums(Table table) {
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn_.cursor(table));
  std::uint64_t records = 0;
  Result<bool> found = cursor->first();
  for (; !found || *found; found = cursor->next()) {
    advance("checksums", ++records);
    if (found) continue;
    if (found.error().code() != ErrorCode::kCorruption) return found.error();
    fault(found.error().message());
    broken_ |= storage::table_set(table);
    if (!cursor->at_record()) break;  // nothing behind it can be reached
  }
  return {};
}

Result<void> Verifier::check_entries() {
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn_.cursor(Table::kEntries));
  Result<bool> found = cursor->first();
  for (; !found || *found; found = cursor->next()) {
    advance("entries", report_.entries);
    if (!found) {
      if (found.error().code() != ErrorCode::kCorruption || !cursor->at_record())
        return found.error();
      // Whose entry it is cannot be told.
      fault(found.error().message());
      ++report_.entries;
    } else if (cursor->key().size() != sizeof(std::uint64_t)) {
      fault("table entries: the key " + text::encode_hex(cursor->key()) + " has not 8 octets");
    } else {
      const EntryId id(load_big_endian<std::uint64_t>(cursor->key()));
      KAURI_CHECK(check_entry(id, cursor->value()));
    }
  }
  all_read_ = true;
  return {};
}

Result<void> Verifier::check_entry(EntryId id, std::string_view record) {
  ++report_.entries;
  if (id.value() == 0 || id >= meta_.next_id)
    fault("table entries, id " + number_text(id) + ": the next id to give out is " +
          number_text(meta_.next_id));
  const Result<entry::EntryView> view = entry::EntryView::parse(record);
  if (!view) {
    fault("table entries, id " + number_text(id) + ": " + view.error().message());
    return {};
  }
  Node& node = nodes_[id.value()];
  node.parent = view->parent().value();
  KAURI_CHECK(check_name(id, *view));
  return check_attributes(id, *view);
}

Result<void> Verifier::check_name(EntryId id, const entry::EntryView& view) {
  const bool is_suffix = view.parent().value() == 0;
  Result<std::string> normal = schema::normalize_dn(*core_.schema, view.rdn());
  if (!normal) {
    fault("table entries, id " + number_text(id) +
          ": its RDN is malformed: " + normal.error().message());
    return {};
  }
  if (is_suffix && *normal != core_.suffix_normal)
    fault("table entries, id " + number_text(id) + ": it has no parent and is not the suffix");
  // One RDN in the joined form ends with a separator that the dn table does not hold.
  const std::string_view rdn = is_suffix ? std::string_view(*normal)
                                         : std::string_view(*normal).substr(0, normal->size() - 1);
  if (is_broken(Table::kDn)) return {};
  KAURI_TRY(const std::optional<EntryId> found, index::find_child(txn_, view.parent(), rdn));
  if (!found || *found != id)
    fault("table dn: no record of entry " + number_text(id) + ", \"" + std::string(view.rdn()) +
          "\" below entry " + number_text(view.parent()));
  return {};
}

Result<void> Verifier::check_external(EntryId id, const entry::AttributeSlot& slot,
                                      std::vector<std::string>& values) {
  const std::string where = "table values, entry " + number_text(id) + ", attribute " +
                            std::string(core_.dictionary->text(slot.number)) + ": ";
  KAURI_TRY(values, find_large_values(txn_, id, slot.number));
  external_values_ += values.size();
  if (values.size() != slot.value_count)
    fault(where + std::to_string(values.size()) + " values, and the entry says " +
          std::to_string(slot.value_count));
  const schema::AttributeType& type = *core_.dictionary->description(slot.number).type;
  for (const std::string& value : values) {
    KAURI_TRY(const std::optional<std::string_view> stored,
              txn_.get(Table::kValues,
                       value_key(id, slot.number, value_identity(*core_.schema, type, value))));
    if (!stored || *stored != value) fault(where + "a value lies under a key of another value");
  }
  return {};
}

Result<void> Verifier::check_attributes(EntryId id, const entry::EntryView& view) {
  entry::Entry entry;
  for (std::size_t i = 0; i < view.attribute_count(); ++i) {
    const entry::AttributeSlot slot = view.attribute(i);
    if (!core_.dictionary->contains(slot.number)) {
      fault("table entries, id " + number_text(id) + ": attribute number " +
            std::to_string(slot.number.value()) + " is not in the dictionary");
      continue;
    }
    entry::Attribute attribute{core_.dictionary->description(slot.number), {}};
    if (slot.external) {
      if (!is_broken(Table::kValues)) KAURI_CHECK(check_external(id, slot, attribute.values));
    } else {
      for (const std::string_view value : slot.values) attribute.values.emplace_back(value);
    }
    entry.attributes.push_back(std::move(attribute));
  }
  if (const entry::Attribute* csn = entry.find(*core_.schema->well_known().entry_csn);
      csn != nullptr && !csn->values.empty()) {
    if (!parse_csn(csn->values.front()))
      fault("table entries, id " + number_text(id) + ": entryCSN \"" + csn->values.front() +
            "\" is malformed");
    else if (csn->values.front() > meta_.last_csn)
      fault("table entries, id " + number_text(id) + ": entryCSN " + csn->values.front() +
            " is later than the last one of the database, " + meta_.last_csn);
  }
  if (is_broken(Table::kIndex) || is_broken(Table::kValues)) return {};
  for (const std::string& key : index::keys_of_entry(entry, core_.catalog, *core_.schema))
    KAURI_CHECK(keys_.add(key, id));
  return {};
}

// Counts children and descendants, and finds parents that are missing or chains that end nowhere.
void Verifier::check_tree() {
  for (const auto& [id, node] : nodes_) {
    std::size_t depth = 0;
    std::uint64_t at = node.parent;
    for (bool first = true; at != 0; first = false) {
      const auto above = nodes_.find(at);
      if (above == nodes_.end()) {
        fault("table entries, id " + std::to_string(id) + ": its ancestor " + std::to_string(at) +
              " does not exist");
        break;
      }
      if (first) ++above->second.children;
      ++above->second.descendants;
      at = above->second.parent;
      if (++depth > kDepthMax) {
        fault("table entries, id " + std::to_string(id) + ": its chain of parents does not end");
        break;
      }
    }
  }
}

// Every entry has its record (check_name), so as many records as entries means that there are no
// others.
Result<void> Verifier::check_dn_table() {
  std::uint64_t names = 0;
  std::uint64_t counted = 0;
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn_.cursor(Table::kDn));
  KAURI_TRY(bool found, cursor->first());
  while (found) {
    const std::string_view key = cursor->key();
    if (key.size() < sizeof(std::uint64_t)) {
      fault("table dn: the key " + text::encode_hex(key) + " is too short");
    } else if (key.size() == sizeof(std::uint64_t)) {
      ++counted;
      const EntryId id(load_big_endian<std::uint64_t>(key));
      const auto node = nodes_.find(id.value());
      KAURI_TRY(const index::SubordinateCounts counts, index::subordinate_counts(txn_, id));
      if (node == nodes_.end() || counts.children != node->second.children ||
          counts.descendants != node->second.descendants)
        fault("table dn, counts of entry " + number_text(id) + ": " +
              std::to_string(counts.children) + " children and " +
              std::to_string(counts.descendants) + " descendants are not what the entries say");
    } else {
      ++names;
    }
    advance("names", names);
    KAURI_TRY(found, cursor->next());
  }
  if (names != nodes_.size())
    fault("table dn: " + std::to_string(names) + " names of " + std::to_string(nodes_.size()) +
          " entries");
  const auto parents = static_cast<std::uint64_t>(std::count_if(
      nodes_.begin(), nodes_.end(), [](const auto& node) { return node.second.children != 0; }));
  if (counted != parents)
    fault("table dn: counts of " + std::to_string(counted) + " entries, and " +
          std::to_string(parents) + " have children");
  return {};
}

Result<void> Verifier::check_values_table() {
  KAURI_TRY(const storage::TableStats stats, txn_.table_stats(Table::kValues));
  if (stats.entries != external_values_)
    fault("table values: " + std::to_string(stats.entries) + " values, and the entries have " +
          std::to_string(external_values_) + " there");
  return {};
}

// Whether the key belongs to an index that can be read now.
bool Verifier::is_checked(std::string_view index_key) const {
  if (index_key.size() < sizeof(std::uint32_t)) return true;
  const AttributeNumber number(load_big_endian<std::uint32_t>(index_key));
  const auto& definitions = core_.catalog.definitions();
  return std::none_of(meta_.indexes.begin(), meta_.indexes.end(),
                      [&](const StoredIndex& one) {
                        return one.number == number && one.state != IndexState::kUsable;
                      }) &&
         std::none_of(definitions.begin(), definitions.end(),
                      [&](const auto& one) { return one.number == number && !one.usable; });
}

void Verifier::compare_list(std::string_view key, const std::vector<EntryId>& ids,
                            const index::IdSet& stored) {
  index::IdSet expected;
  for (const EntryId id : ids) expected.add(id);
  if (expected == stored) return;
  fault("table index, key " + text::encode_hex(key) + ": it has " + std::to_string(stored.size()) +
        " entries and should have " + std::to_string(expected.size()) + ", or others");
}

Result<void> Verifier::check_index() {
  if (!all_read_) {
    unread_.push_back(Table::kIndex);
    return {};
  }
  // One key behind all: no attribute number is that high.
  KAURI_TRY(index::PostingScan scan,
            index::PostingScan::open(txn_, std::string(1, '\0'), std::string(8, '\xff')));
  KAURI_TRY(bool more, scan.next());
  const auto skip_unchecked = [&]() -> Result<void> {
    while (more && !is_checked(scan.key())) {
      KAURI_TRY(more, scan.next());
    }
    return {};
  };
  const auto extra = [&]() -> Result<void> {
    fault("table index, key " + text::encode_hex(scan.key()) + ": no entry has this key");
    KAURI_TRY(more, scan.next());
    return skip_unchecked();
  };
  KAURI_CHECK(skip_unchecked());
  KAURI_CHECK(
      keys_.finish([&](std::string_view key, const std::vector<EntryId>& ids) -> Result<void> {
        if (!is_checked(key)) return {};
        advance("index", ++report_.index_keys);
        while (more && scan.key() < key) KAURI_CHECK(extra());
        if (!more || scan.key() != key) {
          fault("table index: the key " + text::encode_hex(key) + " of " +
                std::to_string(ids.size()) + " entries is missing");
          return {};
        }
        index::IdSet stored;
        KAURI_CHECK(scan.read(stored));
        if (scan.count() != stored.size())
          fault("table index, key " + text::encode_hex(key) + ": its cardinality says " +
                std::to_string(scan.count()) + ", it has " + std::to_string(stored.size()));
        compare_list(key, ids, stored);
        KAURI_TRY(more, scan.next());
        return skip_unchecked();
      }));
  while (more) KAURI_CHECK(extra());
  return {};
}

Result<void> Verifier::check_changes() {
  ChangeCheck check;
  check.last_csn = meta_.last_csn;
  check.compare_entries = !is_broken(Table::kEntries);
  check.fault = [this](std::string text) { fault(std::move(text)); };
  check.advance = [this](std::uint64_t done) { advance("changes", done); };
  KAURI_TRY(report_.changes, verify_changes(core_, txn_, check));
  return {};
}

}  // namespace

Result<VerifyReport> verify(Database& database,
                            const std::function<void(const ImportProgress&)>& progress,
                            const storage::PageReport& pages) {
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, database.env().begin_read());
  Verifier verifier(database.core(), *txn, progress, pages);
  return verifier.run();
}

}  // namespace kauri::backend
