#include "backend/name_cache.h"

#include <functional>

namespace kauri::backend {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 32U;
  value *= 0x9e3779b97f4a7c15U;
  return value >> 40U;
}

}  // namespace

std::size_t NameCache::slot_of(EntryId id) {
  return mix(id.value()) % kSlots;
}

std::size_t NameCache::slot_of(EntryId parent, std::string_view normal_rdn) {
  return mix(std::hash<std::string_view>()(normal_rdn) + parent.value() * 0x100000001b3U) % kSlots;
}

const NameCache::Name* NameCache::find(EntryId id) const {
  if (names_.empty()) return nullptr;
  const std::size_t slot = slot_of(id);
  if (names_[slot].id == id) return &names_[slot];
  if (names_[slot ^ 1U].id == id) return &names_[slot ^ 1U];
  return nullptr;
}

const NameCache::Name* NameCache::store(Name name) {
  if (names_.empty()) names_.resize(kSlots);
  const std::size_t first = slot_of(name.id);
  std::size_t slot = first;
  if (names_[slot].id.value() != 0 && names_[slot].id != name.id) {
    slot ^= 1U;
    if (names_[slot].id.value() != 0 && names_[slot].id != name.id) slot = first ^ (turn_++ & 1U);
  }
  account(names_[slot].dn.size() + names_[slot].normal_dn.size(),
          name.dn.size() + name.normal_dn.size());
  if (names_.empty()) names_.resize(kSlots);
  names_[slot] = std::move(name);
  return &names_[slot];
}

EntryId NameCache::find_child(EntryId parent, std::string_view normal_rdn) const {
  if (children_.empty()) return EntryId();
  const std::size_t slot = slot_of(parent, normal_rdn);
  for (const std::size_t at : {slot, slot ^ 1U}) {
    const Child& child = children_[at];
    if (child.id.value() != 0 && child.parent == parent && child.normal_rdn == normal_rdn)
      return child.id;
  }
  return EntryId();
}

void NameCache::store_child(EntryId parent, std::string_view normal_rdn, EntryId id) {
  if (find_child(parent, normal_rdn) == id) return;
  if (children_.empty()) children_.resize(kSlots);
  std::size_t slot = slot_of(parent, normal_rdn);
  if (children_[slot].id.value() != 0 && children_[slot ^ 1U].id.value() == 0) slot ^= 1U;
  if (children_[slot].id.value() != 0) slot ^= turn_++ & 1U;
  account(children_[slot].normal_rdn.size(), normal_rdn.size());
  if (children_.empty()) children_.resize(kSlots);
  children_[slot].parent = parent;
  children_[slot].id = id;
  children_[slot].normal_rdn.assign(normal_rdn);
}

void NameCache::account(std::size_t removed, std::size_t added) {
  bytes_ -= removed;
  if (bytes_ + added > kBytesMax) clear();
  bytes_ += added;
}

void NameCache::clear() {
  if (bytes_ == 0 && names_.empty() && children_.empty()) return;
  names_.clear();
  children_.clear();
  bytes_ = 0;
}

}  // namespace kauri::backend
