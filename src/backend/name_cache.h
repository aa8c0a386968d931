// NameCache: names of entries that have children, as one read session learned them. Inside backend/
// only.
//
// Two tables of fixed size: id -> DN, normal DN, parent; and (parent, normal RDN) -> id. A hit
// allocates nothing. Only entries that have children at the time are learned, so additions,
// deletions and renames of leaves invalidate nothing; core.h's NameChanges says what does. Thread
// safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"

namespace kauri::backend {

class NameCache {
 public:
  struct Name {
    EntryId id;
    EntryId parent;
    std::string dn;
    std::string normal_dn;
  };

  // nullptr when the name is not there. VALID UNTIL: the next change of the cache.
  const Name* find(EntryId id) const;
  const Name* store(Name name);

  // The id 0 when it is not there.
  EntryId find_child(EntryId parent, std::string_view normal_rdn) const;
  void store_child(EntryId parent, std::string_view normal_rdn, EntryId id);

  void clear();

 private:
  struct Child {
    EntryId parent;
    EntryId id;
    std::string normal_rdn;
  };
  // Both tables are two-way sets: a key lives in one of two neighbouring slots.
  static constexpr std::size_t kSlots = 4096;
  // Octets of all names together; past it the cache starts anew.
  static constexpr std::size_t kBytesMax = std::size_t{4} << 20U;

  static std::size_t slot_of(EntryId id);
  static std::size_t slot_of(EntryId parent, std::string_view normal_rdn);
  void account(std::size_t removed, std::size_t added);

  std::vector<Name> names_;  // empty or kSlots
  std::vector<Child> children_;
  std::size_t bytes_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace kauri::backend
