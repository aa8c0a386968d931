#include "backend/index_build.h"

#include <algorithm>

#include "backend/large_values.h"
#include "backend/posting_accumulator.h"
#include "base/endian.h"
#include "entry/entry_view.h"
#include "index/index_keys.h"
#include "index/posting.h"

namespace kauri::backend {
namespace {

using storage::Table;

// Records in one transaction; keeps the dirty pages of LMDB far below its limit.
constexpr std::size_t kRecordsAtOnce = 20'000;

std::string number_prefix(AttributeNumber number) {
  std::string prefix;
  append_big_endian(prefix, number.value());
  return prefix;
}

const index::IndexDefinition* find_definition(const Core& core, AttributeNumber number) {
  for (const index::IndexDefinition& one : core.catalog.definitions())
    if (one.number == number) return &one;
  return nullptr;
}

Result<void> in_transaction(Core& core,
                            const std::function<Result<void>(storage::WriteTxn&)>& change) {
  KAURI_TRY(const std::unique_ptr<storage::WriteTxn> txn, core.env->begin_write());
  KAURI_CHECK(change(*txn));
  return txn->commit();
}

// Erases all records that begin with the number, some in each transaction.
Result<void> erase_records(Core& core, AttributeNumber number) {
  const std::string prefix = number_prefix(number);
  for (bool more = true; more;) {
    KAURI_CHECK(in_transaction(core, [&](storage::WriteTxn& txn) -> Result<void> {
      std::vector<std::string> keys;
      {
        KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn.cursor(Table::kIndex));
        KAURI_TRY(more, cursor->seek(prefix));
        while (more && cursor->key().starts_with(prefix) && keys.size() < kRecordsAtOnce) {
          keys.emplace_back(cursor->key());
          KAURI_TRY(more, cursor->next());
        }
        more = more && keys.size() == kRecordsAtOnce;
      }
      for (const std::string& key : keys) {
        KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kIndex, key));
      }
      return {};
    }));
  }
  return {};
}

// Writes index records in transactions of bounded size.
class RecordWriter {
 public:
  explicit RecordWriter(Core& core) : core_(core) {}
  Result<void> put(std::string_view key, std::string_view value) {
    if (txn_ == nullptr) {
      KAURI_TRY(txn_, core_.env->begin_write());
    }
    KAURI_CHECK(txn_->put(Table::kIndex, key, value));
    return ++records_ % kRecordsAtOnce == 0 ? flush() : Result<void>();
  }
  Result<void> flush() {
    if (txn_ == nullptr) return {};
    const std::unique_ptr<storage::WriteTxn> txn = std::move(txn_);
    return txn->commit();
  }
  static Result<void> sink(void* context, std::string_view key, std::string_view value) {
    return static_cast<RecordWriter*>(context)->put(key, value);
  }

 private:
  Core& core_;
  std::unique_ptr<storage::WriteTxn> txn_;
  std::size_t records_ = 0;
};

// The entry's attributes of the given types, with the values outside the record.
Result<entry::Entry> indexed_part(Core& core, storage::Txn& txn, EntryId id,
                                  const entry::EntryView& view, const index::IndexCatalog& wanted) {
  entry::Entry entry;
  for (std::size_t i = 0; i < view.attribute_count(); ++i) {
    const entry::AttributeSlot slot = view.attribute(i);
    const schema::AttributeDescription& description = core.dictionary->description(slot.number);
    if (wanted.find(*description.type) == nullptr) continue;
    entry::Attribute attribute{description, {}};
    if (slot.external) {
      KAURI_TRY(attribute.values, read_large_values(txn, id, slot.number, slot.value_count));
    } else {
      for (const std::string_view value : slot.values) attribute.values.emplace_back(value);
    }
    entry.attributes.push_back(std::move(attribute));
  }
  return entry;
}

Result<void> collect_keys(Core& core, const index::IndexCatalog& wanted,
                          PostingAccumulator& accumulator,
                          const std::function<void(const ImportProgress&)>& progress) {
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, core.env->begin_read());
  KAURI_TRY(const std::unique_ptr<storage::Cursor> cursor, txn->cursor(Table::kEntries));
  ImportProgress state;
  state.phase = "build index";
  KAURI_TRY(bool found, cursor->first());
  while (found) {
    if (cursor->key().size() != sizeof(std::uint64_t))
      return corruption("table entries: a key has not 8 octets");
    const EntryId id(load_big_endian<std::uint64_t>(cursor->key()));
    // The lists are built from ids that rise, which the cursor sees to, from 1 on.
    if (id == EntryId()) return corruption("table entries: no entry has the id 0");
    KAURI_TRY(const entry::EntryView view, parse_entry(core, id, cursor->value()));
    KAURI_TRY(const entry::Entry part, indexed_part(core, *txn, id, view, wanted));
    for (const std::string& key : index::keys_of_entry(part, wanted, *core.schema))
      KAURI_CHECK(accumulator.add(key, id));
    if (++state.entries % 4096 == 0 && progress) progress(state);
    KAURI_TRY(found, cursor->next());
  }
  if (progress) progress(state);
  return {};
}

