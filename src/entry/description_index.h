// DescriptionIndex: attribute descriptions with options to their items, for one thread that adds
// while others look up without a lock. Inside entry/ only.
//
// A table of slots with open addressing. When it is half full a table of twice the size takes its
// place; the old ones stay for those who still read them, so all of them together take at most
// twice the memory of the last. Clients choose the options, so the place of a description depends
// on a random key: nobody can choose descriptions that share their places.
//
// Thread safety: find() anywhere; add() from one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/strong_id.h"
#include "schema/schema.h"

namespace kauri::entry {

// A description and the number that stands for it.
struct DictionaryItem {
  AttributeNumber number;
  schema::AttributeDescription description;
  std::string text;
};

class DescriptionIndex {
 public:
  explicit DescriptionIndex(Random& random);

  // nullptr when there is none. REQUIRES: `type` is of the schema that the items' types are of.
  // *compared, when given, grows by the number of items that were looked at.
  const DictionaryItem* find(const schema::AttributeType& type,
                             const std::vector<std::string>& options,
                             std::uint64_t* compared = nullptr) const;
  // REQUIRES: find() does not find it; *item lives as long as the index.
  void add(const DictionaryItem* item);

  // THREADS: that of add(). Slots written and moved so far, the cost of all add() together.
  std::uint64_t slots_written() const { return slots_written_; }

 private:
  using Slot = std::atomic<const DictionaryItem*>;
  struct Table {
    explicit Table(std::size_t count) : slots(std::make_unique<Slot[]>(count)), mask(count - 1) {}
    std::unique_ptr<Slot[]> slots;
    std::size_t mask;
  };

  std::uint64_t hash_of(const schema::AttributeType& type,
                        const std::vector<std::string>& options) const;
  void put(Table& table, const DictionaryItem* item);

  std::array<std::uint64_t, 2> key_{};
  std::atomic<const Table*> current_{nullptr};
  // Of the adding thread.
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t count_ = 0;
  std::uint64_t slots_written_ = 0;
};

}  // namespace kauri::entry
