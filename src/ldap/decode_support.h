// What the decoders of this folder share. Internal to src/ldap. Thread safety: immutable functions.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ber/reader.h"
#include "ldap/message.h"

namespace kauri::ldap::internal {

// Depth of the fields of a protocolOp: LDAPMessage, then the operation.
inline constexpr unsigned kBodyDepth = 2;

// Skips what a later version may add to a SEQUENCE (RFC 4511 section 4); it must be whole elements.
inline void skip_rest(ber::Reader& reader) {
  while (!reader.at_end()) reader.whole_element();
}

// Ends the reading of `inner`, which stands inside `outer`: skips the rest and hands a fault on.
inline void finish(ber::Reader& outer, ber::Reader& inner) {
  skip_rest(inner);
  if (!inner.ok()) outer.fail(inner.error());
}

inline DecodeResult protocol_result(const ber::Reader& reader) {
  return reader.ok() ? DecodeResult{} : DecodeResult{DecodeFault::kProtocol, reader.error()};
}

// A vector's elements used again from the first, so that what they hold themselves keeps its
// memory.
template <class T>
class Reuse {
 public:
  explicit Reuse(std::vector<T>& items) : items_(items) {}
  // RETURNS: the next element, with the contents that it had; valid until the next call.
  T& next() {
    if (used_ == items_.size()) items_.emplace_back();
    return items_[used_++];
  }
  void drop_last() { --used_; }
  // Drops the elements that were not used.
  void finish() { items_.resize(used_); }

 private:
  std::vector<T>& items_;
  std::size_t used_ = 0;
};

// PartialAttribute (RFC 4511 section 4.1.7) at the head of `reader`. Ends early, without a fault,
// when it has one value more than `values_max`.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
void decode_attribute(ber::Reader& reader, AttributeView& out, std::size_t values_max = kAnyNumber);

}  // namespace kauri::ldap::internal
