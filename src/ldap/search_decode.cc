// Search requests (RFC 4511 section 4.5.1). This is the hot path: a request that fits into what the
// object has seen before allocates nothing.
#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/decode_support.h"
#include "ldap/message.h"

namespace kauri::ldap {
namespace {

constexpr std::int64_t kLimitMax = 2147483647;  // maxInt of RFC 4511
static_assert(limits::kRequestedAttributesMax == 1000, "a sentence below names the limit");

}  // namespace

DecodeResult decode_search(std::string_view body, SearchRequest& out) {
  out.filter.clear();
  out.attributes.clear();
  ber::Reader reader(body, internal::kBodyDepth);
  out.base = reader.octet_string();
  out.scope = static_cast<Scope>(reader.integer_in(0, 3, ber::kEnumerated));
  out.deref = static_cast<DerefAliases>(reader.integer_in(0, 3, ber::kEnumerated));
  out.size_limit = static_cast<std::int32_t>(reader.integer_in(0, kLimitMax));
  out.time_limit = static_cast<std::int32_t>(reader.integer_in(0, kLimitMax));
  out.types_only = reader.boolean();
  if (!reader.ok()) return internal::protocol_result(reader);
  const char* why = nullptr;
  switch (decode_filter(reader, out.filter, why)) {
    case FilterFault::kNone:
      break;
    case FilterFault::kProtocol:
      return {DecodeFault::kProtocol, why};
    case FilterFault::kAdminLimit:
      return {DecodeFault::kAdminLimit, why};
  }
  ber::Reader attributes = reader.nested(ber::kSequence);
  while (!attributes.at_end()) {
    const std::string_view attribute = attributes.octet_string();
    if (!attributes.ok()) break;
    if (out.attributes.size() == limits::kRequestedAttributesMax) {
      limits::count(limits::Counter::kRequestedAttributes);
      return {DecodeFault::kAdminLimit,
              "the search asks for more attributes than the limit of 1000"};
    }
    out.attributes.push_back(attribute);
  }
  internal::finish(reader, attributes);
  internal::skip_rest(reader);
  return internal::protocol_result(reader);
}

}  // namespace kauri::ldap
