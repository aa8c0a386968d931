// How often the limits of base/limits.h were met since the process began: what an operator sees of
// limits besides the result codes of single operations. A limit that no client can meet, such as
// the size of a batch, has no counter.
//
// Thread safety: thread-safe; counting is one relaxed addition, on the path of a refusal only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::limits {

// One for each row of docs/reference/limits.md that names a counter there. What belongs to several
// constants (before and after a bind, say) is one counter.
enum class Counter : std::uint8_t {
  kMessageSize,
  kBerDepth,
  kFilterDepth,
  kFilterNodes,
  kSubstringParts,
  kAssertionOctets,
  kFilterWork,
  kRequestedAttributes,
  kControls,
  kChanges,
  kRequestValues,
  kDnSize,
  kDnRdns,
  kRdnAvas,
  kCombiningMarks,
  kPreparedOctets,
  kEntryAttributes,
  kDescriptionSize,
  kPasswordSize,
  kFirstRequestSeconds,
  kHashQueue,
  kOperationsInFlight,
  kOperationsMemory,
  kMessageSeconds,
  kOutputQueue,
  kOutputStallSeconds,
  kLargeBuffers,
  kSearchSize,
  kSearchSeconds,
  kLookThrough,
  kAliasChain,
  kAliasBases,
  kNewGrams,
  kEntryOctets,
  kDescriptions,
  kIncrements,
  kOptions,
  kNestedNames,
  kIntegerDigits,
  kWriteQueue,
  kConnections,
  kDescriptors,
  kEnd,  // how many there are
};

void count(Counter counter);
std::uint64_t counted(Counter counter);
// "message_size": as the enumerator, in the spelling of a log.
std::string_view name_of(Counter counter);
// "message_size 3, controls 1": those that are not 0, in the order above; empty when all are.
std::string counted_text();

}  // namespace kauri::limits
