// Search filters: from BER (RFC 4511 section 4.5.1.7) and from text (RFC 4515), one flat tree for
// both.
//
// Nodes lie in preorder in one vector, so that decoding, walking and dropping a filter needs no
// recursion and reuse of a Filter object allocates nothing. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ber/reader.h"
#include "ber/writer.h"

namespace kauri::ldap {

enum class FilterKind : std::uint8_t {  // the values are the context tags of RFC 4511
  kAnd = 0,
  kOr = 1,
  kNot = 2,
  kEquality = 3,
  kSubstrings = 4,
  kGreaterOrEqual = 5,
  kLessOrEqual = 6,
  kPresent = 7,
  kApprox = 8,
  kExtensible = 9,
};

struct FilterNode {
  FilterKind kind = FilterKind::kPresent;
  bool dn_attributes = false;  // extensible only
  std::uint32_t end = 0;  // index just past this node's subtree; a leaf has end == own index + 1
  std::uint32_t parts_begin = 0;  // substrings: range of Filter::parts
  std::uint32_t parts_end = 0;
  std::string_view
      attribute;           // attribute description as sent; empty when an extensible node has none
  std::string_view value;  // assertion value, unescaped
  std::string_view matching_rule;  // extensible only; may be empty
};

enum class SubstringPartKind : std::uint8_t { kInitial = 0, kAny = 1, kFinal = 2 };
struct SubstringPart {
  SubstringPartKind kind;
  std::string_view value;  // never empty
};

// VALID UNTIL: a filter decoded from BER points into those octets; one parsed from text owns its
// octets (`storage`).
struct Filter {
  std::vector<FilterNode>
      nodes;  // preorder; nodes[0] is the root; an and/or node without children is legal (RFC 4526)
  std::vector<SubstringPart> parts;
  std::string storage;

  Filter() = default;
  Filter(Filter&&) = default;  // NOLINT(performance-noexcept-move-constructor)
  Filter& operator=(Filter&&) = default;
  Filter(const Filter&) = delete;  // views into storage would dangle; use clone()
  Filter& operator=(const Filter&) = delete;
  // A filter that owns all its octets.
  Filter clone() const;
  void clear();
};

enum class FilterFault : std::uint8_t { kNone, kProtocol, kAdminLimit };

// Decodes one filter element from `reader` into `out` (cleared first). RETURNS: kNone; kProtocol
// for broken BER, an unknown choice, empty or misordered substrings, a `not` without exactly one
// child, nesting past limits::kFilterDepthMax; kAdminLimit past limits::kFilterNodesMax or
// kSubstringPartsMax. `why` gets a static sentence.
FilterFault decode_filter(ber::Reader& reader, Filter& out, const char*& why);
void encode_filter(ber::Writer& writer, const Filter& filter);

// RFC 4515, with the same limits; a bare `a=b` without parentheses is accepted. kInvalid with
// position and reason.
Result<Filter> parse_filter(std::string_view text);
// RFC 4515 text; parse_filter reads it back as the same tree.
std::string to_string(const Filter& filter);

}  // namespace kauri::ldap
