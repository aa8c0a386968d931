// Sorting by keys of octets that share long beginnings, as those of an index and of a table do.
//
// A comparison of two strings goes through all that they share, with a miss of the cache for each
// of them; a request with 100,000 values spends a fifth of its time on that. Here eight octets of
// each key behind what all share are brought together and compared as one number; only keys that
// agree in them are looked at again, eight octets further on. Thread safety: as the vector given.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/endian.h"

namespace kauri {
namespace key_sort {

inline constexpr std::size_t kHead = 8;
// So few are compared as strings.
inline constexpr std::size_t kFewMax = 12;

// A key, and what stands in it at the depth of the moment.
struct Place {
  std::uint64_t head = 0;     // octets as a number, zeros behind the end of the key
  std::uint32_t rest = 0;     // how many there are, at most kHead + 1
  std::uint32_t index = 0;    // of the element
  std::string_view key = {};  // whole
};

inline void look(Place& place, std::size_t depth) {
  const std::string_view rest = place.key.substr(std::min(depth, place.key.size()));
  place.rest = static_cast<std::uint32_t>(std::min(rest.size(), kHead + 1));
  if (rest.size() >= kHead) {
    place.head = load_big_endian<std::uint64_t>(rest);
    return;
  }
  std::array<char, kHead> padded{};
  std::memcpy(padded.data(), rest.data(), rest.size());
  place.head = load_big_endian<std::uint64_t>(std::string_view(padded.data(), padded.size()));
}

// How much all of them share from `depth` on, which they share already.
inline std::size_t shared(std::span<const Place> places, std::size_t depth) {
  const std::string_view first = places.front().key;
  std::size_t end = first.size();
  for (const Place& place : places.subspan(1)) {
    end = std::min(end, place.key.size());
    if (std::memcmp(first.data() + depth, place.key.data() + depth, end - depth) == 0) continue;
    end = static_cast<std::size_t>(
        std::mismatch(first.begin() + static_cast<std::ptrdiff_t>(depth),
                      first.begin() + static_cast<std::ptrdiff_t>(end),
                      place.key.begin() + static_cast<std::ptrdiff_t>(depth))
            .first -
        first.begin());
    if (end == depth) break;
  }
  return end;
}

// Sorts keys that agree in their first `depth` octets, and have them.
inline void sort_places(std::span<Place> places, std::size_t depth) {
  while (places.size() > kFewMax) {
    depth = shared(places, depth);
    for (Place& place : places) look(place, depth);
    const auto before = [](const Place& a, const Place& b) {
      return a.head != b.head ? a.head < b.head : a.rest < b.rest;
    };
    std::sort(places.begin(), places.end(), before);
    depth += kHead;
    // Runs that go on behind the eight octets; the longest in this frame, so that frames stay few.
    std::span<Place> longest;
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      end = begin + 1;
      while (end < places.size() && !before(places[begin], places[end])) ++end;
      std::span<Place> run = places.subspan(begin, end - begin);
      if (run.size() == 1 || run.front().rest <= kHead) continue;
      if (run.size() > longest.size()) std::swap(run, longest);
      if (!run.empty()) sort_places(run, depth);
    }
    if (longest.empty()) return;
    places = longest;
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.key < b.key; });
}

}  // namespace key_sort

// Sorts by the octets of `key_of(element)`, a view into what the element owns elsewhere or in
// itself; elements with equal keys come in any order. REQUIRES: fewer than 2^32 elements.
template <class T, class KeyOf>
void sort_by_key(std::vector<T>& elements, const KeyOf& key_of) {
  if (elements.size() <= key_sort::kFewMax) {
    std::sort(elements.begin(), elements.end(), [&](const T& a, const T& b) {
      return std::string_view(key_of(a)) < std::string_view(key_of(b));
    });
    return;
  }
  std::vector<key_sort::Place> places(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    places[i].index = static_cast<std::uint32_t>(i);
    places[i].key = key_of(elements[i]);
  }
  key_sort::sort_places(places, 0);
  std::vector<T> sorted;
  sorted.reserve(elements.size());
  for (const key_sort::Place& place : places) sorted.push_back(std::move(elements[place.index]));
  elements = std::move(sorted);
}

inline void sort_keys(std::vector<std::string>& keys) {
  sort_by_key(keys, [](const std::string& key) -> std::string_view { return key; });
}

}  // namespace kauri
