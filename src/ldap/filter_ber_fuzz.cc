// A filter in BER: what is decoded is encoded and decoded again as the same tree; where its names
// are well-formed it also survives its text form.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/limits.h"
#include "ldap/filter.h"
#include "ldap/name_syntax.h"

namespace {

using namespace kauri;
using namespace kauri::ldap;

void check_shape(const Filter& filter) {
  KAURI_ASSERT(!filter.nodes.empty() && filter.nodes.size() <= limits::kFilterNodesMax);
  KAURI_ASSERT(filter.nodes[0].end == filter.nodes.size());
  for (std::size_t i = 0; i < filter.nodes.size(); ++i) {
    const FilterNode& node = filter.nodes[i];
    KAURI_ASSERT(node.end > i && node.end <= filter.nodes.size());
    if (node.kind > FilterKind::kNot) KAURI_ASSERT(node.end == i + 1);
    if (node.kind == FilterKind::kNot) KAURI_ASSERT(filter.nodes[i + 1].end == node.end);
    if (node.kind == FilterKind::kSubstrings) KAURI_ASSERT(node.parts_begin < node.parts_end);
    KAURI_ASSERT(node.parts_end <= filter.parts.size());
  }
}

void check_same(const Filter& a, const Filter& b) {
  KAURI_ASSERT(a.nodes.size() == b.nodes.size() && a.parts.size() == b.parts.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const FilterNode& x = a.nodes[i];
    const FilterNode& y = b.nodes[i];
    KAURI_ASSERT(x.kind == y.kind && x.end == y.end && x.dn_attributes == y.dn_attributes);
    KAURI_ASSERT(x.parts_begin == y.parts_begin && x.parts_end == y.parts_end);
    KAURI_ASSERT(x.attribute == y.attribute && x.value == y.value);
    KAURI_ASSERT(x.matching_rule == y.matching_rule);
  }
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    KAURI_ASSERT(a.parts[i].kind == b.parts[i].kind && a.parts[i].value == b.parts[i].value);
  }
}

// Whether RFC 4515 can say what the node says: over the wire a name may hold anything, and "dn" is
// no rule in text.
bool is_sayable(const FilterNode& node) {
  if (node.kind <= FilterKind::kNot) return true;
  if (!node.attribute.empty() && !internal::is_attribute_description(node.attribute)) return false;
  if (node.kind != FilterKind::kExtensible) return !node.attribute.empty();
  if (node.matching_rule.empty()) return true;
  return internal::is_oid(node.matching_rule) &&
         !text::equal_ignoring_case(node.matching_rule, "dn");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ber::Reader reader({reinterpret_cast<const char*>(data), size});
  Filter filter;
  const char* why = nullptr;
  const FilterFault fault = decode_filter(reader, filter, why);
  KAURI_ASSERT((why == nullptr) == (fault == FilterFault::kNone));
  if (fault != FilterFault::kNone) return 0;
  check_shape(filter);
  std::string octets;
  ber::Writer writer(octets);
  encode_filter(writer, filter);
  ber::Reader again(octets);
  Filter other;
  KAURI_ASSERT(decode_filter(again, other, why) == FilterFault::kNone && again.at_end());
  check_same(filter, other);
  check_same(filter, filter.clone());
  const std::string text = to_string(filter);
  for (const char c : text) KAURI_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  if (!std::all_of(filter.nodes.begin(), filter.nodes.end(), is_sayable)) return 0;
  const Result<Filter> parsed = parse_filter(text);
  KAURI_ASSERT(parsed.has_value());
  check_same(filter, *parsed);
  return 0;
}
