#include "index/posting.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/assert.h"
#include "base/endian.h"
#include "index/posting_format.h"

namespace kauri::index {
namespace {

using storage::Table;

constexpr std::size_t kBlockNumberSize = 8;

Error broken(std::string_view key, std::string_view what) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string message = "table index, key ";
  for (const char octet : key) {
    message += kDigits[static_cast<unsigned char>(octet) >> 4U];
    message += kDigits[static_cast<unsigned char>(octet) & 15U];
  }
  message += ": ";
  message += what;
  return corruption(std::move(message));
}

Error broken_record(std::string_view key, std::size_t size) {
  return broken(key, "a record of " + std::to_string(size) +
                         " octets is neither an inline list nor the head of a list");
}

std::string block_key(std::string_view key, std::uint64_t block) {
  std::string out;
  out.reserve(key.size() + kBlockNumberSize);
  out.append(key);
  append_big_endian<std::uint64_t>(out, block);
  return out;
}

std::uint64_t block_of(EntryId id) {
  return id.value() >> kBlockBits;
}
std::uint16_t offset_of(EntryId id) {
  return static_cast<std::uint16_t>(id.value() & (kBlockIds - 1));
}

bool is_block_key(std::string_view key, std::string_view list) {
  return key.size() == list.size() + kBlockNumberSize && key.starts_with(list);
}

// Calls back with the blocks of `list` from the cursor's record on, in their order, each well
// formed; leaves the cursor behind them. RETURNS: whether the cursor stands at a record.
template <class Visit>
Result<bool> walk_blocks(storage::Cursor& cursor, std::string_view list, std::uint64_t count,
                         const Visit& visit) {
  std::uint64_t seen = 0;
  bool at_record = true;
  while (at_record && is_block_key(cursor.key(), list)) {
    const std::string_view payload = cursor.value();
    if (!check_block(payload)) return broken(cursor.key(), "the block is not well formed");
    const std::uint64_t block = load_big_endian<std::uint64_t>(cursor.key().substr(list.size()));
    if (block >> (64U - kBlockBits) != 0)
      return broken(cursor.key(), "the block number is out of range");
    visit(block, payload);
    seen += block_count(payload);
    KAURI_TRY(at_record, cursor.next());
  }
  if (seen != count)
    return broken(list, "the head says " + std::to_string(count) + " entries, the blocks hold " +
                            std::to_string(seen));
  return at_record;
}

template <class Visit>
Result<void> visit_blocks_of(storage::Txn& txn, std::string_view key, std::uint64_t count,
                             const Visit& visit) {
  KAURI_TRY(const auto cursor, txn.cursor(Table::kIndex));
  KAURI_TRY(const bool found, cursor->seek(block_key(key, 0)));
  if (!found) return broken(key, "the list has a head and no block");
  KAURI_TRY([[maybe_unused]] const bool more, walk_blocks(*cursor, key, count, visit));
  return {};
}

Result<void> read_blocks_of(storage::Txn& txn, std::string_view key, std::uint64_t count,
                            IdSet& out) {
  return visit_blocks_of(txn, key, count, [&](std::uint64_t block, std::string_view payload) {
    out.add_block(block, payload);
  });
}

void read_inline(std::string_view record, IdSet& out) {
  for (std::size_t i = 0; i < inline_count(record); ++i) out.add(EntryId(inline_id(record, i)));
}

bool inline_contains(std::string_view record, EntryId id) {
  for (std::size_t i = 0; i < inline_count(record); ++i)
    if (inline_id(record, i) == id.value()) return true;
  return false;
}

std::string encode_inline(const std::vector<EntryId>& ids) {
  std::string out;
  for (const EntryId id : ids) append_little_endian<std::uint64_t>(out, id.value());
  return out;
}

std::vector<EntryId> members(const IdSet& set) {
  std::vector<EntryId> ids;
  for (auto id = set.at_or_after(EntryId(0)); id; id = set.at_or_after(EntryId(id->value() + 1)))
    ids.push_back(*id);
  return ids;
}

Result<void> put_record(void* txn, std::string_view key, std::string_view value) {
  return static_cast<storage::WriteTxn*>(txn)->put(Table::kIndex, key, value);
}

// So few ids are looked up in the array of a block, instead of going through it beside them.
constexpr std::size_t kFewOffsets = 8;

// Moves those of ids[begin, end), which all lie in one block, that it has to ids[kept...]. RETURNS:
// where the next goes.
std::size_t retain_in_block(std::string_view payload, std::vector<std::uint64_t>& ids,
                            std::size_t begin, std::size_t end, std::size_t kept) {
  if (payload[0] == kBitmapTag || end - begin <= kFewOffsets) {
    for (std::size_t i = begin; i < end; ++i)
      if (block_contains(payload, offset_of(EntryId(ids[i])))) ids[kept++] = ids[i];
    return kept;
  }
  std::array<std::uint16_t, kArrayMax> offsets;
  const std::uint16_t* at = offsets.data();
  const std::uint16_t* last = at + block_offsets(payload, offsets.data());
  for (std::size_t i = begin; i < end && at != last; ++i) {
    const std::uint16_t sought = offset_of(EntryId(ids[i]));
    while (at != last && *at < sought) ++at;
    if (at != last && *at == sought) ids[kept++] = ids[i];
  }
  return kept;
}

// The end of the ids of the block in which ids[begin] lies.
std::size_t end_of_block(const std::vector<std::uint64_t>& ids, std::size_t begin) {
  const std::uint64_t behind = (block_of(EntryId(ids[begin])) + 1) << kBlockBits;
  const auto from = ids.begin() + static_cast<std::ptrdiff_t>(begin);
  return static_cast<std::size_t>(std::lower_bound(from, ids.end(), behind) - ids.begin());
}

Result<void> retain_by_look_up(storage::Txn& txn, std::string_view key,
                               std::vector<std::uint64_t>& ids) {
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
    end = end_of_block(ids, begin);
    const std::string target = block_key(key, block_of(EntryId(ids[begin])));
    KAURI_TRY(const auto payload, txn.get(Table::kIndex, target));
    if (!payload) continue;
    if (!check_block(*payload)) return broken(target, "the block is not well formed");
    kept = retain_in_block(*payload, ids, begin, end, kept);
  }
  ids.resize(kept);
  return {};
}

