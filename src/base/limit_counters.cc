#include "base/limit_counters.h"

#include <array>
#include <atomic>
#include <cstddef>

#include "base/planted_fault.h"

namespace kauri::limits {
namespace {

constexpr auto kCounters = static_cast<std::size_t>(Counter::kEnd);

constexpr std::array<std::string_view, kCounters> kNames = {
    "message_size",      "ber_depth",
    "filter_depth",      "filter_nodes",
    "substring_parts",   "assertion_octets",
    "filter_work",       "requested_attributes",
    "controls",          "changes",
    "request_values",    "dn_size",
    "dn_rdns",           "rdn_avas",
    "combining_marks",   "prepared_octets",
    "entry_attributes",  "description_size",
    "password_size",     "first_request_seconds",
    "hash_queue",        "operations_in_flight",
    "operations_memory", "message_seconds",
    "output_queue",      "output_stall_seconds",
    "large_buffers",     "search_size",
    "search_seconds",    "look_through",
    "alias_chain",       "alias_bases",
    "new_grams",         "entry_octets",
    "descriptions",      "increments",
    "options",           "nested_names",
    "integer_digits",    "write_queue",
    "connections",       "descriptors",
};
static_assert(!kNames.back().empty(), "each counter has a name");

std::array<std::atomic<std::uint64_t>, kCounters> counters{};

}  // namespace

void count(Counter counter) {
  // What ThreadSanitizer has to find.
  if (KAURI_PLANTED_FAULT("race")) {
    static std::uint64_t unguarded = 0;
    if (++unguarded == 0) return;
  }
  counters[static_cast<std::size_t>(counter)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t counted(Counter counter) {
  return counters[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
}

std::string_view name_of(Counter counter) {
  return kNames[static_cast<std::size_t>(counter)];
}

std::string counted_text() {
  std::string text;
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    const std::uint64_t times = counted(counter);
    if (times == 0) continue;
    if (!text.empty()) text += ", ";
    text += name_of(counter);
    text += ' ';
    text += std::to_string(times);
  }
  return text;
}

}  // namespace kauri::limits
