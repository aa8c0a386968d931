// Random filters, values, indexes and rights for property tests of searches: everything comes from
// the dice, so a seed repeats it. The types are those of fixture F.
//
// Swarm: each object leaves out some kinds of leaves and attributes and likes others, since what is
// always mixed evenly never meets in some ways. Thread safety: thread-compatible. For tests only.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "index/index_catalog.h"
#include "query/access.h"

namespace kauri::query {

// A number from the environment: KAURI_SEED, KAURI_PAIRS, ...
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_.next_u64() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  SeededRandom random_;
};

class RandomSearches {
 public:
  // An attribute that entries have, and where its values come from.
  struct Kind {
    const char* name;
    const std::vector<std::string>* values;
    bool grams;
  };

  explicit RandomSearches(Dice& dice);

  // RFC 4515 text, nested up to `depth`.
  std::string filter(int depth);
  // Attributes worth an index, with the most that their rules allow.
  std::vector<index::IndexSpec> indexes();
  // Descriptions and values of an entry, without objectClass. `lawful`: only values that their
  // syntax takes, none twice.
  std::vector<std::pair<std::string, std::string>> values(bool lawful);
  // Names of object classes that filters ask for, of which not all are known.
  static const std::vector<std::string>& class_names();

 private:
  enum class Leaf : std::uint8_t {
    kEquality,
    kPresence,
    kAtLeast,
    kAtMost,
    kSubstring,
    kObjectClass,
    kApprox,
    kExtensible,
    kSpecial,
    kBounds,
  };
  static constexpr std::size_t kLeaves = 10;

  const Kind& kind();
  std::string value_of(const Kind& kind);
  std::string name_of(const Kind& kind);
  Leaf leaf_kind();
  std::string leaf();
  std::string substring(const std::string& name, const std::string& value);
  std::string extensible(const std::string& name, const std::string& value);
  std::string special();
  std::string bounds();

  Dice& dice_;
  std::array<unsigned, kLeaves> weights_{};
  std::vector<const Kind*> kinds_;
  unsigned and_percent_ = 55;
  unsigned not_percent_ = 20;
};

// Rights by a hash of attribute and entry, so that two searches of one world ask the same: some
// attributes are hidden everywhere, some on every other entry.
class HashedRights final : public Authorizer {
 public:
  HashedRights(std::uint64_t seed, unsigned denied_percent)
      : seed_(seed), denied_percent_(denied_percent) {}
  const Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(AccessTarget& target, const AccessAttribute& attribute, Right right) override;

 private:
  std::uint64_t seed_;
  unsigned denied_percent_;
  Identity identity_;
};

}  // namespace kauri::query