// Where all are built anew the table is cleared without being read, whatever is damaged in it.
Result<void> erase_indexes(Core& core, const std::vector<AttributeNumber>& numbers) {
  const auto& all = core.catalog.definitions();
  if (std::all_of(all.begin(), all.end(), [&](const index::IndexDefinition& one) {
        return std::find(numbers.begin(), numbers.end(), one.number) != numbers.end();
      }))
    return in_transaction(core, [](storage::WriteTxn& txn) { return txn.clear(Table::kIndex); });
  for (const AttributeNumber number : numbers) {
    const Result<void> erased = erase_records(core, number);
    if (!erased && erased.error().code() == ErrorCode::kCorruption)
      return erased.error().with_context(
          "the table index cannot be read (to build all indexes anew, as reindex without the name "
          "of an attribute does, it need not be)");
    KAURI_CHECK(erased);
  }
  return {};
}

}  // namespace

Result<void> build_indexes(Core& core, const std::vector<AttributeNumber>& numbers,
                           const std::function<void(const ImportProgress&)>& progress) {
  std::vector<index::IndexSpec> specs;
  KAURI_CHECK(in_transaction(core, [&](storage::WriteTxn& txn) -> Result<void> {
    KAURI_TRY([[maybe_unused]] const std::uint32_t highest,
              write_attributes(txn, *core.dictionary, 0));
    for (const AttributeNumber number : numbers) {
      const index::IndexDefinition* definition = find_definition(core, number);
      KAURI_ASSERT(definition != nullptr);
      specs.push_back({std::string(definition->type->name()), definition->kinds});
      core.catalog.set_usable(*definition->type, false);
      KAURI_CHECK(write_index(txn, stored_index(*definition, IndexState::kBuilding)));
    }
    return {};
  }));
  KAURI_CHECK(erase_indexes(core, numbers));
  KAURI_TRY(const index::IndexCatalog wanted, index::IndexCatalog::make(specs, *core.dictionary));
  PostingAccumulator accumulator(core.env->path(), kIndexBuildBytesMax);
  KAURI_CHECK(collect_keys(core, wanted, accumulator, progress));
  RecordWriter writer(core);
  KAURI_CHECK(accumulator.finish([&](std::string_view key, const std::vector<EntryId>& ids) {
    return index::build_posting(key, ids.data(), ids.size(), &RecordWriter::sink, &writer);
  }));
  KAURI_CHECK(writer.flush());
  return in_transaction(core, [&](storage::WriteTxn& txn) -> Result<void> {
    for (const AttributeNumber number : numbers) {
      const index::IndexDefinition* definition = find_definition(core, number);
      KAURI_CHECK(write_index(txn, stored_index(*definition, IndexState::kUsable)));
      core.catalog.set_usable(*definition->type, true);
    }
    return {};
  });
}

Result<void> drop_index(Core& core, AttributeNumber number) {
  KAURI_CHECK(in_transaction(core, [&](storage::WriteTxn& txn) {
    return write_index(txn, {number, {}, IndexState::kBuilding, {}});
  }));
  KAURI_CHECK(erase_records(core, number));
  return in_transaction(core, [&](storage::WriteTxn& txn) { return erase_index(txn, number); });
}

Result<void> settle_indexes(Core& core, const std::vector<StoredIndex>& stored) {
  for (const StoredIndex& one : stored)
    if (find_definition(core, one.number) == nullptr) KAURI_CHECK(drop_index(core, one.number));
  std::vector<AttributeNumber> to_build;
  for (const index::IndexDefinition& definition : core.catalog.definitions()) {
    const StoredIndex wanted = stored_index(definition, IndexState::kUsable);
    if (std::find(stored.begin(), stored.end(), wanted) == stored.end())
      to_build.push_back(definition.number);
  }
  if (to_build.empty()) return {};
  return build_indexes(core, to_build, {});
}

}  // namespace kauri::backend
