// Filters in BER (RFC 4511 section 4.5.1.7): the nesting is kept in an array, never on the stack of
// calls.
#include <array>

#include "base/assert.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/filter.h"
#include "text/weight.h"

namespace kauri::ldap {
namespace {

using ber::Reader;

static_assert(limits::kFilterDepthMax == 64 && limits::kFilterNodesMax == 4096 &&
                  limits::kSubstringPartsMax == 64 && limits::kAssertionOctetsMax == 4194304,
              "sentences below name the limits");

constexpr ber::Tag kAndTag = ber::context_constructed(0);
constexpr ber::Tag kOrTag = ber::context_constructed(1);
constexpr ber::Tag kNotTag = ber::context_constructed(2);
constexpr ber::Tag kEqualityTag = ber::context_constructed(3);
constexpr ber::Tag kSubstringsTag = ber::context_constructed(4);
constexpr ber::Tag kGreaterTag = ber::context_constructed(5);
constexpr ber::Tag kLessTag = ber::context_constructed(6);
constexpr ber::Tag kPresentTag = ber::context(7);
constexpr ber::Tag kApproxTag = ber::context_constructed(8);
constexpr ber::Tag kExtensibleTag = ber::context_constructed(9);

void skip_rest(Reader& reader) {
  while (!reader.at_end()) reader.whole_element();
}

// Decodes one filter; a member function for each choice.
class FilterDecoder {
 public:
  FilterDecoder(Reader& outer, Filter& out)
      : outer_(outer),
        out_(out),
        weighs_(outer.rest().size() > limits::kAssertionOctetsMax / text::kPreparationWeightMax) {}

  FilterFault decode(const char*& why) {
    add(outer_);
    while (fault_ == FilterFault::kNone && depth_ > 0) {
      if (!current_.at_end()) {
        add(current_);
      } else {
        close();
      }
    }
    why = why_;
    return fault_;
  }

 private:
  // An open composite. Without initial values, so that a plain filter does not pay for the array.
  struct Level {
    const char* rest;  // what is left of its contents while a child is open
    std::size_t rest_size;
    std::uint32_t node;
    std::uint32_t children;
  };

  void fail(FilterFault fault, const char* why) {
    if (fault_ != FilterFault::kNone) return;
    fault_ = fault;
    why_ = why;
  }
  void fail_if_broken(const Reader& reader) {
    if (!reader.ok()) fail(FilterFault::kProtocol, reader.error());
  }

  // Reads the filter at the head of `reader`: a leaf whole, of a composite its header.
  void add(Reader& reader) {
    if (out_.nodes.size() == limits::kFilterNodesMax) {
      limits::count(limits::Counter::kFilterNodes);
      return fail(FilterFault::kAdminLimit, "the filter has more nodes than the limit of 4096");
    }
    if (depth_ > 0) ++levels_[depth_ - 1].children;
    switch (const ber::Tag tag = reader.peek()) {
      case kAndTag:
      case kOrTag:
      case kNotTag:
        return open(reader, tag);
      case kEqualityTag:
      case kGreaterTag:
      case kLessTag:
      case kApproxTag:
        return assertion(reader, tag);
      case kSubstringsTag:
        return substrings(reader);
      case kPresentTag: {
        const std::string_view attribute = reader.octet_string(kPresentTag);
        new_leaf(FilterKind::kPresent).attribute = attribute;
        return fail_if_broken(reader);
      }
      case kExtensibleTag:
        return extensible(reader);
      default:
        if (reader.at_end()) return fail(FilterFault::kProtocol, "the filter is missing");
        return fail(FilterFault::kProtocol,
                    "the filter has a choice that RFC 4511 does not define");
    }
  }

  void weigh(std::string_view value) {
    if (!weighs_) return;
    weight_ +=
        value.size() > limits::kAssertionOctetsMax ? value.size() : text::preparation_weight(value);
    if (weight_ > limits::kAssertionOctetsMax) {
      limits::count(limits::Counter::kAssertionOctets);
      fail(FilterFault::kAdminLimit,
           "the values in the filter have more octets than the limit of 4194304 (what is beyond "
           "ASCII counts ten times or more)");
    }
  }

  FilterNode& new_leaf(FilterKind kind) {
    FilterNode& node = out_.nodes.emplace_back();
    node.kind = kind;
    node.end = static_cast<std::uint32_t>(out_.nodes.size());
    return node;
  }

