// IndexTerms: what the index tables say about one leaf of a filter. Internal to query/.
//
// Every answer is a superset of the entries for which the leaf is True; an exact one is that set,
// as long as the leaf's attribute may be searched. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/id_set.h"
#include "index/index_catalog.h"
#include "index/index_keys.h"
#include "query/compiled_filter.h"
#include "storage/storage.h"

namespace kauri::query {

// What one plan may read of the index, in lists and, of long ones, kIdsPerUnit ids each; past it
// the entries are examined instead. It bounds what one request costs before its first entry.
inline constexpr std::uint64_t kSpendMax = 400'000;
inline constexpr std::uint64_t kIdsPerUnit = 32;
// This few candidates are examined without another thought.
inline constexpr std::uint64_t kFewEnough = 8;
// A list up to this many times the candidates at hand is worth reading.
inline constexpr std::uint64_t kWorthFactor = 8;

struct Answer {
  enum class What : std::uint8_t {
    kNoIndex,  // no index covers it
    kTooMany,  // more than the caller's limit, or too much to read
    kAll,      // every entry
    kSet,      // `ids`
  } what = What::kNoIndex;
  bool exact = false;
  index::IdSet ids;

  static Answer none() { return {What::kSet, true, {}}; }
  static Answer all(bool exact) { return {What::kAll, exact, {}}; }
  static Answer no_index() { return {}; }
  static Answer too_many() { return {What::kTooMany, false, {}}; }
  bool is_set() const { return what == What::kSet; }
};

// How a leaf can be looked up.
enum class TermKind : std::uint8_t {
  kConstant,  // without looking: undefined, not stored anywhere, (objectClass=*)
  kNone,      // no index
  kLists,     // one list for each type: equality, presence with its own index
  kRange,     // a range of equality lists
  kGrams,     // trigrams, perhaps with a range of equality lists for the initial part
};

// Whether the equality (substring) index of a type can answer for the leaf's rule.
bool equality_serves(const CompiledNode& node, const index::IndexDefinition& definition);
bool grams_serve(const CompiledNode& node, const index::IndexDefinition& definition);

class IndexTerms {
 public:
  IndexTerms(const CompiledFilter& filter, const index::IndexCatalog& catalog,
             const entry::Dictionary& dictionary, storage::Txn& txn)
      : filter_(filter), catalog_(catalog), dictionary_(dictionary), txn_(txn) {}

  TermKind kind(const CompiledNode& node) const;
  // "eq", "sub", "pres", "range", "none".
  std::string_view index_name(const CompiledNode& node) const;

  // REQUIRES: kConstant.
  static Answer constant(const CompiledNode& node);

  // The lists of a leaf before they are read. Members of short lists are at hand at once.
  struct Peek {
    std::uint64_t count = 0;  // sum of the cardinalities
    bool complete = true;     // `ids` has all members
    index::IdSet ids;
  };
  // REQUIRES: kLists. One look-up for each type.
  Result<Peek> peek(const CompiledNode& node);
  // Completes the members. RETURNS: false when that is too much to read.
  Result<bool> read(const CompiledNode& node, Peek& peeked);
  bool lists_exact(const CompiledNode& node) const;

  // REQUIRES: kRange, kGrams. `limit`: with more ids than this the answer is kTooMany. `count` gets
  // how many were found, or at least how many there are.
  Result<Answer> read_range(const CompiledNode& node, std::uint64_t limit, std::uint64_t& count);
  // Whether the two bounds hold for one and the same value, so that one range answers both: the
  // type is single-valued and no subtype or option of it is stored.
  bool is_between(const CompiledNode& low, const CompiledNode& high) const;
  // REQUIRES: is_between().
  Result<Answer> read_between(const CompiledNode& low, const CompiledNode& high,
                              std::uint64_t limit, std::uint64_t& count);
  Result<Answer> read_grams(const CompiledNode& node, std::uint64_t limit, std::uint64_t& count);

 private:
  struct Grams;

  // Calls back with the definition of each type that has values for the leaf.
  template <class Visitor>
  Result<void> for_each_type(const CompiledNode& node, Visitor&& visitor) {
    for (const schema::AttributeType* type : node.types)
      KAURI_CHECK(visitor(*catalog_.find(*type)));
    return {};
  }
  // Takes from what one plan may read; false when nothing is left.
  bool spend(std::uint64_t ids) {
    spent_ += 1 + ids / kIdsPerUnit;
    return spent_ <= kSpendMax;
  }
  bool covers(const CompiledNode& node,
              bool (*fits)(const CompiledNode&, const index::IndexDefinition&)) const;
  void list_key(const CompiledNode& node, const index::IndexDefinition& definition);
  index::KeyRange key_range(const CompiledNode& node,
                            const index::IndexDefinition& definition) const;
  // Adds all lists of the range. RETURNS: false when that is more than `limit` ids or too much to
  // read.
  Result<bool> add_range(const index::KeyRange& range, std::uint64_t limit, index::IdSet& out,
                         std::uint64_t& count);
  Result<bool> add_grams_of_type(const CompiledNode& node, const index::IndexDefinition& definition,
                                 std::uint64_t limit, index::IdSet& out, std::uint64_t& count);
  Result<bool> intersect_grams(Grams& grams, std::uint64_t limit, index::IdSet& out,
                               std::uint64_t& count);

  const CompiledFilter& filter_;
  const index::IndexCatalog& catalog_;
  const entry::Dictionary& dictionary_;
  storage::Txn& txn_;
  std::uint64_t spent_ = 0;
};

}  // namespace kauri::query
