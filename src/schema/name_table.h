// NameTable: case-insensitive names to pointers; look-up is O(1) and never allocates.
//
// Thread safety: thread-compatible; immutable once filled. Keys are views: the octets of each name
// must live and stay as long as the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "text/ascii.h"

namespace kauri::schema {

template <class T>
class NameTable {
 public:
  // RETURNS: false, changing nothing, when the name is there already.
  bool insert(std::string_view name, const T* value) {
    if (find(name) != nullptr) return false;
    if ((used_ + 1) * 2 > slots_.size()) grow();
    place(name, value);
    ++used_;
    return true;
  }

  const T* find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t hash = hash_of(name);
    for (std::size_t i = hash & (slots_.size() - 1); slots_[i].value != nullptr;
         i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].hash == hash && text::equal_ignoring_case(slots_[i].name, name)) {
        return slots_[i].value;
      }
    }
    return nullptr;
  }

 private:
  struct Slot {
    std::string_view name;
    const T* value = nullptr;
    std::uint32_t hash = 0;
  };

  // Case only changes bit 0x20 of letters, so setting it folds them; the comparison decides about
  // the rest.
  static std::uint32_t hash_of(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ (static_cast<unsigned char>(c) | 0x20U)) * 16777619U;
    return hash ^ (hash >> 15U);
  }
  void place(std::string_view name, const T* value) {
    const std::uint32_t hash = hash_of(name);
    std::size_t i = hash & (slots_.size() - 1);
    while (slots_[i].value != nullptr) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {name, value, hash};
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? 64 : old.size() * 2);
    for (const Slot& slot : old) {
      if (slot.value != nullptr) place(slot.name, slot.value);
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace kauri::schema