  void open(Reader& reader, ber::Tag tag) {
    if (depth_ == limits::kFilterDepthMax) {
      limits::count(limits::Counter::kFilterDepth);
      return fail(FilterFault::kProtocol, "the filter is nested deeper than the limit of 64");
    }
    const Reader inner = reader.nested(tag);
    if (depth_ > 0) {
      levels_[depth_ - 1].rest = reader.rest().data();
      levels_[depth_ - 1].rest_size = reader.rest().size();
    }
    levels_[depth_++] = {nullptr, 0, static_cast<std::uint32_t>(out_.nodes.size()), 0};
    new_leaf(static_cast<FilterKind>(tag & 0x1FU));
    const char* broken = inner.error();
    current_ = inner;
    if (broken != nullptr) fail(FilterFault::kProtocol, broken);
  }

  // All children of a composite have been read.
  void close() {
    fail_if_broken(current_);
    const Level& level = levels_[--depth_];
    FilterNode& node = out_.nodes[level.node];
    node.end = static_cast<std::uint32_t>(out_.nodes.size());
    if (node.kind == FilterKind::kNot && level.children != 1) {
      fail(FilterFault::kProtocol, "a not filter does not contain exactly one filter");
    }
    if (depth_ == 0) return;
    const Level& parent = levels_[depth_ - 1];
    current_ = Reader({parent.rest, parent.rest_size}, outer_.depth() + depth_);
  }

  void assertion(Reader& reader, ber::Tag tag) {
    Reader contents = reader.nested(tag);
    FilterNode& node = new_leaf(static_cast<FilterKind>(tag & 0x1FU));
    node.attribute = contents.octet_string();
    node.value = contents.octet_string();
    weigh(node.value);
    skip_rest(contents);
    fail_if_broken(contents);
  }

  void substrings(Reader& reader) {
    Reader contents = reader.nested(kSubstringsTag);
    FilterNode& node = new_leaf(FilterKind::kSubstrings);
    node.attribute = contents.octet_string();
    Reader list = contents.nested(ber::kSequence);
    node.parts_begin = static_cast<std::uint32_t>(out_.parts.size());
    bool final_seen = false;
    while (!list.at_end() && fault_ == FilterFault::kNone) {
      ber::Tag tag = 0;
      const std::string_view value = list.any_element(tag);
      if (!list.ok()) break;
      const std::size_t count = out_.parts.size() - node.parts_begin;
      const char* fault = part_fault(tag, value, count == 0, final_seen);
      if (fault != nullptr) return fail(FilterFault::kProtocol, fault);
      if (count == limits::kSubstringPartsMax) {
        limits::count(limits::Counter::kSubstringParts);
        return fail(FilterFault::kAdminLimit,
                    "a substrings filter has more parts than the limit of 64");
      }
      weigh(value);
      final_seen = tag == ber::context(2);
      out_.parts.push_back({static_cast<SubstringPartKind>(tag & 0x1FU), value});
    }
    node.parts_end = static_cast<std::uint32_t>(out_.parts.size());
    fail_if_broken(list);
    skip_rest(contents);
    fail_if_broken(contents);
    if (node.parts_end == node.parts_begin) {
      fail(FilterFault::kProtocol, "a substrings filter has no parts");
    }
  }

  // Why a part may not stand here; nullptr when it may.
  static const char* part_fault(ber::Tag tag, std::string_view value, bool first,
                                bool after_final) {
    if (tag != ber::context(0) && tag != ber::context(1) && tag != ber::context(2)) {
      return "a part of a substrings filter is neither initial, any nor final";
    }
    if (value.empty()) return "a part of a substrings filter is empty";
    if (after_final) return "a part of a substrings filter follows the final one";
    if (tag == ber::context(0) && !first) {
      return "the initial part of a substrings filter is not its first";
    }
    return nullptr;
  }

  void extensible(Reader& reader) {
    Reader contents = reader.nested(kExtensibleTag);
    FilterNode& node = new_leaf(FilterKind::kExtensible);
    const bool has_rule = contents.optional(ber::context(1), node.matching_rule);
    const bool has_attribute = contents.optional(ber::context(2), node.attribute);
    node.value = contents.octet_string(ber::context(3));
    weigh(node.value);
    if (contents.peek() == ber::context(4)) node.dn_attributes = contents.boolean(ber::context(4));
    skip_rest(contents);
    fail_if_broken(contents);
    if (!has_rule && !has_attribute) {
      fail(FilterFault::kProtocol,
           "an extensible filter names neither attribute nor matching rule");
    }
    if ((has_rule && node.matching_rule.empty()) || (has_attribute && node.attribute.empty())) {
      fail(FilterFault::kProtocol, "an extensible filter has an empty attribute or matching rule");
    }
  }