Result<void> retain_beside(storage::Txn& txn, std::string_view key, std::uint64_t count,
                           std::vector<std::uint64_t>& ids) {
  std::size_t kept = 0;
  std::size_t begin = 0;
  KAURI_CHECK(visit_blocks_of(txn, key, count, [&](std::uint64_t block, std::string_view payload) {
    const std::uint64_t first = block << kBlockBits;
    while (begin < ids.size() && ids[begin] < first) begin = end_of_block(ids, begin);
    if (begin == ids.size() || block_of(EntryId(ids[begin])) != block) return;
    const std::size_t end = end_of_block(ids, begin);
    kept = retain_in_block(payload, ids, begin, end, kept);
    begin = end;
  }));
  ids.resize(kept);
  return {};
}

// The list has shrunk to what one record holds.
Result<void> collapse(storage::WriteTxn& txn, std::string_view key, std::uint64_t count) {
  if (count == 0) {
    KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kIndex, key));
    return {};
  }
  IdSet rest;
  KAURI_CHECK(read_blocks_of(txn, key, count, rest));
  const std::vector<EntryId> ids = members(rest);
  std::uint64_t erased_block = UINT64_MAX;
  for (const EntryId id : ids) {
    if (block_of(id) == erased_block) continue;
    erased_block = block_of(id);
    KAURI_TRY([[maybe_unused]] const bool erased,
              txn.erase(Table::kIndex, block_key(key, erased_block)));
  }
  return txn.put(Table::kIndex, key, encode_inline(ids));
}

using Changes = std::span<const PostingChange>;

// A list that is one record, or none yet.
Result<std::uint64_t> change_inline(storage::WriteTxn& txn, std::string_view key,
                                    std::string_view record, Changes changes) {
  std::vector<EntryId> ids;
  ids.reserve(inline_count(record) + changes.size());
  std::uint64_t changed = 0;
  std::size_t at = 0;
  const std::size_t count = inline_count(record);
  for (const PostingChange& change : changes) {
    while (at < count && inline_id(record, at) < change.id.value())
      ids.emplace_back(inline_id(record, at++));
    const bool there = at < count && inline_id(record, at) == change.id.value();
    if (there) ++at;
    if (there != change.insert) ++changed;
    if (change.insert) ids.push_back(change.id);
  }
  while (at < count) ids.emplace_back(inline_id(record, at++));
  if (changed == 0) return changed;
  if (ids.empty()) {
    KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kIndex, key));
    return changed;
  }
  KAURI_CHECK(build_posting(key, ids.data(), ids.size(), put_record, &txn));
  return changed;
}

