#include "index/posting_changes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/key_sort.h"
#include "index/posting.h"

namespace kauri::index {
namespace {

// One change, by its place among all.
struct Entry {
  std::string_view key;
  std::size_t place;
};

}  // namespace

Result<void> PostingChanges::flush(storage::WriteTxn& txn) {
  const std::vector<Change> changes = std::exchange(changes_, {});
  std::vector<Entry> sorted;
  sorted.reserve(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) sorted.push_back({changes[i].key, i});
  sort_by_key(sorted, [](const Entry& one) { return one.key; });
  std::vector<PostingChange> list;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
    const std::span<Entry> same = std::span(sorted).subspan(begin, end - begin);
    std::sort(same.begin(), same.end(), [&](const Entry& a, const Entry& b) {
      const EntryId left = changes[a.place].id;
      const EntryId right = changes[b.place].id;
      return left != right ? left < right : a.place < b.place;
    });
    list.clear();
    for (const Entry& one : same) {
      const Change& change = changes[one.place];
      if (!list.empty() && list.back().id == change.id) list.pop_back();
      list.push_back({change.id, change.insert});
    }
    KAURI_TRY([[maybe_unused]] const std::uint64_t changed,
              change_posting(txn, sorted[begin].key, list));
  }
  return {};
}

}  // namespace kauri::index
