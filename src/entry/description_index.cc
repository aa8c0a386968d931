#include "entry/description_index.h"

#include <string_view>

namespace kauri::entry {
namespace {

constexpr std::size_t kFirstSlots = 16;
// 2^61 - 1, a prime: the sums below are polynomials over its field.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;

std::uint64_t reduce(std::uint64_t value) {
  value = (value & kPrime) + (value >> 61U);
  return value >= kPrime ? value - kPrime : value;
}

__extension__ using Wide = unsigned __int128;

// REQUIRES: both below the prime.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return reduce((static_cast<std::uint64_t>(product) & kPrime) +
                static_cast<std::uint64_t>(product >> 61U));
}

}  // namespace

DescriptionIndex::DescriptionIndex(Random& random) {
  // Neither may be zero: it would make all descriptions equal.
  for (std::uint64_t& part : key_) part = 1 + random.next_u64() % (kPrime - 1);
  tables_.push_back(std::make_unique<Table>(kFirstSlots));
  current_.store(tables_.back().get(), std::memory_order_release);
}

// The value of a polynomial at a secret point: two descriptions of n octets share it for at most n
// of the 2^61 points, whoever chose them.
std::uint64_t DescriptionIndex::hash_of(const schema::AttributeType& type,
                                        const std::vector<std::string>& options) const {
  std::uint64_t sum = 1;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      sum = multiply(sum, key_[0]);
      sum = reduce(sum + static_cast<unsigned char>(c) + 1);
    }
    // What separates the parts is the value of no octet.
    sum = multiply(sum, key_[0]);
    sum = reduce(sum + 257);
  };
  add(type.oid);
  for (const std::string& option : options) add(option);
  return multiply(sum, key_[1]);
}

const DictionaryItem* DescriptionIndex::find(const schema::AttributeType& type,
                                             const std::vector<std::string>& options,
                                             std::uint64_t* compared) const {
  const Table& table = *current_.load(std::memory_order_acquire);
  for (std::size_t at = hash_of(type, options) & table.mask;; at = (at + 1) & table.mask) {
    const DictionaryItem* item = table.slots[at].load(std::memory_order_acquire);
    if (item == nullptr) return nullptr;
    if (compared != nullptr) ++*compared;
    if (item->description.type == &type && item->description.options == options) return item;
  }
}

void DescriptionIndex::put(Table& table, const DictionaryItem* item) {
  std::size_t at = hash_of(*item->description.type, item->description.options) & table.mask;
  while (table.slots[at].load(std::memory_order_relaxed) != nullptr) {
    at = (at + 1) & table.mask;
    ++slots_written_;  // as dear as a write
  }
  table.slots[at].store(item, std::memory_order_release);
  ++slots_written_;
}

void DescriptionIndex::add(const DictionaryItem* item) {
  Table* table = tables_.back().get();
  if ((count_ + 1) * 2 > table->mask + 1) {
    auto larger = std::make_unique<Table>((table->mask + 1) * 2);
    for (std::size_t i = 0; i <= table->mask; ++i) {
      const DictionaryItem* old = table->slots[i].load(std::memory_order_relaxed);
      if (old != nullptr) put(*larger, old);
    }
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
  }
  put(*table, item);
  ++count_;
  current_.store(table, std::memory_order_release);
}

}  // namespace kauri::entry