// What the changes, all of one block, do to it.
struct BlockChange {
  std::uint64_t inserted = 0;
  std::uint64_t erased = 0;
};
Result<BlockChange> change_block(storage::WriteTxn& txn, std::string_view key, Changes changes) {
  const std::string target = block_key(key, block_of(changes.front().id));
  KAURI_TRY(const auto stored, txn.get(Table::kIndex, target));
  if (stored && !check_block(*stored)) return broken(target, "the block is not well formed");
  std::string payload(stored.value_or(std::string_view()));
  BlockChange done;
  for (const PostingChange& change : changes) {
    const std::uint16_t offset = offset_of(change.id);
    if ((!payload.empty() && block_contains(payload, offset)) == change.insert) continue;
    if (!change.insert)
      payload = block_without(payload, offset);
    else
      payload = payload.empty() ? encode_block(&offset, 1) : block_with(payload, offset);
    ++(change.insert ? done.inserted : done.erased);
  }
  if (done.inserted + done.erased == 0) return done;
  if (!payload.empty()) {
    KAURI_CHECK(txn.put(Table::kIndex, target, payload));
  } else if (stored) {
    KAURI_TRY([[maybe_unused]] const bool erased, txn.erase(Table::kIndex, target));
  }
  return done;
}

Result<std::uint64_t> change_blocks(storage::WriteTxn& txn, std::string_view key,
                                    std::uint64_t count, Changes changes) {
  std::uint64_t changed = 0;
  const std::uint64_t before = count;
  while (!changes.empty()) {
    std::size_t size = 1;
    while (size < changes.size() && block_of(changes[size].id) == block_of(changes[0].id)) ++size;
    KAURI_TRY(const BlockChange done, change_block(txn, key, changes.first(size)));
    if (done.erased > count + done.inserted)
      return broken(key, "the blocks hold more entries than the head says");
    count += done.inserted - done.erased;
    changed += done.inserted + done.erased;
    changes = changes.subspan(size);
  }
  if (changed == 0) return changed;
  if (count < before && count <= kInlineBack) {
    KAURI_CHECK(collapse(txn, key, count));
    return changed;
  }
  KAURI_CHECK(txn.put(Table::kIndex, key, encode_head(count)));
  return changed;
}

}  // namespace

Result<std::uint64_t> posting_count(storage::Txn& txn, std::string_view key) {
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) return std::uint64_t{0};
  switch (record_shape(*record)) {
    case RecordShape::kInline:
      return std::uint64_t{inline_count(*record)};
    case RecordShape::kHead:
      return head_count(*record);
    case RecordShape::kBroken:
      break;
  }
  return broken_record(key, record->size());
}

Result<PostingPeek> peek_posting(storage::Txn& txn, std::string_view key, IdSet& out) {
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) return PostingPeek{};
  switch (record_shape(*record)) {
    case RecordShape::kInline:
      read_inline(*record, out);
      return PostingPeek{inline_count(*record), true};
    case RecordShape::kHead:
      return PostingPeek{head_count(*record), false};
    case RecordShape::kBroken:
      break;
  }
  return broken_record(key, record->size());
}

Result<void> read_posting(storage::Txn& txn, std::string_view key, IdSet& out) {
  KAURI_TRY(const PostingPeek peek, peek_posting(txn, key, out));
  if (peek.complete) return {};
  return read_blocks_of(txn, key, peek.count, out);
}

Result<void> read_posting(storage::Txn& txn, std::string_view key,
                          std::vector<std::uint64_t>& out) {
  KAURI_ASSERT(out.empty());
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) return {};
  const RecordShape shape = record_shape(*record);
  if (shape == RecordShape::kBroken) return broken_record(key, record->size());
  if (shape == RecordShape::kInline) {
    for (std::size_t i = 0; i < inline_count(*record); ++i) out.push_back(inline_id(*record, i));
    return {};
  }
  std::array<std::uint16_t, kBlockIds> offsets;
  return visit_blocks_of(txn, key, head_count(*record),
                         [&](std::uint64_t block, std::string_view payload) {
                           const std::size_t count = block_offsets(payload, offsets.data());
                           for (std::size_t i = 0; i < count; ++i)
                             out.push_back((block << kBlockBits) + offsets[i]);
                         });
}

Result<void> retain_posting(storage::Txn& txn, std::string_view key,
                            std::vector<std::uint64_t>& ids) {
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) {
    ids.clear();
    return {};
  }
  const RecordShape shape = record_shape(*record);
  if (shape == RecordShape::kBroken) return broken_record(key, record->size());
  if (shape == RecordShape::kInline) {
    std::erase_if(ids, [&](std::uint64_t id) { return !inline_contains(*record, EntryId(id)); });
    return {};
  }
  const std::uint64_t count = head_count(*record);
  return count > kLookUpFactor * ids.size() ? retain_by_look_up(txn, key, ids)
                                            : retain_beside(txn, key, count, ids);
}

