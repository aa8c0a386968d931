// Dictionary: attribute descriptions <-> small numbers, one for each database, append-only,
// persisted by the backend.
//
// Thread safety: thread-safe. Numbers are given out only by the writer thread (intern); lookups run
// anywhere without a lock: what they read is only ever appended to. A number, once given out, never
// changes meaning.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"
#include "schema/schema.h"

namespace kauri::entry {

class Dictionary {
 public:
  // Numbers go from 1 to this; more is a bug of whoever let so many descriptions in (see full()).
  static constexpr std::uint32_t kNumberMax = (1U << 24U) - 1;

  explicit Dictionary(std::shared_ptr<const schema::Schema> schema);
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  const schema::Schema& schema() const { return *schema_; }

  // The number of exactly this description; nothing when it was never stored.
  std::optional<AttributeNumber> find(const schema::AttributeDescription& description) const;
  // REQUIRES: a number that was given out. VALID UNTIL: the dictionary ends.
  const schema::AttributeDescription& description(AttributeNumber number) const;
  // "givenName;lang-en".
  std::string_view text(AttributeNumber number) const;
  // True for numbers given out.
  bool contains(AttributeNumber number) const;
  std::size_t size() const;

  // All numbers whose description is a subtype of `asserted` (see
  // AttributeDescription::is_subtype_of).
  std::vector<AttributeNumber> numbers_under(const schema::AttributeDescription& asserted) const;

  // The same for a type without options, as it is needed for every request: no search, no
  // allocation. VALID UNTIL: the dictionary ends; numbers given out later are not in it.
  std::span<const AttributeNumber> numbers_of(const schema::AttributeType& type) const;

  // The type and all its subtypes in the schema, whether they were ever stored or not. VALID UNTIL:
  // the dictionary ends.
  std::span<const schema::AttributeType* const> types_under(
      const schema::AttributeType& type) const;

  // True when no further description can be numbered; to be checked before a client's new
  // description is let in.
  bool full() const { return size() >= kNumberMax; }
  // THREADS: the writer thread. Gives a number, making one if there is none.
  AttributeNumber intern(const schema::AttributeDescription& description);
  // THREADS: start-up. Restores a persisted pair; kCorruption when the text is no longer defined by
  // the schema or the number is taken.
  Result<void> restore(AttributeNumber number, std::string_view text);

 private:
  struct State;
  std::shared_ptr<const schema::Schema> schema_;
  std::unique_ptr<State> state_;
};

}  // namespace kauri::entry
