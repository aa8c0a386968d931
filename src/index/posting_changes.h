// PostingChanges: what the operations of one commit change in the index, kept until all of them are
// applied. Entries that are written together have keys in common (trigrams, object classes), and a
// list is then read and written once for all of them, in the order of the keys.
//
// Whoever has one calls flush() before the commit; until then the index is behind the entries, so
// nothing that is applied may ask it. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "storage/storage.h"

namespace kauri::index {

class PostingChanges {
 public:
  void insert(std::string key, EntryId id) { changes_.push_back({std::move(key), id, true}); }
  void erase(std::string key, EntryId id) { changes_.push_back({std::move(key), id, false}); }
  bool empty() const { return changes_.empty(); }

  // Writes them; of several changes of one id in one list the last one counts. None is left, also
  // after an error, after which the transaction is to be aborted. RETURNS: what change_posting()
  // does.
  Result<void> flush(storage::WriteTxn& txn);
  // Forgets them: with the transaction.
  void clear() { changes_.clear(); }

 private:
  struct Change {
    std::string key;
    EntryId id;
    bool insert;
  };
  std::vector<Change> changes_;  // as they came
};

}  // namespace kauri::index