Result<bool> posting_contains(storage::Txn& txn, std::string_view key, EntryId id) {
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) return false;
  const RecordShape shape = record_shape(*record);
  if (shape == RecordShape::kInline) return inline_contains(*record, id);
  if (shape == RecordShape::kBroken) return broken_record(key, record->size());
  const std::string target = block_key(key, block_of(id));
  KAURI_TRY(const auto payload, txn.get(Table::kIndex, target));
  if (!payload) return false;
  if (!check_block(*payload)) return broken(target, "the block is not well formed");
  return block_contains(*payload, offset_of(id));
}

Result<std::uint64_t> change_posting(storage::WriteTxn& txn, std::string_view key,
                                     std::span<const PostingChange> changes) {
  KAURI_TRY(const auto record, txn.get(Table::kIndex, key));
  if (!record) return change_inline(txn, key, {}, changes);
  switch (record_shape(*record)) {
    case RecordShape::kInline:
      return change_inline(txn, key, *record, changes);
    case RecordShape::kHead:
      return change_blocks(txn, key, head_count(*record), changes);
    case RecordShape::kBroken:
      break;
  }
  return broken_record(key, record->size());
}

Result<bool> insert_posting(storage::WriteTxn& txn, std::string_view key, EntryId id) {
  KAURI_ASSERT(id.value() != 0);
  const PostingChange change{id, true};
  KAURI_TRY(const std::uint64_t changed, change_posting(txn, key, {&change, 1}));
  return changed != 0;
}

Result<bool> erase_posting(storage::WriteTxn& txn, std::string_view key, EntryId id) {
  const PostingChange change{id, false};
  KAURI_TRY(const std::uint64_t changed, change_posting(txn, key, {&change, 1}));
  return changed != 0;
}

Result<PostingScan> PostingScan::open(storage::Txn& txn, std::string_view first,
                                      std::string_view last) {
  PostingScan scan;
  KAURI_TRY(scan.cursor_, txn.cursor(Table::kIndex));
  scan.first_ = first;
  scan.last_ = last;
  return scan;
}

// Moves the cursor to the first record behind the list reached.
Result<bool> PostingScan::step() {
  switch (at_) {
    case At::kStart:
      return cursor_->seek(first_);
    case At::kRecord:
      return cursor_->next();
    case At::kHead: {
      // Behind every block number, and before every other list: no list's key begins with
      // another's.
      std::string behind = key_;
      behind.append(kBlockNumberSize + 1, '\xff');
      return cursor_->seek(behind);
    }
    case At::kBehind:
      return true;
    case At::kEnd:
      break;
  }
  return false;
}

Result<bool> PostingScan::next() {
  KAURI_TRY(const bool found, step());
  if (!found || cursor_->key() >= last_) {
    at_ = At::kEnd;
    return false;
  }
  // Damaged pages can lead back to where the scan has been, and so for ever.
  if (at_ != At::kStart && cursor_->key() <= key_) [[unlikely]] {
    at_ = At::kEnd;
    return broken(cursor_->key(), "it stands behind a greater key");
  }
  key_ = cursor_->key();
  const std::string_view record = cursor_->value();
  switch (record_shape(record)) {
    case RecordShape::kInline:
      count_ = inline_count(record);
      at_ = At::kRecord;
      return true;
    case RecordShape::kHead:
      count_ = head_count(record);
      at_ = At::kHead;
      return true;
    case RecordShape::kBroken:
      break;
  }
  return broken_record(key_, record.size());
}

Result<void> PostingScan::read(IdSet& out) {
  if (at_ == At::kRecord) {
    read_inline(cursor_->value(), out);
    return {};
  }
  KAURI_ASSERT(at_ == At::kHead);
  KAURI_TRY(const bool found, cursor_->next());
  if (!found) return broken(key_, "the list has a head and no block");
  KAURI_TRY(const bool at_record,
            walk_blocks(*cursor_, key_, count_, [&](std::uint64_t block, std::string_view payload) {
              out.add_block(block, payload);
            }));
  at_ = at_record ? At::kBehind : At::kEnd;
  return {};
}

Result<void> build_posting(std::string_view key, const EntryId* ids, std::size_t count,
                           RecordSink sink, void* context) {
  if (count == 0) return {};
  if (count <= kInlineMax) {
    std::array<char, kInlineMax * 8> record;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t id = ids[i].value();
      std::memcpy(record.data() + i * 8, &id, 8);
    }
    return sink(context, key, std::string_view(record.data(), count * 8));
  }
  KAURI_CHECK(sink(context, key, encode_head(count)));
  std::vector<std::uint16_t> offsets;
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t block = block_of(ids[i]);
    offsets.clear();
    for (; i < count && block_of(ids[i]) == block; ++i) offsets.push_back(offset_of(ids[i]));
    KAURI_CHECK(sink(context, block_key(key, block), encode_block(offsets.data(), offsets.size())));
  }
  return {};
}

}  // namespace kauri::index