  Reader& outer_;
  Filter& out_;
  FilterFault fault_ = FilterFault::kNone;
  const char* why_ = nullptr;
  const bool weighs_;  // whether the values may be too long in all
  std::size_t weight_ = 0;
  Reader current_;  // contents of the innermost open composite
  unsigned depth_ = 0;
  std::array<Level, limits::kFilterDepthMax> levels_;
};

std::size_t element_size(std::size_t contents) {
  return ber::header_size(contents) + contents;
}

// Octets of all parts of a substrings node, without the header of their SEQUENCE.
std::size_t parts_size(const Filter& filter, const FilterNode& node) {
  std::size_t size = 0;
  for (std::uint32_t i = node.parts_begin; i < node.parts_end; ++i) {
    size += element_size(filter.parts[i].value.size());
  }
  return size;
}

// Octets of a leaf's contents.
std::size_t leaf_size(const Filter& filter, const FilterNode& node) {
  switch (node.kind) {
    case FilterKind::kPresent:
      return node.attribute.size();
    case FilterKind::kSubstrings:
      return element_size(node.attribute.size()) + element_size(parts_size(filter, node));
    case FilterKind::kExtensible:
      return (node.matching_rule.empty() ? 0 : element_size(node.matching_rule.size())) +
             (node.attribute.empty() ? 0 : element_size(node.attribute.size())) +
             element_size(node.value.size()) + (node.dn_attributes ? 3 : 0);
    default:
      return element_size(node.attribute.size()) + element_size(node.value.size());
  }
}

void encode_leaf(ber::Writer& writer, const Filter& filter, const FilterNode& node) {
  switch (node.kind) {
    case FilterKind::kPresent:
      writer.raw(node.attribute);
      return;
    case FilterKind::kSubstrings:
      writer.octet_string(node.attribute);
      ber::append_header(writer.buffer(), ber::kSequence, parts_size(filter, node));
      for (std::uint32_t i = node.parts_begin; i < node.parts_end; ++i) {
        const SubstringPart& part = filter.parts[i];
        writer.octet_string(part.value, ber::context(static_cast<unsigned>(part.kind)));
      }
      return;
    case FilterKind::kExtensible:
      if (!node.matching_rule.empty()) writer.octet_string(node.matching_rule, ber::context(1));
      if (!node.attribute.empty()) writer.octet_string(node.attribute, ber::context(2));
      writer.octet_string(node.value, ber::context(3));
      if (node.dn_attributes) writer.boolean(true, ber::context(4));
      return;
    default:
      writer.octet_string(node.attribute);
      writer.octet_string(node.value);
  }
}

bool is_composite(FilterKind kind) {
  return kind <= FilterKind::kNot;
}

}  // namespace

FilterFault decode_filter(Reader& reader, Filter& out, const char*& why) {
  out.clear();
  return FilterDecoder(reader, out).decode(why);
}

void encode_filter(ber::Writer& writer, const Filter& filter) {
  KAURI_ASSERT(!filter.nodes.empty());
  // From the last node to the first every child is measured before its parent.
  std::vector<std::size_t> sizes(filter.nodes.size());
  for (std::size_t i = filter.nodes.size(); i-- > 0;) {
    const FilterNode& node = filter.nodes[i];
    if (!is_composite(node.kind)) {
      sizes[i] = leaf_size(filter, node);
      continue;
    }
    for (std::size_t child = i + 1; child < node.end; child = filter.nodes[child].end) {
      sizes[i] += element_size(sizes[child]);
    }
  }
  for (std::size_t i = 0; i < filter.nodes.size(); ++i) {
    const FilterNode& node = filter.nodes[i];
    const auto kind = static_cast<unsigned>(node.kind);
    const bool primitive = node.kind == FilterKind::kPresent;
    ber::append_header(writer.buffer(),
                       primitive ? ber::context(kind) : ber::context_constructed(kind), sizes[i]);
    if (!is_composite(node.kind)) encode_leaf(writer, filter, node);
  }
}

void Filter::clear() {
  nodes.clear();
  parts.clear();
  storage.clear();
}

Filter Filter::clone() const {
  std::size_t size = 0;
  for (const FilterNode& node : nodes) {
    size += node.attribute.size() + node.value.size() + node.matching_rule.size();
  }
  for (const SubstringPart& part : parts) size += part.value.size();
  Filter copy;
  // Never so small that the octets would lie inside the string object and move with it.
  copy.storage.reserve(size < 64 ? 64 : size);
  const auto keep = [&copy](std::string_view& view) {
    const std::size_t offset = copy.storage.size();
    copy.storage.append(view);
    view = std::string_view(copy.storage).substr(offset);
  };
  copy.nodes = nodes;
  copy.parts = parts;
  for (FilterNode& node : copy.nodes) {
    keep(node.attribute);
    keep(node.value);
    keep(node.matching_rule);
  }
  for (SubstringPart& part : copy.parts) keep(part.value);
  return copy;
}

}  // namespace kauri::ldap
